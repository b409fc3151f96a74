"""What one client does in the process of a worker: it is opened, checked, and measured."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import platform
import sysconfig
import time
from array import array
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from .. import measure
from ..clients import PEERS
from ..clients.base import ASYNC_UVLOOP, SYNC, AsyncioClient, BlockingClient, PoolClient
from ..contract.open import NO_MAP
from ..contract.result import Description, Job, Memory, OptionalFields, Python, Result
from ..measure import Window, load_average
from ..series.timeline import Timeline
from ..work.shape import EACH, MAP
from . import drivers
from .background import ALONE, SharedWindow, background_load
from .job import Plan
from .loop import asyncio_loop, asyncio_read, blocking_loop, blocking_read
from .many_loops import run_clients, run_map, run_pool
from .meeting import meet
from .open.calls import OpenOutcome
from .open.loops import run_clients as open_clients
from .open.loops import run_pool as open_pool
from .open.tasks import run_tasks as open_tasks
from .open.threads import run_threads as open_threads
from .timing import REAL, Timing

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ..work import Block, Operation
    from .many_loops import Opened


@dataclass
class StartMemory:
    """Memory before the clock starts."""

    ready: int = 0
    call: int | None = None


@dataclass
class RunOutcome:
    """The results of a client, and the event loop that it ran on."""

    outcome: drivers.Outcome
    loop: str | None = None


def _run_blocking(
    plan: Plan, client: BlockingClient, window: Window, started: StartMemory
) -> RunOutcome:
    client.open(plan.target)
    try:
        verbs = plan.verbs(client)
        read = blocking_read(verbs)
        for key in plan.checked():
            plan.check(key, read(key))
        started.ready = measure.peak_rss()
        call = plan.call()
        if call is not None:
            with _one_call(started, call) as arguments:
                blocking_loop(verbs)(*arguments)
        return RunOutcome(with_threads(plan, client, window))
    finally:
        client.close()


def with_threads(
    plan: Plan, client: BlockingClient, window: Window, timing: Timing = REAL
) -> drivers.Outcome:
    """Runs the job's work with an open client, in a closed or an open loop."""
    load, job = plan.load(), plan.job
    if "open" not in job:
        return drivers.run_threads(client, load, window, timing)
    return open_threads(client, load, window, job["open"], job["seed"], timing)


async def with_tasks(
    plan: Plan, client: AsyncioClient, window: Window, timing: Timing = REAL
) -> drivers.Outcome:
    """The same on the running event loop."""
    load, job = plan.load(), plan.job
    if "open" not in job:
        return await drivers.run_tasks(client, load, window, timing)
    return await open_tasks(client, load, window, job["open"], job["seed"], timing)


_Arguments = tuple[
    "list[Block]", list[bool], Callable[[], int], "array[int]", Callable[[BaseException], None]
]


@contextmanager
def _one_call(started: StartMemory, call: Operation) -> Generator[_Arguments, None, None]:
    """Yields the arguments for a loop of one call. Afterwards `started.call` is the number of bytes
    that the call added to the peak of the resident memory; None if the system cannot reset the
    peak."""
    samples = array("q", [0])
    blocks: list[Block] = [(call, [])]
    errors: list[BaseException] = []
    with measure.Growth() as growth:
        yield blocks, [], time.perf_counter_ns, samples, errors.append
    started.call = growth.size
    if errors:
        raise errors[0]


async def _run_asyncio(
    plan: Plan, client: AsyncioClient, window: Window, started: StartMemory
) -> RunOutcome:
    await client.open(plan.target)
    try:
        verbs = plan.verbs(client)
        read = asyncio_read(verbs)
        for key in plan.checked():
            plan.check(key, await read(key))
        started.ready = measure.peak_rss()
        call = plan.call()
        if call is not None:
            with _one_call(started, call) as arguments:
                await asyncio_loop(verbs)(*arguments)
        outcome = await with_tasks(plan, client, window)
        return RunOutcome(outcome, _named(asyncio.get_running_loop()))
    finally:
        await client.close()


