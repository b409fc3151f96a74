"""Exceptions raised by a pool itself."""

from __future__ import annotations

import os

__all__ = ["LoopDied", "PoolClosed", "belongs_to"]


class PoolClosed(RuntimeError):  # noqa: N818
    """The pool is not open, or this process is not the one that opened it."""


def belongs_to(process: int) -> None:
    """Raises ``PoolClosed`` in another process, where the pool's threads do not exist."""
    if process != os.getpid():
        message = "the pool belongs to the parent of this process: open one after the fork"
        raise PoolClosed(message)


class LoopDied(RuntimeError):  # noqa: N818
    """The event loop that ran the call died of an error, which is the cause of this one.

    It is unknown how far the call got. Other loops of the pool continue.
    """
