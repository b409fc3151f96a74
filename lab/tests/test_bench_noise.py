"""The rule for figures that differ by more than their noise, compared with a count of all orders
and with simulated noise."""

from __future__ import annotations

import random
from itertools import combinations
from statistics import mean, median

import pytest

from spikewire_lab import noise
from spikewire_lab.noise import (
    BETTER,
    FALSE,
    UNCHANGED,
    UNTOLD,
    WORSE,
    Figure,
    Judgement,
    Pair,
    busier,
    judge,
    needed,
)

OTHER = {BETTER: WORSE, WORSE: BETTER, UNCHANGED: UNCHANGED, UNTOLD: UNTOLD}


def figure(*values: float) -> Figure:
    return Figure(median(values), len(values), values)


def around(value: float, rounds: int) -> Figure:
    """Rounds within 2 % of a value."""
    return figure(*(value * (1 + 0.02 * at / rounds) for at in range(rounds)))


def ranged(value: float, rounds: int) -> Figure:
    """The same from an older file, which has no single rounds."""
    return Figure(value, rounds, (), value, 1.02 * value)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (around(100, 5), around(110, 5), BETTER),
        (around(100, 5), around(90, 5), WORSE),
        (around(100, 5), around(104, 5), UNCHANGED),
        (figure(90, 95, 100, 105, 120), figure(98, 104, 130, 131, 140), UNCHANGED),
        (around(100, 3), around(200, 3), UNTOLD),
        (around(100, 3), around(100, 3), UNTOLD),
        (around(100, 1), around(200, 9), UNTOLD),
        (around(100, 3), around(200, 5), BETTER),
        (ranged(100, 5), ranged(110, 5), BETTER),
        (ranged(100, 5), ranged(101, 5), UNCHANGED),
        (ranged(100, 5), around(90, 5), UNCHANGED),
        (ranged(100, 3), ranged(200, 3), UNTOLD),
        (figure(0, 0, 0, 0, 0), figure(0, 0, 0, 0, 0), UNCHANGED),
        (figure(0, 0, 0, 0, 0), figure(1, 1, 1, 1, 1), BETTER),
    ],
)
def test_a_figure_is_judged_better_worse_or_alike(
    before: Figure, after: Figure, verdict: str
) -> None:
    (more,), (less,) = (judge([Pair(before, after, more)]) for more in (True, False))
    assert (more.verdict, less.verdict) == (verdict, OTHER[verdict])
    assert more.needed == (needed(1) if verdict == UNTOLD else 0)


def test_more_figures_need_more_rounds() -> None:
    assert [needed(figures) for figures in (1, 4, 100)] == [4, 5, 8]
    changed = Pair(around(100, 5), around(200, 5), more=True)
    same = Pair(around(100, 5), around(100, 5), more=True)
    assert judge([changed, *[same] * 5])[0] == Judgement(BETTER)
    # One of a hundred may be chance; twenty of them are not.
    assert judge([changed, *[same] * 99])[0] == Judgement(UNTOLD, needed(100))
    assert {one.verdict for one in judge([*[changed] * 20, *[same] * 80])[:20]} == {BETTER}


def test_probabilities_equal_an_enumeration_of_all_orders() -> None:
    """Including shared ranks, and sides of different size."""
    draw = random.Random(1)
    for _ in range(60):
        sides = [[draw.randint(0, 6) for _ in range(draw.randint(1, 5))] for _ in range(2)]
        every = sides[0] + sides[1]
        ranks = [mean(at for at, two in enumerate(sorted(every)) if two == one) for one in every]
        reached = sum(ranks[len(sides[0]) :])
        orders = [sum(picked) for picked in combinations(ranks, len(sides[1]))]
        up = sum(one >= reached - 1e-9 for one in orders) / len(orders)
        down = sum(one <= reached + 1e-9 for one in orders) / len(orders)
        assert noise._chances(figure(*sides[0]), figure(*sides[1])) == pytest.approx((up, down))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([2.0, 2.1, 2.2, 2.3, 2.4], [6.0, 6.1, 6.2, 6.3, 6.4], 1),
        ([6.0, 6.1, 6.2, 6.3, 6.4], [2.0, 2.1, 2.2, 2.3, 2.4], -1),
        ([2.0, 2.1, 2.2, 2.3, 2.4], [3.0, 3.1, 3.2, 3.3, 3.4], 0),
        ([9.0, 9.1, 9.2, 9.3, 9.4], [10.5, 10.6, 10.7, 10.8, 10.9], 1),
        ([9.0, 9.1, 9.2, 9.3, 9.4], [9.5, 9.6, 9.7, 9.8, 9.9], 0),
        ([2.0, 3.0, 2.0, 9.0, 9.5], [2.5, 3.0, 9.0, 9.1, 9.5], 0),
        ([], [6.0, 6.1, 6.2, 6.3, 6.4], 0),
    ],
)
def test_a_machine_is_busier_where_more_programs_want_to_run_all_the_time(
    before: list[float], after: list[float], expected: int
) -> None:
    assert busier(before, after, 2) == expected


def test_changes_explained_by_the_machine_are_not_reported() -> None:
    worse = Pair(around(100, 5), around(90, 5), more=True)
    better = Pair(around(100, 5), around(90, 5), more=False)
    verdicts = {
        machine: [one.verdict for one in judge([worse, better], machine)] for machine in (-1, 0, 1)
    }
    assert verdicts == {-1: [WORSE, UNTOLD], 0: [WORSE, BETTER], 1: [UNTOLD, BETTER]}


# --- Noise with heavy tails: a busy machine -------------------------------------------------------

FIGURES, COMPARISONS = 6, 400


def noisy(draw: random.Random, rounds: int, factor: float = 1.0) -> Figure:
    """Most rounds within a few percent; one in ten takes half as long again, or many times as
    long."""
    values = [
        100
        * factor
        * draw.lognormvariate(0, 0.03)
        * (draw.paretovariate(1.5) ** (draw.random() < 0.1))
        for _ in range(rounds)
    ]
    return figure(*values)


def verdicts(draw: random.Random, rounds: int, factor: float = 1.0) -> list[str]:
    """The verdicts of a comparison whose first figure is this many times the old one; less is
    better."""
    pairs = [
        Pair(noisy(draw, rounds), noisy(draw, rounds, 1.0 if at else factor), more=False)
        for at in range(FIGURES)
    ]
    return [one.verdict for one in judge(pairs)]


@pytest.mark.parametrize("rounds", [2, 3, 4, 5, 6, 9, 15])
def test_false_alarms_are_rare(rounds: int) -> None:
    draw = random.Random(rounds)
    all_verdicts = [verdicts(draw, rounds) for _ in range(COMPARISONS)]
    alarms = sum(not {BETTER, WORSE}.isdisjoint(one) for one in all_verdicts)
    assert alarms <= FALSE * COMPARISONS
    if rounds < 4:
        assert {one for each in all_verdicts for one in each} == {UNTOLD}


def test_a_loss_of_15_percent_is_detected_with_enough_rounds() -> None:
    draw = random.Random(1)
    detected = {
        rounds: sum(verdicts(draw, rounds, 1.15)[0] == WORSE for _ in range(100))
        for rounds in (3, 6, 12, 20)
    }
    assert detected[3] == 0
    assert detected[6] < detected[12] < detected[20]
    assert detected[20] >= 95
