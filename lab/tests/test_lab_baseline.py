"""`spikewire lab compare`: what counts as a change, what is reported and what is rejected."""

from __future__ import annotations

import argparse
import copy
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import lab_report
from spikewire.commands import add_parsers
from spikewire_lab.noise import BETTER, UNCHANGED, UNTOLD, WORSE
from spikewire_lab.studies.baseline.changes import changes
from spikewire_lab.studies.report import Median, Row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spikewire_lab.studies.report import Entry, Report

pytest.importorskip("rich.console", reason="the lab's rich is not installed")


def rounds(value: float, spread: float) -> Median:
    """Enough rounds for a report with this many lines."""
    return Median.of([value + spread * (at - 4) / 4 for at in range(9)])


def altered(report: Report, label: str, change: Callable[[Row], Row]) -> Report:
    """The report with one line of its table changed."""
    section = report.sections[0]
    table = section.tables[0]
    rows = [change(row) if row.label == label else row for row in table.rows]
    assert rows != table.rows
    built = copy.copy(report)
    built.sections = [replace(section, tables=(replace(table, rows=rows),))]
    return built


def field(key: str, entry: Entry) -> Callable[[Row], Row]:
    return lambda row: replace(row, fields={**row.fields, key: entry})


SLOW = "spikewire, 0"


def test_lines_are_matched_by_name() -> None:
    report = altered(lab_report.example_report(), SLOW, field("rate", rounds(1000, 10)))
    same = changes(report, report)
    # Only that line has enough rounds; a percentile of all rounds together has none.
    assert {one.place.label for one in same.of(UNCHANGED)} == {SLOW}
    assert {one.verdict for one in same.both} == {UNCHANGED, UNTOLD}
    assert {one.heading for one in same.whole} == {"k1", "k2"}
    assert (same.before_only, same.after_only, same.flawed) == ([], [], [])
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


def test_a_changed_figure_is_printed_and_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = altered(lab_report.example_report(), SLOW, field("rate", rounds(1000, 10)))
    other = altered(report, SLOW, field("rate", rounds(1500, 10)))
    other.settings = {"size": "full", "seed": 1}
    other.environment = {**report.environment, "clients": {"aerospike": "20.0.0"}}
    other.environment["limits"] = {"cpu": "2"}
    before, after = saved(tmp_path, "a", report), saved(tmp_path, "b", other)
    assert run(before, after, "--html", tmp_path / "page.html") == 0
    output = capsys.readouterr().out
    assert "1 better; 0 worse" in output
    assert "+50.0%" in output
    assert "differs: size: quick, then full" in output
    assert "differs: clients aerospike: 19.2.1, then 20.0.0" in output
    assert "differs: limits cpu: unknown, then 2" in output
    assert "cannot tell with 3 rounds" in output
    assert "a rank test of the rounds" in " ".join(output.split())
    page = (tmp_path / "page.html").read_text()
    assert "+50.0%" in page
    assert "size: quick, then full" in page
    assert "cannot tell with 3 rounds" in page
    assert run(after, before) == 1
    assert "0 better; 1 worse" in capsys.readouterr().out


def test_too_few_rounds_end_with_a_status_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = lab_report.example_report()
    other = altered(report, SLOW, field("rate", Median.of([1400, 1500, 1600])))
    assert run(saved(tmp_path, "a", report), saved(tmp_path, "b", other)) == 4
    output = capsys.readouterr().out
    (line,) = [line for line in output.splitlines() if "+50.0%" in line]
    assert UNTOLD in line
    assert "3, 6 needed" in line
    assert "cannot tell with 3 rounds, 6 needed of each side: 19 of 19 figures" in output
    # Nothing differs, but no difference could have been detected.
    assert run(tmp_path / "a.json", tmp_path / "a.json") == 4


def test_a_busier_machine_is_no_worse_client(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = altered(lab_report.example_report(), SLOW, field("rate", rounds(1000, 10)))
    other = altered(report, SLOW, field("rate", rounds(500, 10)))
    report.loads, other.loads = [1.0, 1.1, 1.2, 1.3, 1.4], [9.0, 9.1, 9.2, 9.3, 9.4]
    before, after = saved(tmp_path, "a", report), saved(tmp_path, "b", other)
    page = tmp_path / "page.html"
    assert run(before, after, "--html", page) == 4
    output = capsys.readouterr().out
    assert "the machine was busier in the second (load average 1.2, then 9.2)" in output
    assert "the machine was busier in the second" in page.read_text()
    (line,) = [line for line in output.splitlines() if "-50.0%" in line]
    assert UNTOLD in line
    # Improvements after a busy run may be due to the machine.
    assert run(after, before) == 4
    assert "the machine was busier in the first" in capsys.readouterr().out


def test_incomparable_reports_are_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = lab_report.example_report()
    elsewhere = lab_report.example_report()
    elsewhere.environment = {**report.environment, "cpu_count": 64}
    another = lab_report.example_report()
    another.recipe = "other"
    first = saved(tmp_path, "a", report)
    second, third = saved(tmp_path, "b", elsewhere), saved(tmp_path, "c", another)
    assert run(first, second) == 2
    assert "different machines (cpu count: 2, then 64)" in capsys.readouterr().err
    assert run(first, second, "--force") == 4
    assert "differs: cpu count: 2, then 64" in capsys.readouterr().out
    assert run(first, third, "--force") == 2
    assert "different recipes: sample and other" in capsys.readouterr().err
    assert run(first, tmp_path / "none.json") == 2
    assert "none.json" in capsys.readouterr().err
    (tmp_path / "broken.json").write_text("{}")
    assert run(first, tmp_path / "broken.json") == 2
    assert "not a report of this lab" in capsys.readouterr().err
