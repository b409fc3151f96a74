"""Waiting in tests: for a state, never for a fixed time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a noisy machine may add to a deadline. Where a bound is checked with it, doing without the
#: deadline would take longer still.
SLACK = 10.0


def until(state: Callable[[], object], limit: float = 30.0, pause: float = 0.02) -> bool:
    """Whether ``state`` came true within ``limit`` seconds."""
    end = time.monotonic() + limit
    while not state():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
