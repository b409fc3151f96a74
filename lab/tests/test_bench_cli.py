"""Flags of `spikewire bench` and `spikewire compare`: their meaning, and what they reject."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.commands import add_parsers
from spikewire_lab.commands import bench, compare
from spikewire_lab.run import place
from spikewire_lab.run.place import Place

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire_lab.plan import Matrix


def parser() -> argparse.ArgumentParser:
    argument_parser = argparse.ArgumentParser(prog="spikewire")
    add_parsers(argument_parser.add_subparsers(required=True))
    return argument_parser


def run(*arguments: str) -> int:
    args = parser().parse_args(arguments)
    status: int = args.run(args)
    return status


def test_short_flags_are_parsed() -> None:
    flags = "-H a:1,b -n ns -s st -k 10 -o I8,S20 -w RU,75 -z 64 -d 2.5 --warmup 0"
    args = parser().parse_args(["bench", *flags.split()])
    assert args.hosts == (("a", 1, ""), ("b", 3000, ""))
    assert (args.namespace, args.set_name, args.keys) == ("ns", "st", 10)
    assert (args.bins, args.workload) == ("I8,S20", "RU,75")
    assert (args.async_tasks, args.duration, args.warmup) == (64, 2.5, 0)


@pytest.mark.parametrize("command", ["bench", "compare", "lab sdk"])
def test_every_command_has_the_flags_of_the_cluster(command: str) -> None:
    flags = "-H a:1,b:2 --nodes 4 --server-threads 2 -n ns -s st --server-cpus 1"
    args = parser().parse_args([*command.split(), *flags.split(), "--replication-factor", "3"])
    assert Place(**place.options_of(args)) == Place(
        hosts=(("a", 1), ("b", 2)),
        namespace="ns",
        set_name="st",
        nodes=4,
        server_threads=2,
        server_cpus=(1,),
        replication_factor=3,
    )


def test_compare_takes_lists() -> None:
    flags = "--clients spikewire,aerospike --mode sync -z 1,8,1 --threads 2"
    args = parser().parse_args(["compare", *flags.split()])
    assert args.clients == ("spikewire", "aerospike")
    assert args.modes == ("sync",)
    assert args.async_tasks == (1, 8)
    assert args.threads == (2,)


def test_a_pool_of_one_client_has_so_many_tasks_on_each_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups: list[Any] = []

    def measured(_kind: str, _args: object, matrix: Matrix) -> int:
        groups.extend(matrix.groups())
        return 0

    monkeypatch.setattr(bench, "run_matrix", measured)
    line = "bench --client aerospike-sdk --mode async-uvloop --pool-loops 4 -z 64"
    assert bench.run(parser().parse_args(line.split())) == 0
    ((cell,),) = groups
    assert (cell.client, cell.mode, cell.loops) == ("aerospike-sdk", "async-uvloop", 4)
    assert (cell.concurrency, cell.shape.way) == (256, "pool")


def test_runs_about_many_records_are_short_by_themselves_only() -> None:
    defaults = parser().parse_args(["compare"])
    assert (defaults.duration, defaults.warmup, defaults.pause) == (None, None, None)
    assert defaults.modes == ("async", "async-uvloop", "sync", "rust", "rust-sync", "node")
    alone = parser().parse_args(["bench"])
    assert (alone.duration, alone.warmup, alone.pause) == (10, 2, 0.5)


@pytest.mark.parametrize(
    ("modes", "seconds"),
    [
        ("batch", 1),
        ("batch,columns", 1),
        ("sync", 2),
        ("sync,batch", 2),
        ("apis", 1.5),
        ("pool", 1.5),
    ],
)
def test_the_modes_set_the_pace(
    modes: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    paces: list[tuple[float, float]] = []

    def noted(_kind: str, args: argparse.Namespace, _matrix: object) -> int:
        paces.append((args.duration, args.warmup))
        return 0

    monkeypatch.setattr(compare, "run_matrix", noted)
    assert run("compare", "--mode", modes) == 0
    assert run("compare", "--mode", modes, "-d", "3") == 0
    assert [duration for duration, _ in paces] == [seconds, 3]
    assert paces[0][1] == paces[1][1] < seconds


def test_other_apis_bring_their_clients_modes_and_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    matrices: list[Matrix] = []

    def noted(_kind: str, _args: argparse.Namespace, matrix: Matrix) -> int:
        matrices.append(matrix)
        return 0

    monkeypatch.setattr(compare, "run_matrix", noted)
    assert run("compare", "--mode", "apis") == 0
    assert run("compare", "--mode", "apis", "--clients", "spikewire", "--batch-sizes", "4") == 0
    assert run("compare") == 0
    usual, named, others = matrices
    assert {"spikewire", "spikewire-builder", "spikewire-compat", "aerospike"} <= {*usual.clients}
    assert {group[0].mode for group in usual.groups()} == {"async", "sync"}
    assert (named.clients, named.sizes.reads) == (("spikewire",), (4,))
    assert not {"spikewire-builder", "spikewire-compat"} & {*others.clients}


def test_pools_are_compared_by_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    matrices: list[Matrix] = []

    def noted(_kind: str, _args: argparse.Namespace, matrix: Matrix) -> int:
        matrices.append(matrix)
        return 0

    monkeypatch.setattr(compare, "run_matrix", noted)
    assert run("compare", "--mode", "pool") == 0
    flags = "-z 8 --loops 2 --work 0,5 --threads 3"
    assert run("compare", "--mode", "pool", *flags.split()) == 0
    usual, chosen = matrices
    assert usual.clients == chosen.clients == ("spikewire",)
    assert (usual.loops, usual.tasks, usual.work) == ((1, 2, 4), (128,), (0, 20))
    assert (chosen.loops, chosen.tasks, chosen.work, chosen.threads) == ((2,), (8,), (0, 5), (3,))


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ("-k 0", "'0' is not a whole number of 1 or more"),
        ("-k many", "'many' is not a whole number"),
        ("-d 0", "0 s is no time"),
        ("-d -1", "not between 0 and a day"),
        ("-d nan", "not between 0 and a day"),
        ("-d soon", "not a number of seconds"),
        ("-o I9", "the size in 'I9' must be 1 to 8"),
        ("-w RU,101", "the percentage 101 must be 0 to 100"),
        ("-w XY", "is not one of: I | RU"),
        ("--misses 101", "not between 0 and 100"),
        ("--distribution normal", "invalid choice"),
        ("-H a:0", "0 is not a port"),
        ("--lat-sample-every 0", "1 or more"),
        ("--client nobody", "'nobody' is not a client: choose from spikewire, "),
        ("--mode fast", "invalid choice: 'fast'"),
        ("--gil maybe", "invalid choice: 'maybe'"),
        ("--client-cpus 0-3", "not a list of processor numbers"),
        ("--dur 1", "unrecognized arguments"),
        ("-z 1,32", "'1,32' is not a whole number"),
    ],
)
def test_invalid_flags_are_rejected_with_a_reason(
    flags: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        parser().parse_args(["bench", *flags.split()])
    assert stopped.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ("--mode batches", "'batches' is not a mode: choose from async"),
        ("--batch-sizes 4,none", "'none' is not a whole number"),
        ("--clients spikewire,nobody", "'nobody' is not a client: choose from spikewire"),
        ("--mode async,fast", "'fast' is not a mode"),
        ("-z 1,0", "'0' is not a whole number"),
    ],
)
def test_invalid_lists_are_rejected_with_a_reason(
    flags: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["compare", *flags.split()])
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("bench --client aerospike --mode async", "aerospike has no asyncio interface"),
        ("bench --client aerospike-rust --mode sync", "is a Rust crate: its mode is rust"),
        ("bench --client spikewire --mode rust", "is not a Rust crate"),
        ("bench --client spikewire --mode node", "is not an npm package"),
        ("bench --client spikewire-node --mode sync", "is an npm package: its mode is node"),
        ("bench --hlog pyproject.toml", "--hlog pyproject.toml: not a folder"),
        ("compare --mode queries --hlog logs", "--hlog is not for --mode queries"),
        ("bench --client spikewire-rust --processes 2", "--processes is not for --mode rust"),
        ("bench --processes 3 --max-ops 2", "--max-ops 2: fewer operations than the 3 processes"),
        ("bench --per-process", "--per-process is for several --processes"),
        ("compare --mode rust --processes 2", "--processes is for --mode async or"),
        ("compare --mode queries --per-process", "--per-process is not for --mode queries"),
        ("compare --mode sync --in-flight 2", "--in-flight is for --mode rust or node"),
        ("compare --mode node -k 511", "-k 511: fewer keys than the 512 workers"),
        ("compare --mode node-batch -k 127 --in-flight 1", "fewer keys than a batch of 128"),
        ("compare --mode node-queries --processes 2", "--processes is not for --mode node-queries"),
        ("compare --mode node-queries --python python3", "--python is not for --mode node-queries"),
        ("compare --clients aerospike --mode async", "none of these clients has any of these"),
        ("compare --mode sync --batch-sizes 4", "--batch-sizes is for --mode batch"),
        ("compare --mode columns --write-sizes 4", "--write-sizes is for --mode batch"),
        ("compare --mode batch --records 4", "--records is for --mode columns"),
        ("compare --column-bins 4", "--column-bins is for --mode columns"),
        ("compare --mode batch -w I", "nothing to read for --mode batch"),
        ("compare --mode batch -k 500", "-k 500: fewer keys than a batch of 1024"),
        ("compare --mode apis,sync", "--mode apis is a comparison of its own"),
        ("compare --mode pool,sync", "--mode pool is a comparison of its own"),
        ("compare --mode pool -z 3", "-z 3: fewer tasks than 4 event loops"),
        ("compare --mode pool -w I", "-w I writes every key once"),
        ("compare --mode pool -k 100", "-k 100: fewer keys than the"),
        ("compare --mode pool --clients spikewire-rust", "none of these clients has any of these"),
        ("compare --mode sync --loops 2", "--loops is for --mode pool"),
        ("compare --work 0", "--work is for --mode pool"),
        ("bench -H a --server-cpus 0", "--server-cpus is for the embedded cluster"),
        ("bench -H a --replication-factor 2", "--replication-factor is for the embedded cluster"),
        ("lab sdk -H a --server-cpus 0", "--server-cpus is for the embedded cluster"),
        ("bench --nodes 2 --replication-factor 3", "more copies than the nodes, which are 2"),
        ("compare --mode queries -H a --replication-factor 2", "is for the embedded cluster"),
        ("bench --pool-loops 2 --mode sync", "--mode sync has no event loops"),
        ("bench --pool-loops 2 --client aerospike-native", "aerospike-native has no pool"),
        ("bench --pool-loops 2 --processes 2", "not with --processes"),
        ("bench --truncate --no-populate -w MIX,read=50,touch=50", "and touch needs records"),
        ("compare --mode batch --truncate --no-populate", "has whole reads and writes"),
        ("bench --max-ops 5 --rate 10", "--max-ops is not for --rate"),
        ("compare --mode sync,batch --max-ops 5", "--max-ops is not for --mode batch"),
        ("compare --mode queries --truncate", "--truncate is not for --mode queries"),
        ("bench --services-alternate", "is for a cluster given by -H"),
        ("compare --mode queries --services-alternate", "is for a cluster given by -H"),
        ("lab latency --services-alternate", "is for a cluster given by -H"),
        ("bench --user app --password p --auth pki", "--auth pki takes no --user"),
        ("bench -H a:db --user app --password p", "-H has the TLS name db: it needs --tls"),
        ("compare --mode queries --tls-name db", "--tls-name is for a cluster given by -H"),
        ("lab sdk --user app --password p --auth external", "it needs --tls"),
        ("lab sdk --user app", "--user app needs --password, or the variable"),
        ("compare-cql --user app --password p", "--user is for a Cassandra given by -H"),
        ("compare-cql --tls --servers canned", "--tls: the server canned has none"),
        ("compare-cql --tls-name db", "--tls-name is for a cluster given by -H"),
        ("bench -k 16 -z 32", "fewer keys than the 32 workers"),
        # Of the modes that are measured, not of others.
        ("compare --mode sync --threads 2 -k 1", "-k 1: fewer keys than the 2 workers"),
        ("bench -w RMI -o S10", "adds to an integer bin, and -o S10 has none"),
        ("bench -w I --misses 5", "has no reads of whole records"),
        ("bench -w I --distribution zipfian", "writes every key once"),
        ("compare -w RMU --mode batch", "whole reads and writes of uniform keys alone"),
        ("compare -w YCSB-A --mode columns", "whole reads and writes of uniform keys alone"),
        ("bench --python no-such-python", "--python no-such-python: no such program"),
        ("lab noise --python no-such-python", "--python no-such-python: no such program"),
        ("bench --json /dev/null/x.json", "--json /dev/null/x.json: /dev/null is no folder"),
        ("compare --mode queries --json /dev", "--json /dev: a folder"),
        ("compare-cql --markdown /dev/null/x", "--markdown /dev/null/x: /dev/null is no folder"),
    ],
)
def test_conflicting_flags_are_rejected(
    line: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
    assert run(*line.split()) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["bench", "compare", "compare --mode queries", "compare-cql", "lab noise"]
)
def test_an_unreachable_seed_is_reported_before_writing(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
    assert run(*command.split(), "-H", "127.0.0.1:1") == 1
    errors = capsys.readouterr().err
    assert "no seed can be reached: 127.0.0.1:1" in errors
    assert "writing" not in errors


def test_a_run_ends_with_a_table_a_file_and_status_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
    path = tmp_path / "floor.json"
    flags = "bench --client null --mode sync --threads 2 -d 0.1 --warmup 0 --pause 0 -k 100"
    assert run(*flags.split(), "-z", "2", "--json", str(path)) == 0
    captured = capsys.readouterr()
    assert "sync, 2 threads" in captured.out
    assert "null" in captured.out
    assert str(path) in captured.err
    assert json.loads(path.read_text())["environment"]["command_line"] == [
        "spikewire",
        *sys.argv[1:],
    ]


def test_each_second_is_printed_and_logs_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
    path, logs = tmp_path / "floor.json", tmp_path / "logs"
    flags = "bench --client null --mode sync --threads 1 -d 2.1 --warmup 0 --cooldown 0 -k 100"
    flags += f" --lines --json {path} --hlog {logs}"
    assert run(*flags.split()) == 0
    errors = capsys.readouterr().err
    for second in (1, 2):
        assert re.search(rf"^ +{second} s +[\d,]+ op/s .* 0 errors  0 timeouts ", errors, re.M)
    assert sorted(file.name for file in logs.iterdir()) == [
        f"null-sync-1-round-1-{kind}.hlog" for kind in ("read", "write")
    ]
    (cell,) = json.loads(path.read_text())["cells"]
    (ran,) = cell["runs"]
    assert sum(ran["series"]["operations"]) == ran["operations"]
    assert ran["series"]["interval"] == 0.1
    assert "read" not in ran["series"]


@pytest.mark.parametrize("command", ["bench", "compare", "compare-cql"])
def test_the_cool_down_flag_sets_the_pause(command: str) -> None:
    for flag in ("--pause", "--cooldown"):
        assert parser().parse_args([command, flag, "1.5"]).pause == 1.5


@pytest.mark.parametrize("command", ["bench", "compare"])
def test_the_help_describes_each_workload(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parser().parse_args([command, "--help"])
    assert stopped.value.code == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "YCSB-A" in output
    assert "r % reads" in output
