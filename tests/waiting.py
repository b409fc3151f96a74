"""Waiting in tests: for a state, never for a fixed time."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: A deadline that was kept is over before this many times its length, whatever else the machine
#: has to do. What it is kept against takes longer still.
LATEST = 20


@contextlib.contextmanager
def deadline(timeout: float) -> Iterator[None]:
    """Fails when what is done within takes many times as long as it may."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < LATEST * timeout, f"took {took:.1f} s with a timeout of {timeout} s"


def until(state: Callable[[], object], limit: float = 30.0, pause: float = 0.02) -> bool:
    """Whether ``state`` came true within ``limit`` seconds."""
    end = time.monotonic() + limit
    while not state():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
