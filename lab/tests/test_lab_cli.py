"""The command `spikewire lab`: what it rejects, what it saves, its exit status."""

from __future__ import annotations

import argparse
import gzip
import json
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import lab_bench
import lab_report
from spikewire.commands import add_parsers
from spikewire_lab.clients.base import ASYNC, SYNC
from spikewire_lab.plan import Matrix
from spikewire_lab.run import compare
from spikewire_lab.studies import cli
from spikewire_lab.studies.html import page
from spikewire_lab.studies.html.index import index
from spikewire_lab.studies.recipe import Bench, Measurement, Part, Recipe
from spikewire_lab.studies.remaining import Way
from spikewire_lab.studies.report import Section, load
from spikewire_lab.studies.run import run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser(prog="spikewire")
    add_parsers(parser.add_subparsers(required=True))
    args = parser.parse_args(["lab", *map(str, arguments)])
    status: int = args.run(args)
    return status


def test_show_renders_a_saved_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = lab_report.example_report()
    saved = tmp_path / "report.json"
    saved.write_text(json.dumps(report.as_json()))
    assert run("show", saved) == 0
    assert (tmp_path / "report.html").read_text() == page(report)
    out = tmp_path / "a" / "folder"
    assert run("show", saved, "--out", out) == 0
    assert {path.name for path in out.iterdir()} == {"report.html", "report.md"}
    assert str(out / "report.html") in capsys.readouterr().out
    saved.write_text("[]")
    assert run("show", saved) == 2
    assert "not a report" in capsys.readouterr().err
    assert run("show", tmp_path / "none.json") == 2


def test_an_index_links_reports_and_their_conclusions() -> None:
    one, other = lab_report.example_report(), lab_report.example_report()
    other.recipe, other.sections, other.conclusions = "aerospike-py", [], []
    other.skipped, other.losses, other.interrupted = ["all: no <cluster>"], [], True
    text = index([one, other])
    assert 'href="sample/report.html"' in text
    assert "<strong>2.1 times</strong> the calls. Spikewire loses once." in text
    assert 'href="aerospike-py/report.html"' in text
    assert "Nothing was measured: all: no &lt;cluster&gt;. <b>Interrupted.</b>" in text


class Scripted(Measurement):
    """A scripted part."""

    def __init__(self, name: str, act: Callable[[], Section]) -> None:
        self.name = self.title = name
        self._act = act

    def run(self, bench: Bench) -> Part:  # noqa: ARG002 - nothing is measured
        return Part(self._act())


class Study(Recipe):
    name, title, text = "study", "A study", "Made up."

    def __init__(self, *acts: Callable[[], Section]) -> None:
        self._acts = acts

    def parts(self) -> Sequence[Measurement]:
        return [Scripted(f"part{number}", act) for number, act in enumerate(self._acts)]


def section(*, flawed: bool = False) -> Section:
    """Without and with a flawed line."""
    content = lab_report.example_report().sections[0]
    table = content.tables[0]
    rows = [replace(row, flawed="errors" if flawed else "") for row in table.rows]
    return replace(content, tables=(replace(table, rows=rows),))


def broken() -> Section:
    raise RuntimeError("the embedded cluster did not start: no memory")


