"""The instants at which calls are to begin."""

from __future__ import annotations

import random
from array import array
from typing import TYPE_CHECKING

from ...contract.open import CONSTANT

if TYPE_CHECKING:
    from collections.abc import Sequence

NS = 1_000_000_000


def offsets(rate: float, seconds: float, arrivals: str, seed: str) -> array[int]:
    """Nanoseconds from the start, ascending: as many as the rate yields in that time, but at least
    one. Those of a Poisson process have independent positions and the same number."""
    count = max(1, round(rate * seconds))
    if arrivals == CONSTANT:
        return array("q", (round(at * NS / rate) for at in range(count)))
    rng = random.Random(f"arrivals/{seed}")  # noqa: S311 - repeatable, not secret
    span = round(seconds * NS)
    return array("q", sorted(rng.randrange(max(1, span)) for _ in range(count)))


def overlap(begun: Sequence[int], ended: Sequence[int]) -> int:
    """The largest number of these calls in progress at the same time."""
    going = most = 0
    ends = iter(sorted(ended))
    end = next(ends, None)
    for begin in sorted(begun):
        while end is not None and end <= begin:
            going -= 1
            end = next(ends, None)
        going += 1
        most = max(most, going)
    return most


def held(due: Sequence[int], begun: Sequence[int], ended: Sequence[int], most: int) -> int:
    """The number of calls that were due while this many others were in progress. `due` and `begun`
    ascend."""
    count = started = finished = 0
    ends = sorted(ended)
    starts = sorted(begun)
    for instant in due:
        while started < len(starts) and starts[started] < instant:
            started += 1
        while finished < len(ends) and ends[finished] <= instant:
            finished += 1
        count += started - finished >= most
    return count
