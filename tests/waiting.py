"""Waiting in tests: for a state, never for a fixed time."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def ends_before(other: float) -> Iterator[None]:
    """Fails if the block takes as long as the fault in it, in seconds.

    For timeouts that are much shorter than the fault that they end: on a slow machine a late
    timeout still comes before the end of the fault, while without a timeout the fault itself would
    end the block.
    """
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < other, f"took {took:.1f} s, and what it waited for {other} s"


def until(state: Callable[[], object], limit: float = 30.0, pause: float = 0.02) -> bool:
    """Whether ``state`` became true within ``limit`` seconds."""
    end = time.monotonic() + limit
    while not state():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


async def becomes(state: Callable[[], object], limit: float = 30.0) -> bool:
    """Whether ``state`` became true within ``limit`` seconds, while the loop runs."""
    end = time.monotonic() + limit
    while not state():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.001)
    return True
