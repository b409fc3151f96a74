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
from typing import TYPE_CHECKING, Annotated

import httpx
import seeds
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from pydantic import BaseModel

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Guest(BaseModel):
    """A record: its bins, checked on the way in and out."""

    n: int
    town: str | None = None


class Visits(BaseModel):
    """An answer."""

    name: str
    visits: int


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
    with seeds.find() as where:
        async with spikewire.AsyncClient(where, timeout=5) as client:
            app.state.client = client
            yield


def guests(request: Request) -> spikewire.AsyncDataset[Guest]:
    """The dependency: creating a dataset costs next to nothing."""
    client: spikewire.AsyncClient = request.app.state.client
    return client.dataset("test", "visits", Guest)


Guests = Annotated[spikewire.AsyncDataset[Guest], Depends(guests)]


async def visit(name: str, guests: Guests) -> Visits:
    """Counts a visit and returns the count."""
    try:
        record = await guests.operate(name, [op.add("n", 1), op.get("n")], ttl=86_400)
    except spikewire.Timeout as error:
        # In doubt means that the visit may have been counted.
        raise HTTPException(503, f"try again; in doubt: {error.in_doubt}") from error
    return Visits(name=name, visits=record.value.n)


async def settle(name: str, guest: Guest, guests: Guests) -> Guest:
    """Replaces what is known of somebody. FastAPI has checked the body by the model."""
    await guests.put(name, guest)
    return guest


async def look(name: str, guests: Guests) -> Visits:
    """Returns the count."""
    record = await guests.get(name, default=None)
    if record is None:
        raise HTTPException(404, "nobody of that name")
    return Visits(name=name, visits=record.value.n)


async def among(names: Annotated[list[str], Query(max_length=99)], guests: Guests) -> list[Visits]:
    """Returns many counts: one batch per request, however many names there are."""
    records = await guests.get_many(names)
    return [
        Visits(name=name, visits=0 if record is None else record.value.n)
        for name, record in zip(names, records, strict=True)
    ]


app = FastAPI(lifespan=lifespan)
app.add_api_route("/visits/{name}", visit, methods=["POST"])
app.add_api_route("/visits/{name}", look, methods=["GET"])
app.add_api_route("/visits/{name}", settle, methods=["PUT"])
app.add_api_route("/visits", among, methods=["GET"])


async def main() -> None:
    """Plays a server and its users, on a small scale."""
    transport = httpx.ASGITransport(app=app)
    async with lifespan(app), httpx.AsyncClient(transport=transport, base_url="http://it") as user:
        await asyncio.gather(*(user.post("/visits/alice") for _ in range(50)))
        moved = await user.put("/visits/bob", json={"n": 3, "town": "Ulm"})
        print(moved.status_code, moved.json())
        for path in ("/visits/alice", "/visits/nobody", "/visits?names=alice&names=bob"):
            answer = await user.get(path)
            print(answer.status_code, answer.json())


if __name__ == "__main__":
    asyncio.run(main())
