"""Single records during full scans, by the same client in the same process."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import measure
from ..clients.base import SYNC
from ..worker import drivers
from ..worker.job import MismatchError
from ..worker.run import RunOutcome, StartMemory, measured, new_loop
from .cells import GETS_SCANS, NOTHING, usual_way
from .readers import ASYNCIO, BLOCKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping

    from ..contract.result import Job
    from ..measure import Window
    from ..worker.job import Plan
    from .readers import AsyncioReader, BlockingReader


def get_during_scans(job: Job) -> Mapping[str, object]:
    """The latencies of the gets, and the records that the scans read from their start to the end of
    the last."""
    crowd = Crowd()
    result = measured(job, crowd.run)
    return {**result, "scanned": crowd.records, "scan_seconds": crowd.seconds}


@dataclass
class Crowd:
    """Full scans repeated in threads or tasks while something else runs."""

    records: int = 0
    seconds: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failures: list[BaseException] = field(default_factory=list[BaseException])

    def run(self, plan: Plan, window: Window, started: StartMemory) -> RunOutcome:
        client, mode = plan.job["client"], plan.job["mode"]
        way = usual_way(client, mode)
        if way is None:
            raise ValueError(f"{client} has no way to scan at once")
        if mode == SYNC:
            return self._run_blocking(plan, way, BLOCKING[client](), window, started)
        loop = new_loop(mode)
        asyncio.set_event_loop(loop)
        try:
            running = self._run_asyncio(plan, way, ASYNCIO[client](), window, started)
            return loop.run_until_complete(running)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            asyncio.set_event_loop(None)
            loop.close()

    def _run_blocking(
        self, plan: Plan, way: str, reader: BlockingReader, window: Window, started: StartMemory
    ) -> RunOutcome:
        reader.open(plan.target)
        try:
            started.ready = measure.peak_rss()
            with self._threads(plan, way, reader):
                outcome = drivers.run_threads(reader, plan.load(), window)
        finally:
            reader.close()
        self._raise()
        return RunOutcome(outcome)

    async def _run_asyncio(
        self, plan: Plan, way: str, reader: AsyncioReader, window: Window, started: StartMemory
    ) -> RunOutcome:
        await reader.open(plan.target)
        try:
            started.ready = measure.peak_rss()
            async with self._tasks(plan, way, reader):
                outcome = await drivers.run_tasks(reader, plan.load(), window)
        finally:
            await reader.close()
        self._raise()
        loop = type(asyncio.get_running_loop())
        return RunOutcome(outcome, f"{loop.__module__}.{loop.__qualname__}")

    @contextlib.contextmanager
    def _threads(self, plan: Plan, way: str, reader: BlockingReader) -> Generator[None, None, None]:
        def work() -> None:
            try:
                while not self._ended.is_set():
                    self._count(plan, reader.scan(plan.target, way, NOTHING)[0])
            except BaseException as error:  # noqa: BLE001 - raised when the gets are over
                self._failures.append(error)

        threads = [threading.Thread(target=work, daemon=True) for _ in range(GETS_SCANS)]
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()
            self.seconds = time.perf_counter() - begun

    @contextlib.asynccontextmanager
    async def _tasks(
        self, plan: Plan, way: str, reader: AsyncioReader
    ) -> AsyncGenerator[None, None]:
        async def work() -> None:
            while not self._ended.is_set():
                self._count(plan, (await reader.scan(plan.target, way, NOTHING))[0])

        begun = time.perf_counter()
        tasks = [asyncio.create_task(work()) for _ in range(GETS_SCANS)]
        try:
            yield
        finally:
            self._ended.set()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            self._failures += [one for one in outcomes if isinstance(one, BaseException)]
            self.seconds = time.perf_counter() - begun

    def _count(self, plan: Plan, records: int) -> None:
        if records != plan.job["keys"]:
            raise MismatchError(f"a scan gave {records:,} of {plan.job['keys']:,} records")
        with self._lock:
            self.records += records

    def _raise(self) -> None:
        if self._failures:
            raise self._failures[0]
