"""The jobs of a spike: whether a client can be used, its capacity, a scenario."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, cast

from ..clients import PEERS
from ..worker.run import describe_python
from . import closed, runs
from .callers import CALLERS, ThreadCaller
from .descriptors import allow_many
from .jobs import caller_of
from .result import CAPACITY, DESCRIBE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .callers import TaskCaller
    from .result import SpikeJob


def answer(job: SpikeJob) -> Mapping[str, object]:
    """The result of one of these jobs."""
    if job["action"] == DESCRIBE:
        known = (job["client"], job["mode"]) in CALLERS
        why = PEERS[job["client"]].unavailable() if known else "is not part of this study"
        return {"unavailable": why}
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    allow_many()
    caller = caller_of(job)
    if isinstance(caller, ThreadCaller):
        result: Any = _threads(job, caller)
    else:
        loop = asyncio.SelectorEventLoop()
        asyncio.set_event_loop(loop)
        result = loop.run_until_complete(_tasks(job, caller))
    version = PEERS[job["client"]].version()
    described = {"client": job["client"], "version": version, "python": describe_python()}
    return {**cast("dict[str, object]", result), **described}


def _threads(job: SpikeJob, caller: ThreadCaller) -> object:
    if job["action"] != CAPACITY:
        return runs.with_threads(job, caller)
    caller.open()
    try:
        return closed.with_threads(job, caller)
    finally:
        caller.close()


async def _tasks(job: SpikeJob, caller: TaskCaller) -> object:
    if job["action"] != CAPACITY:
        return await runs.with_tasks(job, caller)
    await caller.open()
    try:
        return await closed.with_tasks(job, caller)
    finally:
        await caller.close()
