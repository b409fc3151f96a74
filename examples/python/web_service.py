"""A small web service on the asyncio client: an ASGI application without a framework.

Run it with any ASGI server, such as ``uvicorn web_service:app``. Run as a script, it answers a few
requests of its own. The client is opened when the service starts and closed when it stops; in a
framework, that is the job of the lifespan handler.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, TypeAlias

import seeds

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Message: TypeAlias = dict[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]


class Service:
    """``GET /NAME`` counts a visit of NAME and returns the count."""

    visits: spikewire.AsyncDataset

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            status, answer = await self._visit(scope["path"].strip("/"))
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": json.dumps(answer).encode()})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        with seeds.find() as where:
            async with spikewire.AsyncClient(where, timeout=0.5) as client:
                self.visits = client.dataset("test", "visits")
                await send({"type": "lifespan.startup.complete"})
                await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _visit(self, name: str) -> tuple[int, dict[str, object]]:
        if not name:
            return 404, {"error": "who?"}
        try:
            record = await self.visits.operate(name, [op.add("n", 1), op.get("n")], ttl=86_400)
        except spikewire.Timeout:
            return 503, {"error": "try again"}
        return 200, {"name": name, "visits": record["n"]}


app = Service()


async def main() -> None:
    """Plays an ASGI server, on a small scale."""
    events: asyncio.Queue[Message] = asyncio.Queue()
    sent: asyncio.Queue[Message] = asyncio.Queue()
    life = asyncio.ensure_future(app({"type": "lifespan"}, events.get, sent.put))
    await events.put({"type": "lifespan.startup"})
    print((await sent.get())["type"])

    async def request(path: str) -> None:
        answer: asyncio.Queue[Message] = asyncio.Queue()
        await app({"type": "http", "path": path}, events.get, answer.put)
        start, body = await answer.get(), await answer.get()
        print(start["status"], body["body"].decode())

    for path in ("/alice", "/alice", "/bob", "/"):
        await request(path)
    await events.put({"type": "lifespan.shutdown"})
    await life


if __name__ == "__main__":
    asyncio.run(main())
