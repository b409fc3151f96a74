"""How administrative commands are awaited: their questions to nodes travel with the client's other
commands, and no thread waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from spikewire._native import AdminTask

__all__ = ["settle"]

T = TypeVar("T")


async def settle(task: AdminTask[T]) -> T:
    """The result of an administrative command. Cancelling ends it: the nodes are asked no more."""
    await task.start()
    return task.result()
