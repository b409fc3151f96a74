"""HTTP/1.1 for a load generator: one connection, one request at a time, little processor time.
Replies are parsed by httptools, which uvicorn uses as well."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable


class Reply(Exception):  # noqa: N818 - a status that is no success, raised
    """A status other than 200."""


class Connection(asyncio.Protocol):
    """A kept-alive connection; `get` waits for the whole reply."""

    def __init__(self, host: str) -> None:
        httptools = importlib.import_module("httptools")
        self._make = cast("Callable[[object], Any]", httptools.HttpResponseParser)
        self._host = host
        self._parser: Any = None
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[bytes] | None = None
        self._body: list[bytes] = []

    @staticmethod
    async def open(port: int) -> Connection:
        loop = asyncio.get_running_loop()
        host = "127.0.0.1"
        _, connection = await loop.create_connection(
            lambda: Connection(f"{host}:{port}"), host, port
        )
        return connection

    async def get(self, path: str) -> bytes:
        """Returns the body. Raises `Reply` for a status other than 200, `ConnectionError` if the
        server closes the connection."""
        if self._transport is None:
            raise ConnectionResetError("the connection is closed")
        self._waiting = asyncio.get_running_loop().create_future()
        self._body = []
        # A new parser for each reply: one that has parsed a whole message cannot be used again.
        self._parser = self._make(self)
        self._transport.write(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
        return await self._waiting

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionResetError("the server hung up"))

    def on_body(self, body: bytes) -> None:
        """Called by the parser."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Called by the parser."""
        if self._waiting is None or self._waiting.done():
            return
        status, body = self._parser.get_status_code(), b"".join(self._body)
        if status == 200:
            self._waiting.set_result(body)
        else:
            self._waiting.set_exception(Reply(f"status {status}: {body[:200]!r}"))
