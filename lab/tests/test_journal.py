"""Runs that go on where they ended: what is kept, what is measured again, and what is not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spikewire_lab.run.journal import NAME, Journal, TimeOverError
from spikewire_lab.run.progress import Progress
from spikewire_lab.run.rounds import NotSelectedError, Rounds, shuffled
from spikewire_lab.studies.run_folder import RunFolder, machine

if TYPE_CHECKING:
    from collections.abc import Collection


class Bench:
    """Measures letters, and counts how often each is really measured."""

    def __init__(self, journal: Journal, rounds: int = 3, most: int | None = None) -> None:
        journal.begin_part("recipe/part")
        self.rounds = Rounds(rounds, 7, Progress(bar=False), 0.0, journal, most)
        self.measured: list[str] = []
        self.kept: list[tuple[str, dict[str, Any]]] = []
        self.stop_at = 10**9
        self.open: Collection[str] = ()

    def run(self, cells: str = "abc") -> None:
        self.rounds.expect(len(cells))
        self.rounds.measure(cells, self.turn, self.keep, undecided=lambda: self.open)

    def turn(self, cell: str) -> dict[str, Any]:
        if len(self.measured) == self.stop_at:
            raise KeyboardInterrupt
        self.measured.append(cell)
        return {"value": len(self.measured)}

    def keep(self, cell: str, outcome: dict[str, Any]) -> str:
        self.kept.append((cell, outcome))
        return ""


def test_an_interrupted_run_goes_on_with_the_turn_that_was_lost(tmp_path: Path) -> None:
    first = Bench(Journal(tmp_path / NAME))
    first.stop_at = 5
    with pytest.raises(KeyboardInterrupt):
        first.run()
    second = Bench(Journal(tmp_path / NAME))
    second.run()
    order = [cell for number in range(3) for cell in shuffled("abc", 7, number)]
    assert first.measured + second.measured == order
    assert [cell for cell, _ in second.kept] == order
    assert [one["value"] for _, one in second.kept] == [1, 2, 3, 4, 5, 1, 2, 3, 4]
    third = Bench(Journal(tmp_path / NAME))
    third.run()
    assert third.measured == []
    assert third.kept == second.kept


def test_the_order_of_a_round_is_drawn_and_recorded(tmp_path: Path) -> None:
    bench = Bench(Journal(tmp_path / NAME), rounds=4)
    bench.run("abcdef")
    turns = [(outcome["turn"]["round"], outcome["turn"]["place"]) for _, outcome in bench.kept]
    assert turns == [(round_, place) for round_ in range(1, 5) for place in range(1, 7)]
    orders = ["".join(bench.measured[at : at + 6]) for at in range(0, 24, 6)]
    assert len(set(orders)) > 1
    again = Bench(Journal(), rounds=4)
    again.run("abcdef")
    assert again.measured == bench.measured
    assert all("load" in outcome["turn"] for _, outcome in bench.kept)
    # A machine that others share is slower at times, and nothing but the work itself shows it.
    probes = [outcome["turn"]["probe"] for _, outcome in bench.kept]
    assert all(0 < probe[kind] < 1e6 for probe in probes for kind in ("compute", "system"))


def test_rounds_go_on_for_undecided_cells_up_to_a_bound() -> None:
    bench = Bench(Journal(), rounds=2, most=4)
    bench.open = {"b"}
    bench.run()
    assert sorted(bench.measured) == sorted("abcabc" + "bb")
    assert [outcome["turn"]["round"] for _, outcome in bench.kept][-2:] == [3, 4]


def test_a_line_that_was_cut_short_is_measured_again(tmp_path: Path) -> None:
    path = tmp_path / NAME
    Bench(Journal(path)).run()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + lines[4][: len(lines[4]) // 2])
    again = Bench(Journal(path))
    again.run()
    assert len(again.measured) == 5
    whole = [json.loads(line) for line in path.read_text().splitlines() if _is_json(line)]
    assert len({one["key"] for one in whole}) == 9
    assert Bench(Journal(path)).rounds.journal.measured == 9


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_the_end_of_the_time_keeps_earlier_turns_and_leaves_the_others(tmp_path: Path) -> None:
    clock = iter([0.0, *[1.0] * 4, *[100.0] * 99])
    journal = Journal(tmp_path / NAME, 60.0, clock=lambda: next(clock))
    bench = Bench(journal)
    with pytest.raises(TimeOverError):
        bench.run()
    assert len(bench.measured) == 4
    assert journal.over
    assert journal.left
    rest = Bench(Journal(tmp_path / NAME))
    rest.run()
    assert len(rest.measured) == 5


def test_only_some_rows_are_measured_and_all_known_ones_are_shown(tmp_path: Path) -> None:
    journal = Journal(tmp_path / NAME, only=("part b",))
    some = Bench(journal)
    some.run()
    assert some.measured == ["b"] * 3
    assert journal.skipped_rows == 6
    others = Bench(Journal(tmp_path / NAME, only=("part c",)))
    others.run()
    assert others.measured == ["c"] * 3
    assert {cell for cell, _ in others.kept} == {"b", "c"}
    nothing = Bench(Journal(only=("elsewhere",)))
    with pytest.raises(NotSelectedError):
        nothing.rounds.check("abc")


def test_a_run_of_other_flags_or_of_another_build_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunFolder.begun(tmp_path, ["sdk", "--password", "secret"], {"size": "'short'"})
    begun = RunFolder.load(tmp_path)
    assert begun is not None
    assert "secret" not in (tmp_path / "run.json").read_text()
    assert begun.differs({"size": "'short'"}) is None
    assert "other values of size" in str(begun.differs({"size": "'full'"}))
    other = {**machine(), "build": {"library": "another"}}
    monkeypatch.setattr("spikewire_lab.studies.run_folder.machine", lambda: other)
    assert "another build" in str(begun.differs({"size": "'short'"}))
    assert RunFolder.load(tmp_path / "nothing") is None
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(ValueError, match=r"run\.json"):
        RunFolder.load(tmp_path)


def _lab(folder: Path, *more: str) -> list[str]:
    flags = ["--size", "quick", "--clients", "spikewire", "--rounds", "2", "--nodes", "1"]
    return [sys.executable, "-m", "spikewire", "lab", *more, *flags, "--out", str(folder)]


@pytest.mark.slow
def test_a_killed_run_leaves_no_server_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("rich.console", reason="the lab's rich is not installed")
    pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
    folder = tmp_path / "run"
    command = _lab(folder, "gil", "--only", "shared")
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    journal = folder / NAME
    ends = time.monotonic() + 180
    while not (journal.exists() and journal.read_bytes().count(b'"turn"') >= 2):
        assert process.poll() is None
        assert time.monotonic() < ends
        time.sleep(0.05)
    children = _descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = journal.read_bytes().count(b'"turn"')
    while any(Path(f"/proc/{pid}").exists() for pid in children):
        assert time.monotonic() < ends, "a process outlived the lab"
        time.sleep(0.1)
    done = subprocess.run(
        [sys.executable, "-m", "spikewire", "lab", "--resume", str(folder), "--only", "shared"],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert "goes on after" in done.stderr
    assert done.returncode == 5, done.stderr
    report = json.loads((folder / "gil" / "report.json").read_text())
    (section,) = report["sections"]
    assert section["name"] == "shared"
    outcomes = [json.loads(line) for line in journal.read_text().splitlines() if _is_json(line)]
    keys = [one["key"] for one in outcomes]
    assert len(keys) == len(set(keys)), "something was measured twice"
    assert len([one for one in outcomes if "turn" in one["outcome"]]) > before


def _descendants(pid: int) -> set[int]:
    """Processes of this machine below a process."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.parent.name)] = int(fields[1])
    below = {pid}
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {pid}
