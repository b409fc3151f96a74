"""The two services: a plain ASGI application, and one of FastAPI with a model after the read."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import json
import resource
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from .cells import ASGI
from .model import Model
from .store import Store

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from .result import ServingJob, Usage

    Message = dict[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]


class Service:
    """The work of both services, and their counters."""

    def __init__(self, job: ServingJob) -> None:
        self._job = job
        self._model = None if job["environment"] == ASGI else Model(job["sets"], job["seed"])
        self._store: Store | None = None
        self.answered = 0
        self.startup_error: str | None = None

    @asynccontextmanager
    async def lifespan(self, _app: object = None) -> AsyncGenerator[None, None]:
        """Opens the client once, before the first request."""
        try:
            self._store = await Store.open(self._job)
        except Exception as error:
            self.startup_error = f"{type(error).__name__}: {error}"
            raise
        try:
            yield
        finally:
            await self._store.features.close()

    async def features(self, user: int) -> dict[str, Any]:
        """The records of one request, and the best of its items if there is a model."""
        assert self._store is not None
        request = self._store.requests[user % len(self._store.requests)]
        records = await self._store.features.read(request)
        answer: dict[str, Any] = {"records": sum(map(len, records))}
        if self._model is not None:
            # In a thread: a model on the event loop would delay all other requests.
            loop = asyncio.get_running_loop()
            scores = await loop.run_in_executor(None, self._model.scores, records)
            answer["best"] = max(range(len(scores)), key=scores.__getitem__)
        self.answered += 1
        return answer

    async def answer(self, user: int) -> tuple[int, dict[str, Any]]:
        """The status and body of a reply; for a failure the reason, for the users to report."""
        try:
            return 200, await self.features(user)
        except Exception as error:  # noqa: BLE001 - whatever the client raises
            return 500, {"detail": f"{type(error).__name__}: {error}"}

    def usage(self) -> Usage:
        """What the process has used and done so far."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return {"cpu": usage.ru_utime + usage.ru_stime, "answered": self.answered}


def asgi(service: Service) -> Callable[[Message, Receive, Send], Awaitable[None]]:
    """The service without a framework."""

    async def run_lifespan(receive: Receive, send: Send) -> None:
        await receive()
        try:
            async with service.lifespan():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as error:  # noqa: BLE001 - the server reports it
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.shutdown.complete"})

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await run_lifespan(receive, send)
            return
        status, body = await respond(scope)
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})

    async def respond(scope: Message) -> tuple[int, object]:
        if scope["path"] == "/features":
            return await service.answer(int(parse_qs(scope["query_string"])[b"user"][0]))
        if scope["path"] == "/usage":
            return 200, service.usage()
        return 404, {"detail": "not found"}

    return app


def fastapi(service: Service) -> Any:
    """The same routes with FastAPI."""
    from fastapi import FastAPI, HTTPException

    async def features(user: int) -> dict[str, Any]:
        status, answer = await service.answer(user)
        if status != 200:
            raise HTTPException(status, answer["detail"])
        return answer

    async def usage() -> dict[str, Any]:
        return dict(service.usage())

    app = FastAPI(lifespan=service.lifespan)
    app.add_api_route("/features", features, methods=["GET"], response_model=None)
    app.add_api_route("/usage", usage, methods=["GET"], response_model=None)
    return app
