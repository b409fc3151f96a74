"""`aerospike-executor`: the vendor's blocking client, called from an event loop through threads.

This is how a blocking client is used in an asynchronous service: `run_in_executor` with blocking
functions. The executor may have as many threads as there are calls in flight, and starts one only
if none is idle. Python's default executor has four threads more than there are processors.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from ..work.shape import BATCH_READ, BATCH_WRITE
from . import aerospike_c
from .base import ASYNC, AsyncioClient, Peer, Target, Verbs, Way
from .more import ALL

if TYPE_CHECKING:
    from .base import ManyVerbs


def _in_executor(method: str, arguments: str) -> str:
    return f"(await run(executor, {method}, {arguments}))"


class Asyncio(AsyncioClient):
    """The blocking adapter's own calls, each in a thread of the executor."""

    _blocking: aerospike_c.Blocking
    _executor: ThreadPoolExecutor
    _loop: asyncio.AbstractEventLoop

    async def open(self, target: Target) -> None:
        self._loop = asyncio.get_running_loop()
        self._executor = ThreadPoolExecutor(target.callers)
        self._blocking = aerospike_c.Blocking()
        await self._loop.run_in_executor(self._executor, self._blocking.open, target)

    def verbs(self) -> Verbs:
        verbs = self._blocking.written(_in_executor)
        return replace(verbs, names={**verbs.names, **self._running()})

    def many(self, way: str, /) -> ManyVerbs:
        many = self._blocking.many(way)
        keys, records = "batch_read(", "batch_write("
        awaited = ("(await run(executor, batch_read, ", "(await run(executor, batch_write, ")
        read = many.read.replace(keys, awaited[0], 1).replace(").batch_records", ")).batch_records")
        write = f"{many.write.replace(records, awaited[1], 1)})"
        return replace(many, read=read, write=write, names={**many.names, **self._running()})

    def _running(self) -> dict[str, object]:
        return {"run": self._loop.run_in_executor, "executor": self._executor}

    async def close(self) -> None:
        await self._loop.run_in_executor(self._executor, self._blocking.close)
        self._executor.shutdown()


PEER = Peer(
    "aerospike-executor",
    module="aerospike",
    distribution="aerospike",
    asyncio=Asyncio,
    usual=False,
    verbs=ALL,
    ways=(Way(BATCH_READ, modes=(ASYNC,)), Way(BATCH_WRITE, modes=(ASYNC,))),
)
