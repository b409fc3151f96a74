"""``max_concurrent_operations``: how many operations of a client are in progress at once.

The engine's own limit (``max_in_flight``) is different: it applies to event loops and not to
threads, it counts a batch once per node, and calls wait for it until their own timeout, whereas
``operation_queue_timeout_ms`` limits the wait separately.
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import asyncio
import functools
import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from spikewire.compat.aerospike_py.exception import BackpressureError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AsyncLimitedEngine", "LimitedEngine"]

#: Calls that count. Queries, functions, indexes and info commands are not limited.
_COUNTED = frozenset(
    {"get", "put", "delete", "touch", "append", "prepend", "add", "operate", "get_many",
     "exists_many", "put_many", "operate_many", "batch"}
)  # fmt: skip


class _Base:
    """The engine's client, with a limit on its calls."""

    def __init__(self, engine: Any, most: int, milliseconds: int) -> None:
        self._engine = engine
        self._most = most
        self._seconds = milliseconds / 1000 or None

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._engine, name)
        if name not in _COUNTED:
            return verb
        limited = self._limit(verb)
        setattr(self, name, limited)
        return limited

    def _limit(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        raise NotImplementedError

    def _full(self) -> BackpressureError:
        return BackpressureError(
            f"{self._most} operations were in progress for {self._seconds} s "
            "(max_concurrent_operations, operation_queue_timeout_ms)"
        )


class LimitedEngine(_Base):
    """For threads."""

    def __init__(self, engine: Any, most: int, milliseconds: int) -> None:
        super().__init__(engine, most, milliseconds)
        self._free = threading.BoundedSemaphore(most)

    def _limit(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(verb)
        def call(*args: Any, **named: Any) -> Any:
            if not self._free.acquire(timeout=self._seconds):
                raise self._full()
            try:
                return verb(*args, **named)
            finally:
                self._free.release()

        return call


class AsyncLimitedEngine(_Base):
    """For tasks: waiting ones are served in order of arrival, separately on each event loop."""

    def __init__(self, engine: Any, most: int, milliseconds: int) -> None:
        super().__init__(engine, most, milliseconds)
        self._free: WeakKeyDictionary[Any, asyncio.Semaphore] = WeakKeyDictionary()

    def _limit(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(verb)
        async def call(*args: Any, **named: Any) -> Any:
            loop = asyncio.get_running_loop()
            free = self._free.get(loop)
            if free is None:
                free = self._free[loop] = asyncio.Semaphore(self._most)
            try:
                await asyncio.wait_for(free.acquire(), self._seconds)
            except asyncio.TimeoutError:
                raise self._full() from None
            try:
                return await verb(*args, **named)
            finally:
                free.release()

        return call
