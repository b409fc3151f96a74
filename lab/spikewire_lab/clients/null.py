"""A client that does nothing, to measure the cost of the lab's own loop."""

from __future__ import annotations

from ..work.mix import READING
from ..work.shape import BATCH_READ, BATCH_WRITE
from .base import FIND, AsyncioClient, BlockingClient, ManyVerbs, Peer, Target, Verbs, Way
from .more import ALL

_READS = READING | {FIND}
_RECORD: dict[str, int] = {}


def _get(_key: int) -> dict[str, int]:
    return _RECORD


def _put(_key: int, _bins: object) -> None:
    return None


def _touch(_row: object) -> None:
    return None


async def _get_async(_key: int) -> dict[str, int]:
    return _RECORD


async def _put_async(_key: int, _bins: object) -> None:
    return None


class Blocking(BlockingClient):
    def open(self, target: Target) -> None:
        pass

    def verbs(self) -> Verbs:
        names = {"get": _get, "put": _put}
        more = {verb: "get(k)" if verb in _READS else "put(k, bins)" for verb in ALL}
        return Verbs("get(k)", "put(k, bins)", names, more=more)

    def many(self, _way: str, /) -> ManyVerbs:
        return ManyVerbs("k", "row", "put(k, bins)", {"touch": _touch, "put": _put})

    def close(self) -> None:
        pass


class Asyncio(AsyncioClient):
    async def open(self, target: Target) -> None:
        pass

    def verbs(self) -> Verbs:
        names = {"get": _get_async, "put": _put_async}
        more = {verb: "await get(k)" if verb in _READS else "await put(k, bins)" for verb in ALL}
        return Verbs("await get(k)", "await put(k, bins)", names, more=more)

    def many(self, _way: str, /) -> ManyVerbs:
        return ManyVerbs("k", "row", "await put(k, bins)", {"touch": _touch, "put": _put_async})

    async def close(self) -> None:
        pass


PEER = Peer(
    "null",
    module="math",
    distribution="",
    usual=False,
    blocking=Blocking,
    asyncio=Asyncio,
    verbs=ALL,
    ways=(Way(BATCH_READ), Way(BATCH_WRITE)),
)
