"""Background jobs: changes that the nodes make to every record of a scan or an index query.

    job = users.operate_all([op.add("visits", 1)], where="$.age > 25")
    job.wait()

A job goes on without the client; its handle asks the nodes how far it is, and ends it.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, NamedTuple

from spikewire.errors import ServerError, Timeout

if TYPE_CHECKING:
    from spikewire._native import JobCore, JobStart

__all__ = ["AsyncJob", "Job", "JobProgress"]

#: How often nodes are asked whether a job is done, in seconds; the pause grows to the second one.
PAUSE, LONGEST_PAUSE = 0.02, 1.0


class JobProgress(NamedTuple):
    """How far a job is, on all nodes together."""

    done: bool
    """Whether it has ended on every node."""
    aborted: bool
    """Whether somebody ended it before its time."""
    percent: float
    """How much of the work is done, from 0 to 100."""
    succeeded: int
    """Records that were changed."""
    failed: int
    """Records that could not be changed."""
    filtered: int
    """Records that did not pass the filter."""


class Job:
    """A background job, from ``operate_all`` or ``apply_all``."""

    __slots__ = ("_core",)

    def __init__(self, core: JobCore) -> None:
        self._core = core

    @property
    def id(self) -> int:
        """Its number on every node."""
        return self._core.id

    def progress(self) -> JobProgress:
        """How far it is. A node that forgot a job has ended it long ago, and counts nothing.

        Raises ``ConnectionFailed`` when a node it runs on does not answer."""
        return _progress(self._core.ask(_show(self.id)))

    def wait(self, timeout: float | None = None) -> JobProgress:
        """Waits until it has ended on every node; ``timeout`` is in seconds, ``None``: no limit.

        Raises ``Timeout`` if that takes longer, the job goes on then; and the errors of
        ``progress``."""
        waiting = _Waiting(self.id, timeout)
        while not (progress := self.progress()).done:
            time.sleep(waiting.pause(progress))
        return progress

    def abort(self) -> None:
        """Ends it on every node. Records that were changed stay so. Does nothing if it is over."""
        _check(self._core.ask(_abort(self.id)))

    def __repr__(self) -> str:
        return f"Job({self.id})"


class AsyncJob:
    """A background job, from ``operate_all`` or ``apply_all`` of an asyncio client."""

    __slots__ = ("_core",)

    def __init__(self, core: JobCore) -> None:
        self._core = core

    @property
    def id(self) -> int:
        """Its number on every node."""
        return self._core.id

    async def progress(self) -> JobProgress:
        """As ``Job.progress``."""
        return _progress(await self._ask(_show(self.id)))

    async def wait(self, timeout: float | None = None) -> JobProgress:
        """As ``Job.wait``."""
        waiting = _Waiting(self.id, timeout)
        while not (progress := await self.progress()).done:  # noqa: ASYNC110
            await asyncio.sleep(waiting.pause(progress))
        return progress

    async def abort(self) -> None:
        """As ``Job.abort``."""
        _check(await self._ask(_abort(self.id)))

    async def _ask(self, command: str) -> list[tuple[int, str]]:
        return await asyncio.get_running_loop().run_in_executor(None, self._core.ask, command)

    def __repr__(self) -> str:
        return f"AsyncJob({self.id})"


class _Waiting:
    def __init__(self, job: int, timeout: float | None) -> None:
        self.job, self.timeout, self.next = job, timeout, PAUSE
        self.ends = None if timeout is None else time.monotonic() + timeout

    def pause(self, progress: JobProgress) -> float:
        """How long to pause; raises when the time is over."""
        if self.ends is not None and time.monotonic() > self.ends:
            message = f"job {self.job} was {progress.percent:.0f} % done after {self.timeout} s"
            raise Timeout(message)
        pause, self.next = self.next, min(self.next * 1.5, LONGEST_PAUSE)
        return pause


def _show(job: int) -> str:
    return f"query-show:id={job}"


def _abort(job: int) -> str:
    return f"query-abort:id={job}"


def _check(answers: list[tuple[int, str]]) -> None:
    for code, text in answers:
        # 2: there is no such job (any more).
        if code not in {0, 2}:
            raise ServerError(text, code=code)


def _progress(answers: list[tuple[int, str]]) -> JobProgress:
    _check(answers)
    shown = [
        dict(part.split("=", 1) for part in text.split(":") if "=" in part)
        for code, text in answers
        if code == 0
    ]
    ended = [not job.get("status", "done").startswith("active") for job in shown]
    percents = [float(job.get("job-progress", "0")) for job in shown]
    percents += [100.0] * (len(answers) - len(shown))

    def total(*names: str) -> int:
        return sum(int(job.get(name, "0")) for job in shown for name in names)

    return JobProgress(
        done=all(ended),
        aborted=any("abort" in job.get("status", "") for job in shown),
        percent=100.0 if all(ended) else sum(percents) / max(1, len(percents)),
        succeeded=total("recs-succeeded"),
        failed=total("recs-failed"),
        filtered=total("recs-filtered-meta", "recs-filtered-bins"),
    )


def _start(start: JobStart) -> Job:  # pyright: ignore[reportUnusedFunction]: the native half calls
    return Job(start())


def _start_soon(  # pyright: ignore[reportUnusedFunction]: the native half calls
    start: JobStart,
) -> asyncio.Future[AsyncJob]:
    async def run() -> AsyncJob:
        return AsyncJob(await asyncio.get_running_loop().run_in_executor(None, start))

    return asyncio.ensure_future(run())
