"""How administrative commands are awaited: the engine says what to ask next, and when."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from spikewire._native import AdminTask

__all__ = ["settle"]

T = TypeVar("T")


async def settle(task: AdminTask[T]) -> T:
    """The result of an administrative command. Asking nodes blocks, so a thread does it; pauses
    are the event loop's."""
    loop = asyncio.get_running_loop()
    try:
        while (pause := await loop.run_in_executor(None, task.advance)) is not None:  # noqa: ASYNC110
            await asyncio.sleep(pause)
        return task.result()
    finally:
        task.abandon()
