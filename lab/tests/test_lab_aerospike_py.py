"""The recipe `aerospike-py`: the arithmetic of its study, and tables with all of its rows."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import pytest

from lab_bench import a_bench, ran
from spikewire_lab import measure
from spikewire_lab.clients.base import ASYNC, SYNC
from spikewire_lab.fixed.cells import ABSENT, BATCH_READ, GET, OPERATIONS, SINGLES
from spikewire_lab.fixed.summary import RoundFigures, Summary, summarise, trimmed
from spikewire_lab.studies import recipes
from spikewire_lab.studies.interpreters import names
from spikewire_lab.studies.recipe import SHORT
from spikewire_lab.studies.recipes.aerospike_py.columns import (
    COLUMNS,
    OFFICIAL_SYNC,
    OURS_ASYNC,
    OURS_SYNC,
    PEER_ASYNC,
    PEER_SYNC,
)
from spikewire_lab.studies.recipes.aerospike_py.operations import amount, compared
from spikewire_lab.studies.recipes.aerospike_py.tables import tables_of
from spikewire_lab.studies.report import Median

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spikewire_lab.fixed.result import FixedResult

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")


def test_rounds_far_outside_of_the_quartiles_are_trimmed() -> None:
    # Quartiles 2 and 4 of five values: from -1 to 7 is kept.
    assert trimmed([1, 2, 3, 4, 7]) == [1, 2, 3, 4, 7]
    assert trimmed([7.5, 1, 2, 3, 4]) == [1, 2, 3, 4]
    assert trimmed([1, 2, 3, 1000]) == [1, 2, 3, 1000]
    assert trimmed([5.0] * 6 + [5.1, 4.9]) == [5.0] * 6
    assert trimmed([]) == []


def a_result(elapsed: Sequence[float], medians: Sequence[float], rows: int = 1) -> FixedResult:
    return {
        "client": "spikewire",
        "version": "1",
        "mode": SYNC,
        "operation": BATCH_READ if rows > 1 else GET,
        "python": {
            "version": "3.11",
            "build": "",
            "implementation": "CPython",
            "free_threaded": False,
            "gil": True,
        },
        "rows": rows,
        "calls": 10,
        "rounds": [
            {"elapsed": one, "median": median} for one, median in zip(elapsed, medians, strict=True)
        ],
        "latency": measure.encode([1_000_000] * 98 + [5_000_000] * 2),
        "max_ns": 5_000_000,
        "cpu": {"user": 0.5, "system": 0.5},
        "memory": 4096,
        "load_average": [0.0],
    }


def test_medians_of_trimmed_and_untrimmed_rounds() -> None:
    elapsed = [0.01, 0.02, 0.03, 0.04, 1.0]
    medians = [0.001, 0.002, 0.003, 0.004, 0.1]
    summary = summarise([a_result(elapsed, medians)])
    assert summary.study.rounds == 4
    assert summary.whole.rounds == 5
    assert summary.study.each == pytest.approx(0.0025)
    assert summary.whole.each == pytest.approx(0.003)
    # Of 10 calls each: 1000, 500, 333.3, 250 and 10 per second, none of them trimmed.
    assert summary.whole.rate == pytest.approx(1000 / 3)
    assert summary.study.deviation == pytest.approx(statistics.stdev(medians[:4]))
    assert summary.whole.deviation == pytest.approx(statistics.stdev(medians))
    assert summary.p50 == pytest.approx(0.0025)
    assert summary.p99 == pytest.approx(0.005, rel=1e-3)
    assert summary.most == 0.005
    assert summary.cpu == pytest.approx(1.0 / 50)
    assert summary.calls == 100
    assert summary.study.low == pytest.approx(0.001)
    assert summary.study.high == pytest.approx(0.004)


def test_processes_of_a_cell_count_together_and_batches_by_record() -> None:
    one = a_result([0.1, 0.3], [0.01, 0.03], rows=50)
    summary = summarise([one, a_result([0.2, 0.2], [0.02, 0.02], rows=50)])
    assert summary.whole.rounds == 4
    assert summary.whole.each == pytest.approx(0.2 / 500)
    assert summary.whole.rate == pytest.approx(500 / 0.2)
    assert summary.p50 == pytest.approx(0.02)
    assert summary.cpu == pytest.approx(2.0 / (500 * 4))
    assert summary.memory == (4096, 4096)


def a_summary(each: float) -> Summary:
    reckoned = RoundFigures(each, 1 / each, 0.0, each, each, 1)
    return Summary(reckoned, reckoned, each, each, each, each, 1, (0,))


def test_each_row_and_column_of_the_study_is_measured_or_absent() -> None:
    recipe = recipes.load("aerospike-py")
    summary = {
        (operation, column): a_summary(1.0)
        for operation in OPERATIONS
        for column in COLUMNS
        if (column.client, operation) not in ABSENT
    }
    tables = {
        table.name: table for table in tables_of(summary, {}, OPERATIONS, amount(a_bench()), "")
    }
    published = {table.name.removeprefix("published-"): table for table in recipe.published()}
    for name in ("latency", "throughput", "stability", "tail"):
        ours, theirs = tables[name], published[name]
        rows = {row.label: row for row in ours.rows}
        for row in theirs.rows:
            for key, figure in row.fields.items():
                measured = rows[row.label].fields.get(key)
                if figure is not None and measured is None:
                    # Columns relative to it are absent as well.
                    assert key == OFFICIAL_SYNC.key or key.endswith("-to-official")
                    assert any(row.label in note for note in ours.notes), (name, row.label, key)
    assert {row.label for row in published["tail"].rows} == set(SINGLES)


def test_tables_of_several_interpreters_are_named_by_versions() -> None:
    paths = {"/opt/old/bin/python": "3.13.1", "/opt/new/bin/python": "3.14.0t"}
    called = names(paths)
    assert list(called.values()) == ["Python 3.13.1", "Python 3.14.0t"]
    summary = {(GET, OURS_SYNC): a_summary(1.0)}
    for under in called.values():
        table = tables_of(summary, {}, (GET,), amount(a_bench()), under)[0]
        assert table.title == f"Average latency ({under})"
        assert table.name == f"latency-{under.lower().replace(' ', '-')}"
    alike = names(dict.fromkeys(paths, "3.13.1"))
    assert list(alike.values()) == ["Python old/bin/python", "Python new/bin/python"]
    assert names({"/opt/bin/python": "", "python": ""}) == {
        "/opt/bin/python": "Python bin/python",
        "python": "Python python",
    }


def test_the_full_size_is_that_of_the_study() -> None:
    much = amount(a_bench("full"))
    assert (much.calls, much.rounds * much.processes) == (5_000, 20)
    assert (much.groups, much.warmup, much.concurrency) == (10, 500, 50)
    assert amount(a_bench(SHORT)).calls < 5_000


def test_our_client_is_compared_with_equivalent_ones() -> None:
    summary = {
        (GET, OURS_SYNC): a_summary(2.0),
        (GET, PEER_SYNC): a_summary(4.0),
        (GET, OFFICIAL_SYNC): a_summary(1.0),
        (GET, OURS_ASYNC): a_summary(1.0),
        (GET, PEER_ASYNC): a_summary(3.0),
    }
    conclusions, losses = compared(summary)
    slower, dearer = losses
    assert "2.00 times the time of aerospike." in slower
    assert dearer.startswith("get, sync, processor time: ")
    assert "in 0 of 1" in conclusions[0]
    assert "in 1 of 1" in conclusions[1]
    assert "3.00 to 3.00" in conclusions[1]


def test_our_client_is_measured(tmp_path: Path) -> None:
    """Every table from real processes, without other clients."""
    report = ran("aerospike-py", tmp_path, ["operations", "numpy"], "spikewire")
    for section in report.sections:
        for table in section.tables:
            assert table.rows
            for row in table.rows:
                assert not row.flawed, row
                assert {key.split("-")[0] for key in row.fields} <= {"spikewire"}
    latency = report.sections[0].tables[0]
    for row in latency.rows:
        for mode in (SYNC, ASYNC):
            entry = row.fields[f"spikewire-{mode}"]
            assert isinstance(entry, Median)
            assert entry.value > 0
