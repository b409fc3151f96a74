"""The Node.js clients in the lab: found or left out, run in parallel, and their figures."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.commands import add_parsers
from spikewire.testing import Cluster
from spikewire_lab.access.seeds import parse_seeds
from spikewire_lab.build import described
from spikewire_lab.clients.base import NODE
from spikewire_lab.contract.queries import as_scan
from spikewire_lab.contract.series import intervals_a_second
from spikewire_lab.measure import merge
from spikewire_lab.plan import NODE_CLIENTS, NODE_OURS, NODE_PEER, NODE_PEER_UV, Cell
from spikewire_lab.queries.cells import SCAN
from spikewire_lab.run import node
from spikewire_lab.run.launch import as_result
from spikewire_lab.run.node import Runner, encoded, find_worker, runner
from spikewire_lab.table.headings import columns, row
from spikewire_lab.table.summary import summarise
from spikewire_lab.work.shape import SINGLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spikewire_lab.contract.result import Job

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")

KEYS = 600


def a_job(cluster: Cluster, client: str, **changes: Any) -> Job:
    job: Job = {
        "action": "measure",
        "client": client,
        "mode": NODE,
        "concurrency": 8,
        "shape": {"kind": SINGLE, "rows": 1, "columns": 0, "way": ""},
        "seeds": list(parse_seeds(cluster.seeds)),
        "namespace": "test",
        "set": "bench",
        "keys": KEYS,
        "bins": "I1,I6,F8,S9,B7",
        "workload": "RU,75",
        "warmup": 0.0,
        "duration": 0.2,
        "sample_every": 4,
        "seed": 1,
        "cpus": [],
        "server_pid": None,
    }
    return {**job, **changes}  # type: ignore[typeddict-item]


@pytest.fixture(scope="module")
def runs() -> Runner:
    node_runner, reason = runner()
    if node_runner is None:
        pytest.skip(reason)
    return node_runner


@pytest.fixture(scope="module")
def cluster(runs: Runner) -> Iterator[Cluster]:
    with Cluster(nodes=2) as embedded:
        filled = as_result(runs.start(a_job(embedded, NODE_OURS, action="populate")))
        assert "failed" not in filled, filled
        assert filled["operations"] == KEYS
        yield embedded


@pytest.fixture(params=NODE_CLIENTS)
def client(request: pytest.FixtureRequest, runs: Runner, cluster: Cluster) -> str:
    name: str = request.param
    answer = runs.start(a_job(cluster, name, action="describe"))
    assert name == NODE_PEER or answer["unavailable"] is None
    if answer["unavailable"] is not None:
        pytest.skip(answer["unavailable"])
    return name


def test_a_checkout_has_a_place_for_the_worker() -> None:
    worker = find_worker()
    assert worker is not None
    assert (worker.parents[1] / "package.json").is_file()


def test_missing_parts_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unbuilt = runner(tmp_path / "worker.js")
    assert unbuilt[0] is None
    assert unbuilt[1].endswith(("is not built: make lab-node", "there is no node"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert runner(tmp_path / "worker.js") == (None, "there is no node")
    monkeypatch.setattr(node, "find_worker", lambda: None)
    assert "source checkout" in runner()[1]


def test_the_same_package_is_also_measured_with_more_threads_of_libuv(tmp_path: Path) -> None:
    """A program in place of Node.js that answers what it was given."""
    stand_in = tmp_path / "node"
    stand_in.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys\n"
        "name = json.load(sys.stdin)['client']\n"
        "print(json.dumps({'name': name, 'threads': os.environ.get('UV_THREADPOOL_SIZE')}))\n"
    )
    stand_in.chmod(0o755)
    runs = Runner(str(stand_in), tmp_path / "lab" / "node" / "worker.js")
    job: Any = {"action": "measure", "warmup": 0.0, "duration": 0.0, "cpus": []}
    jobs: list[Any] = [{**job, "client": name} for name in (NODE_PEER, NODE_PEER_UV)]
    answers = [runs.start(one) for one in jobs]
    assert answers == [
        {"name": "aerospike", "threads": None},
        {"name": "aerospike", "threads": "128"},
    ]


def test_samples_become_histograms_and_shares() -> None:
    raw = {"read": [900_000, 1_000_000, 3_999_999], "write": [17_000_000], "samples": 4}
    latency = encoded({"latency": {**raw, "overwritten": 0, "max_ns": 17_000_000.4}})["latency"]
    assert merge([latency["read"]]).get_total_count() == 3
    assert merge([latency["write"]]).get_total_count() == 1
    assert latency["within"] == {"1": 2, "2": 2, "4": 3, "8": 3, "16": 3}
    assert latency["max_ns"] == 17_000_000
    assert encoded({"unavailable": None}) == {"unavailable": None}


def test_a_result_becomes_a_line_with_shares_and_the_delay_of_the_loop(
    runs: Runner, cluster: Cluster, client: str
) -> None:
    result = as_result(runs.start(a_job(cluster, client)))
    assert "failed" not in result, result
    assert (result["errors"], result["first_error"]) == (0, None)
    assert result["elapsed"] > 0.1
    assert result["operations"] > 0 < result["cpu"]["user"]
    assert 0 < result["latency"]["samples"] <= result["operations"]
    assert result["memory"]["bare"] <= result["memory"]["ready"] <= result["memory"]["peak"]
    line = summarise(Cell(client, NODE, 8), [result])
    assert line.within is not None
    assert line.loop_delay is not None
    shares = [line.within[limit] for limit in ("1", "2", "4", "8", "16")]
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1
    assert 0 <= line.loop_delay["p50"] <= line.loop_delay["p99"]
    headings = [column.name for column in columns(SINGLE, NODE)]
    texts = dict(zip(headings, row(line), strict=True))
    assert texts["16 ms %"] == f"{100 * shares[-1]:.1f}"
    assert texts["loop p99"] != "-"


def test_processes_are_one_result(runs: Runner, cluster: Cluster, client: str) -> None:
    together = as_result(runs.start(a_job(cluster, client, processes=2)))
    assert "failed" not in together, together
    assert together["errors"] == 0
    alone = together["memory"]["bare"] / 2
    assert alone > 10_000_000
    assert together["operations"] > 0


def test_our_addon_reports_its_build(runs: Runner, cluster: Cluster) -> None:
    report = runs.start(a_job(cluster, NODE_OURS))
    assert report["client"] == NODE_OURS
    build = report["build"]
    assert build["profile"] in ("debug", "release", "dist")
    assert build["debug_assertions"] == (build["profile"] == "debug")
    assert build["opt_level"] in "0123sz"
    assert build["rustflags"] == build["rustflags"].strip()
    assert build["built_from"] is None or re.fullmatch("[0-9a-f]{40}(-dirty)?", build["built_from"])
    assert (build["commit"] or "") == (build["built_from"] or "").removesuffix("-dirty")
    assert build["native"]["name"].endswith(".node")
    assert f"profile {build['profile']} (opt-level " in described(build)


@pytest.mark.parametrize("processes", [1, 2])
def test_intervals_add_up_to_the_run(
    runs: Runner, cluster: Cluster, client: str, processes: int
) -> None:
    job_options = a_job(cluster, client, processes=processes, histograms=True, sample_every=1)
    result = as_result(runs.start(job_options))
    assert "failed" not in result, result
    series = result.get("series")
    assert series is not None
    assert series["interval"] == pytest.approx(1 / intervals_a_second(job_options["duration"]))
    assert sum(series["operations"]) == result["operations"]
    both = (
        (series.get("read"), result["latency"]["read"]),
        (series.get("write"), result["latency"]["write"]),
    )
    for parts, whole in both:
        assert parts is not None
        assert merge(parts).get_total_count() == merge([whole]).get_total_count() > 0
    assert max(one or 0 for one in series["max_ns"]) == result["latency"]["max_ns"]
    if processes > 1:
        assert len(result.get("each", ())) == processes
    plain = as_result(runs.start(a_job(cluster, client)))
    assert "failed" not in plain, plain
    assert "read" not in plain.get("series", {})


@pytest.mark.parametrize("kind", ["batch-read", "batch-write"])
def test_batches_count_their_records(
    runs: Runner, cluster: Cluster, client: str, kind: str
) -> None:
    shape = {"kind": kind, "rows": 16, "columns": 0, "way": ""}
    result = as_result(runs.start(a_job(cluster, client, shape=shape, concurrency=2)))
    assert "failed" not in result, result
    assert result["errors"] == 0, result["first_error"]
    assert result["operations"] == 16 * result["latency"]["samples"] > 0


def test_records_of_another_shape_fail_the_run(runs: Runner, cluster: Cluster, client: str) -> None:
    answer = runs.start(a_job(cluster, client, bins="I1,I6,F8,S9,B8"))
    seen, actual, expected = re.split("(?: reads back as |, not as )", answer["failed"])
    assert seen == "Error: key 0"
    assert actual != expected


@pytest.mark.parametrize("consumer", ["no-op", "file", "sleep"])
@pytest.mark.parametrize("nth", [0, 1])
def test_scans_see_every_record(
    runs: Runner, cluster: Cluster, client: str, nth: int, consumer: str
) -> None:
    way = (("iterate", "stream"), ("scan", "query"))[client == NODE_PEER][nth]
    shape = {"kind": SCAN, "rows": 1, "columns": 0, "way": f"{way}/{consumer}"}
    job = a_job(cluster, client, action="scan", shape=shape, duration=0.01)
    result = as_scan(runs.start(job))
    assert "failed" not in result, result
    assert result["records"] == result["scans"] * KEYS > 0
    assert result["memory"]["peak"] >= result["memory"]["start"] > 0
    short = runs.start({**job, "keys": KEYS + 1})
    assert f"a scan gave {KEYS} of {KEYS + 1} records" in short["failed"]


def test_single_records_are_compared_by_command(
    runs: Runner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert runs.worker.is_file()
    path = tmp_path / "node.json"
    flags = "compare --mode node,node-batch --clients spikewire-node,aerospike-node --in-flight 4"
    argument_parser = argparse.ArgumentParser(prog="spikewire")
    add_parsers(argument_parser.add_subparsers(required=True))
    pace = "--rounds 2 -d 0.1 --warmup 0.01 --pause 0 -k 500 --batch-sizes 8 --nodes 2"
    args = argument_parser.parse_args([*flags.split(), *pace.split(), "--json", str(path)])
    status = args.run(args)
    out = capsys.readouterr().out
    assert status == 0, out
    assert "node, 4 in flight, Node.js" in out
    cells = json.loads(path.read_text())["cells"]
    ours = [one for one in cells if one["client"] == NODE_OURS]
    assert [one["shape"]["kind"] for one in ours] == ["single", "batch-read"]
    assert all(one["rounds"] == 2 and one["unserved"] == 0 for one in cells)


def test_scans_are_compared_by_command(
    runs: Runner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert runs.worker.is_file()
    path = tmp_path / "scans.json"
    flags = "compare --mode node-queries --clients spikewire-node --records 300"
    argument_parser = argparse.ArgumentParser(prog="spikewire")
    add_parsers(argument_parser.add_subparsers(required=True))
    pace = f"--rounds 1 -d 0.01 --warmup 0 --pause 0 --record-size 100 --json {path}"
    args = argument_parser.parse_args([*flags.split(), *pace.split()])
    status = args.run(args)
    out = capsys.readouterr().out
    assert status == 0, out
    assert "scans of records of 100 bytes, Node.js" in out
    report = json.loads(path.read_text())["scans"]
    assert {(one["way"], one["consumer"]) for one in report} == {
        (way, consumer) for way in ("iterate", "stream") for consumer in ("no-op", "file", "sleep")
    }
    assert all(one["runs"][0]["records"] % 300 == 0 for one in report)
