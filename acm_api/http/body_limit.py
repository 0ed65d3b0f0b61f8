"""A limit of the size of request bodies."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from acm_api.http import problems

MAX_BODY_BYTES = 32 * 2**20
"""Maximum size of a request's body, in bytes; the documents of a run are sent in one."""


class BodyLimit:
    """Middleware that answers 413 to a request with a larger body, and stops reading it."""

    def __init__(self, app: ASGIApp, most: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > self._most:
            await self._refuse(scope, receive, send)
            return
        read, started = 0, False

        async def receive_some() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most:
                raise _TooLarge
            return message

        async def send_some(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive_some, send_some)
        except _TooLarge:
            if not started:
                await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"the body is larger than {self._most // 2**20} MB"
        await problems.response(413, "request_error", detail)(scope, receive, send)


class _TooLarge(Exception):
    """The body is longer than allowed."""
