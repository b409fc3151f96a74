"""Open loops of workers in other languages: the schedule in the job, and figures of the results."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

import pytest

from spikewire.testing import Cluster
from spikewire_lab.access.seeds import parse_seeds
from spikewire_lab.plan import RUST_OURS, RUST_PEER
from spikewire_lab.run import rust
from spikewire_lab.run.launch import as_result, python_worker, run_job
from spikewire_lab.run.node import runner
from spikewire_lab.studies.selfcheck.measure import open_result, slower_than
from spikewire_lab.worker.open.other_languages import scheduled, worked_out
from spikewire_lab.worker.open.schedule import NS, offsets
from test_bench_worker import a_job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from spikewire_lab.contract.result import Job
    from spikewire_lab.series.lines import Second

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")


def open_job(rate: float = 1000.0, seconds: float = 1.0, **more: Any) -> Job:
    job = a_job(client="spikewire-rust", mode="rust")
    job["duration"], job["open"] = seconds, {"rate": rate, "arrivals": "constant"}
    return cast("Job", {**job, **more})


def phases(job: Job) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", job["open"])


def raw(job: Job, **changes: Any) -> dict[str, Any]:
    """Calls that begin when they are due and take 500 microseconds; the odd ones write."""
    due = phases(job)["measured"]["due"]
    fields = {
        "begun": list(due),
        "ended": [at + 500_000 for at in due],
        "failures": [0] * len(due),
        "writes": [at % 2 for at in range(len(due))],
        "start": 12.5,
        "now": NS,
        "pacing_cpu": 0.25,
    }
    return {**fields, **changes}


def test_a_job_has_the_instants_of_all_phases() -> None:
    job = scheduled(open_job(100.0, 2.0))
    assert phases(job)["measured"]["due"] == list(offsets(100.0, 2.0, "constant", ""))
    assert len(phases(job)["pacing"]["due"]) == 100
    assert phases(job)["warmup"] == {"seconds": 0.05, "due": [at * NS // 100 for at in range(5)]}
    assert phases(scheduled(open_job(warmup=0.0)))["warmup"]["due"] == []
    closed = a_job()
    assert scheduled(closed) is closed
    assert worked_out(closed, {"operations": 1}) == {"operations": 1}


def test_a_stall_is_charged_to_every_call_that_it_delayed() -> None:
    job = scheduled(open_job())
    due = phases(job)["measured"]["due"]
    # The call that is due at 300 ms delays all others by up to 200 ms.
    begun = [max(at, 500_000_000) if at > 300_000_000 else at for at in due]
    ended = [at + 500_000 for at in begun]
    ended[300] += 200_000_000
    answer = {"rate": 1.0, "elapsed": 1.0, "open": raw(job, begun=begun, ended=ended)}
    result = cast("Any", worked_out(job, answer))
    latency = result["latency"]
    assert slower_than([latency["read"], latency["write"]], 510_000) == 200
    assert slower_than([open_result(result)["service"]], 510_000) == 1
    assert result["operations"] == latency["samples"] == 1000
    assert slower_than([latency["write"]], 0) == 500
    assert open_result(result)["outstanding_most"] == 201
    assert (open_result(result)["pacing_calls"], open_result(result)["pacing_cpu"]) == (1000, 0.25)
    assert "rate" not in result
    assert result["series"]["start"] == 12.5
    assert sum(result["series"]["operations"]) == 1000


def test_failures_and_calls_that_did_not_begin_are_counted() -> None:
    job = scheduled(
        open_job(10.0, shape={"kind": "batch-read", "rows": 4, "columns": 0, "way": ""})
    )
    open_part = raw(job, now=2 * NS)
    open_part["failures"][:3] = [1, 2, 2]
    open_part["begun"][8:] = open_part["ended"][8:] = [-1, -1]
    result = cast("Any", worked_out(job, {"open": open_part}))
    assert (result["errors"], result["timeouts"], result["operations"]) == (3, 2, 20)
    assert open_result(result)["unsent"] == 2
    assert result["latency"]["max_ns"] == 2 * NS - 8 * NS // 10


def test_calls_that_are_not_known_are_a_failure() -> None:
    job = scheduled(open_job(10.0))
    short = raw(job)
    short["ended"] = short["ended"][1:]
    assert worked_out(job, {"open": short}) == {"failed": "the worker knows 9 of 10 calls: ended"}
    lost = raw(job)
    lost["ended"][3] = -1
    assert "has no open loop" in worked_out(job, {"operations": 1})["failed"]
    assert worked_out(job, {"failed": "no route"}) == {"failed": "no route"}
    assert worked_out(job, {"open": lost}) == {"failed": "1 calls had begun and did not end"}


def right(job: Job, answer: Mapping[str, Any]) -> None:
    result = as_result(worked_out(job, answer))
    assert "failed" not in result, result
    figures = open_result(result)
    assert result["errors"] == 0, result["first_error"]
    assert figures["scheduled"] == 50
    assert result["operations"] == (50 - figures["unsent"]) * job["shape"]["rows"]
    assert result["latency"]["samples"] == 50
    assert result["latency"]["max_ns"] >= figures["service_max_ns"] > 0
    assert figures["pacing_cpu"] > 0
    assert result["elapsed"] >= 0.1


@pytest.fixture(scope="module")
def seeds() -> Iterator[list[tuple[str, int]]]:
    with Cluster(nodes=1) as cluster:
        nodes = list(parse_seeds(cluster.seeds))
        filling = a_job(client="spikewire", action="populate")
        filling["seeds"] = nodes
        filled = run_job(python_worker(sys.executable), filling)
        assert filled.get("operations") == 1000, filled
        yield nodes


def worker_of(client: str) -> list[str]:
    """The program of a crate, if it was built from these sources."""
    built, why = rust.find_built(rust.BINARIES[client])
    if built is None:
        pytest.skip(why)
    return [str(built)]


@pytest.mark.parametrize("mode", ["rust", "rust-sync"])
@pytest.mark.parametrize("client", [RUST_OURS, RUST_PEER])
def test_crates_run_at_a_rate(client: str, mode: str, seeds: list[tuple[str, int]]) -> None:
    command = worker_of(client)
    job = scheduled(open_job(500.0, 0.1, client=client, mode=mode, seeds=seeds))
    right(job, run_job(command, job))


@pytest.mark.parametrize("mode", ["rust", "rust-sync"])
@pytest.mark.parametrize("rate", [0.0, 200.0])
def test_crates_report_each_second(rate: float, mode: str, seeds: list[tuple[str, int]]) -> None:
    command = worker_of(RUST_OURS)
    job = open_job(rate, 1.2, client=RUST_OURS, mode=mode, seeds=seeds, lines=True)
    if not rate:
        del job["open"]
    check_second_lines(
        scheduled(job), lambda job, on_report: run_job(command, job, on_report=on_report)
    )


def check_second_lines(
    job: Job, run: Callable[[Job, Callable[[Any], object]], Mapping[str, Any]]
) -> None:
    """Every full second is reported by each process, and is part of the result."""
    reports: list[Second] = []
    result = as_result(worked_out(job, run(job, reports.append)))
    assert "failed" not in result, result
    for part in range(job.get("processes", 1)):
        seconds = [one["second"] for one in reports if one["part"] == part]
        # More than the planned one if the machine is busy.
        assert seconds == list(range(1, len(seconds) + 1)) != []
    many = sum(one["operations"] for one in reports)
    samples = sum(count for one in reports for _, count in one["samples"])
    assert 0 < many <= result["operations"]
    # In an open loop every call is timed.
    assert samples == many if "open" in job else 0 < samples < many
    assert all(one["rss"] > 1_000_000 for one in reports)
    assert sum(one["errors"] for one in reports) == result["errors"] == 0


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("kind", ["single", "batch-read", "batch-write"])
def test_node_runs_at_a_rate(kind: str, processes: int, seeds: list[tuple[str, int]]) -> None:
    runs, reason = runner()
    if runs is None:
        pytest.skip(reason)
    rows = 1 if kind == "single" else 4
    shape = {"kind": kind, "rows": rows, "columns": 0, "way": ""}
    where = {"client": "spikewire-node", "mode": "node", "seeds": seeds, "processes": processes}
    job = scheduled(open_job(500.0, 0.1, shape=shape, **where))
    answer = runs.start(job)
    right(job, answer)
    if processes > 1:
        assert all(each["pacing"] > 0 for each in answer["each"])


def test_node_reports_each_second_of_an_open_loop(seeds: list[tuple[str, int]]) -> None:
    runs, reason = runner()
    if runs is None:
        pytest.skip(reason)
    where = {"client": "spikewire-node", "mode": "node", "seeds": seeds, "processes": 2}
    job = scheduled(open_job(200.0, 1.2, lines=True, **where))
    check_second_lines(job, lambda job, on_report: runs.start(job, on_report=on_report))
