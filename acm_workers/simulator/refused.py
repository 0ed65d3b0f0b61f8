"""Requests that are answered with an error."""


class Refused(Exception):
    """The request is answered with an error.

    Attributes:
        status: HTTP status.
        type: What OpenAI's error body calls the kind of error; other dialects go by status.
        code: What it calls this error.
        param: The parameter it is about.
        wait_s: How long until the request would be let in, where that is known.
    """

    def __init__(
        self,
        message: str,
        status: int = 400,
        type: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message, status, type, code, param)
        self.message, self.status, self.type = message, status, type
        self.code, self.param = code, param
        self.wait_s: float | None = None
