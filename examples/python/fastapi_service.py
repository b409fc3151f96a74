"""FastAPI on the asyncio client: opened in the lifespan, passed to routes by a dependency, and
called once per request.

Run it with uvicorn, ``uvicorn fastapi_service:app``. Run as a script, it answers a few requests
from httpx, without a socket. Every worker process has its own client, shared by all of its
requests.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import httpx
import seeds
from fastapi import Depends, FastAPI, HTTPException, Query, Request

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
    with seeds.find() as where:
        async with spikewire.AsyncClient(where, timeout=5) as client:
            app.state.client = client
            yield


def visits(request: Request) -> spikewire.AsyncDataset:
    """The dependency: creating a dataset costs next to nothing."""
    client: spikewire.AsyncClient = request.app.state.client
    return client.dataset("test", "visits")


Visits = Annotated[spikewire.AsyncDataset, Depends(visits)]


async def visit(name: str, visits: Visits) -> dict[str, Any]:
    """Counts a visit and returns the count."""
    try:
        record = await visits.operate(name, [op.add("n", 1), op.get("n")], ttl=86_400)
    except spikewire.Timeout as error:
        # In doubt means that the visit may have been counted.
        raise HTTPException(503, f"try again; in doubt: {error.in_doubt}") from error
    return {"name": name, "visits": record["n"]}


async def look(name: str, visits: Visits) -> dict[str, Any]:
    """Returns the count."""
    record = await visits.get(name, default=None)
    if record is None:
        raise HTTPException(404, "nobody of that name")
    return {"name": name, "visits": record["n"]}


async def among(names: Annotated[list[str], Query(max_length=1000)], visits: Visits) -> list[Any]:
    """Returns many counts: one batch per request, however many names there are."""
    found = await visits.get_many(names, ["n"])
    return [
        {"name": name, "visits": 0 if record is None else record["n"]}
        for name, record in zip(names, found, strict=True)
    ]


app = FastAPI(lifespan=lifespan)
app.add_api_route("/visits/{name}", visit, methods=["POST"])
app.add_api_route("/visits/{name}", look, methods=["GET"])
app.add_api_route("/visits", among, methods=["GET"])


async def main() -> None:
    """Plays a server and its users, on a small scale."""
    transport = httpx.ASGITransport(app=app)
    async with lifespan(app), httpx.AsyncClient(transport=transport, base_url="http://it") as user:
        await asyncio.gather(*(user.post("/visits/alice") for _ in range(50)))
        for path in ("/visits/alice", "/visits/nobody", "/visits?names=alice&names=bob"):
            answer = await user.get(path)
            print(answer.status_code, answer.json())


if __name__ == "__main__":
    asyncio.run(main())
