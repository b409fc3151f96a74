"""Pages of the lab: well-formed, escaped, self-contained, without overlapping texts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import lab_report
from spikewire_lab.studies.closed_loops import bars
from spikewire_lab.studies.html import page
from spikewire_lab.studies.markdown import markdown
from spikewire_lab.studies.report import Heading, Median, Report, Row, Series, Table
from spikewire_lab.studies.svg import NARROW, WIDE, draw, scale, units
from spikewire_lab.studies.svg.palette import OURS, colour, styles

if TYPE_CHECKING:
    from spikewire_lab.studies.report import Chart


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("chart", lab_report.charts()[:-1], ids=lambda chart: chart.name)
def test_charts_are_complete_and_texts_do_not_overlap(chart: Chart, width: int) -> None:
    canvas = draw(chart, width)
    assert canvas is not None
    ET.fromstring(canvas.svg("a", chart.title, chart.caption, "wide"))
    met = [(a.text, b.text) for a, b in combinations(canvas.boxes, 2) if a.meets(b)]
    assert met == []
    for box in canvas.boxes:
        assert box.left >= -1, box
        assert box.right <= width + 1, box
        assert 0 <= box.top < box.bottom <= canvas.height + 1, box


def test_a_chart_without_points_is_omitted() -> None:
    assert draw(lab_report.charts()[-1], WIDE) is None


class Tags(HTMLParser):
    """Every element that is opened has to be closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_is_self_contained() -> None:
    report = lab_report.example_report()
    text = page(report)
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert not re.findall(r"https?:|<script|<link|<img|@import|url\(", text)
    assert "&lt;script&gt;" in text
    for phrase in (
        "Where Spikewire loses",
        "As published",
        "Left out",
        "Measured here",
        "<details>",
    ):
        assert phrase in text
    assert "<dt>clients</dt><dd>aerospike 19.2.1, aerospike-py 0.5.0</dd>" in text
    assert "<dd>commit 0123456789ab with changes, library ffffffffffff</dd>" in text
    assert "SOME_VARIABLE" not in text.partition("<main>")[0]
    assert "SOME_VARIABLE" in text
    for target in re.findall(r'href="#([^"]+)"', text):
        assert target in tags.ids


def test_a_report_round_trips_through_json() -> None:
    report = lab_report.example_report()
    saved = json.dumps(report.as_json())
    assert json.dumps(Report.from_json(json.loads(saved)).as_json()) == saved


def test_percentile_axes_space_nines_equally() -> None:
    axis = scale.percentile([50, 99.99], 0, 100)
    assert axis(99.9) - axis(99) == pytest.approx(axis(99.99) - axis(99.9))
    assert axis.ticks == [50, 90, 99, 99.9, 99.99]


def test_ticks_are_round_and_around_all_values() -> None:
    axis = scale.linear([3, 97_321], 0, 100, 5, zero=True)
    assert axis.ticks == [0, 20_000, 40_000, 60_000, 80_000, 100_000]
    assert units.ticks(axis.ticks, "op/s") == (["0", "20k", "40k", "60k", "80k", "100k"], "op/s")
    assert units.ticks([0, 1500, 3000], "µs") == (["0", "1.5", "3"], "ms")
    assert units.ticks([100, 1000], "µs", apart=True) == (["100 µs", "1 ms"], "")
    assert scale.logarithmic([7, 4000], 0, 1).ticks == [1, 10, 100, 1000, 10_000]


def test_clients_have_colours_of_their_own() -> None:
    colours = [colour(client) for client in lab_report.CLIENTS]
    assert colours[0] == OURS == colour("spikewire@/a/build")
    assert len(set(colours)) == len(colours)
    series = [Series(name, (), "spikewire") for name in ("response", "service")]
    assert styles(series) == [(OURS, 0), (OURS, 1)]


def _lines(settings: list[str], clients: list[str]) -> Table:
    heading = Heading("rate", "throughput", "op/s")
    rows = [
        Row(f"{client}, {one}", {"rate": Median(1.0 + at, 1.0, 9.0, 3)}, client)
        for one in settings
        for at, client in enumerate(clients)
    ]
    return Table("matrix", "Single keys", "How.", (heading,), rows)


def test_bars_that_differ_in_the_client_stand_together_and_no_picture_has_too_many() -> None:
    clients = [f"client-{number}" for number in range(7)]
    table = _lines(["blocking, 1 thread", "blocking, 32 threads", "uvloop, 32 tasks"], clients)
    table = replace(table, rows=[*table.rows[:-1], replace(table.rows[-1], flawed="errors")])
    first, second = bars(table, table.headings[0])
    assert [first.name, second.name] == ["matrix-rate", "matrix-rate-2"]
    assert second.title == "Single keys: throughput (2 of 2)"
    assert [len(first.series), len(second.series)] == [14, 7]
    assert [one.name for one in second.series] == [*clients[:-1], "client-6 (!)"]
    assert {x for one in second.series for x, _ in one.points} == {"uvloop, 32 tasks"}
    canvas = draw(first, NARROW)
    assert canvas is not None
    texts = [box.text for box in canvas.boxes]
    assert texts.count("blocking, 32 threads") == 1
    assert texts.count("client-0") == 2


def test_bars_that_have_nothing_in_common_keep_their_labels() -> None:
    table = _lines(["1 thread"], ["a", "b"])
    table = replace(table, rows=[table.rows[0], replace(table.rows[1], label="b, 2 threads")])
    (chart,) = bars(table, table.headings[0])
    assert [one.points[0][0] for one in chart.series] == ["a, 1 thread", "b, 2 threads"]
    none = replace(table, rows=[replace(row, fields={}) for row in table.rows])
    assert bars(none, table.headings[0]) == []


def test_markdown_names_environment_and_command() -> None:
    report = lab_report.example_report()
    report.environment["command_line"] = ["spikewire", "lab", "sample", "--out", "a `b`"]
    text = markdown(report)
    assert "- date: `2026-11-23T10:00:00+00:00`\n" in text
    assert "- command: `` spikewire lab sample --out 'a `b`' ``\n" in text
    assert "- machine: `A, 2 processors`\n" in text
    assert "- clients: `aerospike 19.2.1, aerospike-py 0.5.0`\n" in text
    assert "- took: `0.0 minutes`\n" in text
    for sentence in (*report.conclusions, *report.losses, *report.skipped):
        assert sentence in text
