"""Virtual users: each sends its next request when it has the answer to the last, as in k6."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING, Any

from .. import measure
from ..contract.open import POISSON
from ..worker.open.schedule import offsets
from .answers import Answers
from .arrivals import arrive
from .store import REQUESTS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .answers import Ask
    from .result import ServingJob, Usage


WARMING = 10
"""Users of the warm-up before an open loop: as many as in the study."""


async def use(calls: list[Ask], seconds: float, seed: str, answers: Answers) -> None:
    """Runs one user for each of these for a given time; returns when all have their last answer."""
    until = time.perf_counter() + seconds
    await asyncio.gather(
        *(_user(ask, until, f"{seed}/{number}", answers) for number, ask in enumerate(calls))
    )


async def _user(ask: Ask, until: float, seed: str, answers: Answers) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    clock, times = time.perf_counter_ns, answers.times
    while time.perf_counter() < until:
        which = rng.randrange(REQUESTS)
        begun = clock()
        try:
            await ask(which)
        except Exception as error:  # noqa: BLE001 - a failed request is a result like any other
            answers.failed(error)
            if isinstance(error, ConnectionError):
                return
        else:
            times.append(clock() - begun)


async def measured(
    calls: list[Ask], job: ServingJob, usage: Callable[[], Awaitable[Usage]]
) -> dict[str, Any]:
    """Warm-up, then the window: the fields of a `ServingResult` about users and processor time."""
    warming, answers = Answers(), Answers()
    # An open loop has connections for bursts: using all of them in a closed loop would be overload.
    warm = calls if job["rate"] is None else calls[:WARMING]
    await use(warm, job["warmup"], f"warmup/{job['seed']}", warming)
    if warming.errors:
        raise RuntimeError(f"in the warm-up: {warming.first_error}")
    window = measure.Window(measure.server_of(job))
    before = await usage()
    window.open()
    seed, rate = f"users/{job['seed']}", job["rate"]
    if rate is None:
        await use(calls, job["duration"], seed, answers)
    else:
        due = offsets(rate, job["duration"], POISSON, seed)
        await arrive(calls, due, seed, answers)
    window.close()
    after = await usage()
    used, times = window.used, answers.times
    assert used is not None
    if not times:
        raise RuntimeError(f"no request was answered: {answers.first_error}")
    return {
        "elapsed": used.clock,
        "requests": len(times),
        "errors": answers.errors,
        "first_error": answers.first_error,
        "mean": sum(times) / len(times) / 1e9,
        "latency": measure.encode(times),
        "max_ns": max(times),
        "service": measure.encode(answers.service) if rate is not None else None,
        "cpu": after["cpu"] - before["cpu"],
        "generator_cpu": used.user + used.system,
        "cluster_cpu": used.server,
        "asked": len(warming.times) + len(times),
        "answered": after["answered"],
    }
