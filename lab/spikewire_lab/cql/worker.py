"""One cell in a process of its own."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, cast

from .. import measure
from ..access import Access
from ..clients.base import ASYNC, ASYNC_UVLOOP
from ..measure import Window, load_average
from ..worker.drivers import Outcome, in_threads, settle, until_stopped
from ..worker.job import MismatchError
from ..worker.meeting import meet
from ..worker.run import cpus_allowed, describe_python, new_loop
from .cells import INSERT, LOOPS, PAGES, PIPELINE, SELECT, UNTHROTTLED, UVLOOP
from .clients import CLIENTS
from .clients.base import Asyncio, Blocking, Target
from .data import (
    CHECKED,
    INSERT_WIDE,
    PAGE_ROWS,
    PARTITION,
    PAYLOAD,
    SELECT_WIDE,
    all_items,
    all_wide,
    drawn,
    item,
)
from .data import INSERT as INSERT_ITEM
from .data import SELECT as SELECT_ITEM
from .loops import loop_of, row_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence

    from ..contract.cql import CqlJob, CqlResult
    from .clients.base import Peer
    from .data import Parameters

IN_FLIGHT = 64
"""Calls in flight while tables are filled."""
GRACE = 120.0
"""Seconds for the calls in flight to complete."""


@dataclass
class Run:
    """A job and its results so far."""

    job: CqlJob
    peer: Peer
    window: Window
    outcome: Outcome
    ready: int = 0
    protocol: str = ""
    loop: str | None = None

    def target(self, operation: str, statement: str) -> Target:
        access = Access.of_job(self.job)
        return Target(self.job["host"], self.job["port"], operation, statement, access)

    def measured(self) -> Target:
        operation = self.job["operation"]
        statement = {INSERT: INSERT_ITEM, SELECT: SELECT_ITEM}.get(operation, SELECT_WIDE)
        return self.target(operation, statement)

    def streams(self, workers: int) -> list[Iterator[Parameters]]:
        """The endless parameters of each worker, generated before the clock starts."""
        job = self.job
        operation, keys, seed = job["operation"], job["keys"], job["seed"]
        if operation in PAGES:
            streams = [list(self.bound([(PARTITION,)])) for _ in range(workers)]
        else:
            streams = [
                list(self.bound(drawn(operation, keys, seed, worker, workers)))
                for worker in range(workers)
            ]
        self.ready = measure.peak_rss()
        return [cycle(rows) for rows in streams]

    def bound(self, rows: Iterable[Sequence[object]]) -> Iterator[Parameters]:
        """The parameters in the client's type."""
        return cast("Iterator[Parameters]", map(self.peer.parameters, rows))

    def depth(self) -> int:
        """Calls in flight of a thread: an unthrottled pattern divides all its calls among the
        threads."""
        depth, threads = self.job["depth"], self.job["threads"]
        return max(1, depth // threads) if self.job["pattern"] == UNTHROTTLED else depth

    def checked(self) -> list[Parameters]:
        """Items that must exist, spread over the whole table."""
        keys = self.job["keys"]
        return [item(number) for number in range(0, keys, max(1, keys // CHECKED))]

    def key(self, parameters: Parameters) -> Parameters:
        """The parameters to read this item."""
        return next(self.bound([parameters[:1]]))

    def check(self, expected: Parameters, read: object) -> None:
        """Raises if the client does not read items as they were written."""
        row = cast("tuple[object, object, bytes]", read)
        if self.job["canned"]:
            fits = row[0] == expected[0] and isinstance(row[1], int) and len(row[2]) == PAYLOAD
        else:
            fits = row == expected
        if not fits:
            raise MismatchError(f"{expected[0]} reads back as {read!r}")


def run_blocking(run: Run, make: Callable[[], Blocking]) -> None:
    reader = make()
    reader.open(run.target(SELECT, SELECT_ITEM))
    with closing(reader):
        row = row_of(reader.verbs(), asynchronous=False)
        for expected in run.checked():
            run.check(expected, row(run.key(expected)))
    client = make()
    client.open(run.measured())
    with closing(client):
        run.protocol = client.protocol()
        _in_threads(run, client)


def _in_threads(run: Run, client: Blocking) -> None:
    job, depth = run.job, run.depth()
    outcomes = [Outcome() for _ in range(job["threads"])]
    streams = run.streams(job["threads"])

    def prepare(number: int) -> tuple[Callable[[list[bool]], object], Callable[[list[bool]], None]]:
        loop = loop_of(job["pattern"], client.verbs())
        stream, outcome = streams[number], outcomes[number]

        def measured(stop: list[bool]) -> None:
            outcome.tried = cast("int", loop(stream, stop, outcome.failed, depth))

        return lambda stop: loop(stream, stop, Outcome().failed, depth), measured

    in_threads(job["threads"], job["warmup"], job["duration"], prepare, run.window, GRACE)
    for outcome in outcomes:
        run.outcome.add(outcome)


async def run_asyncio(run: Run, make: Callable[[], Asyncio]) -> None:
    reader = make()
    await reader.open(run.target(SELECT, SELECT_ITEM))
    row = row_of(reader.verbs(), asynchronous=True)
    for expected in run.checked():
        run.check(expected, await cast("Awaitable[object]", row(run.key(expected))))
    await reader.close()
    client = make()
    await client.open(run.measured())
    try:
        run.protocol = client.protocol()
        await _in_tasks(run, client)
    finally:
        await client.close()


async def _in_tasks(run: Run, client: Asyncio) -> None:
    job, outcome = run.job, run.outcome
    loops = [loop_of(job["pattern"], client.verbs()) for _ in range(job["depth"])]
    streams = run.streams(job["depth"])

    def calls(
        failed: Callable[[BaseException], None],
    ) -> Callable[[list[bool]], list[Awaitable[int]]]:
        def start(stop: list[bool]) -> list[Awaitable[int]]:
            each = zip(loops, streams, strict=True)
            return [cast("Awaitable[int]", loop(stream, stop, failed, 1)) for loop, stream in each]

        return start

    settle()
    run.window.prepared()
    if job["warmup"]:
        await until_stopped(calls(Outcome().failed), job["warmup"])
    run.window.open()
    tried = await until_stopped(calls(outcome.failed), job["duration"])
    run.window.close()
    outcome.tried = sum(tried)
    running = type(asyncio.get_running_loop())
    run.loop = f"{running.__module__}.{running.__qualname__}"


def populate(run: Run) -> None:
    """Writes every row of both tables once."""
    items, wide = run.bound(all_items(run.job["keys"])), run.bound(all_wide())
    tables = ((INSERT_ITEM, items), (INSERT_WIDE, wide))
    if run.peer.blocking is not None:
        for statement, rows in tables:
            client = run.peer.blocking()
            client.open(run.target(INSERT, statement))
            with closing(client):
                loop = loop_of(PIPELINE, client.verbs())
                run.outcome.tried += cast("int", loop(rows, (), run.outcome.failed, IN_FLIGHT))
        return
    make = run.peer.asyncio
    assert make is not None

    async def fill() -> None:
        for statement, rows in tables:
            client = make()
            await client.open(run.target(INSERT, statement))
            loop = loop_of(run.job["pattern"], client.verbs())
            calls = [
                cast("Awaitable[int]", loop(rows, (), run.outcome.failed, 1))
                for _ in range(IN_FLIGHT)
            ]
            run.outcome.tried += sum(await asyncio.gather(*calls))
            await client.close()

    asyncio.run(fill())


def run_measured(run: Run) -> None:
    pattern, peer = run.job["pattern"], run.peer
    if pattern not in LOOPS:
        if peer.blocking is None:
            raise ValueError(f"{peer.name} has no blocking interface")
        run_blocking(run, peer.blocking)
        return
    if peer.asyncio is None:
        raise ValueError(f"{peer.name} has no asyncio interface")
    loop = new_loop(ASYNC_UVLOOP if pattern == UVLOOP else ASYNC)
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(run_asyncio(run, peer.asyncio))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        asyncio.set_event_loop(None)
        loop.close()


def answer(job: CqlJob) -> Mapping[str, object]:
    """The result of a job."""
    peer = CLIENTS[job["client"]]
    if job["step"] == "describe":
        return describe(peer, job["pattern"])
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    run = Run(job, peer, Window(job["server_pid"]), Outcome())
    run.window.prepared = lambda: meet(job, run.window)
    load = load_average()
    if job["step"] == "populate":
        populate(run)
        done = {"operations": run.outcome.tried - run.outcome.errors}
        return {**done, "rows": job["keys"] + PAGE_ROWS, "first_error": run.outcome.first_error}
    run_measured(run)
    used, outcome = run.window.used, run.outcome
    assert used is not None
    result: CqlResult = {
        "client": peer.name,
        "version": peer.version(),
        "protocol": run.protocol,
        "row_type": peer.gives(job["operation"]),
        "loop": run.loop,
        "python": describe_python(),
        "elapsed": used.clock,
        "opened": run.window.began,
        "operations": (outcome.tried - outcome.errors)
        * (PAGE_ROWS if job["operation"] in PAGES else 1),
        "errors": outcome.errors,
        "timeouts": outcome.timeouts,
        "first_error": outcome.first_error,
        "cpu": {"user": used.user, "system": used.system},
        "server_cpu": used.server,
        "machine_cpu": used.machine,
        "switches": {"voluntary": used.waits, "involuntary": used.preemptions},
        "memory": {"ready": run.ready, "peak": measure.peak_rss()},
        "cpus": cpus_allowed(),
        "load_average": load,
    }
    return cast("Mapping[str, object]", result)


def describe(peer: Peer, pattern: str) -> Mapping[str, object]:
    """Imports one client, and the event loop to run on, and reports whether both work."""
    reason = peer.unavailable()
    if reason is None and pattern == UVLOOP and importlib.util.find_spec("uvloop") is None:
        reason = "uvloop is not installed"
    return {
        "client": peer.name,
        "unavailable": reason,
        "version": None if reason else peer.version(),
        "python": describe_python(),
    }
