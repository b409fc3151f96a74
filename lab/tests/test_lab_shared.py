"""Companions that run next to a client, and the recipes `gil` and `noise`."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lab_bench import a_bench
from spikewire_lab import measure
from spikewire_lab.measure import merge
from spikewire_lab.plan import Cell, Matrix
from spikewire_lab.run.compare import Comparison
from spikewire_lab.run.launch import as_result, python_worker, run_job
from spikewire_lab.run.progress import Progress
from spikewire_lab.studies import recipes
from spikewire_lab.studies.recipe import QUICK, Bench, Target
from spikewire_lab.studies.recipes.gil.equal import losses as losses_at_one_rate
from spikewire_lab.studies.recipes.gil.shared import losses
from spikewire_lab.studies.recipes.noise.repeats import Repeat, conclusions, differ, judgements, row
from spikewire_lab.studies.report import Median, Report, Row
from spikewire_lab.studies.run import run_recipe
from spikewire_lab.table.figures import Spread
from spikewire_lab.table.line import Line
from spikewire_lab.worker.background import COUNTER, TICKER, SharedWindow, background_load
from test_bench_summary import a_result
from test_bench_worker import a_job

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spikewire_lab.run.compare import Settings
    from spikewire_lab.studies.report import Entry

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_background_load_is_measured_alone_and_together(mode: str) -> None:
    for kind in (TICKER, COUNTER):
        job = a_job(mode=mode)
        job["beside"] = kind
        result = as_result(run_job(python_worker(sys.executable), job))
        assert "failed" not in result, result
        assert "beside" in result
        figures = result["beside"]
        assert figures["kind"] == kind
        if kind == COUNTER:
            assert figures.get("alone_rate", 0) > 0
            assert figures.get("together_rate", 0) > 0
            cpu = result["cpu"]
            assert 0 < figures.get("together_cpu", 1) <= cpu["user"] + cpu["system"]
        else:
            assert merge([figures.get("alone", "")]).get_total_count() > 0
            # A client that never waits keeps the ticker of its loop waiting to the very end.
            assert merge([figures.get("together", "")]).get_total_count() >= (mode == "sync")
    assert "beside" not in run_job(python_worker(sys.executable), a_job(mode=mode))


def test_unknown_background_loads_are_rejected() -> None:
    with pytest.raises(ValueError, match="'walker' is not ticker or counter"):
        background_load("walker", "sync")


def test_background_loads_and_copies_form_one_group() -> None:
    matrix = Matrix(("spikewire",), ("sync",), (1,), (8,), (1,), ("",), companions=("", TICKER))
    (group,) = matrix.groups()
    assert [cell.companion for cell in group] == ["", TICKER]
    matrix = Matrix(("spikewire",), ("sync",), (1,), (8,), (1,), ("",), twins=2)
    (group,) = matrix.groups()
    assert [cell.twin for cell in group] == [0, 1]
    assert len(set(group)) == 2
    assert group[0].beside(group[1])


def a_repeat(first: Sequence[float], second: Sequence[float] | None) -> Repeat:
    def line(repeat: int, rates: Sequence[float]) -> Line:
        cell = Cell("spikewire", "sync", 32, twin=repeat)
        cpu = Spread.of([10.0 + 0.1 * at for at in range(len(rates))])
        return Line(cell, len(rates), (), rate=Spread.of(rates), cpu=cpu)

    return Repeat(line(0, first), None if second is None else line(1, second))


def test_copies_differ_by_the_rule_of_all_comparisons() -> None:
    apart, spread = differ(Spread(100, 99, 101), Spread(110, 105, 111))
    assert apart == pytest.approx(100 * 10 / 105)
    assert spread == pytest.approx(100 * 6 / 110)

    def cells_of(*twins: Repeat) -> list[list[Entry]]:
        judged = judgements(twins)
        rows = [
            row(repeat, {name: one.verdict for (at, name), one in judged.items() if at == number})
            for number, repeat in enumerate(twins)
        ]
        return [[one.fields.get(key) for key in ("rate-told", "cpu-told")] for one in rows]

    far = a_repeat([99, 100, 101, 102, 103], [119, 120, 121, 122, 123])
    near = a_repeat([99, 100, 101, 102, 103], [98, 99, 100, 101, 102])
    assert cells_of(near, far) == [["no", "no"], ["yes", "no"]]
    text, most = conclusions([near, far], judgements([near, far]))
    assert text.startswith("1 of 4 figures differ significantly between the two")
    assert most.startswith("The two medians of a client differ by at most 4.55 of the spread")
    few = a_repeat([100, 101, 102], [120, 121, 122])
    assert cells_of(few) == [["too few rounds", "too few rounds"]]
    text, _ = conclusions([few], judgements([few]))
    assert text == "3 rounds cannot tell, 5 are needed."
    assert cells_of(a_repeat([100], [110])) == [["too few rounds", "too few rounds"]]
    alone = a_repeat([99, 100, 101], None)
    assert row(alone, {}).flawed == "not measured twice"
    assert judgements([alone]) == {}
    assert conclusions([alone], {}) == []


def test_clients_that_leave_more_cpu_are_noted() -> None:
    def a_row(client: str, late: float, share: float) -> Row:
        done = {"spikewire": 100, "aerospike": 50, "aerospike-py": 90}[client]
        fields: dict[str, Entry] = {
            "rate": 2 * done,
            "done": done,
            "own": 50,
            "p99": late,
            "other": Median(share, share, share, 1),
        }
        return Row(f"{client}, 8 threads", fields, client)

    rows = [
        a_row("spikewire", 220, 50),
        a_row("aerospike", 200, 60),
        a_row("aerospike-py", 300, 20),
    ]
    did = "Why: beside the thread spikewire did 100 op/s and aerospike 50"
    because = f"{did}, and each of them takes the interpreter for a while."
    assert losses(rows) == [
        f"8 threads, the thread: 60 % of alone beside aerospike, 50 beside spikewire. {because}"
    ]
    assert losses([a_row("spikewire", 221, 60), *rows[1:]]) == [
        f"8 threads, event loop late, p99: 200 µs beside aerospike, 221 beside spikewire. {because}"
    ]
    slow = replace(rows[0], fields={**rows[0].fields, "done": 50})
    less, thread = losses([slow, *rows[1:]])
    assert less.startswith("8 threads, throughput beside the thread: 90 op/s beside aerospike-py")
    assert thread.endswith("took more of the interpreter's time, or waited longer for it.")
    assert losses(rows[1:]) == []
    assert losses([rows[0], replace(rows[1], flawed="errors"), rows[2]]) == []
    # Another build of ours does not count as another client.
    assert losses([rows[0], replace(rows[1], client="spikewire@before"), rows[2]]) == []


def test_at_one_rate_thread_and_cpu_time_are_compared() -> None:
    def a_row(client: str, share: Median, each: Median) -> Row:
        return Row(f"{client}, 32 tasks", {"other": share, "each": each}, client)

    def rounds(*values: float) -> Median:
        return Median.of(values)

    theirs = a_row("aerospike", rounds(80, 90), rounds(50, 60))
    assert losses_at_one_rate([a_row("spikewire", rounds(84, 90), rounds(52, 60)), theirs]) == []
    share, cpu = losses_at_one_rate([a_row("spikewire", rounds(50, 60), rounds(58, 80)), theirs])
    beside = (
        "At one rate, 32 tasks, the thread: 85 % of alone beside aerospike, 55 beside spikewire"
    )
    assert share.startswith(f"{beside}. Why: it takes more processor time, 69 ")
    assert cpu.startswith("At one rate, 32 tasks, client CPU beside the thread: 55 ")
    assert "69 beside spikewire. Why: the rounds of the two overlap" in cpu
    once = a_row("spikewire", rounds(55), rounds(50, 60))
    (single,) = losses_at_one_rate([once, theirs])
    assert single.startswith(f"{beside}. Why: each was measured once")
    flawed = replace(theirs, flawed="errors")
    assert losses_at_one_rate([once, flawed]) == []


@pytest.mark.parametrize("name", ["gil", "noise"])
def test_both_states_of_the_lock_have_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is forced, the imports of an interpreter determine whether it has the GIL."""
    all_settings: list[Settings] = []

    def measured(settings: Settings) -> Comparison:
        all_settings.append(settings)
        comparison = Comparison("lab", settings, groups=list(settings.matrix.groups()))
        for cell in (cell for group in comparison.groups for cell in group):
            comparison.rounds[cell] = [a_result(operations=100, elapsed=1.0)] * 2
        return comparison

    bench = Bench(Target(), QUICK, ("python3.14t",), Progress(bar=False), [], ("spikewire",))
    monkeypatch.setattr(bench, "gil_states", lambda: (True, False))
    monkeypatch.setattr(bench, "compare", measured)
    measurement = recipes.load(name).parts()[0]
    part = measurement.run(bench)
    (settings,) = all_settings
    assert settings.matrix.gil == (True, False)
    (table,) = part.section.tables
    assert [row.label.partition(", GIL ")[2] for row in table.rows] == ["on", "off"] * 2


