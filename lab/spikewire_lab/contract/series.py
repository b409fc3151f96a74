"""The intervals in a result, for Python, Rust and Node.js alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

INTERVALS = 20
"""The fewest intervals in the measured time."""


class Series(TypedDict):
    """Part of a result: one entry for each interval from the opening of the window, the last of
    which may be cut short. What ended on the border of two intervals belongs to the earlier one."""

    start: float
    """When the window opened, in seconds since the epoch."""
    interval: float
    """The length of an interval in seconds."""
    operations: list[int]
    """Successful operations, by when they ended; in batches each record is one. Between two timed
    calls, ends are assumed to be evenly spread."""
    errors: list[int]
    timeouts: list[int]
    """Timeouts among the errors."""
    p50_ns: list[int | None]
    p99_ns: list[int | None]
    """None if fewer than 10 samples lie beyond it, or samples were overwritten."""
    max_ns: list[int | None]
    """None without samples, or if samples were overwritten."""
    rss: NotRequired[list[int]]
    """Resident bytes at the end of each interval, until the last call began."""
    read: NotRequired[list[str]]
    write: NotRequired[list[str]]
    """Base64 HDR V2 histograms of the samples, for jobs that ask for them."""


def intervals_a_second(duration: float) -> int:
    """The number of intervals in each second of a measurement of this many seconds: one, or as many
    as make `INTERVALS` in all. An integer, so that seconds can be derived from intervals. Also one
    for work that ends by itself and has no planned time."""
    if not duration:
        return 1
    return max(1, math.ceil(round(INTERVALS / duration, 6)))
