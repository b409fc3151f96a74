"""Open loops: schedules, and the drivers in simulated time and in a worker."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from spikewire_lab.measure import Window, merge
from spikewire_lab.run.launch import as_result, python_worker, run_job
from spikewire_lab.series.calls import EndedCalls
from spikewire_lab.studies.selfcheck.fake import Act
from spikewire_lab.studies.selfcheck.measure import (
    ScriptedLoad,
    line,
    open_result,
    played,
    slower_than,
)
from spikewire_lab.studies.selfcheck.pool import FakePool
from spikewire_lab.worker.job import Plan
from spikewire_lab.worker.open.calls import Calls, dealt
from spikewire_lab.worker.open.loops import run_pool
from spikewire_lab.worker.open.schedule import NS, held, offsets, overlap
from test_bench_worker import a_job

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire_lab.clients.base import SubmittedCall
    from spikewire_lab.worker.timing import Timing

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
MODES = ("sync", "async")


def test_constant_arrivals_are_evenly_apart() -> None:
    assert list(offsets(4, 1.5, "constant", "1")) == [round(at * NS / 4) for at in range(6)]


def test_poisson_arrivals_are_as_many_and_the_seed_gives_them() -> None:
    due = offsets(1000, 2.0, "poisson", "7")
    assert len(due) == 2000
    assert list(due) == sorted(due)
    assert 0 <= due[0] < due[-1] < 2 * NS
    assert list(due) == list(offsets(1000, 2.0, "poisson", "7"))
    assert list(due) != list(offsets(1000, 2.0, "poisson", "8"))
    gaps = [after - before for before, after in pairwise(due)]
    # Independent arrivals: the share of gaps above the mean is 1/e, not a half.
    assert 0.33 < sum(gap > NS / 1000 for gap in gaps) / len(gaps) < 0.41


def test_a_rate_below_one_call_still_makes_one() -> None:
    assert list(offsets(0.1, 1.0, "constant", "1")) == [0]


def test_immediate_and_delayed_calls_are_counted() -> None:
    begun, ended = [0, 5, 10, 20], [10, 30, 15, 21]
    assert overlap(begun, ended) == 2
    assert overlap([], []) == 0
    # At 6 both are busy; at 10 the first has just ended.
    assert held([0, 5, 6, 10], [0, 5, 10, 15], [10, 30, 15, 21], 2) == 1


@pytest.mark.parametrize("mode", MODES)
def test_late_calls_begin_at_once_and_none_is_left_out(mode: str) -> None:
    known = ScriptedLoad(mode, lambda _number: Act(takes=0.02), 2, 1.0, 101.0)
    result = played(known)
    figures = open_result(result)
    assert result["operations"] == figures["scheduled"] == 101
    assert figures["unsent"] == 0
    assert figures["outstanding_most"] == 2
    assert figures["held"] > 0
    assert result["latency"]["samples"] == 101
    assert merge([figures["service"], figures["late"]]).get_total_count() == 202


@pytest.mark.parametrize("mode", MODES)
def test_calls_that_did_not_begin_count_their_waiting_time(mode: str) -> None:
    known = ScriptedLoad(mode, lambda _number: Act(takes=0.5), 1, 1.0, 10.0)
    result = played(known)
    figures = open_result(result)
    # One call each 500 ms, until twice the planned second is over.
    assert result["operations"] == 5
    assert figures["unsent"] == 5
    latency = result["latency"]
    assert latency["samples"] == 10
    waited = 2.5 - 0.5
    assert slower_than([latency["read"], latency["write"]], round((waited - 0.01) * NS)) >= 1
    assert latency["max_ns"] == round(2.1 * NS)


@pytest.mark.parametrize("mode", MODES)
def test_warming_up_is_at_the_same_rate_and_outside_of_the_figures(mode: str) -> None:
    numbers: list[int] = []

    def script(number: int) -> Act:
        numbers.append(number)
        return Act(takes=0.001)

    known = ScriptedLoad(mode, script, 1, 1.0, 50.0)
    job = known.job()
    job["warmup"] = 2.0
    result = played(known, job)
    assert len(numbers) == 150
    assert result["operations"] == 50
    assert result["elapsed"] == pytest.approx(1.0)
    assert line(known, result).rate is not None


def test_a_call_that_never_ends_is_an_error() -> None:
    known = ScriptedLoad("async", lambda _number: Act(takes=1e9), 4, 0.5, 10.0)
    with pytest.raises(TimeoutError):
        played(known)


@pytest.mark.parametrize("mode", ["sync", "async", "async-uvloop"])
@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_a_worker_gives_response_and_service_times(mode: str, arrivals: str) -> None:
    if mode == "async-uvloop":
        pytest.importorskip("uvloop")
    job = a_job(mode=mode)
    job["concurrency"] = 16
    job["open"] = {"rate": 500.0, "arrivals": arrivals}
    result = as_result(run_job(python_worker(sys.executable), job))
    assert "failed" not in result, result
    figures = open_result(result)
    assert figures["scheduled"] == 100
    assert result["operations"] == 100 - figures["unsent"]
    assert figures["rate"] == 500.0
    assert figures["arrivals"] == arrivals
    assert merge([figures["service"]]).get_total_count() == result["operations"]
    assert result["latency"]["samples"] == 100
    assert result["latency"]["max_ns"] >= figures["service_max_ns"]
    assert result["elapsed"] >= 0.2


def test_calls_are_dealt_out_to_event_loops_in_turns() -> None:
    calls = Calls(offsets(10, 1.0, "constant", "1"), [(0, None)], 1.0)
    assert [(list(numbers), most) for numbers, most in dealt(calls, 8, 3)] == [
        ([0, 3, 6, 9], 3),
        ([1, 4, 7], 3),
        ([2, 5, 8], 2),
    ]


def test_a_pool_that_runs_two_pacers_on_one_loop_is_no_measure() -> None:
    class OneLoop(FakePool):
        def run(self, function: Callable[..., object], *args: object) -> SubmittedCall:
            self._next = 0
            return super().run(function, *args)

        def timing(self, _loop: int, /) -> Timing:
            return super().timing(0)

    known = ScriptedLoad("async", lambda _number: Act(), 8, 0.1, 100.0, loops=2)
    plan, pool = Plan.of(known.job()), OneLoop([known.script] * 2)
    with pytest.raises(RuntimeError, match="two pacers on one of its event loops"):
        run_pool(pool, 2, plan.load(), Window(), plan.job["open"], 1, pool.timing)
    pool.close()


def test_calls_of_one_loop_are_known_while_another_one_is_behind() -> None:
    calls = Calls(offsets(10, 1.0, "constant", "1"), [(0, None)], 1.0)
    calls.begin(0)
    calls_ended = EndedCalls(calls)

    def over(*numbers: int) -> None:
        for at in numbers:
            calls.begun[at] = calls.due[at]
            calls.ended[at] = calls.due[at] + 1000

    over(1, 3, 5)
    assert calls_ended.counts(NS) == (3, 0, 0)
    over(0, 2)
    assert calls_ended.counts(NS) == (5, 0, 0)
    # The loop of the even ones begins no more.
    over(7, 9)
    assert calls_ended.counts(NS) == (7, 0, 0)
    assert list(calls_ended.latencies(0, NS)) == [1000] * 7
