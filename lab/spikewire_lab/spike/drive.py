"""Open loops: a call begins when it is due, however many others are in flight."""

from __future__ import annotations

import asyncio
import queue
import struct
import threading
import time
from array import array
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..worker.alarm import alarm, sleep_exactly
from .tally import ANSWERED, UNANSWERED, Call

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from .schedule import Due

NS = 1_000_000_000
FIELDS = struct.Struct("5q")
AT_ONCE = 256
"""Calls that a pacer begins before it lets others run."""


class Answer(NamedTuple):
    """What a call returned: rows that it asked for, and those that were there."""

    rows: int = 0
    there: int = 0


ONE = Answer()


class Log:
    """The calls that have ended, and those in progress.

    They are kept as numbers: the garbage collector of the interpreter stops all calls to look at
    objects, for a fifth of a second if there are some for each of half a million calls.
    """

    def __init__(self, began: int) -> None:
        self.began = began
        self._ended = array("q")
        self._outcomes: dict[str, int] = {}
        self._naming = threading.Lock()
        self._going: dict[int, Due] = {}

    def calls(self) -> list[Call]:
        """Those that have ended."""
        outcomes = list(self._outcomes)
        values = iter(self._ended)
        return [
            Call(due, ended, outcomes[outcome], rows, there)
            for due, ended, outcome, rows, there in zip(*[values] * 5, strict=True)
        ]

    def _add(self, due: int, ended: int, outcome: str, rows: int = 0, there: int = 0) -> None:
        number = self._outcomes.get(outcome)
        if number is None:
            with self._naming:
                number = self._outcomes.setdefault(outcome, len(self._outcomes))
        # In one call, so that those of several threads do not mix.
        self._ended.frombytes(FIELDS.pack(due, ended, number, rows, there))

    def begin(self, number: int, due: Due) -> None:
        self._going[number] = due

    def end(self, number: int, outcome: str, answer: Answer) -> None:
        """Counts a call, unless `abandon` has done so."""
        due = self._going.pop(number, None)
        if due is not None:
            ended = time.perf_counter_ns() - self.began
            rows = len(due.keys) if isinstance(due.keys, tuple) else 0
            self._add(due.at, ended, outcome, rows, answer.there)

    def abandon(self, rest: Sequence[Due] = ()) -> None:
        """Counts calls in progress, and those that never began, as unanswered."""
        now = time.perf_counter_ns() - self.began
        for number in list(self._going):
            self.end(number, UNANSWERED, ONE)
        for one in rest:
            self._add(one.at, now, UNANSWERED)


async def run_tasks(
    due: Sequence[Due],
    perform: Callable[[Due], Awaitable[Answer]],
    log: Log,
    grace: float,
) -> None:
    """A task for each call. Ends with the last answer, or so many seconds after the last call was
    due."""
    loop = asyncio.get_running_loop()
    going: set[asyncio.Task[None]] = set()
    begun, over = 0, asyncio.Event()

    async def call(number: int, one: Due) -> None:
        answer, outcome = ONE, ANSWERED
        try:
            answer = await perform(one)
        except asyncio.CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - a failed call is a result like any other
            outcome = type(error).__name__
        log.end(number, outcome, answer)

    def ended(task: asyncio.Task[None]) -> None:
        going.discard(task)
        if begun == len(due) and not going:
            over.set()

    def ring() -> None:
        nonlocal begun
        now = time.perf_counter_ns() - log.began
        last = min(len(due), begun + AT_ONCE)
        while begun < last and due[begun].at <= now:
            log.begin(begun, due[begun])
            task = loop.create_task(call(begun, due[begun]))
            begun += 1
            going.add(task)
            task.add_done_callback(ended)
        if begun < len(due):
            timer.at(log.began + due[begun].at)
        else:
            timer.off()

    timer = alarm(loop, ring)
    try:
        timer.at(log.began + due[0].at)
        left = (log.began + due[-1].at - time.perf_counter_ns()) / NS + grace
        await asyncio.wait([loop.create_task(over.wait())], timeout=left)
    finally:
        timer.close()
        log.abandon(due[begun:])
        for task in list(going):
            task.cancel()


class Threads:
    """Threads for calls. They start before the clock does: a hundred of them take a while."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        for number in range(count):
            threading.Thread(target=self._work, name=f"bench-{number}", daemon=True).start()

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()

    def submit(self, call: Callable[[], None]) -> None:
        """Calls it on the first thread that is free."""
        self._calls.put(call)

    def end(self) -> None:
        """Ends the threads that are not busy."""
        for _ in range(self._count):
            self._calls.put(None)


def run_threads(
    due: Sequence[Due],
    perform: Callable[[Due], Answer],
    log: Log,
    grace: float,
    threads: Threads,
) -> None:
    """Each call by the first of these threads that is free: if none is, calls wait, and their times
    count from when they were due. Ends like `run_tasks`; threads that are still busy are left
    behind."""
    left = threading.Semaphore(0)

    def call(number: int) -> None:
        answer, outcome = ONE, ANSWERED
        try:
            answer = perform(due[number])
        except Exception as error:  # noqa: BLE001 - a failed call is a result like any other
            outcome = type(error).__name__
        log.end(number, outcome, answer)
        left.release()

    sleep_exactly()
    for number, one in enumerate(due):
        wait = log.began + one.at - time.perf_counter_ns()
        if wait > 0:
            time.sleep(wait / NS)
        log.begin(number, one)
        threads.submit(partial(call, number))
    until = time.monotonic() + grace
    for _ in due:
        if not left.acquire(timeout=max(0.0, until - time.monotonic())):
            break
    log.abandon()
    threads.end()
