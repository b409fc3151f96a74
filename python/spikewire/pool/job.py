"""One call on one of the loops."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spikewire.pool.errors import belongs_to
from spikewire.pool.worker import Unit, begin

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from contextvars import Context

    from spikewire.pool.worker import Worker

__all__ = ["Job"]

_T = TypeVar("_T")


class Job(concurrent.futures.Future[_T], Generic[_T]):
    """The outcome of a call that a pool runs: ``await`` it, or call ``result()``.

    It is a ``concurrent.futures.Future``. ``cancel()`` cancels the call at any stage, and so does
    cancelling the task that awaits the job; neither waits for the call to end.
    """

    def __init__(self, workers: list[Worker]) -> None:
        super().__init__()
        self._workers = workers
        self._process = os.getpid()
        #: Cancels the call; set while it is running.
        self._stop: Callable[[], None] | None = None

    def cancel(self) -> bool:
        """Cancels the call, even if it is running. Returns ``False`` if it has already ended."""
        if not super().cancel():
            return False
        # The loop sets it to `None` when the call ends.
        stop = self._stop
        if stop is not None:
            stop()
        return True

    def result(self, timeout: float | None = None) -> _T:
        """Returns the call's result, waiting for it up to ``timeout`` seconds."""
        self._check()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Returns the exception of the call, or ``None``, waiting for its end up to ``timeout``
        seconds.
        """
        self._check()
        return super().exception(timeout)

    def _check(self) -> None:
        if not self.done():
            belongs_to(self._process)
            reject_blocking(self._workers)

    def __await__(self) -> Generator[Any, None, _T]:
        if not self.done():
            belongs_to(self._process)
        return asyncio.wrap_future(self).__await__()


def reject_blocking(workers: list[Worker]) -> None:
    """Raises if waiting would block a loop of the pool."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return
    if any(worker.loop is loop for worker in workers):
        message = "this would block an event loop of the pool: await it instead"
        raise RuntimeError(message)


class JobUnit(Unit):
    """The call of a job."""

    __slots__ = ("_call", "_context", "_job", "_worker")

    def __init__(
        self,
        job: Job[Any],
        worker: Worker,
        context: Context,
        call: tuple[Callable[..., Awaitable[Any]], tuple[Any, ...], dict[str, Any]],
    ) -> None:
        super().__init__()
        self._job = job
        self._worker = worker
        self._context = context
        self._call = call
        job._stop = self._cancel_soon  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

    def begin(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        if self._job.cancelled():
            raise asyncio.CancelledError
        function, args, options = self._call
        return self._context.run(begin, loop, function, *args, **options)

    def finish(self, value: Any, error: BaseException | None) -> None:
        job = self._job
        # It refers back to the job.
        job._stop = None  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if isinstance(error, asyncio.CancelledError):
            job.cancel()
        if job.set_running_or_notify_cancel():
            if error is None:
                job.set_result(value)
            else:
                job.set_exception(error)

    def _cancel_soon(self) -> None:
        self._worker.soon(self._cancel)

    def _cancel(self) -> None:
        if self.future is not None:
            self.future.cancel()
