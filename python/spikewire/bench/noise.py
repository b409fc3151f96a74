"""When two figures differ by more than their noise: one rule, for saved runs as for builds."""

from __future__ import annotations

import math
from typing import NamedTuple

BETTER, WORSE, UNCHANGED = "better", "worse", "unchanged"
THRESHOLD = 0.05
"""Smaller differences of the medians are no change, however close the rounds lie together."""
THRESHOLD_ALONE = 0.10
"""The same where a figure has one round, which says nothing about its noise."""
RULE = (
    f"A change counts if the medians differ by more than {THRESHOLD:.0%} and the ranges of the"
    f" rounds do not overlap; where either side has a single round, its noise is unknown: by more"
    f" than {THRESHOLD_ALONE:.0%}, and marked with 1."
)


class Figure(NamedTuple):
    """The median of some rounds, with the lowest and the highest; None for a single round."""

    value: float
    low: float | None
    high: float | None


def relative(before: float, after: float) -> float:
    """By how much of the old value the new one differs; infinite where the old one is 0."""
    difference = after - before
    if difference == 0:
        return 0.0
    old = abs(before)
    return difference / old if old else math.copysign(math.inf, difference)


def verdict(before: Figure, after: Figure, *, more: bool) -> str:
    """What became of a figure of which more is better, or less."""
    threshold, overlap = THRESHOLD_ALONE, False
    if (
        before.low is not None
        and before.high is not None
        and after.low is not None
        and after.high is not None
    ):
        threshold = THRESHOLD
        overlap = before.low <= after.high and after.low <= before.high
    changed = relative(before.value, after.value)
    if overlap or abs(changed) <= threshold:
        return UNCHANGED
    return BETTER if (changed > 0) == more else WORSE
