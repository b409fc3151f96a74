"""Comparisons of scans: every record is read, memory is sampled, and gets run during scans."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import Client
from spikewire.commands import add_parsers
from spikewire_lab import measure
from spikewire_lab.access.seeds import parse_seeds
from spikewire_lab.clients.base import ASYNC, NODE, SYNC
from spikewire_lab.commands.run import USAGE
from spikewire_lab.contract.queries import as_scan
from spikewire_lab.plan import NODE_NAMES
from spikewire_lab.queries import lab
from spikewire_lab.queries.cells import (
    ARROW,
    CONSUMERS,
    FILE,
    FILL,
    FOREACH,
    GET_AMONG_SCANS,
    NOTHING,
    OBJECTS,
    RESULTS,
    SCAN,
    SLEEP,
    SLOW,
    WAYS,
    Scan,
    lacks_waiting,
    record_bins,
    scans,
    usual_way,
)
from spikewire_lab.queries.check import (
    BY_CONTENT,
    BY_KEY,
    ExpectedRecords,
    range_of_share,
    record_check,
)
from spikewire_lab.queries.consumers import (
    PAUSE,
    PAUSED_ROWS,
    PAUSES,
    SlowConsumer,
    async_called,
    called,
)
from spikewire_lab.queries.gets import GetRound, Getter
from spikewire_lab.queries.lines import ScanLine, get_lines, scan_lines
from spikewire_lab.queries.memory import Curve
from spikewire_lab.queries.table import GET_HEADINGS, SCAN_HEADINGS, get_row, notes, scan_row
from spikewire_lab.run.launch import python_worker, run_job
from spikewire_lab.run.progress import Progress, format_time
from spikewire_lab.work import parse_bins, value_pool
from spikewire_lab.worker.job import MismatchError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spikewire.testing import Cluster
    from spikewire_lab.contract.queries import Outcome
    from spikewire_lab.contract.result import Job

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
rich_console = pytest.importorskip("rich.console", reason="the lab's rich is not installed")

RECORDS, SIZE = 1_500, 100


def job(cluster: Cluster, action: str, mode: str = SYNC, way: str = "", keys: int = RECORDS) -> Job:
    return {
        "action": action,
        "client": "spikewire",
        "mode": mode,
        "concurrency": 1,
        "shape": {"kind": SCAN, "rows": 1, "columns": 0, "way": way},
        "seeds": list(parse_seeds(cluster.seeds)),
        "namespace": "test",
        "set": "scanned",
        "keys": keys,
        "bins": record_bins(SIZE),
        "workload": "RU,100",
        "warmup": 0.0,
        "duration": 0.05,
        "sample_every": 1,
        "seed": 1,
        "cpus": [],
        "server_pid": None,
    }


def start(one: Job) -> Any:
    return run_job(python_worker(""), one)


@pytest.fixture(scope="module")
def filled() -> Iterator[Cluster]:
    from spikewire.testing import Cluster

    with Cluster(nodes=2) as cluster:
        assert start(job(cluster, FILL))["records"] == RECORDS
        yield cluster


@pytest.mark.parametrize("mode", [SYNC, ASYNC])
@pytest.mark.parametrize("way", [OBJECTS, ARROW])
@pytest.mark.parametrize("consumer", CONSUMERS)
def test_every_record_is_read(filled: Cluster, mode: str, way: str, consumer: str) -> None:
    if (way, consumer) == (ARROW, FILE):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    outcome = as_scan(start(job(filled, SCAN, mode, f"{way}/{consumer}")))
    assert "failed" not in outcome, outcome
    assert outcome["scans"] >= 1
    assert outcome["records"] == outcome["scans"] * RECORDS
    assert outcome["elapsed"] >= 0.05
    assert outcome["memory"]["peak"] >= outcome["memory"]["start"] > 0


@pytest.mark.parametrize("way", [OBJECTS, ARROW])
def test_a_scan_that_lacks_records_fails(filled: Cluster, way: str) -> None:
    short = start(job(filled, SCAN, way=f"{way}/{NOTHING}", keys=RECORDS + 1))
    assert "a scan gave 1,500 of 1,501 records" in short["failed"]


def test_records_of_another_shape_fail(filled: Cluster) -> None:
    other = job(filled, SCAN, way=f"{OBJECTS}/{NOTHING}")
    other["bins"] = record_bins(SIZE + 1)
    assert "reads back as" in start(other)["failed"]


@pytest.mark.parametrize(("mode", "way"), [(SYNC, OBJECTS), (ASYNC, OBJECTS), (SYNC, ARROW)])
def test_a_record_of_another_key_is_detected(filled: Cluster, mode: str, way: str) -> None:
    """Bins, types, sizes and the number of records are right; a check of each record finds it by
    its key or, in columns, by the number of occurrences."""
    pool = value_pool(parse_bins(record_bins(SIZE)), seed=1)
    one = job(filled, SCAN, mode, f"{way}/{NOTHING}")
    one["verify"] = True
    if way == ARROW:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    assert start(one)["checked"] == (BY_CONTENT if way == ARROW else BY_KEY)
    with Client.connect(filled.seeds) as client:
        dataset = client.dataset("test", "scanned")
        dataset.put(7, pool[8])
        try:
            # The last record is checked in each scan.
            assert "failed" not in start(job(filled, SCAN, mode, f"{way}/{NOTHING}"))
            failed = start(one)["failed"]
        finally:
            dataset.put(7, pool[7])
    if way == ARROW:
        assert "records like that of key 7, of which there are" in failed
    else:
        assert "is wrong: bin b0 is" in failed


def test_a_check_describes_the_difference() -> None:
    pool = value_pool(parse_bins(record_bins(SIZE)), seed=1)
    check = record_check(ExpectedRecords(pool, 2, "scanned"))
    digests = [
        hashlib.new("ripemd160", b"scanned\x01" + bytes(7) + bytes([key])).digest()
        for key in range(3)
    ]
    check.record(digests[0].hex(), pool[0])
    with pytest.raises(MismatchError, match="twice, or it has no such key"):
        check.record(digests[0], pool[0])
    with pytest.raises(MismatchError, match="twice, or it has no such key"):
        check.record(digests[2], pool[2])
    with pytest.raises(MismatchError, match="did not give 1 of its records"):
        check.end()
    check.record(bytearray(digests[1]), pool[1])
    check.end()


def test_without_its_digest_a_python_checks_contents(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_arguments: object, **_options: object) -> None:
        raise ValueError("unsupported hash type ripemd160")

    monkeypatch.setattr(hashlib, "new", unknown)
    pool = value_pool(parse_bins(record_bins(SIZE)), seed=1)
    check = record_check(ExpectedRecords(pool, 2, "scanned"))
    assert check.how == BY_CONTENT
    check.record(b"", pool[1])
    with pytest.raises(MismatchError, match="0 records like that of key 0, of which there are 1"):
        check.end()
    with pytest.raises(MismatchError, match="bin b1 is"):
        check.record(b"", {**pool[1], "b1": 2.0})
    check.record(b"", pool[0])
    check.end()


@pytest.mark.parametrize("percent", [0.01, 10, 50, 99.99])
def test_a_range_selects_a_share(percent: float) -> None:
    pool = value_pool(parse_bins(record_bins(SIZE)), seed=1)
    between = range_of_share(pool, percent)
    selected = ExpectedRecords(pool, 3 * len(pool), "scanned", between)
    expected = max(1, min(len(pool) - 1, round(len(pool) * percent / 100)))
    assert selected.count == 3 * expected == len(list(selected.selected_keys()))
    assert int(float(between[1])) == between[1] > between[0] == 0


def test_a_callback_of_a_task_cannot_sleep() -> None:
    async def foreach(_take: object) -> None:
        raise AssertionError

    with pytest.raises(ValueError, match="has no way to wait"):
        asyncio.run(async_called(foreach, SLEEP))
    with pytest.raises(ValueError, match="'print' is not a consumer of records"):
        called(print, "print")


@pytest.mark.parametrize("size", [40, 100, 1_000, 4_099])
def test_records_have_the_requested_size(size: int) -> None:
    specs = parse_bins(record_bins(size))
    assert sum(spec.size for spec in specs) == size
    assert len(value_pool(specs, 1)[0]) == 4


def test_every_way_is_in_the_table_and_sleeps_where_that_holds_the_records_back() -> None:
    cells = scans(tuple(WAYS), 100, 500)
    assert {one.consumer for one in cells if one.ours} == set(CONSUMERS)
    assert {(one.client, one.mode, one.way) for one in cells if one.consumer == SLEEP} == {
        (one.client, one.mode, one.way) for one in cells if not lacks_waiting(one.mode, one.way)
    }
    ways = {(one.mode, one.way) for one in cells}
    assert {way for way in ways if lacks_waiting(*way)} == {
        *((SYNC, RESULTS), (ASYNC, RESULTS), (ASYNC, FOREACH))
    }
    assert {one.client for one in cells} == set(WAYS) - set(NODE_NAMES)
    assert len(cells) == len(set(cells)) == 12 + 2 * (2 + 4 + 2 + 2) + (1 + 1 + 2 + 2)
    few = scans(tuple(WAYS), 100, 500, consumers=(NOTHING,))
    assert few == tuple(one for one in cells if one.consumer == NOTHING)
    assert scans(("aerospike",), 100, 500) == tuple(
        one for one in cells if one.client == "aerospike"
    )


def test_in_node_all_clients_have_all_consumers() -> None:
    cells = scans(tuple(WAYS), 100, 500, in_node=True)
    names = [name for name in NODE_NAMES if name in WAYS]
    assert {one.client for one in cells} == set(names)
    assert {one.mode for one in cells} == {NODE}
    assert len(cells) == len(set(cells)) == (2 * len(names) - 1) * len(CONSUMERS)


def test_ways_that_are_slow_get_fewer_records() -> None:
    cells = scans(tuple(WAYS), 100, 5_000, 700)
    fewer = {(one.client, one.mode, one.way) for one in cells if one.records == 700}
    assert fewer == SLOW
    assert all(one.records == 5_000 for one in cells if one.ours)
    assert {one.records for one in scans(tuple(WAYS), 100, 300, 700)} == {300}
    assert all("700" in scan_row(ScanLine(one, 1, ()))[4] for one in cells if one.records == 700)


def test_the_remaining_time_is_estimated(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(bar=False)
    progress.expect(3)
    for text in ("one", "two", "three"):
        progress.done(text)
    first, second, third = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"\[1/3, about 0:0\d left\] one", first)
    assert re.fullmatch(r"\[2/3, about 0:0\d left\] two", second)
    assert third == "[3/3] three"
    assert [format_time(seconds) for seconds in (0.4, 59.6, 3_725)] == ["0:00", "1:00", "62:05"]


def test_a_sleeping_consumer_sleeps_as_long_however_records_come() -> None:
    def slept(step: int) -> float:
        consumer = SlowConsumer()
        return sum(consumer.due(count) for count in range(step, 200_001, step))

    assert slept(1) == pytest.approx(0.5 + PAUSES * PAUSE)
    assert slept(40_000) == pytest.approx(0.5 + PAUSES * PAUSE)
    consumer = SlowConsumer()
    assert consumer.due(1) > 0
    assert consumer.due(2) == 0
    assert consumer.due(1 + PAUSED_ROWS) == PAUSE


def test_a_memory_curve_records_held_memory() -> None:
    with Curve() as curve:
        held = bytearray(b"x" * 30_000_000)
        time.sleep(0.25)
        del held
    assert curve.peak - curve.start > 25_000_000
    if curve.points:
        assert [at for at, _ in curve.points] == sorted(at for at, _ in curve.points)
        assert max(size for _, size in curve.points) <= curve.peak


def test_a_curve_reports_a_peak_that_was_not_reset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    high = bytearray(b"x" * 60_000_000)
    del high
    monkeypatch.setattr(measure, "forget_peak", lambda: False)
    with Curve() as curve:
        held = b"y" * 20_000_000
        time.sleep(0.25)
    assert not curve.exact
    if measure.rss() is None:
        pytest.skip("the system says nothing of this process's memory")
    assert 15_000_000 < curve.peak - curve.start < 60_000_000
    assert curve.peak < measure.peak_rss()
    del held
    line = replace(scan_lines({A_SCAN: [outcome(1_000, 1.0, 0.1)]})[0], grown_exact=False)
    assert notes(line) == [
        f"{A_SCAN}: +MB by ten samples a second, as an earlier peak was not forgotten"
    ]


def test_a_memory_peak_is_reset_if_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that accepts the request and does nothing is detected."""
    high = bytearray(b"x" * 60_000_000)
    del high
    if not measure.forget_peak():
        pytest.skip("earlier peaks cannot be forgotten")
    held = measure.rss()
    assert held is not None
    assert abs(measure.peak_rss() - held) <= measure.FORGOTTEN
    sizes = {"VmHWM": held + 50_000_000, "VmRSS": held}
    monkeypatch.setattr(measure, "_memory", lambda: sizes)
    assert not measure.forget_peak()


