"""The blocking client under trio, and under anyio on either of its backends.

    async with spikewire.anyio.open_client(seeds) as client:
        users = client.dataset("test", "users")
        record = await result(users.submit.get("alice"))
        async for record in stream(users.query()):
            ...

``submit`` starts a call and returns a future at once; ``result`` waits for it without a thread of
its own. Only queries and connecting use a thread of trio or anyio while they wait.
``docs/tasks.md`` describes cancellation. Under plain asyncio use ``spikewire.AsyncClient`` instead.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from spikewire._imports import import_late
from spikewire.aerospike.client import Client

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable
    from concurrent.futures import Future

    from typing_extensions import Unpack

    from spikewire.options import BlockingOptions
    from spikewire.types import Seeds

__all__ = ["open_client", "result", "stream"]

_T = TypeVar("_T")


async def result(future: Future[_T]) -> _T:
    """Waits for a submitted call and returns its result, or raises its error.

    Cancelling discards the answer: a call that has not been sent is withdrawn. If it has been sent,
    its reply is dropped, and a write may have been applied.

    Raises ``RuntimeError`` if neither trio nor asyncio is running.
    """
    task = _trio_task()
    if task is None:
        return await asyncio.wrap_future(future)
    try:
        await _settled_in_trio(future, task)
    except BaseException:
        future.cancel()
        raise
    return future.result()


async def stream(records: Iterable[_T], rows: int = 256) -> AsyncGenerator[_T, None]:
    """The records of a query, or the items of another blocking iteration of this package.

    A thread takes up to ``rows`` of them at a time, on demand. The query is closed at the end,
    after an error, and when the generator is closed. Cancelling takes effect when the records being
    read have arrived; the query's ``socket_timeout`` bounds that.

    Raises ``ValueError`` for ``rows`` below 1, and the errors of the iteration.
    """
    if rows < 1:
        message = f"rows must be at least 1, not {rows}"
        raise ValueError(message)
    iterator = iter(records)
    try:
        while run := await _in_thread(lambda: list(islice(iterator, rows))):
            await _library("lowlevel").checkpoint_if_cancelled()
            for record in run:
                yield record
    finally:
        close = getattr(iterator, "close", None)
        if close is not None:
            close()


@asynccontextmanager
async def open_client(
    seeds: Seeds, **options: Unpack[BlockingOptions]
) -> AsyncGenerator[Client, None]:
    """A client for the length of an ``async with`` block; a thread connects it.

    Raises the errors of ``spikewire.Client``.
    """
    client = await _in_thread(lambda: Client(seeds, **options))
    try:
        yield client
    finally:
        client.close()


def _trio_task() -> Any:
    """The running task of trio. ``None`` under asyncio."""
    trio: Any = sys.modules.get("trio")
    if trio is not None:
        try:
            return trio.lowlevel.current_task()
        except RuntimeError:
            pass
    asyncio.get_running_loop()
    return None


async def _settled_in_trio(future: Future[Any], task: Any) -> None:
    """Waits until a future is done, as reported by a thread of the client."""
    trio: Any = sys.modules["trio"]
    await trio.lowlevel.checkpoint_if_cancelled()
    token = trio.lowlevel.current_trio_token()
    waits = True

    def wake() -> None:
        if waits:
            trio.lowlevel.reschedule(task)

    def done(_: Future[Any]) -> None:
        # After the end of the run nothing waits.
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(wake)

    def abort(_: Callable[[], None]) -> Any:
        nonlocal waits
        waits = False
        return trio.lowlevel.Abort.SUCCEEDED

    future.add_done_callback(done)
    await trio.lowlevel.wait_task_rescheduled(abort)


async def _in_thread(work: Callable[[], _T]) -> _T:
    """Runs blocking work in a thread. Cancellation waits for it, so that nothing is left behind."""
    result: _T = await _library("to_thread").run_sync(work)
    return result


def _library(module: str) -> Any:
    """A module that trio and anyio both have: trio's, if trio is running."""
    library = "anyio" if _trio_task() is None else "trio"
    try:
        return import_late(f"{library}.{module}")
    except ImportError as error:
        message = "spikewire.anyio needs anyio on the loops of asyncio (or use AsyncClient)"
        raise ImportError(message) from error
