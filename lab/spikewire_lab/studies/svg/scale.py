"""Values to positions along an axis, and its ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

PERCENTILES = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
MOST = 1 - 1e-7
"""The position of 100 %, which would be at infinity."""


@dataclass(frozen=True)
class Scale:
    """Maps a range of values to a range of pixels, with ticks inside the range."""

    low: float
    high: float
    start: float
    end: float
    ticks: Sequence[float]
    bent: Callable[[float], float] = float
    """The transformation under which the scale is linear."""

    def __call__(self, value: float) -> float:
        low, high = self.bent(self.low), self.bent(self.high)
        share = (self.bent(min(max(value, self.low), self.high)) - low) / ((high - low) or 1.0)
        return self.start + share * (self.end - self.start)


def linear(values: Iterable[float], start: float, end: float, ticks: int, zero: bool) -> Scale:
    """Round steps around all values; `zero` includes 0."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = (0.0, 1.0) if low == 0 else sorted((0.0, 2 * low))
    step = nice((high - low) / max(ticks, 1))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = [round(at * step, 12) for at in range(first, last + 1)]
    return Scale(marks[0], marks[-1], start, end, marks)


def nice(step: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not less than the value."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * much for much in (1, 2, 2.5, 5, 10) if step <= power * much * (1 + 1e-9))


def logarithmic(values: Iterable[float], start: float, end: float) -> Scale:
    """Powers of ten around all positive values, with 2 and 5 if there are few."""
    positive = [value for value in values if value > 0 and math.isfinite(value)] or [1.0]
    low, high = min(positive), max(positive)
    decades = math.log10(high / low)
    parts = (1, 2, 5) if decades <= 2 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1
    marks = [much * 10.0**at for at in range(first, last + 1) for much in parts]
    below = max(mark for mark in marks if mark <= low * (1 + 1e-9))
    above = min(mark for mark in marks if mark >= high * (1 - 1e-9))
    if below == above:
        above = marks[marks.index(above) + 1]
    every = max(1, math.ceil(math.log10(above / below) / 7))
    ticks = [mark for mark in marks if below <= mark <= above]
    if len(parts) == 1:
        ticks = ticks[::every]
    return Scale(below, above, start, end, ticks, math.log10)


def _nines(percentile: float) -> float:
    return -math.log10(1 - min(percentile / 100, MOST))


def percentile(values: Iterable[float], start: float, end: float) -> Scale:
    """99, 99.9 and 99.99 at equal distances."""
    inside = [value for value in values if 0 <= value <= 100] or [0.0]
    low = max(mark for mark in PERCENTILES if mark <= min(*inside, PERCENTILES[-1]))
    high = max([min(max(inside), 100 * MOST), *(mark for mark in PERCENTILES[1:2] if low < mark)])
    if high <= low:
        low = PERCENTILES[max(0, PERCENTILES.index(low) - 1)]
    marks = [mark for mark in PERCENTILES if low <= mark <= high]
    return Scale(low, high, start, end, marks, _nines)


def labels(names: Sequence[str], start: float, end: float) -> Scale:
    """Positions for words: evenly spaced, half a step from either end."""
    return Scale(-0.5, len(names) - 0.5, start, end, [float(at) for at in range(len(names))])
