"""One process of fixed work: warm-up, then round after round with the garbage collector off."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from .. import measure
from ..clients import PEERS
from ..clients.base import SYNC
from ..measure import load_average
from ..work import value_pool
from ..worker.job import Plan
from ..worker.run import describe_python
from .cells import (
    BATCH_READ_DICT,
    BATCH_READ_NUMPY,
    BATCHES,
    DESCRIBE,
    PUT,
    REMOVE,
    SCAN,
    WRITES,
)
from .ways import WAYS, ConcurrentCalls, Sequential, run_now

if TYPE_CHECKING:
    from ..work import Bins, Key, Operation
    from .result import FixedJob, FixedResult, RoundOfCalls


_AROUND = {PUT: (REMOVE,), REMOVE: (PUT,)}
"""Operations before or after each round, outside the measured part."""
MEASURED_MEMORY = (BATCH_READ_DICT, BATCH_READ_NUMPY)


@dataclass
class Rounds:
    """Results of the rounds of one process so far."""

    timed: list[RoundOfCalls] = field(default_factory=list["RoundOfCalls"])
    latencies: list[int] = field(default_factory=list[int])
    user: float = 0.0
    system: float = 0.0
    memory: int | None = None
    _window: measure.Window = field(default_factory=measure.Window)

    def open(self) -> None:
        gc.collect()
        gc.disable()
        self._window = measure.Window()
        self._window.open()

    def close(self, times: list[int]) -> None:
        self._window.close()
        gc.enable()
        used = self._window.used
        assert used is not None
        self.timed.append({"elapsed": used.clock, "median": statistics.median(times) / 1e9})
        self.latencies += times
        self.user += used.user
        self.system += used.system


@dataclass
class Work:
    """The operations of each round, all generated before the clock starts."""

    plan: Plan
    job: FixedJob

    @property
    def operation(self) -> str:
        return self.plan.shape.kind

    def round(self, number: int, calls: int) -> list[Operation]:
        """The calls of one round; -1 is the warm-up."""
        rows, keys = self.plan.shape.rows, self.plan.job["keys"]
        if self.operation == SCAN:
            return [([], None)] * calls
        if self.operation in WRITES:
            pool = value_pool(self.plan.bins, self.job["seed"])
            # Each round has keys of its own: what is put is new, and what is removed exists.
            first = (number + 1) * self.job["calls"] * rows
            return [self._write(first + at * rows, rows, pool) for at in range(calls)]
        return [self._read(at * rows % keys, rows, keys) for at in range(calls)]

    def _read(self, first: int, rows: int, keys: int) -> Operation:
        if self.operation not in BATCHES:
            return first, None
        return [(first + at) % keys for at in range(rows)], None

    def _write(self, first: int, rows: int, pool: list[Bins]) -> Operation:
        if self.operation in BATCHES:
            keys = list(range(first, first + rows))
            return keys, [pool[key % len(pool)] for key in keys]
        return first, pool[first % len(pool)]

    def checked(self) -> list[Key]:
        """A few reads in the way that is measured, for a check before the clock starts."""
        return [key for key, _ in self.round(0, min(4, self.job["calls"]))]


def answer(job: FixedJob) -> Mapping[str, object]:
    """The result of one of these jobs."""
    if job["action"] == DESCRIBE:
        return {"unavailable": _unavailable(job)}
    return cast("Mapping[str, object]", fixed(job))


def _unavailable(job: FixedJob) -> str | None:
    reason = PEERS[job["client"]].unavailable()
    if reason is None and job["shape"]["kind"] == BATCH_READ_NUMPY and find_spec("numpy") is None:
        return "numpy is not installed"
    return reason


def fixed(job: FixedJob) -> FixedResult:
    """Runs all rounds of a job in this process."""
    work = Work(Plan.of(job), job)
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    peer = PEERS[job["client"]]
    importlib.import_module(peer.module)
    rounds, load = Rounds(), load_average()
    running = _run(work, WAYS[job["mode"]](work.plan), rounds)
    if job["mode"] == SYNC:
        run_now(running)
    else:
        loop = asyncio.SelectorEventLoop()
        asyncio.set_event_loop(loop)
        loop.run_until_complete(running)
    return {
        "client": job["client"],
        "version": peer.version(),
        "mode": job["mode"],
        "operation": work.operation,
        "python": describe_python(),
        "rows": work.plan.shape.rows,
        "calls": job["calls"],
        "rounds": rounds.timed,
        "latency": measure.encode(rounds.latencies),
        "max_ns": max(rounds.latencies),
        "cpu": {"user": rounds.user, "system": rounds.system},
        "memory": rounds.memory,
        "load_average": load,
    }


async def _run(work: Work, way: Sequential | ConcurrentCalls, rounds: Rounds) -> None:
    await way.open()
    try:
        calls = {
            name: way.calls(name) for name in (work.operation, *_AROUND.get(work.operation, ()))
        }
        await _check(work, way)
        if isinstance(way, Sequential) and work.operation in MEASURED_MEMORY:
            rounds.memory = way.grown(calls[work.operation], work.round(0, 1))
        for number in range(-1, work.job["rounds"]):
            operations = work.round(number, work.job["warmup_calls" if number < 0 else "calls"])
            if work.operation == REMOVE:
                await calls[PUT](operations)
            if number < 0:
                await calls[work.operation](operations)
            else:
                rounds.open()
                rounds.close(await calls[work.operation](operations))
            if work.operation == PUT:
                await calls[REMOVE](operations)
    finally:
        await way.close()


async def _check(work: Work, way: Sequential | ConcurrentCalls) -> None:
    """Raises if the client does not read what was written."""
    read = way.reading(work.operation)
    for key in work.checked() if read else ():
        assert read is not None
        work.plan.check(key, _as_text(await read(key)))


def _as_text(read: object) -> object:
    """Text of a NumPy array is bytes."""
    if isinstance(read, list):
        return [_as_text(one) for one in cast("list[object]", read)]
    if not isinstance(read, Mapping):
        return read
    bins = cast("Mapping[str, object]", read)
    return {
        name: value.decode() if isinstance(value, bytes) else value for name, value in bins.items()
    }
