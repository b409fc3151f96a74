"""Explanations of lost cells, for known figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spikewire_lab.clients.base import SYNC
from spikewire_lab.plan import Cell
from spikewire_lab.run.report import notes
from spikewire_lab.studies.reasons import Side, dearer, later, side, why
from spikewire_lab.studies.recipes.sdk.layers import compared
from spikewire_lab.table.figures import Spread
from spikewire_lab.table.line import Line

OURS = Side("spikewire", 90.0, 100.0, 3, cpu=10.0)
THEIRS = Side("aerospike", 110.0, 120.0, 3, cpu=8.0)


def a_line(client: str, rate: float, cpu: float, p99: float = 100.0, rounds: int = 3) -> Line:
    return Line(
        Cell(client, SYNC, 1),
        rounds,
        (),
        rate=Spread(rate, 0.99 * rate, 1.01 * rate),
        cpu=Spread(cpu, cpu, cpu),
        latency={"p50": 10.0, "p99": p99},
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "text"),
    [
        (OURS, THEIRS, "it takes more processor time, 10 µs/op beside 8 µs/op of aerospike"),
        (OURS, replace(THEIRS, cpu=30.0), "it takes less processor time"),
        (OURS, replace(THEIRS, cpu=10.2), "it takes the same processor time"),
        (OURS, replace(THEIRS, low=95.0), "the rounds of the two overlap"),
        (replace(OURS, rounds=1), THEIRS, "each was measured once"),
        (replace(OURS, busy=0.95), THEIRS, "the server was busy 95% of its time"),
        (replace(OURS, others=0.3), THEIRS, "other programs took 30% of the machine"),
        (replace(OURS, cpu=None), THEIRS, "these figures do not tell"),
    ],
)
def test_a_reason_follows_from_the_figures(ours: Side, theirs: Side, text: str) -> None:
    sentence = why(ours, theirs)
    assert sentence.startswith("Why: ")
    assert sentence.endswith(".")
    assert text in sentence


def test_unmeasured_figures_give_no_reason() -> None:
    assert side(replace(a_line("spikewire", 1.0, 1.0), rate=None), "spikewire") is None
    assert why(None, THEIRS) == ""
    assert dearer("here", replace(a_line("spikewire", 1.0, 1.0), cpu=None), []) == []
    assert later("here", a_line("spikewire", 1.0, 1.0), []) == []


def test_processor_time_and_tails_are_lost_beyond_what_is_alike() -> None:
    ours = a_line("spikewire", 200.0, 10.0, p99=100.0)
    cheap, quick = a_line("aerospike", 100.0, 9.0, 200.0), a_line("aerospike-py", 100.0, 20.0, 50.0)
    assert dearer("blocking", ours, [cheap, quick]) == [
        "blocking, processor time: 10 µs/op, 9 of aerospike."
    ]
    assert dearer("blocking", ours, [replace(cheap, cpu=Spread(9.8, 9.8, 9.8)), quick]) == []
    (text,) = later("blocking", ours, [cheap, quick])
    assert text.startswith(
        "blocking, p99: 100 µs, 50 of aerospike-py. It made 2.00 times as many operations."
    )
    assert later("blocking", ours, [cheap]) == []


def test_each_lost_cell_of_a_matrix_has_its_reason() -> None:
    lines = [a_line("spikewire", 90.0, 10.0, 100.0), a_line("aerospike", 100.0, 8.0, 50.0)]
    conclusions, losses = compared(lines)
    assert conclusions == []
    rate, cpu, tail = sorted(losses, key=lambda one: ("p99" in one, "processor time:" in one))
    assert rate.startswith(
        "Sync, 1 thread: 0.90 times as many operations per second as aerospike, the best"
    )
    assert "Why: it takes more processor time" in rate
    assert cpu == "Sync, 1 thread, processor time: 10 µs/op, 8 of aerospike."
    assert "Why: " in tail


def test_the_gil_state_is_noted_if_lines_do_not_name_it() -> None:
    def a_line(*, gil: bool, named: bool) -> Line:
        return Line(Cell("spikewire", SYNC, 1, gil=gil if named else None), 1, (), gil=gil)

    texts = notes([a_line(gil=True, named=False), a_line(gil=False, named=False)])
    assert [one.rpartition(" ")[2] for one in texts if "GIL" in one] == ["on", "off"]
    assert not any(
        "GIL" in one for one in notes([a_line(gil=gil, named=True) for gil in (True, False)])
    )
