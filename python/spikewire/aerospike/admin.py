"""How administrative commands are awaited: their requests to nodes are sent along with the client's
other commands, and no thread waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from spikewire.tasks import begun

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable

    from spikewire._native import AdminTask

__all__ = ["soon"]

A = TypeVar("A")
B = TypeVar("B")


@overload
def soon(task: AdminTask[A]) -> Future[A]: ...
@overload
def soon(task: AdminTask[A], convert: Callable[[A], B]) -> Future[B]: ...
def soon(task: AdminTask[Any], convert: Callable[[Any], Any] | None = None) -> Future[Any]:
    """Starts an administrative command. Returns the future of its result, or of its converted
    result. Cancelling it stops the command: no further requests are sent."""
    ended = task.start()
    return begun(_result(ended, task, convert))


async def _result(
    ended: Future[None], task: AdminTask[Any], convert: Callable[[Any], Any] | None
) -> Any:
    await ended
    result = task.result()
    return result if convert is None else convert(result)