@pytest.mark.parametrize(("name", "table"), [("gil", "shared"), ("noise", "twins")])
def test_the_quick_size_runs(name: str, table: str, tmp_path: Path) -> None:
    clients = ("spikewire",)
    bench = a_bench(clients=clients)
    report = run_recipe(recipes.load(name), bench, tmp_path)
    assert not report.interrupted
    assert report.skipped == []
    section, *more = report.sections
    (content,) = section.tables
    assert content.name == table
    assert {row.client for row in content.rows} == {"spikewire"}
    assert len(content.rows) == 2
    keys = {heading.key for heading in content.headings}
    for one in content.rows:
        assert not one.flawed
        assert set(one.fields) <= keys
    if name == "gil":
        # A quick run has too few timers for a p99.
        needed = {"rate", "own", "other", "p50"}
        assert all(one.fields[key] is not None for one in content.rows for key in needed)
        ((equal,),) = (section.tables for section in more)
        assert len({one.fields["asked"] for one in equal.rows}) == 1
        assert len(equal.rows) == 2
        assert all(one.fields[key] is not None for one in equal.rows for key in ("other", "p50"))
    else:
        assert more == []
    written = json.loads((tmp_path / "report.json").read_text())
    assert json.loads(json.dumps(Report.from_json(written).as_json())) == written


def test_a_thread_that_had_no_turn_yet_is_waited_for() -> None:
    counter = background_load(COUNTER, "sync")
    counter.alone(0.0)
    counter.mark()
    counter.mark()
    counter.end()
    assert counter.result().get("alone_rate", 0.0) > 0


def test_of_the_thread_just_the_window_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It also runs while other processes' usage is read, with the interpreter to itself."""
    counter = background_load(COUNTER, "sync")
    window = SharedWindow(None, counter)
    counter.alone(0.0)
    monkeypatch.setattr(measure, "machine_cpu", lambda: time.sleep(0.1))
    window.open()
    while time.perf_counter_ns() - window.began < 1_000_000:
        time.sleep(0.001)
    window.close()
    used = window.used
    assert used is not None
    assert 0 <= counter.result().get("together_cpu", 0.0) <= used.user + used.system
