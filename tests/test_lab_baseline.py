"""`spikewire lab compare`: what counts as a change, what is said and what is refused."""

from __future__ import annotations

import argparse
import copy
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import lab_report
from spikewire.bench.cli import add_parsers
from spikewire.bench.lab.baseline.changes import Change, Place, changes
from spikewire.bench.lab.report import LESS, MORE, Heading, Measured, Row
from spikewire.bench.noise import BETTER, UNCHANGED, WORSE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spikewire.bench.lab.report import Entry, Report

pytestmark = pytest.mark.lab
pytest.importorskip("rich.console", reason="the lab's rich is not installed")

SOMEWHERE = Place("section", "table", "client", "label", "rate", "op/s")


def rounds(value: float, spread: float) -> Measured:
    return Measured(value, value - spread, value + spread, 3)


@pytest.mark.parametrize(
    ("before", "after", "more", "less"),
    [
        (rounds(100, 1), rounds(105, 1), UNCHANGED, UNCHANGED),
        (rounds(100, 1), rounds(106, 1), BETTER, WORSE),
        (rounds(100, 1), rounds(94, 1), WORSE, BETTER),
        (rounds(100, 30), rounds(150, 20), UNCHANGED, UNCHANGED),
        (rounds(100, 30), rounds(151, 20), BETTER, WORSE),
        (Measured(100), rounds(109, 1), UNCHANGED, UNCHANGED),
        (Measured(100), Measured(111), BETTER, WORSE),
        (Measured(0), Measured(0), UNCHANGED, UNCHANGED),
        (Measured(0), Measured(1), BETTER, WORSE),
    ],
)
def test_a_change_is_more_than_noise(
    before: Measured, after: Measured, more: str, less: str
) -> None:
    headings = Heading("a", "a", "", MORE), Heading("a", "a", "", LESS)
    for heading, verdict in zip(headings, (more, less), strict=True):
        change = Change(SOMEWHERE, heading, before, after)
        assert change.verdict == verdict
        assert change.alone == (before.rounds == 1 or after.rounds == 1)


def altered(report: Report, label: str, change: Callable[[Row], Row]) -> Report:
    """The report with one line of its table changed."""
    section = report.sections[0]
    table = section.tables[0]
    rows = [change(row) if row.label == label else row for row in table.rows]
    assert rows != table.rows
    made = copy.copy(report)
    made.sections = [replace(section, tables=(replace(table, rows=rows),))]
    return made


def field(key: str, entry: Entry) -> Callable[[Row], Row]:
    return lambda row: replace(row, fields={**row.fields, key: entry})


SLOW = "spikewire, 0"


def test_lines_are_matched_by_name() -> None:
    report = lab_report.made()
    same = changes(report, report)
    assert {one.verdict for one in same.both} == {UNCHANGED}
    assert (same.before_only, same.after_only, same.flawed) == ([], [], [])
    labels = [row.label for row in report.sections[0].tables[0].rows]
    assert SLOW in labels
    faster = altered(report, SLOW, field("rate", rounds(1500, 10)))
    assert [one.place.label for one in changes(report, faster).of(BETTER)] == [SLOW]
    assert [one.place.label for one in changes(faster, report).of(WORSE)] == [SLOW]
    renamed = changes(report, altered(report, SLOW, lambda row: replace(row, label="other")))
    assert {one.label for one in renamed.before_only} == {SLOW}
    assert {one.label for one in renamed.after_only} == {"other"}
    without = changes(report, altered(report, SLOW, field("rate", None)))
    assert [(one.label, one.heading) for one in without.before_only] == [(SLOW, "rate")]
    flawed = changes(report, altered(faster, SLOW, lambda row: replace(row, flawed="slow server")))
    assert {one.label for one in flawed.flawed} == {SLOW}
    assert flawed.of(BETTER) == []


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser(prog="spikewire")
    add_parsers(parser.add_subparsers(required=True))
    args = parser.parse_args(["lab", "compare", *map(str, arguments)])
    status: int = args.run(args)
    return status


def saved(folder: Path, name: str, report: Report) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(report.as_json()))
    return path


def test_the_command_says_what_changed_and_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = lab_report.made()
    other = altered(report, SLOW, field("rate", Measured(1500)))
    other.settings = {"size": "full", "seed": 1}
    other.environment = {**report.environment, "clients": {"aerospike": "20.0.0"}}
    other.environment["limits"] = {"cpu": "2"}
    before, after = saved(tmp_path, "a", report), saved(tmp_path, "b", other)
    assert run(before, after, "--html", tmp_path / "page.html") == 0
    said = capsys.readouterr().out
    assert "1 better; 0 worse" in said
    assert "+50.0% (1)" in said
    assert "differs: size: quick, then full" in said
    assert "differs: clients aerospike: 19.2.1, then 20.0.0" in said
    assert "differs: limits cpu: unknown, then 2" in said
    assert "ranges of the rounds do not overlap" in " ".join(said.split())
    page = (tmp_path / "page.html").read_text()
    assert "+50.0% (1)" in page
    assert "size: quick, then full" in page
    assert run(after, before) == 1
    assert "0 better; 1 worse" in capsys.readouterr().out


def test_what_cannot_be_compared_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = lab_report.made()
    elsewhere = lab_report.made()
    elsewhere.environment = {**report.environment, "cpu_count": 64}
    another = lab_report.made()
    another.recipe = "other"
    first = saved(tmp_path, "a", report)
    second, third = saved(tmp_path, "b", elsewhere), saved(tmp_path, "c", another)
    assert run(first, second) == 2
    assert "different machines (cpu count: 2, then 64)" in capsys.readouterr().err
    assert run(first, second, "--force") == 0
    assert "differs: cpu count: 2, then 64" in capsys.readouterr().out
    assert run(first, third, "--force") == 2
    assert "different recipes: sample and other" in capsys.readouterr().err
    assert run(first, tmp_path / "none.json") == 2
    assert "none.json" in capsys.readouterr().err
    (tmp_path / "broken.json").write_text("{}")
    assert run(first, tmp_path / "broken.json") == 2
    assert "not a report of this lab" in capsys.readouterr().err
