"""Users in an open loop: requests begin when they are due, however long earlier ones take."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING

from ..worker.alarm import alarm
from .store import REQUESTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .answers import Answers, Ask

_OVER = -1


async def arrive(calls: list[Ask], due: Sequence[int], seed: str, answers: Answers) -> None:
    """Makes requests at these nanoseconds from now, ascending, each by a free user. If none is free
    they wait, and their times count from when they were due. Ends with the last answer."""
    clock, waiting = time.perf_counter_ns, asyncio.Queue[int]()
    began, sent = clock(), 0

    def ring() -> None:
        nonlocal sent
        now = clock()
        while sent < len(due) and began + due[sent] <= now:
            waiting.put_nowait(began + due[sent])
            sent += 1
        if sent < len(due):
            timer.at(began + due[sent])
            return
        timer.off()
        for _ in calls:
            waiting.put_nowait(_OVER)

    async def user(ask: Ask, number: int) -> None:
        rng = random.Random(f"{seed}/{number}")  # noqa: S311 - repeatable, not secret
        while (instant := await waiting.get()) != _OVER:
            which, begun = rng.randrange(REQUESTS), clock()
            try:
                await ask(which)
            except Exception as error:  # noqa: BLE001 - a failed request is a result like any other
                answers.failed(error)
                if isinstance(error, ConnectionError):
                    return
            else:
                ended = clock()
                answers.times.append(ended - instant)
                answers.service.append(ended - begun)

    timer = alarm(asyncio.get_running_loop(), ring)
    try:
        timer.at(began + due[0])
        await asyncio.gather(*(user(ask, number) for number, ask in enumerate(calls)))
    finally:
        timer.close()
    left = sum(waiting.get_nowait() != _OVER for _ in range(waiting.qsize()))
    for _ in range(left + len(due) - sent):
        answers.failed(ConnectionError("no user was left to ask"))
