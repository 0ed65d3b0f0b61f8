"""Errors as providers tell them."""

from typing import Any


def openai(code: str | None, kind: str = "invalid_request_error", param: Any = None) -> Any:
    """Return an error of OpenAI."""
    return {"message": "No.", "type": kind, "param": param, "code": code}


def anthropic(kind: str, message: str = "No.", code: str | None = None) -> Any:
    """Return an error of Anthropic."""
    error = {"type": kind, "message": message}
    return error if code is None else {**error, "details": {"error_code": code}}


def google(code: int, status: str, message: str = "No.", *details: Any) -> Any:
    """Return an error of Gemini."""
    error = {"code": code, "message": message, "status": status}
    return {**error, "details": list(details)} if details else error
