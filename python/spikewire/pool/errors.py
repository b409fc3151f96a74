"""What a pool raises besides what its handlers raise."""

from __future__ import annotations

__all__ = ["LoopDied", "PoolClosed"]


class PoolClosed(RuntimeError):  # noqa: N818
    """The pool is not open, or this process is not the one that opened it."""


class LoopDied(RuntimeError):  # noqa: N818
    """The event loop that ran the call has ended by an error, which is the cause of this one.

    What the call did until then is not known. Other loops of the pool go on.
    """
