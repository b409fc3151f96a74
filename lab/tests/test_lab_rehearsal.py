"""`spikewire lab rehearse`: traces to calls, what breaks, and the command from end to end."""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import time
from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import pytest

import spikewire
from spikewire.commands import add_parsers
from spikewire.recording import Trace, read_trace
from spikewire_lab.rehearsal.breaks import breaks_of
from spikewire_lab.rehearsal.intervals import Interval, quantile, total
from spikewire_lab.rehearsal.plan import keys_of, plan_of, timetable
from spikewire_lab.rehearsal.report import verdict
from spikewire_lab.rehearsal.rounds import Round

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire.testing import Cluster

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")

#: Longer than anything here takes on a loaded machine.
LONG = 120.0


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser(prog="spikewire")
    add_parsers(parser.add_subparsers(required=True))
    args = parser.parse_args(["lab", "rehearse", *map(str, arguments)])
    status: int = args.run(args)
    return status


Row = tuple[int, str, str, int, int, int, int, int]


def trace_of(rows: list[Row], share: float = 1.0, seconds: float = 1.0) -> Trace:
    """A trace of calls: arrival, operation, result, set, rows, request, reply, key."""
    labels = ["", *sorted({label for row in rows for label in row[1:3]})]
    trace = cast("Any", object.__new__(Trace))
    trace.share, trace.seconds, trace.labels, trace.dropped = share, seconds, labels, 0
    trace.sets = [0] * (1 + max(row[3] for row in rows))
    trace.arrival = array("Q", [row[0] for row in rows])
    trace.operation = array("I", [labels.index(row[1]) for row in rows])
    trace.result = array("I", [labels.index(row[2]) for row in rows])
    trace.writes = array("I", [row[1] in ("put", "batch_write") for row in rows])
    for at, name in enumerate(("set", "rows", "request", "reply"), start=3):
        setattr(trace, name, array("I", [row[at] for row in rows]))
    trace.key = array("Q", [row[7] for row in rows])
    return cast("Trace", trace)


def test_requests_of_a_batch_are_one_call_again() -> None:
    plan = plan_of(
        trace_of(
            [
                (5, "batch_read", "ok", 1, 20, 600, 4000, 11),
                (5, "batch_read", "ok", 1, 15, 500, 3000, 12),
                (5, "batch_read", "timeout", 1, 25, 700, 0, 13),
                (5, "get", "ok", 1, 1, 120, 236, 11),
                (9, "batch_read", "ok", 1, 4, 200, 400, 14),
            ]
        )
    )
    assert [(call.verb, call.rows, call.keys) for call in plan.calls] == [
        ("get_many", 35, (11, 12, 13)),
        ("get", 1, (11,)),
        ("get_many", 4, (14,)),
    ]
    assert list(plan.at) == [5, 5, 9]
    # The rows that were not recorded are any that were in batches.
    keys = keys_of(plan.calls[0], plan.sets[1], random.Random(1))
    assert len(keys) == 35
    assert set(keys) <= {11, 12, 13, 14}


def test_records_have_the_recorded_sizes() -> None:
    plan = plan_of(
        trace_of(
            [
                (1, "get", "ok", 1, 1, 120, 1036, 1),
                (2, "put", "ok", 1, 1, 400, 22, 2),
                (3, "get", "not_found", 1, 1, 120, 22, 3),
                (4, "exists", "ok", 1, 1, 120, 22, 4),
                (5, "batch_write", "ok", 2, 10, 1640, 300, 5),
                (6, "get", "timeout", 1, 1, 120, 0, 6),
            ]
        )
    )
    first = plan.sets[1]
    assert (first.size(1), first.size(2)) == (1000, 300)
    # Unknown sizes are the median of the known ones.
    assert first.size(4) == first.size(6) == 650
    assert first.present() == [1, 2, 4, 6]
    assert plan.sets[2].size(5) == 100
    assert plan.calls[1].size == 300


def test_what_cannot_be_sent_again_is_counted() -> None:
    rows: list[Row] = [
        (1, "apply", "ok", 1, 1, 300, 22, 1),
        (2, "command", "ok", 1, 1, 300, 22, 1),
        (3, "get", "ok", 1, 1, 300, 22, 0),
        (4, "append", "ok", 1, 1, 300, 22, 1),
    ]
    plan = plan_of(trace_of(rows))
    assert plan.left_out == {"command": 1, "get": 1}
    assert plan.substitutes == {"apply": 1, "append": 1}
    with pytest.raises(ValueError, match="no call"):
        plan_of(trace_of(rows[1:3]))


