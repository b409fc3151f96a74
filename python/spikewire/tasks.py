"""Tasks of awaitables that are not coroutines, such as the futures of an asynchronous verb.

``asyncio.create_task`` and ``TaskGroup.create_task`` only accept coroutines. On a loop with this
task factory, they accept every awaitable. Asynchronous clients and pools install it on the loop
that opens them, unless the loop already has a factory.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

__all__ = ["accept_awaitables", "begun", "settled", "task_factory"]

_T = TypeVar("_T")


async def settled(awaitable: Awaitable[_T]) -> _T:
    """Wraps an awaitable in a coroutine, for APIs that only accept coroutines.

    A verb has already sent its command. Cancelling the task of this coroutine cancels the future.
    """
    return await awaitable


def begun(coroutine: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
    """A coroutine that is under way on the running loop, as the verbs are that have several steps.

    Raises ``RuntimeError`` without a running event loop; the coroutine is closed then.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        coroutine.close()
        message = "no running event loop: await this in a coroutine, or use the blocking client"
        raise RuntimeError(message) from None
    return loop.create_task(coroutine)


def task_factory(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> asyncio.Task[Any]:
    """Creates a task from any awaitable; for ``loop.set_task_factory``."""
    if not asyncio.iscoroutine(coro) and hasattr(coro, "__await__"):
        coro = settled(coro)
    return asyncio.Task(coro, loop=loop, **options)


def accept_awaitables(loop: asyncio.AbstractEventLoop | None = None) -> bool:
    """Makes ``create_task`` of a loop (default: the running one) accept every awaitable.

    Returns whether it does. An existing task factory of the loop is kept.
    """
    loop = asyncio.get_running_loop() if loop is None else loop
    factory = loop.get_task_factory()
    if factory is None:
        loop.set_task_factory(task_factory)
        return True
    return factory is task_factory
