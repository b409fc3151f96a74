"""One job in a fresh process: a job as JSON on standard input, its result on standard output."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import os
import platform
import sys
import sysconfig
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from . import drivers, measure
from .clients import PEERS
from .clients.base import ASYNC_UVLOOP, SYNC, AsyncioClient, BlockingClient, Peer, Target
from .loop import asyncio_read, blocking_read
from .measure import Window
from .result import Description, Job, Memory, Python, Result
from .workload import (
    Block,
    insert_stream,
    into_blocks,
    matches,
    mixed_stream,
    parse_bins,
    parse_workload,
    value_pool,
)

CHECKED_KEYS = 256
INSERT_LIMIT = 300.0
"""Seconds that writing every key may take."""


class MismatchError(Exception):
    """A client did not read back what was written: it does not do the same work as the others."""


@dataclass(frozen=True)
class Plan:
    """A job with everything in it parsed."""

    job: Job
    peer: Peer
    target: Target
    load: drivers.Load

    @staticmethod
    def of(job: Job) -> Plan:
        host_ports = tuple((host, port) for host, port in job["seeds"])
        target = Target(host_ports, job["namespace"], job["set"])
        return Plan(job, PEERS[job["client"]], target, _load(job))

    def checked_keys(self) -> range:
        """Keys spread over the whole range; writing is what fills it, so nothing then."""
        if self.job["action"] == "populate" or self.job["workload"] == "I":
            return range(0)
        keys = self.job["keys"]
        return range(0, keys, max(1, keys // CHECKED_KEYS))

    def check(self, key: int, record: object) -> None:
        if self.peer.name != "null" and not matches(parse_bins(self.job["bins"]), record):
            raise MismatchError(f"key {key} reads back as {record!r}, not as {self.job['bins']}")


def _load(job: Job) -> drivers.Load:
    workload = parse_workload(job["workload"])
    pool = value_pool(parse_bins(job["bins"]), job["seed"])
    workers, keys, every = job["concurrency"], job["keys"], job["sample_every"]

    def inserting(number: int) -> list[Block]:
        return into_blocks(insert_stream(pool, keys, number, workers), every)

    def mixing(number: int) -> list[Block]:
        return into_blocks(mixed_stream(workload, pool, keys, job["seed"], number, workers), every)

    if job["action"] == "populate" or workload.kind == "I":
        return drivers.Load(workers, 0.0, INSERT_LIMIT, inserting, repeat=False)
    return drivers.Load(workers, job["warmup"], job["duration"], mixing)


def _run_blocking(plan: Plan, client: BlockingClient, window: Window, ready: Ready) -> Ran:
    client.open(plan.target)
    try:
        read = blocking_read(client.verbs())
        for key in plan.checked_keys():
            plan.check(key, read(key))
        ready()
        return drivers.run_threads(client, plan.load, window), None
    finally:
        client.close()


async def _run_asyncio(plan: Plan, client: AsyncioClient, window: Window, ready: Ready) -> Ran:
    await client.open(plan.target)
    try:
        read = asyncio_read(client.verbs())
        for key in plan.checked_keys():
            plan.check(key, await read(key))
        ready()
        outcome = await drivers.run_tasks(client, plan.load, window)
        loop = type(asyncio.get_running_loop())
        return outcome, f"{loop.__module__}.{loop.__qualname__}"
    finally:
        await client.close()


Ready = Callable[[], None]
Ran = tuple[drivers.Outcome, "str | None"]


def _new_loop(mode: str) -> asyncio.AbstractEventLoop:
    """The loop that the mode names, whatever policy a client's import has set."""
    if mode == ASYNC_UVLOOP:
        return cast("asyncio.AbstractEventLoop", importlib.import_module("uvloop").new_event_loop())
    return asyncio.SelectorEventLoop()


def _run(plan: Plan, window: Window, ready: Ready) -> Ran:
    mode, peer = plan.job["mode"], plan.peer
    lacking = peer.lacks(mode)
    if lacking is not None:
        raise ValueError(f"{peer.name} {lacking}")
    if mode == SYNC:
        assert peer.blocking is not None
        return _run_blocking(plan, peer.blocking(), window, ready)
    assert peer.asyncio is not None
    loop = _new_loop(mode)
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(_run_asyncio(plan, peer.asyncio(), window, ready))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        asyncio.set_event_loop(None)
        loop.close()


def measured(job: Job) -> Result:
    """Run a `populate` or `measure` job here and now."""
    bare = measure.peak_rss()
    plan = Plan.of(job)
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    importlib.import_module(plan.peer.module)
    window = Window(job["server_pid"])
    at_ready: list[int] = []
    load_average = _load_average()
    outcome, loop_name = _run(plan, window, lambda: at_ready.append(measure.peak_rss()))
    used = window.used
    assert used is not None
    memory = Memory(bare=bare, ready=at_ready[0], peak=measure.peak_rss())
    return {
        "client": plan.peer.name,
        "version": plan.peer.version(),
        "mode": job["mode"],
        "concurrency": job["concurrency"],
        "loop": loop_name,
        "python": describe_python(),
        "elapsed": used.clock,
        "operations": outcome.tried - outcome.errors,
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
        "cpus": _cpus(),
        "load_average": load_average,
    }


def describe(client: str, mode: str) -> Description:
    """Import one client, and the loop it is to run on, and say what came of it."""
    peer = PEERS[client]
    reason = peer.unavailable()
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
    enabled = getattr(sys, "_is_gil_enabled", None)
    return {
        "version": platform.python_version(),
        "build": " ".join(platform.python_build()),
        "implementation": platform.python_implementation(),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "gil": bool(enabled()) if enabled is not None else True,
    }


def _cpus() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _load_average() -> list[float]:
    return [round(value, 2) for value in os.getloadavg()]


def answer(job: Job) -> Mapping[str, object]:
    """The result of a job, or why there is none."""
    try:
        if job["action"] == "describe":
            return cast("Mapping[str, object]", describe(job["client"], job["mode"]))
        return cast("Mapping[str, object]", measured(job))
    except Exception as error:  # noqa: BLE001 - a failed run is a result like any other
        traceback.print_exc(file=sys.stderr)
        return {"failed": f"{type(error).__name__}: {error}"}


def main() -> int:
    """Keep standard output for the result alone: what a client prints goes to standard error."""
    result_stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = cast("Job", json.load(sys.stdin))
    with result_stream:
        json.dump(answer(job), result_stream)
        result_stream.write("\n")
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # A client's own threads must not keep a finished worker alive.
    os._exit(status)
