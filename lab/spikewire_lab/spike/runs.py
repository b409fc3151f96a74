"""One scenario with one client: its load, and what became of it."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from typing import TYPE_CHECKING, Any, cast

from ..measure import load_average
from ..series.lines import say
from .drive import ONE, Answer, Log, Threads, run_tasks, run_threads
from .hot import Hot, Writer
from .jobs import like, plan_of
from .sampler import Sampler
from .schedule import HOT, schedule
from .staleness import staleness
from .tally import Rule, figures, over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .callers import TaskCaller, ThreadCaller
    from .result import SpikeJob, SpikeResult
    from .schedule import Due

NS = 1_000_000_000
THREADS = 256
"""Threads of a blocking client; calls that are due while all are busy wait for one."""
GRACE = 2.5
"""Seconds in which calls may still end after the last one was due."""
LEAD = 0.2
"""Seconds between the announcement of the start and the start."""
CHECKED = 8
"""Records that are read before the start."""


class _Run:
    """What is the same for tasks and threads."""

    def __init__(self, job: SpikeJob, caller: TaskCaller | ThreadCaller) -> None:
        self.job, self.caller, self.plan = job, caller, plan_of(job)
        self.due = schedule(self.plan, job["keys"], job["seed"])
        self.hot = Hot(self.plan)
        self.seconds = sum(phase["seconds"] for phase in self.plan["phases"])
        self._writer = Writer(job) if self.plan["writer"] else None

    def start(self) -> tuple[Log, Sampler]:
        """Announces the start, for what is to befall nodes; the log begins then."""
        if self._writer is not None:
            self._writer.start()
        # The schedule and what was imported live on: the garbage collector need not look at them.
        gc.collect()
        gc.freeze()
        began = time.perf_counter_ns() + round(LEAD * NS)
        say({"began": began})
        time.sleep(LEAD / 2)
        return Log(began), Sampler(began, self.plan["interval"])

    def result(self, log: Log, sampler: Sampler) -> SpikeResult:
        """All figures."""
        plan = self.plan
        if self._writer is not None:
            self._writer.end()
        rule = Rule(plan["deadline"], plan["rows_needed"])
        calls = log.calls()
        singles = [call for call in calls if not call.rows]
        batches = [call for call in calls if call.rows]
        main = singles if plan["singles"] else batches
        # Calls that are all due at once are told apart by when they end.
        by_end = bool(plan["connects"])
        series = over_time(main, self.seconds, plan["interval"], rule, by_end=by_end)
        count = len(series["due"])
        series["cpu"], series["rss"] = sampler.cpu()[:count], sampler.rss[:count]
        windows = plan["windows"].items()
        result: Any = {
            "mode": self.job["mode"],
            "setting": self.job["setting"],
            "options": self.caller.options,
            "rejected": self.caller.rejected,
            "interval": plan["interval"],
            "over_time": series,
            "windows": {name: figures(main, window, rule) for name, window in windows},
            "batches": {name: figures(batches, window, rule) for name, window in windows},
            "calls": len(calls),
            "requests": len(singles) + sum(call.rows for call in batches),
            "hot_reads": self.hot.number,
            "stale": None,
            "counters": {} if plan["connects"] else self.caller.counters(),
            "load_average": load_average(),
        }
        if self._writer is not None:
            result["stale"] = staleness(self.hot.reads, self._writer.writes)
        return cast("SpikeResult", result)


async def with_tasks(job: SpikeJob, caller: TaskCaller) -> SpikeResult:
    """A task for each call."""
    run = _Run(job, caller)
    opened: list[TaskCaller] = []

    async def perform(one: Due) -> Answer:
        keys = one.keys
        if isinstance(keys, tuple):
            return Answer(len(keys), await caller.get_many(keys))
        if keys != HOT:
            await caller.get(keys)
            return ONE
        begun = time.perf_counter_ns()
        run.hot.read(begun, await caller.get(keys))
        return ONE

    async def connect(one: Due) -> Answer:
        own = cast("TaskCaller", like(job, caller))
        opened.append(own)
        await own.open()
        await own.get(cast("int", one.keys))
        return ONE

    connects = bool(run.plan["connects"])
    await caller.open()
    for key in range(CHECKED):
        await caller.get(key)
    if run.plan["batches"]:
        await caller.get_many(range(CHECKED))
    log, sampler = run.start()
    with sampler:
        grace = run.seconds if connects else GRACE
        await run_tasks(run.due, connect if connects else perform, log, grace)
    result = run.result(log, sampler)
    # The process ends without waiting for what does not close.
    closing = [asyncio.ensure_future(one.close()) for one in _every(caller, opened)]
    await asyncio.wait(closing, timeout=GRACE)
    return result


def with_threads(job: SpikeJob, caller: ThreadCaller) -> SpikeResult:
    """Threads that take calls when they are due."""
    run = _Run(job, caller)
    opened: list[ThreadCaller] = []

    def perform(one: Due) -> Answer:
        keys = one.keys
        if isinstance(keys, tuple):
            return Answer(len(keys), caller.get_many(keys))
        if keys != HOT:
            caller.get(keys)
            return ONE
        begun = time.perf_counter_ns()
        run.hot.read(begun, caller.get(keys))
        return ONE

    def connect(one: Due) -> Answer:
        own = cast("ThreadCaller", like(job, caller))
        opened.append(own)
        own.open()
        own.get(cast("int", one.keys))
        return ONE

    connects = run.plan["connects"]
    caller.open()
    for key in range(CHECKED):
        caller.get(key)
    if run.plan["batches"]:
        caller.get_many(range(CHECKED))
    threads = Threads(connects or THREADS)
    log, sampler = run.start()
    with sampler:
        grace = run.seconds if connects else GRACE
        what: Callable[[Due], Answer] = connect if connects else perform
        run_threads(run.due, what, log, grace, threads)
    result = run.result(log, sampler)
    if not connects:
        _end(caller.close)
    return result


def _every(caller: TaskCaller, opened: list[TaskCaller]) -> Iterator[TaskCaller]:
    yield caller
    yield from opened


def _end(close: Callable[[], object]) -> None:
    """Closes a client, without waiting for calls that do not end."""
    thread = threading.Thread(target=close, daemon=True)
    thread.start()
    thread.join(GRACE)
