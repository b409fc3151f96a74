"""An open loop: calls are sent when they are due, whatever became of earlier ones."""

from __future__ import annotations

import asyncio
import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire.errors import Error

from .intervals import Interval
from .plan import SECOND, keys_of

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import TypeAlias

    from .plan import Call, Plan

    Send: TypeAlias = Callable[[Call], "asyncio.Future[Any]"]

BIN, COUNTER = "value", "count"
OUTSTANDING = 20_000
"""With more calls in flight, those that are due fail instead of being sent."""
NO_PLACE = "not sent"
BURST = 64
"""Calls that are sent before replies are looked at."""
TIMER = 0.0015
"""Seconds by which timers of an event loop are late without any load."""
GRACE = 5.0
"""Seconds to wait for the last replies."""


class Pacer:
    """Sends the calls of a plan."""

    def __init__(self, send: Send, plan: Plan, seconds: float, deadline: float) -> None:
        self._send, self._plan = send, plan
        self._seconds, self._deadline = seconds, deadline
        self._in_flight, self._behind = 0, 0.0
        self.intervals: list[Interval] = []
        """Those that have begun."""

    async def run(self, due: array[int], which: array[int]) -> None:
        """Sends them all and waits for the replies; can be cancelled at any time."""
        clock, calls = time.perf_counter, self._plan.calls
        begin, used, edge = clock(), time.process_time(), self._seconds
        interval = self._begin()
        for number, call in enumerate(which):
            at = due[number] / SECOND
            while True:
                now = clock() - begin
                if now >= edge and at >= edge:
                    used = self._end(used)
                    interval, edge = self._begin(), edge + self._seconds
                elif now >= at:
                    break
                else:
                    await asyncio.sleep(min(at, edge) - now)
            self._behind = max(self._behind, now - at)
            # What the loop's timer is late by is no latency of the cluster.
            at = now if now - at < TIMER else at
            interval.calls += 1
            if self._in_flight >= OUTSTANDING:
                interval.errors[NO_PLACE] += 1
            else:
                self._start(calls[call], interval, begin + at)
            if number % BURST == 0:
                await asyncio.sleep(0)
        end = clock() + GRACE
        while self._in_flight and clock() < end:  # noqa: ASYNC110 - an event would cost each call
            await asyncio.sleep(0.005)
        self._end(used)

    def _begin(self) -> Interval:
        self._behind, self._began = 0.0, time.perf_counter()
        self.intervals.append(Interval())
        return self.intervals[-1]

    def _end(self, used: float) -> float:
        now, cpu = time.perf_counter(), time.process_time()
        interval = self.intervals[-1]
        interval.in_flight, interval.behind = self._in_flight, self._behind
        interval.cpu = (cpu - used) / max(now - self._began, 1e-9)
        return cpu

    def _start(self, call: Call, interval: Interval, due: float) -> None:
        try:
            future = self._send(call)
        except Error as error:
            interval.errors[type(error).__name__] += 1
            return
        self._in_flight += 1
        future.add_done_callback(partial(self._done, interval, due))

    def _done(self, interval: Interval, due: float, future: asyncio.Future[Any]) -> None:
        took = time.perf_counter() - due
        self._in_flight -= 1
        if future.cancelled():
            return
        failure = future.exception()
        if failure is None:
            result = future.result()
            if isinstance(result, spikewire.Batch):
                # Reading it costs nothing if no row failed.
                failure = next((one for one in result.errors.values() if not _is_fine(one)), None)
        if failure is not None and not _is_fine(failure):
            interval.errors[type(failure).__name__] += 1
            return
        interval.latencies.append(took)
        if took <= self._deadline:
            interval.good += 1
        else:
            interval.late += 1


def _is_fine(error: BaseException) -> bool:
    """Records that are missing, or are there already, were so in the live traffic."""
    return isinstance(error, (spikewire.RecordNotFound, spikewire.RecordExists))


def sender(
    client: spikewire.AsyncClient, plan: Plan, names: dict[int, tuple[str, str]], seed: int
) -> Send:
    """How each call is sent. `names` are the namespace and set of each set of the trace."""
    datasets = {number: client.dataset(*name) for number, name in names.items()}
    largest = max((call.size for call in plan.calls), default=1)
    data, chance = random.Random(seed).randbytes(largest), random.Random(seed)  # noqa: S311
    read, operations = spikewire.op.get(BIN), spikewire.op.put

    def send(call: Call) -> asyncio.Future[Any]:
        dataset = datasets[call.set]
        verb, key = call.verb, call.keys[0]
        if verb == "get":
            return dataset.get(key, default=None)
        if verb == "get_many":
            return dataset.get_many(keys_of(call, plan.sets[call.set], chance))
        if verb == "put":
            return dataset.put(key, {BIN: data[: call.size]})
        if verb == "put_many":
            bins = {BIN: data[: call.size]}
            keys = keys_of(call, plan.sets[call.set], chance)
            return dataset.put_many(dict.fromkeys(keys, bins))
        if verb == "operate":
            return dataset.operate(key, [operations(BIN, data[: call.size]), read])
        if verb == "add":
            return dataset.add(key, {COUNTER: 1})
        if verb == "exists":
            return dataset.exists(key)
        if verb == "touch":
            return dataset.touch(key)
        return dataset.delete(key)

    return send