A_SCAN = scans(("spikewire",), 100, 1_000)[0]


def outcome(records: int, elapsed: float, cpu: float, server: float = 0.0) -> Outcome:
    answer = {
        "client": "x",
        "version": "1",
        "mode": SYNC,
        "python": {"version": "3"},
        "elapsed": elapsed,
        "scans": 1,
        "records": records,
        "cpu": {"user": cpu, "system": 0.0},
        "server_cpu": server,
        "machine_cpu": None,
        "memory": {"start": 10, "peak": 2_000_010, "curve": [(0.0, 10)]},
        "load_average": [],
        "server_threads": 1,
    }
    return as_scan(answer)


def test_lines_are_compared_with_the_best_peers() -> None:
    ours, file, *_ = (one for one in scans(("spikewire",), 100, 1_000) if one.way == OBJECTS)
    slow, fast = (one for one in scans(("aerospike",), 100, 1_000) if one.consumer == NOTHING)
    lines = scan_lines(
        {
            ours: [outcome(1_000, 0.5, 0.002, 0.48)],
            file: [outcome(1_000, 2.0, 0.010)],
            slow: [outcome(1_000, 2.0, 0.004)],
            fast: [outcome(1_000, 1.0, 0.008), {"failed": "no luck"}],
        }
    )
    first, second, _, last = lines
    # The faster peer does not count: one of its rounds failed.
    assert first.rate_ratio == pytest.approx(4.0)
    assert first.cpu_ratio == pytest.approx(0.5)
    assert first.grown == 2_000_000
    assert (second.rate_ratio, second.cpu_ratio) == (None, None)
    assert last.rate_ratio == pytest.approx(2.0)
    assert notes(first) == [f"{ours}: set by the server, busy 96% of its time"]
    assert notes(last) == [f"{fast}: no luck"]
    assert len(scan_row(first)) == len(SCAN_HEADINGS)
    assert scan_row(last)[0] == "aerospike !"
    assert scan_row(first)[4] == "1,000"
    assert scan_row(first)[10:] == ["2.0", "4.00", "0.50"]


