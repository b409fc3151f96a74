"""The recipe `latency`: what it makes of a sweep of rates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spikewire.bench.lab import opened, recipes
from spikewire.bench.lab.recipe import QUICK, Bench, Target
from spikewire.bench.lab.report import Report
from spikewire.bench.lab.run import run_recipe
from spikewire.bench.measure import encode, merge
from spikewire.bench.run.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.lab
pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")


def test_a_curve_goes_as_far_into_the_tail_as_there_are_samples() -> None:
    points = opened.curve(merge([encode(range(1_000, 1_001_000, 1_000))]))
    assert [at for at, _ in points] == [1, 10, 25, 50, 75, 90, 95, 99]
    assert dict(points)[50] == pytest.approx(500, rel=0.002)
    assert [at for at, _ in opened.curve(merge([encode([5])]))] == [1, 10, 25, 50]


def test_the_quick_form(tmp_path: Path) -> None:
    clients = ("spikewire",)
    bench = Bench(Target(), QUICK, ("",), Progress(bar=False), ["spikewire", "lab"], clients)
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
    assert set(charts) == {"percentiles-async-90", "percentiles-sync-90"}
    assert all(chart.x.percentiles for chart in charts.values())
    assert set(report.runs["sweep"]) == {"saturation", "open"}
    assert len(report.conclusions) == 1
    written = json.loads((tmp_path / "report.json").read_text())
    assert json.loads(json.dumps(Report.from_json(written).as_json())) == written
