"""What a result says of its intervals, from Python, Rust and Node.js alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

INTERVALS = 20
"""So many at the least lie in the time that is measured."""


class Series(TypedDict):
    """Part of a result: one entry for each interval from the opening of the window on, the last of
    which may be cut short by its end. What ended at the border of two belongs to the earlier."""

    start: float
    """When the window opened, in seconds since the epoch."""
    interval: float
    """Seconds."""
    operations: list[int]
    """Successful ones, by when they ended; in batches each record is one. Between two calls that
    are timed, ends are spread evenly."""
    errors: list[int]
    timeouts: list[int]
    """Of the errors."""
    p50_ns: list[int | None]
    p99_ns: list[int | None]
    """None where fewer than 10 samples lie beyond it, or were overwritten."""
    max_ns: list[int | None]
    """None without samples, or where some were overwritten."""
    rss: NotRequired[list[int]]
    """Resident bytes at the end of each interval, as long as calls were begun."""
    read: NotRequired[list[str]]
    write: NotRequired[list[str]]
    """Base64 HDR V2 histograms of the samples, of jobs that ask for them."""


def intervals_a_second(duration: float) -> int:
    """How many there are in each second of a measurement that takes so many: one, or as many as
    make `INTERVALS` in all. A whole number, so that seconds can be told from them. One, too, for
    work that ends by itself and has no such time."""
    if not duration:
        return 1
    return max(1, math.ceil(round(INTERVALS / duration, 6)))
