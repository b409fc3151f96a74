"""Several processes of one client under load at the same time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, cast

import pytest

pytest.importorskip("hdrh")

from spikewire.cli import main
from spikewire_lab import measure
from spikewire_lab.commands.run import FLAWED
from spikewire_lab.run.launch import python_worker
from spikewire_lab.run.processes import merged, run_processes
from spikewire_lab.studies.selfcheck.fake import Act
from spikewire_lab.studies.selfcheck.measure import (
    ScriptedLoad,
    line,
    open_result,
    played,
    slower_than,
)

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire_lab.contract.result import Job, Result


def job(**more: Any) -> Job:
    known = ScriptedLoad("sync", lambda _at: Act(), 2, 0.3)
    return cast("Job", {**known.job(), "processes": 3, "sample_every": 4, **more})


def one(takes: float, at: int = 0) -> tuple[Job, Result]:
    """The result of a process with calls of this duration, whose window opened at that
    nanosecond."""
    known = ScriptedLoad("async", lambda _at: Act(takes=takes), 2, 1.0)
    measured_job: Job = {**known.job(), "histograms": True}
    return measured_job, {**played(known, measured_job), "opened": at}


def two_of(known: ScriptedLoad, part: int) -> Job:
    return {**known.job(), "processes": 2, "part": part, "histograms": True}


def test_results_of_processes_are_added_up() -> None:
    (measured_job, first), (_, second) = one(0.01), one(0.02)
    both = merged([first, second], measured_job)
    assert both["operations"] == first["operations"] + second["operations"] == 300
    assert both["rate"] == pytest.approx(300)
    assert both["elapsed"] == 1.0
    whole = measure.merge([both["latency"]["read"], both["latency"]["write"]])
    assert whole.get_total_count() == both["latency"]["samples"] == 300
    assert whole.get_value_at_percentile(50) == pytest.approx(10_000_000, rel=0.001)
    series = both["series"]
    assert series["operations"][:4] == [2 * 5 + 2 * 2, 2 * 5 + 2 * 3] * 2
    assert sum(series["operations"]) == 300
    assert series["p50_ns"][0] == pytest.approx(10_000_000, rel=0.001)
    assert series["max_ns"][0] == 20_000_000
    assert series["p99_ns"][0] is None
    assert measure.merge(series["read"]).get_total_count() > 0
    assert [each["operations"] for each in both["each"]] == [200, 100]
    for name in ("bare", "ready", "peak"):
        assert both["memory"][name] == first["memory"][name] + second["memory"][name]
    del measured_job["histograms"]
    assert "read" not in merged([one(0.01)[1], one(0.02)[1]], measured_job)["series"]


def test_windows_that_have_little_in_common_are_no_measure() -> None:
    (measured_job, first), (_, second) = one(0.01), one(0.01, 150_000_000)
    assert merged([first, second], measured_job)["failed"] == "the processes began 150 ms apart"
    assert merged([first, {**second, "opened": 50_000_000}], measured_job)["apart"] == 0.05


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_calls_of_an_open_loop_are_dealt_out(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikewire_lab.worker.run.meet", lambda *_: None)
    # The second process needs 20 ms for a call that is due each 20 ms, and the first 1 ms.
    known = ScriptedLoad(mode, lambda _at: Act(takes=0.001), 1, 1.0, 101.0)
    slow = ScriptedLoad(mode, lambda _at: Act(takes=0.02), 1, 1.0, 101.0)
    parts = [played(one, two_of(one, at)) for at, one in enumerate((known, slow))]
    assert [one["operations"] for one in parts] == [51, 50]
    both = cast("Result", merged(parts, known.job()))
    assert both["operations"] == open_result(both)["scheduled"] == 101
    assert both["latency"]["samples"] == sum(both["series"]["operations"]) == 101
    assert "rate" not in both
    assert slower_than([open_result(both)["service"]], 10_000_000) == 50
    assert measure.merge([open_result(both)["late"]]).get_total_count() == 101
    assert open_result(both)["outstanding_most"] == 1
    assert open_result(both)["pacing_calls"] == 101
    pacings = [open_result(one)["pacing_cpu"] for one in parts]
    assert open_result(both)["pacing_cpu"] == pytest.approx(sum(pacings))
    assert [each["pacing"] for each in both["each"]] == pytest.approx(
        [pacings[0] / 51, pacings[1] / 50]
    )


def test_a_process_that_has_no_call_to_begin_is_none_the_less_one_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spikewire_lab.worker.run.meet", lambda *_: None)
    known = ScriptedLoad("async", lambda _at: Act(), 1, 0.5, 2.0)
    jobs = [two_of(known, at) for at in range(2)]
    both = cast("Result", merged([played(known, one) for one in jobs], known.job()))
    assert (both["operations"], open_result(both)["scheduled"]) == (1, 1)
    assert ["pacing" in each for each in both["each"]] == [True, False]
    summary = line(known, both)
    assert summary.open is not None
    assert summary.open.kept_up


def test_work_that_ends_by_itself_took_from_the_first_opening_to_the_last_end() -> None:
    (measured_job, first), (_, second) = one(0.01), one(0.01, 50_000_000)
    for result in (first, second):
        del result["rate"]
    assert merged([first, second], measured_job)["elapsed"] == pytest.approx(1.05)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_processes_begin_calls_at_a_rate_together(mode: str) -> None:
    load = {"rate": 300.0, "arrivals": "constant"}
    seconds: list[Any] = []
    more = job(mode=mode, duration=1.1, warmup=0.2, open=load, lines=True, concurrency=8)
    answer = run_processes(python_worker(""), more, {}, seconds.append)
    if "apart" in answer.get("failed", ""):
        pytest.skip(answer["failed"])  # the machine is too busy
    assert "failed" not in answer, answer
    figures = open_result(cast("Result", answer))
    assert figures["scheduled"] == 330
    assert answer["operations"] == 330 - figures["unsent"]
    assert figures["pacing_calls"] == 300
    assert sorted(second["part"] for second in seconds) == [0, 1, 2]
    assert all(each["pacing"] > 0 for each in answer["each"])


def test_a_maximum_of_operations_is_divided() -> None:
    answer = run_processes(python_worker(""), job(max_ops=1_000, duration=60.0, warmup=0.0), {})
    assert answer["operations"] == 1_000
    assert [each["operations"] for each in answer["each"]] == [334, 333, 333]
    assert answer["elapsed"] < 60


def test_all_processes_are_under_load_at_the_same_time() -> None:
    seconds: list[Any] = []
    answer = run_processes(python_worker(""), job(duration=1.2, lines=True), {}, seconds.append)
    assert "failed" not in answer
    assert len(answer["each"]) == 3
    assert sum(each["operations"] for each in answer["each"]) == answer["operations"]
    assert sum(answer["series"]["operations"]) == answer["operations"]
    assert sorted(second["part"] for second in seconds) == [0, 1, 2]


def test_inserts_are_divided() -> None:
    answer = run_processes(python_worker(""), job(workload="I", keys=1_000), {})
    assert answer["operations"] == 1_000
    assert [each["operations"] for each in answer["each"]] == [334, 334, 332]
    assert "rate" not in answer


def test_a_failing_process_stops_the_others() -> None:
    began = time.monotonic()
    answer = run_processes(python_worker(""), job(mode="nothing"), {})
    assert "one of 3 processes: " in answer["failed"]
    assert "another process failed" not in answer["failed"]
    assert time.monotonic() - began < 60


def test_each_process_has_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "both.json"
    flags = f"--client null --processes 2 -z 2 -d 0.3 --warmup 0 -k 100 --json {path}"
    status = main(["bench", *flags.split(), "--per-process"])
    (run,) = json.loads(path.read_text())["cells"][0]["runs"]
    if "failed" in run:
        assert status == FLAWED
        pytest.skip(run["failed"])  # windows too far apart: the machine is busy
    output = capsys.readouterr().out
    assert "2 processes" in output
    for number in (1, 2):
        assert f"null, process {number} of 2: " in output


def test_an_interruption_ends_all_processes(tmp_path: Path) -> None:
    flags = f"--client null --processes 3 -z 1 -d 60 --warmup 0 -k 100 --lines --json {tmp_path}/x"
    program = "import sys; from spikewire.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "bench", *flags.split()]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "op/s" in line:
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
