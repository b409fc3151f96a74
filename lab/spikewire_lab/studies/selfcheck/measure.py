"""Runs a known client through the lab's own worker, drivers and summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from ...clients import FLOOR
from ...clients.base import ASYNC, SYNC
from ...measure import Window, merge
from ...plan import Cell
from ...table.summary import summarise
from ...worker.open.loops import run_pool as open_pool
from ...worker.run import RunOutcome, measured, new_loop, with_tasks, with_threads
from ...worker.timing import REAL
from .fake import FakeAsyncio, FakeBlocking, Script, Scripts
from .pool import FakePool
from .virtual import LoopTime, ThreadTime

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...contract.open import OpenResult
    from ...contract.result import Job, Result
    from ...table.line import Line
    from ...worker.job import Plan
    from ...worker.run import StartMemory


@dataclass(frozen=True)
class ScriptedLoad:
    """A client with known behaviour, and the load on it. Times are in seconds."""

    mode: str
    script: Script
    workers: int
    seconds: float
    rate: float = 0.0
    """Calls per second in an open loop; 0: a closed loop."""
    arrivals: str = "constant"
    other: Script | None = None
    """The script of every second worker or event loop, if it differs."""
    loops: int = 0
    """Event loops of a pool; 0: one event loop without a pool."""

    @property
    def scripts(self) -> Scripts:
        return (self.script, self.other or self.script)

    def job(self) -> Job:
        """A job without warm-up, which the script would have to account for, and with every call
        timed."""
        job: Job = {
            "action": "measure",
            "client": FLOOR,
            "mode": self.mode,
            "concurrency": self.workers,
            "shape": {"kind": "single", "rows": 1, "columns": 0, "way": ""},
            "seeds": [],
            "namespace": "test",
            "set": "check",
            "keys": 1_000,
            "bins": "I1",
            "workload": "RU,50",
            "warmup": 0.0,
            "duration": self.seconds,
            "sample_every": 1,
            "seed": 1,
            "cpus": [],
            "server_pid": None,
        }
        if self.loops:
            job["loops"] = self.loops
        if self.rate:
            job["open"] = {"rate": self.rate, "arrivals": self.arrivals}
        return job


def played(known: ScriptedLoad, job: Job | None = None) -> Result:
    """Runs it in simulated time: exact and without waiting. `job` replaces the default job."""
    job = job or known.job()
    if known.mode == SYNC:
        threads = ThreadTime(known.workers)

        def run_threads(plan: Plan, window: Window, _started: StartMemory) -> RunOutcome:
            client = FakeBlocking(known.scripts, threads.sleep)
            return RunOutcome(with_threads(plan, client, window, threads.timing()))

        return measured(job, run_threads, Window(clock=threads.seconds))
    if known.loops:
        return _pooled(known, job)
    time = LoopTime()

    def run_tasks(plan: Plan, window: Window, _started: StartMemory) -> RunOutcome:
        client = FakeAsyncio(known.scripts, time.sleep)
        return RunOutcome(
            time.loop.run_until_complete(with_tasks(plan, client, window, time.timing()))
        )

    try:
        return measured(job, run_tasks, Window(clock=time.seconds))
    finally:
        time.loop.close()


def _pooled(known: ScriptedLoad, job: Job) -> Result:
    """A pool of event loops in an open loop."""
    pool = FakePool([known.scripts[at % 2] for at in range(known.loops)])

    def run_pool(plan: Plan, window: Window, _started: StartMemory) -> RunOutcome:
        assert "open" in plan.job
        open_load = plan.job["open"]
        return RunOutcome(
            open_pool(pool, known.loops, plan.load(), window, open_load, 1, pool.timing)
        )

    try:
        return measured(job, run_pool, Window(clock=pool.seconds))
    finally:
        pool.close()


def real(known: ScriptedLoad) -> Result:
    """Runs it in real time, as clients are measured."""

    def run(plan: Plan, window: Window, _started: StartMemory) -> RunOutcome:
        if known.mode == SYNC:
            return RunOutcome(with_threads(plan, FakeBlocking(known.scripts), window, REAL))
        loop = new_loop(ASYNC)
        try:
            client = FakeAsyncio(known.scripts)
            return RunOutcome(loop.run_until_complete(with_tasks(plan, client, window, REAL)))
        finally:
            loop.close()

    return measured(known.job(), run)


def line(known: ScriptedLoad, result: Result) -> Line:
    """The summary line, as in every comparison."""
    return summarise(Cell(FLOOR, known.mode, known.workers), [result])


def open_result(result: Result) -> OpenResult:
    """The figures that only open loops have."""
    result_open = result.get("open")
    assert result_open is not None, "not an open loop"
    return result_open


class _Step(Protocol):
    value_iterated_to: int
    count_added_in_this_iter_step: int


def slower_than(encoded: list[str], nanoseconds: int) -> int:
    """The number of calls in these histograms that took longer."""
    merged = cast("Any", merge(encoded))
    steps = cast("Iterable[_Step]", merged.get_recorded_iterator())
    slower = (step for step in steps if step.value_iterated_to > nanoseconds)
    return sum(step.count_added_in_this_iter_step for step in slower)