def test_an_answer_that_lacks_something_is_a_failure() -> None:
    assert "lacks" in as_scan({"records": 1}).get("failed", "")  # type: ignore[operator]


def test_gets_that_failed_are_no_measure() -> None:
    failed = GetRound({"failed": "no luck"})
    (line,) = get_lines({Getter("spikewire", SYNC): [failed]})
    assert line.failures == ("no luck",)
    assert (line.beside.ratio, line.beside.scan_rate, line.among) == (None, None, None)
    assert len(get_row(line)) == len(GET_HEADINGS)


@pytest.mark.parametrize("mode", [SYNC, ASYNC])
def test_gets_among_scans_count_separately(filled: Cluster, mode: str) -> None:
    getting = job(filled, GET_AMONG_SCANS, mode)
    getting["shape"]["kind"] = "single"
    result = start(getting)
    assert result["errors"] == 0
    assert result["operations"] > 0
    assert result["latency"]["samples"] <= result["operations"]
    assert result["scanned"] % RECORDS == 0 < result["scanned"]
    assert result["scan_seconds"] > 0
    short = start({**getting, "keys": RECORDS - 1})
    assert "a scan gave 1,500 of 1,499 records" in short["failed"]


def test_only_fast_ways_are_used_for_scans_beside_gets() -> None:
    assert usual_way("spikewire", ASYNC) == OBJECTS
    assert usual_way("aerospike", SYNC) == "foreach"
    assert usual_way("aerospike-native", ASYNC) is None


