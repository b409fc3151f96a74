"""Implements ``spikewire.jobs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spikewire.aerospike.admin import soon

if TYPE_CHECKING:
    from asyncio import Future

    from spikewire._native import AdminTask, JobCore
    from spikewire.types import Seconds

__all__ = ["AsyncJob", "Job", "JobProgress"]


class JobProgress(NamedTuple):
    """The progress of a job, on all nodes together."""

    done: bool
    """Whether it has ended on every node."""
    aborted: bool
    """Whether it was aborted before its end."""
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
        """Its progress. A node that no longer knows the job ended it long ago, and reports nothing.

        Raises ``ConnectionFailed`` if a node that runs it does not answer.
        """
        return JobProgress(*self._core.progress().run())

    def wait(self, timeout: Seconds | None = None) -> JobProgress:
        """Waits until it has ended on every node; ``timeout`` is in seconds; ``None``
        or 0: no limit.

        Raises ``Timeout`` if that takes longer, in which case the job continues; also the errors
        of ``progress``."""
        return JobProgress(*self._core.wait(timeout).run())

    def abort(self) -> None:
        """Aborts it on every node. Changes made so far remain. Has no effect if it has ended."""
        self._core.abort().run()

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

    def progress(self) -> Future[JobProgress]:
        """As ``Job.progress``."""
        return soon(self._core.progress(), JobProgress._make)

    def wait(self, timeout: Seconds | None = None) -> Future[JobProgress]:
        """As ``Job.wait``."""
        return soon(self._core.wait(timeout), JobProgress._make)

    def abort(self) -> Future[None]:
        """As ``Job.abort``."""
        return soon(self._core.abort())

    def __repr__(self) -> str:
        return f"AsyncJob({self.id})"


def _start(  # pyright: ignore[reportUnusedFunction]: the native half calls
    task: AdminTask[JobCore],
) -> Job:
    return Job(task.run())


def _start_soon(  # pyright: ignore[reportUnusedFunction]: the native half calls
    task: AdminTask[JobCore],
) -> Future[AsyncJob]:
    return soon(task, AsyncJob)
