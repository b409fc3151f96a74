"""The recipe `latency`: its evaluation of a sweep of rates."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lab_bench import a_bench
from spikewire_lab.measure import encode, merge
from spikewire_lab.plan import Cell
from spikewire_lab.run.compare import Comparison
from spikewire_lab.run.progress import Progress
from spikewire_lab.studies import open_loops, recipes
from spikewire_lab.studies.recipe import SHORT, Bench, Target
from spikewire_lab.studies.recipes.latency.sweep import Sweep, pauses
from spikewire_lab.studies.report import Report
from spikewire_lab.studies.run import run_recipe
from spikewire_lab.table.line import Line
from test_bench_open_tables import opened as at_a_rate
from test_bench_summary import a_result

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire_lab.run.compare import Settings

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")


def test_a_curve_goes_as_far_into_the_tail_as_there_are_samples() -> None:
    points = open_loops.curve(merge([encode(range(1_000, 1_001_000, 1_000))]))
    assert [at for at, _ in points] == [1, 10, 25, 50, 75, 90, 95, 99]
    assert dict(points)[50] == pytest.approx(500, rel=0.002)
    assert [at for at, _ in open_loops.curve(merge([encode([5])]))] == [1, 10, 25, 50]


def test_the_quick_size_runs(tmp_path: Path) -> None:
    clients = ("spikewire",)
    bench = a_bench(clients=clients)
    report = run_recipe(recipes.load("latency"), bench, tmp_path)
    assert not report.interrupted
    assert report.skipped == []
    (section,) = report.sections
    closed, *tables = section.tables
    assert closed.name == "saturation"
    assert [table.name for table in tables] == ["open-async", "open-sync"]
    for table in tables:
        (row,) = table.rows
        assert row.label == "spikewire, 90%"
        assert not row.flawed
        keys = {heading.key for heading in table.headings}
        assert set(row.fields) <= keys
        assert {"asked", "reached", "p50", "service-p50", "pacing"} <= row.fields.keys()
        assert "Open loop" in table.caption
    charts = {chart.name: chart for chart in section.charts}
    curves = {name: chart for name, chart in charts.items() if name.startswith("percentiles")}
    assert set(curves) == {"percentiles-async-90", "percentiles-sync-90"}
    assert all(chart.x.percentiles for chart in curves.values())
    assert "The slowest client, " in section.text
    assert "of the slowest: spikewire" in tables[0].caption
    assert set(report.runs["sweep"]) == {"saturation", "open"}
    assert len(report.conclusions) == 1
    written = json.loads((tmp_path / "report.json").read_text())
    assert json.loads(json.dumps(Report.from_json(written).as_json())) == written


def test_both_states_of_the_lock_have_lines_and_charts_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    all_settings: list[Settings] = []

    def measured(settings: Settings) -> Comparison:
        all_settings.append(settings)
        comparison = Comparison("lab", settings, groups=list(settings.matrix.groups()))
        for cell in (cell for group in comparison.groups for cell in group):
            result = at_a_rate(elapsed=1.0) if cell.rate else a_result(operations=100, elapsed=1.0)
            comparison.rounds[cell] = [result]
        return comparison

    bench = Bench(Target(), SHORT, ("python3.14t",), Progress(bar=False), [], ("spikewire",))
    monkeypatch.setattr(bench, "gil_states", lambda: (True, False))
    monkeypatch.setattr(bench, "compare", measured)
    part = Sweep().run(bench)
    saturated, opened_ = all_settings
    assert saturated.matrix.gil == opened_.matrix.gil == (True, False)
    assert opened_.matrix.interpreters == ("python3.14t",)
    first, table, _ = part.section.tables
    assert [row.label.partition(", GIL ")[2] for row in first.rows] == ["on", "off"] * 2
    labels = [row.label for row in table.rows]
    assert [label.partition(", ")[2].partition(",")[0] for label in labels] == [
        *("75%", "75%", "90%", "90%"),
    ]
    assert sum(label.endswith("GIL off") for label in labels) == 2
    names = {chart.name for chart in part.section.charts if "async" in chart.name}
    assert {"percentiles-async-90", "percentiles-async-2-90", "p99-async", "p99-async-2"} <= names


def test_a_p99_caused_by_single_pauses_is_noted() -> None:
    cell = Cell("spikewire", "sync", 32, rate=8_000.0)
    line = Line(cell, 2, (), latency_max=14_000.0, samples=9_600)
    (text,) = pauses(line)
    assert "the slowest call took 14.0 ms" in text
    assert text.endswith("delays 112 of the 9,600 calls")
    assert pauses(replace(line, latency_max=11_000.0)) == []
    assert pauses(replace(line, samples=20_000)) == []
    assert pauses(Line(cell, 2, ())) == []
