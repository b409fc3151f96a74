"""How administrative commands are awaited: their questions to nodes travel with the client's other
commands, and no thread waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, overload

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
def soon(task: AdminTask[A], convert: Callable[[A], B] | None = None) -> Future[A] | Future[B]:
    """Begins an administrative command; the future of its result, or of what is made of that.
    Cancelling ends it: the nodes are asked no more."""
    ended = task.start()
    return begun(_result(ended, task, convert))


async def _result(
    ended: Future[None], task: AdminTask[A], convert: Callable[[A], B] | None
) -> A | B:
    await ended
    result = task.result()
    return result if convert is None else convert(result)