def interrupted() -> Section:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("acts", "status", "sections"),
    [
        ((section, section), 0, 2),
        ((section, lambda: section(flawed=True)), 1, 2),
        ((broken, section), 1, 1),
        ((broken,), 1, 0),
        ((section, interrupted, section), 130, 1),
    ],
)
def test_the_exit_status_tells_whether_all_was_measured(
    acts: tuple[Callable[[], Section], ...],
    status: int,
    sections: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = Study(*acts)

    def chosen(_name: str) -> Recipe:
        return study

    monkeypatch.setattr(cli, "load", chosen)
    assert run("noise", "--out", tmp_path) == status
    report = load(tmp_path / "study" / "report.json")
    assert len(report.sections) == sections
    assert report.interrupted == (status == 130)
    errors = capsys.readouterr().err
    assert f"study: part0 (part 1 of {len(acts)})" in errors
    if broken in acts:
        assert "study, part0: the embedded cluster did not start: no memory" in errors
        assert report.skipped == ["part0: the embedded cluster did not start: no memory"]
    assert (tmp_path / "index.html").exists()


def test_invalid_arguments_are_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong: tuple[list[str], ...] = (
        ["nothing"],
        ["noise", "--clients", "nobody"],
        ["noise", "--size", "huge"],
    )
    for arguments in wrong:
        with pytest.raises(SystemExit) as raised:
            run(*arguments)
        assert raised.value.code == 2
    assert "'nobody' is not a client" in capsys.readouterr().err
    assert run() == 2
    assert "One of sdk, " in capsys.readouterr().err
    assert run("--resume", tmp_path / "nothing") == 2
    assert "no run was begun there" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert run("noise", "--out", tmp_path / "file" / "folder") == 2
    assert "Not a directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (("noise", "-d", "0"), "argument -d/--duration: 0 s is no time"),
        (("noise", "--rounds", "0"), "argument --rounds: '0' is not a whole number"),
        (("noise", "-k", "many"), "argument -k/--keys: 'many' is not a whole number"),
        (("aerospike-py", "-d", "1"), "--duration: aerospike-py makes so many calls"),
        (("aerospike-py", "--warmup", "1"), "--warmup: aerospike-py makes so many calls"),
    ],
)
def test_invalid_amounts_are_rejected(
    flags: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = run(*flags)
    except SystemExit as raised:
        status = int(raised.code or 0)
    assert status == 2
    assert text in capsys.readouterr().err


def test_flags_set_the_amount_measured(tmp_path: Path) -> None:
    """In the report, in the caption, and in the jobs themselves."""
    amounts = ("-d", "0.11", "--warmup", "0.02", "--rounds", "1", "-k", "321")
    flags = ("--size", "quick", "--clients", "spikewire", "--out", str(tmp_path))
    assert run("noise", *flags, *amounts) == 0
    report = load(tmp_path / "noise" / "report.json")
    flagged = {"duration": 0.11, "warmup": 0.02, "rounds": 1, "keys": 321}
    assert report.settings == {"size": "quick", "seed": 1, **flagged}
    table = report.sections[0].tables[0]
    assert "321 keys" in table.caption
    assert "one round of 0.11 s after 0.02 s" in table.caption
    runs = json.loads(gzip.decompress((tmp_path / "noise" / "runs.json.gz").read_bytes()))["twins"]
    assert all(len(one["runs"]) == 1 for one in runs)
    assert all(0.1 < each["elapsed"] < 5 for one in runs for each in one["runs"])


def test_an_unreachable_seed_is_reported_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("noise", "-H", "127.0.0.1:1", "--out", tmp_path / "out") == 1
    assert "no seed can be reached: 127.0.0.1:1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_client_that_is_not_installed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object, **__: object) -> dict[str, object]:
        return {"unavailable": "cannot import aerospike"}

    monkeypatch.setattr(compare, "run_job", absent)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        seed = f"127.0.0.1:{listening.getsockname()[1]}"
        flags = ("--size", "quick", "--clients", "aerospike", "-H", seed, "--out", tmp_path)
        assert run("noise", *flags) == 1
    skipped = load(tmp_path / "noise" / "report.json").skipped
    assert any("none of the clients" in one for one in skipped), skipped
    assert any("aerospike sync: cannot import aerospike" in one for one in skipped), skipped


def test_each_client_is_checked_once_for_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def absent(_: object, job: Mapping[str, str], *__: object, **___: object) -> dict[str, str]:
        calls.append(f"{job['client']} {job['mode']}")
        return {"unavailable": "cannot import it"}

    monkeypatch.setattr(compare, "run_job", absent)
    bench = lab_bench.a_bench(clients=("aerospike", "aerospike-py"))
    for tasks in (1, 2):
        matrix = Matrix(bench.clients, (ASYNC, SYNC), (tasks,), (tasks,), (1,), ("",))
        with pytest.raises(compare.CannotRunError, match="none of the clients"):
            bench.compare(bench.settings(matrix))
    assert sorted(calls) == sorted(set(calls)), calls
    assert any("aerospike-py async: cannot import it" in one for one in bench.skipped)


@pytest.mark.parametrize("piece", [(), ("--only", "async")])
def test_an_interrupt_keeps_what_was_measured(tmp_path: Path, piece: tuple[str, ...]) -> None:
    flags = ("--size", "quick", "--clients", "spikewire", "--out", str(tmp_path), *piece)
    command = [sys.executable, "-m", "spikewire", "lab", "noise", *flags]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith("[1/"):
                process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, "".join(lines)
    assert "Traceback" not in "".join(lines)
    report = load(tmp_path / "noise" / "report.json")
    assert report.interrupted
    assert len(report.sections) == 1
    assert "Interrupted" in (tmp_path / "noise" / "report.html").read_text()


class Stopped(Measurement):
    """A part that Ctrl-C ends."""

    name = title = "stopped"

    def run(self, bench: Bench) -> Part:
        del bench
        return Part(Section(self.name, self.title, ""), interrupted=True)


class Alone(Recipe):
    name, title, text = "noise", "", ""

    def parts(self) -> Sequence[Measurement]:
        return (Stopped(),)


@pytest.mark.parametrize("skipped", [0, 1])
def test_an_interrupt_ends_all_recipes(tmp_path: Path, skipped: int) -> None:
    """Also where `--only` has left rows for later: those must not look like the reason."""
    bench = lab_bench.a_bench()
    bench.journal.skipped_rows = skipped
    reports = run_all([Alone(), Alone()], bench, tmp_path)
    assert [report.interrupted for report in reports] == [True]
    assert bench.stopped


def test_progress_counts_recipes_and_parts() -> None:
    now = [0.0]
    way = Way(((30,), (10, 20)), lambda: now[0])
    assert way.next() == "recipe 1 of 2, part 1 of 1"
    now[0] = 60.0
    way.ended()
    assert way.next() == "recipe 2 of 2, part 1 of 2, about 1:00 left in all"
    # An earlier command has measured it: that says nothing about the time of others.
    now[0] = 61.0
    way.ended(measured=False)
    assert way.next() == "recipe 2 of 2, part 2 of 2, about 0:40 left in all"
