"""A client that does nothing: what is left is the cost of the lab's own loop."""

from __future__ import annotations

from .base import AsyncioClient, BlockingClient, Peer, Target, Verbs

_RECORD: dict[str, int] = {}


def _get(_key: int) -> dict[str, int]:
    return _RECORD


def _put(_key: int, _bins: object) -> None:
    return None


async def _get_async(_key: int) -> dict[str, int]:
    return _RECORD


async def _put_async(_key: int, _bins: object) -> None:
    return None


class Blocking(BlockingClient):
    def open(self, target: Target) -> None:
        pass

    def verbs(self) -> Verbs:
        return Verbs("get(k)", "put(k, bins)", {"get": _get, "put": _put})

    def close(self) -> None:
        pass


class Asyncio(AsyncioClient):
    async def open(self, target: Target) -> None:
        pass

    def verbs(self) -> Verbs:
        names = {"get": _get_async, "put": _put_async}
        return Verbs("await get(k)", "await put(k, bins)", names)

    async def close(self) -> None:
        pass


PEER = Peer("null", module="math", distribution="", blocking=Blocking, asyncio=Asyncio)
