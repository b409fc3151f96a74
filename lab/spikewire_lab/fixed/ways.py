"""How the calls of a round are made: one after the other, or gathered with bounded concurrency."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, cast

from ..clients.base import ASYNC, SYNC
from ..measure import Growth
from ..worker.loop import asyncio_read, blocking_read
from .calls import call_of, checking
from .clients import ASYNCIO, BLOCKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from ..work import Key, Operation
    from ..worker.job import Plan

    Calls = Callable[[Sequence[Operation]], Awaitable[list[int]]]
    """Makes these calls, and returns the nanoseconds of each."""
    Read = Callable[[Key], Awaitable[object]]

_clock = time.perf_counter_ns


class Sequential:
    """A blocking client. Nothing here waits for an event loop: see `run_now`."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._client = BLOCKING[plan.job["client"]]()

    async def open(self) -> None:
        self._client.open(self._plan.target)

    async def close(self) -> None:
        self._client.close()

    def calls(self, operation: str) -> Calls:
        loop = call_of(operation, self._plan, self._client).sequential()

        async def make(operations: Sequence[Operation]) -> list[int]:
            times: list[int] = []
            loop(operations, _clock, times)
            return times

        return make

    def reading(self, operation: str) -> Read | None:
        verbs = checking(operation, self._plan, self._client)
        if verbs is None:
            return None
        plain = blocking_read(verbs)

        async def read(key: Key) -> object:
            return plain(key)

        return read

    def grown(self, calls: Calls, operations: Sequence[Operation]) -> int | None:
        """Bytes that these calls add to the peak of the resident memory."""
        work = cast("Coroutine[object, None, object]", calls(operations))
        with Growth() as growth:
            run_now(work)
        return growth.size


class ConcurrentCalls:
    """An asyncio client: all calls of a round are tasks from the start, as in the study, and a
    semaphore bounds how many are in flight."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._client = ASYNCIO[plan.job["client"]]()

    async def open(self) -> None:
        await self._client.open(self._plan.target)

    async def close(self) -> None:
        await self._client.close()

    def calls(self, operation: str) -> Calls:
        one = call_of(operation, self._plan, self._client).concurrent()

        async def make(operations: Sequence[Operation]) -> list[int]:
            gate, times = asyncio.Semaphore(self._plan.job["concurrency"]), list[int]()
            await asyncio.gather(*(one(each, gate, _clock, times) for each in operations))
            return times

        return make

    def reading(self, operation: str) -> Read | None:
        verbs = checking(operation, self._plan, self._client)
        return None if verbs is None else asyncio_read(verbs)


def run_now(coroutine: Coroutine[object, None, object]) -> None:
    """Runs a coroutine that never waits to its end, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise RuntimeError("a blocking client waited for an event loop")


WAYS: dict[str, type[Sequential | ConcurrentCalls]] = {SYNC: Sequential, ASYNC: ConcurrentCalls}
