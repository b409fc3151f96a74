"""Ratios by round: their bootstrap interval, and when two clients count as equal."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from statistics import median

import pytest

from spikewire_lab.table.versus import (
    EQUAL,
    UNCLEAR,
    Versus,
    distribution,
    interval,
    versus,
)


@pytest.mark.parametrize(
    "values", [[2.0], [1.0, 7.0], [3.0, 3.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1, 1, 2, 5, 9, 4]]
)
def test_the_distribution_of_medians_is_that_of_every_possible_draw(values: list[float]) -> None:
    every = Counter(median(draw) for draw in product(values, repeat=len(values)))
    medians, below = distribution(values)
    assert medians == sorted(every)
    total = 0
    for one, share in zip(medians, below, strict=True):
        total += every[one]
        assert share == Fraction(total, len(values) ** len(values))


def test_five_rounds_span_the_interval_and_more_leave_out_the_extremes() -> None:
    assert interval([5.0, 1.0, 4.0, 2.0, 3.0]) == (1.0, 5.0)
    low, high = interval([float(one) for one in range(1, 21)])
    # The exact quantiles of the median of 20 draws from 1, 2, ..., 20.
    assert (low, high) == (6.5, 14.5)
    assert interval([7.0] * 9) == (7.0, 7.0)


def test_a_disturbance_of_a_whole_round_does_not_touch_the_ratio() -> None:
    quiet, disturbed = [100.0] * 5, [100.0, 100.0, 20.0, 100.0, 100.0]
    ours = [2 * one for one in disturbed]
    assert versus(ours, disturbed) == Versus(2.0, 2.0, 2.0, 5)
    unpaired = versus(ours, quiet)
    assert unpaired is not None
    assert unpaired.low == 0.4


@pytest.mark.parametrize(
    ("ours", "other", "text"),
    [
        ([200, 210, 190, 205, 195], [100, 100, 100, 100, 100], "2.00 (1.90-2.10)"),
        ([101, 99, 103, 98, 100], [100, 100, 100, 100, 100], "equal (0.98-1.03)"),
        ([101, 99], [100, 100], "unclear"),
        ([190], [100], "unclear"),
        ([200, 220], [100, 100], "2.1"),
        ([40], [100], "0.4"),
        ([120, 120, 120, 120], [100, 100, 100, 100, 100], "unclear"),
    ],
)
def test_a_ratio_that_is_not_told_from_one_is_said_in_words(
    ours: list[float], other: list[float], text: str
) -> None:
    ratio = versus(ours, other)
    assert ratio is not None
    assert ratio.text() == text


def test_a_ratio_needs_rounds_and_something_to_divide_by() -> None:
    assert versus([], [1.0]) is None
    assert versus([1.0], []) is None
    assert versus([1.0], [0.0]) is None


def test_verdicts_and_precision_follow_the_interval() -> None:
    assert Versus(1.02, 0.99, 1.05, 5).verdict == EQUAL
    assert Versus(1.02, 1.0, 1.05, 5).verdict == EQUAL
    assert Versus(1.2, 1.1, 1.3, 5).verdict == ""
    assert Versus(1.2).verdict == UNCLEAR
    assert Versus(1.0, 0.91, 1.09, 5).within(0.1)
    assert not Versus(1.0, 0.89, 1.0, 5).within(0.1)
    assert not Versus(1.0, 1.0, 1.11, 5).within(0.1)
    assert not Versus(1.0).within(0.1)
