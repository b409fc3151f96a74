"""One rule for when figures differ by more than their noise, for saved runs and for builds.

The rounds of a figure before and after are ranked together. If nothing changed, every order of them
is equally likely, whatever the distribution of the noise, so that the probability of an order at
least as uneven as the observed one can be counted exactly (Mann and Whitney). The figures of one
comparison share the error rate (Benjamini and Hochberg).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

BETTER, WORSE, UNCHANGED, UNTOLD = "better", "worse", "no change found", "cannot tell"
THRESHOLD = 0.05
"""Smaller differences of the medians are no change, however certain they are."""
FALSE = 0.05
"""The share of comparisons without any change that may report one."""
BUSIER = 1.0
"""The increase in runnable programs per processor from which the machine counts as busier in one
run than in another."""
CROWDED, CROWDED_BY = 2.0, 0.1
"""If both runs have more runnable programs per processor than the first, the machine counts as
busier from this relative increase on."""
RULE = (
    f"A figure changed if its medians differ by more than {THRESHOLD:.0%} and a rank test of the"
    " rounds (Mann-Whitney, exact) says so; where nothing changed at most"
    f" {FALSE:.0%} of comparisons name any figure (Benjamini-Hochberg). Where the rounds are too"
    " few for the test to say anything, the verdict is that it cannot tell, and how many rounds"
    " each side needs."
)


class Figure(NamedTuple):
    """The median of some rounds."""

    value: float
    rounds: int
    values: tuple[float, ...] = ()
    """The values of the rounds; older files have only the lowest and the highest."""
    low: float | None = None
    high: float | None = None

    @property
    def number(self) -> int:
        """The number of rounds that can be ranked."""
        return len(self.values) or self.rounds


class Pair(NamedTuple):
    """A figure before and after, and whether more is better, or less."""

    before: Figure
    after: Figure
    more: bool

    @property
    def rounds(self) -> int:
        """Rounds of the side that has fewer."""
        return min(self.before.number, self.after.number)

    @property
    def relative(self) -> float:
        """The difference as a share of the old value; infinite if the old value is 0."""
        return relative(self.before.value, self.after.value)


@dataclass(frozen=True)
class Judgement:
    """The verdict on a figure."""

    verdict: str
    needed: int = 0
    """Rounds of each side with which a change could be shown; 0 if more rounds would not help."""


def in_words(rounds: int) -> str:
    """The number of rounds in words."""
    return f"{rounds} round{'' if rounds == 1 else 's'}"


def relative(before: float, after: float) -> float:
    """The difference as a share of the old value; infinite if the old value is 0."""
    difference = after - before
    if difference == 0:
        return 0.0
    old = abs(before)
    return difference / old if old else math.copysign(math.inf, difference)


def busier(before: Sequence[float], after: Sequence[float], processors: int) -> int:
    """Whether the machine was busier after (1) or before (-1) or neither (0), by the load averages
    of all rounds."""
    if not before or not after:
        return 0
    low, high = sorted(median(one) / processors for one in (before, after))
    alike = high - low <= BUSIER and (low <= CROWDED or high <= (1 + CROWDED_BY) * low)
    up, down = _chances(*(Figure(median(one), len(one), tuple(one)) for one in (before, after)))
    if alike or min(up, down) > FALSE / 2:
        return 0
    return 1 if up < down else -1


def judge(pairs: Sequence[Pair], machine: int = 0) -> list[Judgement]:
    """The verdict on each figure of one comparison. If the `machine` was busier on one side,
    changes that this could explain are not reported."""
    chances = [_chances(pair.before, pair.after) for pair in pairs]
    rose = _significant([up for up, _ in chances])
    fell = _significant([down for _, down in chances])
    return [
        _judged(pair, len(pairs), machine, rose=up, fell=down)
        for pair, up, down in zip(pairs, rose, fell, strict=True)
    ]


def suffice(before: int, after: int, figures: int) -> bool:
    """Whether the most uneven order of this number of rounds is rare enough to show one change."""
    return math.comb(before + after, before) * FALSE / 2 >= figures


def needed(figures: int) -> int:
    """Rounds of each side needed to show a change of one figure among this many."""
    rounds = 2
    while not suffice(rounds, rounds, figures):
        rounds += 1
    return rounds


def _judged(pair: Pair, figures: int, machine: int, *, rose: bool, fell: bool) -> Judgement:
    changed = pair.relative
    if (rose and changed > THRESHOLD) or (fell and changed < -THRESHOLD):
        verdict = BETTER if (changed > 0) == pair.more else WORSE
        return Judgement(UNTOLD if verdict == {1: WORSE, -1: BETTER}.get(machine) else verdict)
    if rose or fell or suffice(pair.before.number, pair.after.number, figures):
        return Judgement(UNCHANGED)
    return Judgement(UNTOLD, needed(figures))


def _significant(chances: Sequence[float]) -> list[bool]:
    """Which of them are too improbable to be chance, at half of the error rate."""
    ordered = sorted(chances)
    each = FALSE / 2 / len(ordered) if ordered else 0.0
    most = max((one for at, one in enumerate(ordered, 1) if one <= at * each), default=-1.0)
    return [one <= most for one in chances]


def _chances(before: Figure, after: Figure) -> tuple[float, float]:
    """The probabilities that, without a change, the later rounds rank at least as high, and as
    low."""
    if before.values and after.values:
        ordered = sorted((*before.values, *after.values))
        # The mean of the ranks that equal values share, doubled to be an integer.
        ranks = [bisect_left(ordered, one) + bisect_right(ordered, one) + 1 for one in ordered]
        reached = sum(
            bisect_left(ordered, one) + bisect_right(ordered, one) + 1 for one in after.values
        )
        return _tails(tuple(ranks), len(after.values), reached)
    if None in (before.low, before.high, after.low, after.high):
        return 1.0, 1.0
    # If the ranges do not overlap, the order is known.
    least = 1 / math.comb(before.number + after.number, after.number)
    above = (after.low or 0.0) > (before.high or 0.0)
    below = (after.high or 0.0) < (before.low or 0.0)
    return least if above else 1.0, least if below else 1.0


def _tails(ranks: tuple[int, ...], picked: int, reached: int) -> tuple[float, float]:
    """The shares of all choices of this many ranks whose sum is at least, and at most,
    `reached`."""
    width = _width(ranks)
    sums, every = _sums(ranks, picked), math.comb(len(ranks), picked)
    digits = (1 << width) - 1  # a number modulo this is the sum of its digits
    least = (sums >> (reached * width)) % digits
    more = (sums >> ((reached + 1) * width)) % digits
    return least / every, (every - more) / every


@lru_cache(maxsize=64)
def _sums(ranks: tuple[int, ...], picked: int) -> int:
    """How many choices of this many ranks have each sum, as the digits of one large number."""
    width = _width(ranks)
    counts = [1] + [0] * picked
    for rank in ranks:
        for many in range(picked, 0, -1):
            counts[many] += counts[many - 1] << (rank * width)
    return counts[picked]


def _width(ranks: tuple[int, ...]) -> int:
    """Bits of a digit, enough for the number of all choices."""
    return len(ranks) + 1
