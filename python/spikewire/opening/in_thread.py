"""Runs blocking opening in a thread, beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["open_unless_cancelled"]

_T = TypeVar("_T")

# asyncio imports it with the first call in a thread. A fork meanwhile would leave the lock of the
# import to the child, where nothing releases it.
import_module("concurrent.futures.thread")


async def open_unless_cancelled(opens: Callable[[], _T], closes: Callable[[], object]) -> _T:
    """Opens something with a blocking function in a thread.

    If the task is cancelled meanwhile, the result is closed immediately, since nothing else would
    do so. A function that returns ``False`` has opened nothing.
    """
    lock = threading.Lock()
    is_awaited, is_open = True, False

    def work() -> _T:
        nonlocal is_open
        result = opens()
        with lock:
            is_open = result is not False
            if is_awaited:
                return result
        if is_open:
            closes()
        return result

    try:
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, work))
    except asyncio.CancelledError:
        with lock:
            is_awaited = False
        if is_open:
            closes()
        raise
