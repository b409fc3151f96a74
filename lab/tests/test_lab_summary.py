"""The first table of a report: ours, the best other client, and their ratio."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("markdown_it", reason="the lab's markdown-it-py is not installed")

from spikewire_lab.studies.html import page
from spikewire_lab.studies.links import REPOSITORY, STUDIES
from spikewire_lab.studies.markdown import markdown
from spikewire_lab.studies.report import (
    BARS,
    LINES,
    MORE,
    Axis,
    Chart,
    Heading,
    Median,
    Report,
    Row,
    Section,
    Series,
    Table,
)
from spikewire_lab.studies.summary import few_rounds, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

RATE = Heading("rate", "throughput", "op/s", MORE, 0)


def a_row(client: str, values: Sequence[float], setting: str = "32 tasks") -> Row:
    return Row(f"{client}, {setting}", {"rate": Median.of(values)}, client)


def a_report(*rows: Row) -> Report:
    axes = Axis("x"), Axis("y", "op/s")
    bars = Chart("b", "Rates", "How.", BARS, *axes, [Series("spikewire", [("a", 1.0)])])
    lines = Chart("l", "Over time", "How.", LINES, *axes, [Series("spikewire", [(0.0, 1.0)])])
    table = Table("matrix", "Single keys", "How.", (RATE,), rows)
    section = Section("singles", "Singles", "Text.", (table,), (bars, lines))
    report = Report("sdk", "A study", "Text.", "Aerospike Python SDK, Benchmarking Guide")
    report.sections = [section]
    return report


OURS = a_row("spikewire", [200, 210, 190, 205, 195])
REPORT = a_report(
    OURS,
    a_row("spikewire-builder", [900] * 5),
    a_row("aerospike", [100] * 5),
    a_row("aerospike-sdk", [90, 110, 70, 80, 60]),
    a_row("aerospike-py", [400] * 5, "1 task"),
    a_row("spikewire", [403, 399, 401, 390, 410], "1 task"),
    a_row("spikewire-rust", [800] * 5),
    a_row("aerospike-rust", [200] * 5),
)


def test_each_row_has_the_best_other_client_and_the_interval_of_the_ratio() -> None:
    rows = [(row.name, row.client, row.ratio.text()) for row in summary(REPORT)]
    assert rows == [
        ("32 tasks", "aerospike", "2.00 (1.90-2.10)"),
        ("1 task", "aerospike-py", "equal (0.97-1.02)"),
        ("Rust, 32 tasks", "aerospike-rust", "4.00 (4.00-4.00)"),
    ]
    assert few_rounds(summary(REPORT)) == ""


def test_few_rounds_are_said_and_give_no_win() -> None:
    report = a_report(a_row("spikewire", [150, 160]), a_row("aerospike", [100, 100]))
    (row,) = summary(report)
    assert row.ratio.text() == "unclear"
    assert "All rows without an interval have 2 rounds" in few_rounds([row])
    assert "shown as unclear" in page(report)
    flawed = a_report(replace(OURS, flawed="errors"), a_row("aerospike", [100] * 5))
    assert summary(flawed) == []
    assert 'id="summary"' not in page(flawed)


def test_the_page_begins_with_the_summary_links_to_the_study_and_folds_charts_over_time() -> None:
    text = page(REPORT)
    assert text.index('id="summary"') < text.index('id="singles"')
    assert '<a href="#singles-matrix">1 task</a>' in text
    assert ">equal<small>0.97 to 1.02</small>" in text
    assert f'<a href="{STUDIES["sdk"]}">Aerospike Python SDK, Benchmarking Guide</a>' in text
    assert '<a href="../index.html">' in text
    assert '<a href="../../docs/lab.md">' in page(REPORT, REPOSITORY)
    folded = text.index("<details><summary>Charts over time")
    assert text.index("Rates</h3>") < folded < text.index("Over time</h3>")


def test_markdown_has_the_same_summary() -> None:
    text = markdown(REPORT)
    assert "| 32 tasks | 200 op/s | 100 op/s | aerospike | 2.00 (1.90-2.10) |" in text
    assert "| 1 task | 401 op/s | 400 op/s | aerospike-py | equal (0.97-1.02) |" in text


def test_reports_of_earlier_versions_name_the_embedded_server() -> None:
    report = a_report(OURS, a_row("aerospike", [100] * 5))
    report.environment = {
        "cluster": {
            "kind": "embedded on this machine, nodes: 3",
            "build": "8.1.2.0",
            "edition": "Aerospike Community Edition",
        }
    }
    text = page(report)
    assert "spikewire-server, speaks 8.1.2.0" in text
    assert "Community Edition" not in text
