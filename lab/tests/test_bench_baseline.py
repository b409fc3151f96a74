"""`--baseline`: a run compared with a saved one."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("rich.console", reason="the lab's rich is not installed")
pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")

import lab_report
from spikewire.commands import add_parsers
from spikewire_lab.run import environment
from spikewire_lab.studies.baseline.against import CANNOT_TELL, GOT_WORSE, Baseline, of_flag
from spikewire_lab.studies.baseline.saved import read
from spikewire_lab.studies.files import save
from spikewire_lab.studies.report import Median

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = (
    *("--mode", "sync", "--threads", "2", "--rounds", "3", "-d", "0.05", "--warmup", "0"),
    *("--pause", "0", "-k", "1000", "--clients", "null"),
)


def run(*arguments: str) -> int:
    parser = ArgumentParser(prog="spikewire")
    add_parsers(parser.add_subparsers(required=True))
    args = parser.parse_args(arguments)
    status: int = args.run(args)
    return status


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved comparison of the null client."""
    path = tmp_path_factory.mktemp("saved") / "before.json"
    assert run("compare", *FLAGS, "--json", str(path)) == 0
    return path


def changed(path: Path, into: Path, factor: float = 1.0, **environment: str) -> str:
    """The same run with another throughput, whose rounds are close together, or from another
    environment."""
    report: dict[str, Any] = json.loads(path.read_text())
    report["environment"].update(environment)
    for cell in report["cells"]:
        middle = cell["rate"]["median"] * factor
        values = [middle * (1 + 0.001 * at) for at in range(-4, 5)]
        cell["rate"] = {"median": middle, "low": values[0], "high": values[-1], "values": values}
    into.write_text(json.dumps(report))
    return str(into)


def test_a_comparison_is_read_as_one_table_with_ranges(saved: Path) -> None:
    report = read(saved)
    ((table,),) = [section.tables for section in report.sections]
    (row,) = table.rows
    assert (row.label, row.client) == ("null, sync 2, single", "null")
    cell = json.loads(saved.read_text())["cells"][0]
    rate, p50 = row.fields["rate"], row.fields["p50"]
    assert rate == Median.of(cell["rate"]["values"])
    assert isinstance(rate, Median)
    assert rate.rounds == 3
    assert isinstance(p50, Median)
    assert p50.low is not None
    assert p50.low <= p50.value
    assert p50.rounds == 3


def test_a_run_ends_with_a_status_of_its_own_where_a_figure_got_worse(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = changed(saved, tmp_path / "before.json", 1000.0)
    status = run("compare", *FLAGS, "--json", str(tmp_path / "a.json"), "--baseline", before)
    text = capsys.readouterr().out
    (line,) = [line for line in text.splitlines() if "throughput" in line]
    assert "worse" in line
    assert status == GOT_WORSE
    # A run has tuples where the file has lists.
    assert "differs: matrix" not in text


def test_a_run_that_is_no_worse_ends_with_0(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(saved.read_text())
    # Each round three times.
    for cell in report["cells"]:
        cell["runs"] *= 3
        for name in ("rate", "cpu"):
            cell[name]["values"] *= 3
    before = tmp_path / "before.json"
    before.write_text(json.dumps(report))
    assert Baseline.open(before, ("compare",)).report_changes(report) == 0
    assert "0 better; 0 worse; 4 no change found; 0 cannot tell" in capsys.readouterr().out


def test_a_run_of_too_few_rounds_has_a_status_of_its_own(
    saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(saved.read_text())
    assert Baseline.open(saved, ("compare",)).report_changes(report) == CANNOT_TELL
    assert "cannot tell with 3 rounds, 5 needed of each side: 4 of 4" in capsys.readouterr().out


@pytest.mark.parametrize(("rounds", "words"), [(4, "--rounds 4: too few"), (5, "")])
def test_too_few_rounds_are_reported_before_the_run(
    rounds: int, words: str, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(saved.read_text())
    for cell in report["cells"]:
        cell["runs"] = (cell["runs"] * 2)[:5]
        for name in ("rate", "cpu"):
            cell[name]["values"] = (cell[name]["values"] * 2)[:5]
    before = tmp_path / "before.json"
    before.write_text(json.dumps(report))
    baseline = of_flag(Namespace(baseline=before, rounds=rounds), ("compare",))
    assert baseline is not None
    errors = capsys.readouterr().err
    assert words in errors
    assert bool(errors) == bool(words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "before.json: No such file or directory"),
        ("{", "before.json is not JSON: "),
        ("[]", "before.json: not a report"),
        ('{"schema": 1}', "before.json: not a whole report: 'published' is missing"),
        ('{"kind": "compare"}', "before.json: not a whole comparison: 'cells'"),
        ('{"kind": "other"}', "a run of the kind 'other' cannot be compared"),
    ],
)
def test_an_invalid_baseline_is_rejected_before_the_run(
    content: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "before.json").write_text(content)
    for command in (("compare", *FLAGS), ("compare", "--mode", "queries"), ("lab", "noise")):
        assert run(*command, "--baseline", str(tmp_path / "before.json")) == 2
        errors = capsys.readouterr().err
        assert "--baseline: " in errors
        assert words in errors


def test_a_baseline_is_of_the_same_command_and_machine(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("lab", "noise", "--baseline", str(saved)) == 2
    assert "is a run of compare, and this will be one of noise" in capsys.readouterr().err
    elsewhere = changed(saved, tmp_path / "before.json", cpu_model="another")
    assert run("compare", *FLAGS, "--baseline", elsewhere) == 2
    assert "is of another machine: cpu model: another, then" in capsys.readouterr().err


def test_a_report_of_a_recipe_is_compared_with_the_one_of_the_same_recipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = lab_report.example_report()
    report.environment |= environment.machine([])
    save(report, tmp_path / report.recipe)
    baseline = Baseline.open(tmp_path / report.recipe / "report.json", (report.recipe,))
    assert baseline.report_changes(report.as_json()) == CANNOT_TELL  # of three rounds each
    assert "0 better; 0 worse" in capsys.readouterr().out
    with pytest.raises(ValueError, match=f"is a run of {report.recipe}, and this will be one of x"):
        Baseline.open(tmp_path / report.recipe / "report.json", ("x",))
    assert run("lab", "noise", "--baseline", str(tmp_path)) == 2
    assert f"{tmp_path} has no report of noise" in capsys.readouterr().err


def test_saved_comparisons_are_compared_with_each_other_and_have_no_pages(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = changed(saved, tmp_path / "before.json")
    faster = changed(saved, tmp_path / "after.json", 1.2)
    assert run("lab", "compare", before, faster) == 0
    assert "1 better; 0 worse" in capsys.readouterr().out
    assert run("lab", "compare", faster, before) == 1
    assert run("lab", "show", str(saved)) == 2
    assert "a comparison, which has no pages" in capsys.readouterr().err