def leave_out_consumers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps one consumer. The others are tested above; each would add a process per way and
    round."""

    def without(*args: Any, **more: Any) -> tuple[Scan, ...]:
        return tuple(scan for scan in scans(*args, **more) if scan.consumer == NOTHING)

    monkeypatch.setattr(lab, "scans", without)


def test_index_queries_are_compared_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out_consumers(monkeypatch)
    path = tmp_path / "index.json"
    flags = "--mode queries,index-queries --clients spikewire --records 1021 --record-size 64"
    status = run(
        *flags.split(),
        *("--select", "20", "--rounds", "1", "-d", "0.02", "--warmup", "0", "--pause", "0"),
        *("--json", str(path)),
    )
    out = capsys.readouterr().out
    assert status == 0, out
    assert "index queries that select 20 % of records of 64 bytes" in out
    report = json.loads(path.read_text())["scans"]
    assert [(one["mode"], one["way"], one["selected"], one["rows"]) for one in report] == [
        (mode, way, selected, 1021 if selected is None else 204)
        for selected in (None, 20)
        for mode in (SYNC, ASYNC)
        for way in (OBJECTS, ARROW)
    ]
    for line in report:
        assert line["runs"][0]["checked"] in (BY_KEY, BY_CONTENT)
        assert line["failures"] == []


def run(*arguments: str) -> int:
    argument_parser = argparse.ArgumentParser(prog="spikewire")
    add_parsers(argument_parser.add_subparsers(required=True))
    args = argument_parser.parse_args(["compare", *arguments])
    status: int = args.run(args)
    return status


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ("--mode queries,sync", "--mode queries is a comparison of its own: ask for sync"),
        ("--mode queries --threads 4", "--threads is not for --mode queries"),
        ("--mode scans-p99 -o I8", "--bins is not for --mode scans-p99"),
        ("--mode queries,scans-p99 -k 5", "--keys is not for --mode queries and scans-p99"),
        ("--mode queries --error-limit 1", "--error-limit is not for --mode queries"),
        ("--mode queries --records 1,2", "takes one number of records"),
        ("--mode queries --record-size 39", "--record-size 39: must be 40 to 1,000,000 bytes"),
        ("--mode queries --python nowhere", "--python nowhere: no such program"),
        ("--mode queries -H a --server-cpus 0", "--server-cpus is for the embedded cluster"),
        ("--mode sync --record-size 100", "--record-size is for --mode queries"),
        ("--mode queries --select 20", "--select is for --mode index-queries"),
        ("--mode index-queries --select 0", "--select 0: must be more than 0"),
        ("--mode index-queries --select 100", "--select 100: must be more than 0"),
        ("--mode sync --slow-records 100", "--slow-records is for --mode queries"),
        ("--mode scans-p99 --slow-records 100", "--slow-records is for --mode queries"),
    ],
)
def test_invalid_flags_are_rejected(
    flags: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*flags.split()) == USAGE
    assert text in capsys.readouterr().err


def test_scans_are_compared_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out_consumers(monkeypatch)
    path = tmp_path / "scans.json"
    flags = "--mode queries,scans-p99 --clients spikewire,null --records 600 --record-size 64"
    status = run(
        *flags.split(),
        *("--rounds", "2", "-d", "0.05", "--warmup", "0.01", "--pause", "0", "--json", str(path)),
    )
    out = capsys.readouterr().out
    assert status == 0, out
    assert "scans of records of 64 bytes" in out
    assert "single records: alone, beside 8 full scans of another process" in out
    assert "skipped: null: its scans are not measured here" in out
    report = json.loads(path.read_text())
    assert {(one["mode"], one["way"], one["consumer"]) for one in report["scans"]} == {
        (mode, way, NOTHING) for mode in (SYNC, ASYNC) for way in (OBJECTS, ARROW)
    }
    for line in report["scans"]:
        assert line["rounds"] == len(line["runs"]) == 2
        assert all(run["memory"]["peak"] > 0 for run in line["runs"])
        # Every record is checked in the first round only.
        assert ["checked" in run for run in line["runs"]] == [True, False]
        assert all(0 < line["server_busy"] < 2 for _ in line["runs"] if line["server_busy"])
    assert [(one["client"], one["mode"]) for one in report["gets"]] == [
        ("spikewire", SYNC),
        ("spikewire", ASYNC),
    ]
    for line in report["gets"]:
        assert line["failures"] == []
        for during in (line["beside"], line["among"]):
            assert during["latency"]["p50"] > 0
            known = {"p99"} & during["latency"].keys() & line["alone"].keys()
            assert (during["ratio"] is not None) == bool(known)
            assert during["scan_rate"] > 0