def _run_pool(plan: Plan, client: PoolClient, window: Window, started: StartMemory) -> RunOutcome:
    loops, load = plan.job.get("loops", 1), plan.load()
    outcome: drivers.Outcome
    client.open(plan.target, loops, uvloop=plan.job["mode"] == ASYNC_UVLOOP)
    try:
        read = asyncio_read(plan.verbs(client))
        for key in plan.checked():
            plan.check(key, client.run(read, key).result(drivers.GRACE_SECONDS))
        started.ready = measure.peak_rss()
        job = plan.job
        if "open" in job:
            if plan.shape.way == MAP:
                raise ValueError(NO_MAP)
            outcome = open_pool(client, loops, load, window, job["open"], job["seed"])
        elif plan.shape.way == MAP:
            outcome = run_map(client, max(1, load.workers // loops), load, window)
        else:
            outcome = run_pool(client, load, window)
        return RunOutcome(outcome, str(client.run(_loop_here).result(drivers.GRACE_SECONDS)))
    finally:
        client.close()


async def _loop_here() -> str:
    return _named(asyncio.get_running_loop())


def _named(loop: asyncio.AbstractEventLoop) -> str:
    return f"{type(loop).__module__}.{type(loop).__qualname__}"


def _run_clients(
    plan: Plan, make: Callable[[], AsyncioClient], window: Window, started: StartMemory
) -> RunOutcome:
    names: list[str] = []

    def opened(_number: int) -> Opened:
        loop, client = new_loop(plan.job["mode"]), make()
        asyncio.set_event_loop(loop)
        loop.run_until_complete(client.open(plan.target))
        read = asyncio_read(plan.verbs(client))
        for key in plan.checked():
            plan.check(key, loop.run_until_complete(_awaited(read(key))))
        started.ready = max(started.ready, measure.peak_rss())
        names.append(_named(loop))
        return loop, client

    job, loops, load = plan.job, plan.job.get("loops", 1), plan.load()
    if "open" in job:
        outcome = open_clients(loops, opened, load, window, job["open"], job["seed"])
        return RunOutcome(outcome, names[0])
    return RunOutcome(run_clients(loops, opened, load, window), names[0])


async def _awaited(result: Awaitable[object]) -> object:
    return await result


def new_loop(mode: str) -> asyncio.AbstractEventLoop:
    """The loop that the mode names, whatever policy the client's import has set."""
    if mode == ASYNC_UVLOOP:
        return cast("asyncio.AbstractEventLoop", importlib.import_module("uvloop").new_event_loop())
    return asyncio.SelectorEventLoop()


def _run(plan: Plan, window: Window, started: StartMemory) -> RunOutcome:
    mode, peer = plan.job["mode"], plan.peer
    lacking = peer.lacks(mode)
    if lacking is not None:
        raise ValueError(f"{peer.name} {lacking}")
    if mode == SYNC:
        assert peer.blocking is not None
        return _run_blocking(plan, peer.blocking(), window, started)
    assert peer.asyncio is not None
    if plan.job.get("loops") and plan.shape.way == EACH:
        return _run_clients(plan, peer.asyncio, window, started)
    if plan.job.get("loops"):
        assert peer.pool is not None
        return _run_pool(plan, peer.pool(), window, started)
    loop = new_loop(mode)
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(_run_asyncio(plan, peer.asyncio(), window, started))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        asyncio.set_event_loop(None)
        loop.close()


Run = Callable[[Plan, Window, StartMemory], RunOutcome]


def measured(job: Job, run: Run = _run, window: Window | None = None) -> Result:
    """Runs a `populate` or `measure` job in this process."""
    bare = measure.peak_rss()
    plan = Plan.of(job)
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    importlib.import_module(plan.peer.module)
    # In simulated time there is no memory over time.
    timeline = Timeline(job["duration"], memory=window is None)
    if job.get("lines"):
        timeline.say_lines(job.get("part", 0), plan.shape.rows)
    beside = background_load(job["beside"], job["mode"]) if "beside" in job else None
    if beside is not None:
        beside.alone(ALONE * job["duration"])
        window = SharedWindow(measure.server_of(job), beside)
    window = window or Window(measure.server_of(job))
    window.at_edges, window.timeline = plan.missed.mark, timeline
    window.prepared = lambda: meet(job, window)
    started = StartMemory()
    load = load_average()
    ran = run(plan, window, started)
    outcome = ran.outcome
    used = window.used
    assert used is not None
    more: OptionalFields = plan.served()
    if isinstance(outcome, OpenOutcome) and outcome.open is not None:
        more["open"] = outcome.open
    if beside is not None:
        more["beside"] = beside.result()
    more["timeouts"] = outcome.timeouts
    if job["action"] == "measure":
        encode = measure.encode if job.get("histograms") else None
        ended = window.began + round(used.clock * measure.NS)
        series = timeline.series(ended, plan.shape.rows, encode)
        if series is not None:
            more["series"] = series
        if "part" in job:
            more["opened"] = window.began
    if outcome.rate is not None:
        more["rate"] = outcome.rate * plan.shape.rows
    if used.server_threads:
        more["server_busiest"] = max(used.server_threads.values())
    memory = Memory(bare=bare, ready=started.ready, peak=measure.peak_rss(), call=started.call)
    return {
        "client": plan.peer.name,
        "version": plan.peer.version(),
        "mode": job["mode"],
        "concurrency": job["concurrency"],
        "loop": ran.loop,
        "python": describe_python(),
        "elapsed": used.clock,
        "operations": (outcome.tried - outcome.errors) * plan.shape.rows,
        "errors": outcome.errors,
        "first_error": outcome.first_error,
        "cpu": {"user": used.user, "system": used.system},
        "server_cpu": used.server,
        "machine_cpu": used.machine,
        "switches": {"voluntary": used.waits, "involuntary": used.preemptions},
        "latency": {
            "read": measure.encode(outcome.reads),
            "write": measure.encode(outcome.writes),
            "samples": len(outcome.reads) + len(outcome.writes),
            "overwritten": outcome.overwritten,
            "max_ns": max((*outcome.reads, *outcome.writes), default=0),
        },
        "memory": memory,
        "cpus": cpus_allowed(),
        "load_average": load,
        **more,
    }


def describe(job: Job) -> Description:
    """Imports one client, and the event loop to run on, and reports whether both work."""
    client, mode, shape = job["client"], job["mode"], job["shape"]
    peer = PEERS[client]
    reason = peer.unavailable()
    needed = peer.way(shape["kind"], shape["way"]).needs
    if reason is None and needed and importlib.util.find_spec(needed) is None:
        reason = f"{needed} is not installed"
    if reason is None and mode == ASYNC_UVLOOP and importlib.util.find_spec("uvloop") is None:
        reason = "uvloop is not installed"
    version = None if reason else peer.version()
    return {
        "client": client,
        "unavailable": reason,
        "version": version,
        "python": describe_python(),
    }


def describe_python() -> Python:
    return {
        "version": platform.python_version(),
        "build": " ".join(platform.python_build()),
        "implementation": platform.python_implementation(),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "gil": measure.gil_enabled(),
    }


def cpus_allowed() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
