"""One figure relative to another, of the same rounds: the ratio, its interval, and its verdict.

The ratio of two lines is taken in each round, so that what disturbs a round disturbs both; the
figure is the median of these ratios. Its interval is the 95 % interval of the bootstrap: of all
ways to draw as many rounds with repetition, the middle 95 % of the medians. For a median that
distribution is known exactly, so nothing is drawn at random.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_ROUNDS = 5
"""With fewer rounds a ratio has no interval."""
CONFIDENCE = 0.95
PRECISION = 0.1
"""How far the ends of an interval may lie from the ratio, as a share of it, for rounds to end."""
CLEAR = 2.0
"""Without an interval, a smaller factor is not told apart from noise."""
EQUAL, UNCLEAR = "equal", "unclear"


@dataclass(frozen=True)
class Versus:
    """A figure relative to that of another line."""

    ratio: float
    low: float | None = None
    """The ends of the interval; None with fewer than `LEAST_ROUNDS` rounds in common."""
    high: float | None = None
    rounds: int = 1

    @property
    def verdict(self) -> str:
        """`equal` if the interval contains 1; `unclear` without an interval, if the ratio is below
        `CLEAR`; empty if one of the two is ahead."""
        if self.low is not None and self.high is not None:
            return EQUAL if self.low <= 1 <= self.high else ""
        return "" if not 1 / CLEAR < self.ratio < CLEAR else UNCLEAR

    def within(self, share: float) -> bool:
        """Whether both ends of the interval are within this share of the ratio."""
        if self.low is None or self.high is None:
            return False
        allowed = share * self.ratio
        return self.ratio - self.low <= allowed and self.high - self.ratio <= allowed

    def text(self) -> str:
        """For a table: `4.95 (4.71-5.20)`, `equal (0.97-1.04)`, `unclear`; without an interval
        `4.9`."""
        if self.low is None or self.high is None:
            return self.verdict or f"{self.ratio:.1f}"
        text = self.verdict or f"{self.ratio:.2f}"
        return f"{text} ({self.low:.2f}-{self.high:.2f})"


def versus(ours: Sequence[float], other: Sequence[float]) -> Versus | None:
    """`ours` relative to `other`, both by round. Without the same number of rounds they do not
    belong together: the ratio is that of their medians, and has no interval. None without rounds,
    or if the other is zero."""
    if not ours or not other or not all(other):
        return None
    if len(ours) != len(other):
        return Versus(median(ours) / median(other), rounds=min(len(ours), len(other)))
    ratios = [mine / theirs for mine, theirs in zip(ours, other, strict=True)]
    low, high = interval(ratios) if len(ratios) >= LEAST_ROUNDS else (None, None)
    return Versus(median(ratios), low, high, len(ratios))


def interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The percentile interval of the bootstrap of the median, from its exact distribution."""
    medians, below = distribution(values)
    tail = (1 - confidence) / 2
    least = [float(one) for one in below]
    low = medians[bisect_left(least, tail)]
    high = medians[min(bisect_left(least, 1 - tail), len(medians) - 1)]
    return low, high


def distribution(values: Sequence[float]) -> tuple[list[float], list[Fraction]]:
    """The medians that drawing as many of these values with repetition may have, in order, and the
    probability of each or a smaller one."""
    ordered, many = sorted(values), len(values)
    ways: dict[float, int] = {}
    half = many // 2
    for at in range(1, many + 1):
        if many % 2:
            draws = _at_most(at, half + 1, many) - _at_most(at - 1, half + 1, many)
            ways[ordered[at - 1]] = ways.get(ordered[at - 1], 0) + draws
            continue
        # The two in the middle: `half` of the draws are at most the one, the others at least the
        # other. What is left of the first one's ways has both in the same place.
        left = _at_most(at, half, many) - _at_most(at - 1, half, many)
        for above in range(at + 1, many + 1):
            lower = at**half - (at - 1) ** half
            upper = (many - above + 1) ** half - (many - above) ** half
            draws = comb(many, half) * lower * upper
            left -= draws
            middle = (ordered[at - 1] + ordered[above - 1]) / 2
            ways[middle] = ways.get(middle, 0) + draws
        ways[ordered[at - 1]] = ways.get(ordered[at - 1], 0) + left
    medians = sorted(one for one, draws in ways.items() if draws)
    sums = accumulate(ways[one] for one in medians)
    return medians, [Fraction(one, many**many) for one in sums]


def _at_most(place: int, least: int, many: int) -> int:
    """Ways of `many` draws in which at least `least` are among the first `place` values."""
    return sum(
        comb(many, drawn) * place**drawn * (many - place) ** (many - drawn)
        for drawn in range(least, many + 1)
    )