def test_times_make_time_run_faster() -> None:
    rows: list[Row] = [(at * 10_000, "get", "ok", 1, 1, 100, 100, 1) for at in range(100)]
    plan = plan_of(trace_of(rows))
    assert plan.rate == 100
    due, which = timetable(plan, 4, seed=1)
    assert list(which) == list(range(100))
    assert list(due) == [at * 2500 for at in range(100)]
    plan.shorten(0.5)
    assert (len(plan.calls), plan.rate) == (50, 100)
    with pytest.raises(ValueError, match="no call"):
        plan_of(trace_of([(900_000, "get", "ok", 1, 1, 9, 9, 1)])).shorten(0.5)


def test_a_call_of_a_sample_stands_for_several() -> None:
    rows: list[Row] = [(at * 1000, "get", "ok", 1, 1, 100, 100, at % 9 + 1) for at in range(3000)]
    plan = plan_of(trace_of(rows, share=0.4, seconds=3))
    assert plan.rate == pytest.approx(2500)
    due, which = timetable(plan, 2, seed=1)
    assert len(due) == pytest.approx(7500, abs=5)
    assert list(due) == sorted(due)
    assert due[-1] <= 1_500_000
    # In every second, and of that second.
    seconds = Counter(
        (at * 2 // 1_000_000, plan.at[call] // 1_000_000)
        for at, call in zip(due, which, strict=True)
    )
    assert all(of == came for of, came in seconds)
    assert timetable(plan, 2, seed=1) == (due, which)


def interval(calls: int, **fields: Any) -> Interval:
    fields.setdefault("latencies", array("d", [0.001] * calls))
    return Interval(calls=calls, good=calls, **fields)


def test_what_breaks_first() -> None:
    fine = interval(1000, in_flight=3, cpu=0.4)
    late = interval(1000, late=20, latencies=array("d", [0.001] * 980 + [0.2] * 20))
    failing = interval(1000, errors=Counter({"Timeout": 5, "Overloaded": 2}))
    busy = interval(1000, cpu=0.99, late=500)
    queued = interval(1000, in_flight=700)
    assert breaks_of([fine, fine], 1, 0.05) == []
    first, *others = breaks_of([fine, late, failing, late, queued], 1, 0.05)
    assert (first.what, first.second) == ("deadline", 1)
    assert "2.0%" in first.about
    assert "p99 200.0 ms" in first.about
    assert [(one.what, one.second) for one in others] == [("errors", 2), ("queue", 4)]
    assert "Timeout 5, Overloaded 2" in others[0].about
    # The cause is named before what follows from it.
    assert [one.what for one in breaks_of([busy], 1, 0.05)] == ["cpu", "deadline"]
    behind = interval(1000, behind=0.2)
    assert [one.what for one in breaks_of([behind], 1, 0.05)] == ["cpu"]
    # A single failure in a quiet second counts, a single late call does not.
    assert breaks_of([interval(5, late=1)], 1, 0.05) == []
    assert [b.what for b in breaks_of([interval(5, errors=Counter(Timeout=1))], 1, 0.05)] == [
        "errors"
    ]
    one, two = Round(1, 100, 1, [fine], complete=True), Round(3, 300, 1, [late], complete=True)
    assert verdict([one]) == "holds at 1 times the rate: nothing breaks"
    two.breaks = breaks_of(two.intervals, 1, 0.05)
    assert verdict([one, two]).startswith(
        "holds at 1 times the rate, breaks at 3 times the rate in second 0: the deadline: "
    )
    assert verdict([]).startswith("interrupted")


def test_intervals_in_one() -> None:
    whole = total([interval(10, in_flight=3, cpu=0.2), interval(30, in_flight=1, cpu=0.4)])
    assert (whole.calls, whole.good, whole.in_flight) == (40, 40, 1)
    assert whole.cpu == pytest.approx(0.3)
    assert len(whole.latencies) == 40
    assert quantile(array("d"), 0.5) is None
    assert quantile(array("d", [3, 1, 2]), 0.5) == 2


@pytest.fixture(scope="module")
def recorded(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of about a second of calls."""
    path: Path = tmp_path_factory.mktemp("rehearsal") / "live.trace"
    with spikewire.Client(cluster.seeds) as client:
        users = client.dataset("test", "live")
        users.put(3, {"name": "x" * 300, "n": 3})
        with client.record(path, share=1.0):
            for number in range(40):
                users.put(number, {"name": "x" * 300, "n": number})
                users.get(number)
                users.get(3)
                users.get_many(range(20))
                users.exists(number)
                users.add(number, {"n": 1})
                users.operate(number, [spikewire.op.put("n", 1), spikewire.op.get("n")])
                with pytest.raises(spikewire.RecordNotFound):
                    users.get(number + 1000)
                users.touch(number)
                time.sleep(0.02)
            users.put_many({number: {"n": 1} for number in range(30)})
            users.delete(1)
    return path


def test_a_trace_is_rehearsed_against_seeds(
    recorded: Path, cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures.json"
    status = run(
        recorded,
        *("--times", "1,2", "--seeds", cluster.seeds, "--deadline-ms", 30_000, "--json", figures),
    )
    printed = capsys.readouterr().out
    saved = json.loads(figures.read_text())
    # A loaded machine may keep the client waiting.
    if status == 0:
        assert "holds at 2 times the rate: nothing breaks" in printed
        assert [one["times"] for one in saved["rounds"]] == [1, 2]
    assert "calls recorded in" in printed
    plan = plan_of(read_trace(recorded))
    for one in saved["rounds"]:
        assert one["complete"]
        assert one["total"]["calls"] == len(plan.calls)
        assert one["total"]["errors"] == {}
    with spikewire.Client(cluster.seeds) as client:
        name = f"rehearsal_{next(iter(plan.sets))}"
        records = {record.key: record for record in client.dataset("test", name).query()}
        assert len(records) >= 39
        sizes = [len(record.get("value", b"")) for record in records.values()]
        assert 250 < max(sizes) < 400


def test_the_embedded_cluster_is_the_default(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--nodes", 1, "--seconds", 0.3, "--deadline-ms", 30_000, "--options", "timeout=20s")
    status = run(recorded, *flags)
    printed = capsys.readouterr()
    assert status in (0, 1)
    assert "embedded on this machine" in printed.err
    assert "1 times: " in printed.out


def test_what_breaks_is_said(
    recorded: Path, cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing answers within a thousandth of a millisecond."""
    flags = ("--seeds", cluster.seeds, "--deadline-ms", 0.001, "--times", "1,3")
    assert run(recorded, *flags) == 1
    printed = capsys.readouterr().out
    assert "breaks at 1 times the rate in second 0" in printed
    assert "longer than 0.001 ms" in printed
    assert "3 times" not in printed


@pytest.mark.parametrize("flags", [("--times", "0"), ("--times", "x"), ("--deadline-ms", "-1")])
def test_wrong_flags(recorded: Path, flags: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as exited:
        run(recorded, *flags)
    assert exited.value.code == 2


def test_bad_traces(recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "nowhere") == 2
    bad = tmp_path / "bad"
    bad.write_text("{}")
    assert run(bad) == 2
    bad.write_bytes(recorded.read_bytes()[:-3])
    assert run(bad) == 2
    messages = capsys.readouterr().err
    assert all(text in messages for text in ("No such file", "not a trace", "cut off after"))
    assert run(recorded, "--json", tmp_path) == 2
    assert run(recorded, "--options", "timeout=soon") == 2
    assert run(recorded, "--options", "unknown=1") == 2
    assert "timeout" in capsys.readouterr().err
    assert run(recorded, "--seeds", "127.0.0.1:1") == 1
    assert "no seed can be reached" in capsys.readouterr().err


def test_ctrl_c_ends_it_cleanly(recorded: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spikewire", "lab", "rehearse", str(recorded)]
    # Slowly, so that it is not over by itself.
    command += ["--times", "0.01", "--nodes", "1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        for line in process.stderr:
            if "0.01 times" in line:
                break
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == 130
        printed = process.stdout.read()
        assert "0.01 times, interrupted" in printed
        assert "Traceback" not in process.stderr.read()
