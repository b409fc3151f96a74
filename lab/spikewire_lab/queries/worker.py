"""The jobs of scan comparisons, in a process of their own: fill a set, read it, keep reading it."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from ..clients import PEERS
from ..clients.base import SYNC, Target
from ..measure import Window, server_of
from ..work import matches, record_of
from ..worker.job import MismatchError, Plan
from ..worker.run import describe_python
from .background import get_during_scans
from .cells import ARROW, DESCRIBE, FILE, FILL, GET_AMONG_SCANS, KEEP_SCANNING, NOTHING
from .check import RANGE_BIN, ExpectedRecords, record_check, table_check
from .memory import Curve
from .readers import ASYNCIO, BLOCKING

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from ..contract.queries import OptionalFields, ScanResult
    from ..contract.result import Job
    from ..work import Bins
    from .check import Check
    from .consumers import Read
    from .readers import AsyncioReader, BlockingReader

SCANNING, SAY = "scanning", 2
"""The lab reads what a process that keeps scanning prints to standard error."""
CHUNK = 1_000
"""Records of a write when a set is filled."""


@dataclass
class Work:
    """One way to read everything until time is up, and its results."""

    plan: Plan
    window: Window
    curve: Curve = field(default_factory=Curve)
    scans: int = 0
    records: int = 0
    checked: str | None = None
    """How every record of a last scan after the window was checked."""

    @cached_property
    def selected(self) -> ExpectedRecords:
        """The records that a scan has to return."""
        plan, between = self.plan, self.plan.job.get("between")
        bounds = None if between is None else (between[0], between[1])
        return ExpectedRecords(plan.pool, plan.job["keys"], plan.target.set_name, bounds)

    @property
    def way(self) -> tuple[str, str]:
        way, _, consumer = self.plan.shape.way.partition("/")
        return way, consumer or NOTHING

    def check(self, read: Read) -> None:
        """Raises if the client does not read every record as it was written."""
        count, bins = read
        if count != self.selected.count:
            raise MismatchError(f"a scan gave {count:,} of {self.selected.count:,} records")
        if self.way[0] != ARROW and not matches(self.plan.bins, bins):
            raise MismatchError(f"a record reads back as {bins!r}, not {self.plan.job['bins']}")

    def stretches(self) -> Iterator[float]:
        """The ends of the warm-up and of the window: whole scans run until then."""
        if self.plan.job["warmup"]:
            yield time.perf_counter() + self.plan.job["warmup"]
        self.scans = self.records = 0
        self.window.open()
        yield time.perf_counter() + self.plan.job["duration"]
        self.window.close()

    def count(self, read: Read) -> bool:
        self.check(read)
        self.scans += 1
        self.records += read[0]
        return True

    @contextmanager
    def looking(self) -> Generator[Check | None, None, None]:
        """Runs one more scan whose records are all checked; None if there is to be none."""
        if not self.plan.job.get("verify"):
            yield None
        elif self.way[0] == ARROW and find_spec("pyarrow") is None:
            self.checked = "not, as pyarrow is not installed"
            yield None
        else:
            make = table_check if self.way[0] == ARROW else record_check
            check = make(self.selected)
            yield check
            check.end()
            self.checked = check.how

    def run(self, reader: BlockingReader) -> None:
        target = self.plan.target
        reader.open(target)
        try:
            with self.curve:
                for end in self.stretches():
                    while self.count(reader.scan(target, *self.way, self.selected.between)):
                        if time.perf_counter() >= end:
                            break
            with self.looking() as check:
                if check is not None:
                    reader.scan(target, self.way[0], check, self.selected.between)
        finally:
            reader.close()

    async def run_async(self, reader: AsyncioReader) -> None:
        target = self.plan.target
        await reader.open(target)
        try:
            with self.curve:
                for end in self.stretches():
                    while self.count(await reader.scan(target, *self.way, self.selected.between)):
                        if time.perf_counter() >= end:
                            break
            with self.looking() as check:
                if check is not None:
                    await reader.scan(target, self.way[0], check, self.selected.between)
        finally:
            await reader.close()


def answer(job: Job) -> Mapping[str, object]:
    """The result of one of these jobs."""
    if job["action"] == DESCRIBE:
        return {"unavailable": _unavailable(job["client"], job["shape"]["way"])}
    if job["action"] == FILL:
        return {"records": fill(Plan.of(job))}
    if job["action"] == KEEP_SCANNING:
        return {"records": keep_scanning(Plan.of(job))}
    if job["action"] == GET_AMONG_SCANS:
        return get_during_scans(job)
    return cast("Mapping[str, object]", scan(job))


def _unavailable(client: str, way: str) -> str | None:
    """Why this client cannot be used in this process, or not in this way."""
    reason = PEERS[client].unavailable()
    if reason is None and way == f"{ARROW}/{FILE}" and find_spec("pyarrow") is None:
        return f"{ARROW} to a {FILE}: pyarrow is not installed"
    return reason


def scan(job: Job) -> ScanResult:
    """Reads the whole set as often as fits."""
    plan = Plan.of(job)
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    work = Work(plan, Window(server_of(job)))
    importlib.import_module(plan.peer.module)
    if work.way == (ARROW, FILE):
        # With its first table it loads pandas, which is not part of the memory of a scan.
        importlib.import_module("pyarrow.ipc")
        vars(importlib.import_module("pyarrow"))["table"]({"b0": [0]})
    load_average = [round(value, 2) for value in os.getloadavg()]
    if job["mode"] == SYNC:
        work.run(BLOCKING[job["client"]]())
    else:
        loop = asyncio.SelectorEventLoop()
        asyncio.set_event_loop(loop)
        loop.run_until_complete(work.run_async(ASYNCIO[job["client"]]()))
    used = work.window.used
    assert used is not None
    more: OptionalFields = {}
    if work.checked is not None:
        more["checked"] = work.checked
    if used.server_threads:
        more["server_busiest"] = max(used.server_threads.values())
    return {
        **more,
        "client": job["client"],
        "version": plan.peer.version(),
        "mode": job["mode"],
        "python": describe_python(),
        "elapsed": used.clock,
        "scans": work.scans,
        "records": work.records,
        "cpu": {"user": used.user, "system": used.system},
        "server_cpu": used.server,
        "machine_cpu": used.machine,
        "memory": {
            "start": work.curve.start,
            "peak": work.curve.peak,
            "curve": work.curve.points,
            "exact": work.curve.exact,
        },
        "load_average": load_average,
    }


def fill(plan: Plan) -> int:
    """Writes every record with our own client, and creates an index if a range of one is to be
    read: other clients check that they can read the records."""
    pool = plan.pool
    keys = plan.job["keys"]
    client, dataset = _dataset(plan.target)

    def rows(start: int) -> dict[int, Bins]:
        stop = min(start + CHUNK, keys)
        return {key: record_of(pool, key) for key in range(start, stop)}

    try:
        for start in range(0, keys, CHUNK):
            dataset.put_many(rows(start)).raise_for_errors()
        if "between" in plan.job:
            place = plan.target.namespace, plan.target.set_name
            client.indexes.create(*place, RANGE_BIN, int, name=f"{place[1]}-{RANGE_BIN}")
    finally:
        client.close()
    return keys


def keep_scanning(plan: Plan) -> int:
    """Reads the whole set repeatedly in threads until the process is terminated; returns the
    records read in total. Prints `scanning` when each thread has its first record."""
    client, dataset = _dataset(plan.target)
    ended = threading.Event()

    def end(_signal: int, _frame: object) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, end)
    going = threading.Barrier(plan.job["concurrency"] + 1)
    counts: list[int] = []
    failures: list[Exception] = []

    def read() -> None:
        count = 0
        try:
            while not ended.is_set():
                with dataset.query() as query:
                    for record in query:
                        _ = record.bins
                        if not count:
                            going.wait()
                        count += 1
                        if ended.is_set():
                            break
        except Exception as error:  # noqa: BLE001 - reported in the job's result
            failures.append(error)
            going.abort()
        counts.append(count)

    threads = [threading.Thread(target=read) for _ in range(plan.job["concurrency"])]
    for thread in threads:
        thread.start()
    try:
        going.wait()
        os.write(SAY, f"{SCANNING}\n".encode())
        ended.wait()
    except threading.BrokenBarrierError:
        pass
    finally:
        ended.set()
        for thread in threads:
            thread.join()
        client.close()
    if failures:
        raise failures[0]
    return sum(counts)


def _dataset(target: Target) -> tuple[Any, Any]:
    client = importlib.import_module("spikewire").Client.connect(target.seed_text, **target.options)
    return client, client.dataset(target.namespace, target.set_name)
