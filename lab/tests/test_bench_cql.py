"""The lab for Cassandra clients: what is measured, how loops count, what is reported."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from argparse import ArgumentParser
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from spikewire.commands import add_parsers
from spikewire_lab.access import Access, Tls
from spikewire_lab.commands import compare_cql as flags
from spikewire_lab.contract.cql import as_cql
from spikewire_lab.cql import lab
from spikewire_lab.cql.cells import (
    ASYNCIO,
    CHAINS,
    CONCURRENT,
    FUTURES,
    PAGE,
    PATTERNS,
    PROMISES,
    TOKIO,
    UNTHROTTLED,
    Cell,
    Matrix,
    Shape,
    lacks,
)
from spikewire_lab.cql.clients import CLIENTS
from spikewire_lab.cql.clients.base import Verbs
from spikewire_lab.cql.data import COLUMNS, PAGE_ROWS, drawn, item, schema, wide
from spikewire_lab.cql.lab import CqlComparison, compare_cql
from spikewire_lab.cql.lines import collapses, summarise, with_ratios
from spikewire_lab.cql.loops import MANY, loop_of
from spikewire_lab.cql.processes import merged
from spikewire_lab.cql.servers import CannedServer, make_tables
from spikewire_lab.cql.table import markdown, remarks, row
from spikewire_lab.run import environment, node, rust
from spikewire_lab.run.launch import run_job
from spikewire_lab.run.progress import Progress
from spikewire_lab.run.rounds import shuffled
from spikewire_lab.studies.baseline import against
from spikewire_lab.studies.baseline.saved import CQL
from spikewire_lab.worker.meeting import GONE

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire_lab.contract.cql import CqlJob, CqlResult

SHAPE = Shape("canned", "insert", "blocking")


def parsed(*arguments: str) -> Any:
    parser = ArgumentParser()
    add_parsers(parser.add_subparsers())
    return parser.parse_args(["compare-cql", *arguments])


def result(**changes: Any) -> CqlResult:
    fields: dict[str, Any] = {
        "client": "acsylla",
        "version": "1",
        "protocol": "v5",
        "row_type": "dict",
        "loop": None,
        "python": {"version": "3.11", "build": "", "implementation": "", "free_threaded": False},
        "elapsed": 2.0,
        "operations": 1000,
        "errors": 0,
        "timeouts": 0,
        "first_error": None,
        "cpu": {"user": 0.01, "system": 0.03},
        "server_cpu": 0.5,
        "machine_cpu": 1.0,
        "switches": {"voluntary": 0, "involuntary": 0},
        "memory": {"ready": 10, "peak": 30},
        "cpus": [],
        "load_average": [],
    }
    fields.update(changes)
    return cast("CqlResult", fields)


# --- What is measured ---------------------------------------------------------------------------


def test_the_default_matrix_is_that_of_the_document() -> None:
    shapes = list(flags.settings(parsed()).matrix.shapes())
    assert {shape.server for shape in shapes} == {"cassandra", "canned"}
    threads = {s.threads for s in shapes if s.pattern == "pipeline" and s.operation == "insert"}
    assert threads == {1, 2, 4, 8, 16}
    chains = [s for s in shapes if s.pattern == CHAINS and s.server == "canned"]
    single = [s.depth for s in chains if s.threads == 1 and s.operation == "insert"]
    assert sorted(single) == [120, 250, 500, 5000]
    assert len(shapes) == len(set(shapes))


def test_clients_get_only_patterns_they_support() -> None:
    cells = [cell for group in flags.settings(parsed()).matrix.groups() for cell in group]
    assert {c.shape.pattern for c in cells if c.client == "acsylla"} == {"asyncio", "uvloop"}
    assert lacks("scyllapy", SHAPE) == "has no blocking interface"
    assert lacks("acsylla", replace(SHAPE, operation="page-arrow", pattern=ASYNCIO))
    for pattern in PATTERNS:
        reason = lacks("spikewire", replace(SHAPE, pattern=pattern))
        elsewhere = pattern in (PROMISES, TOKIO)
        assert reason == ("is for Python" if elsewhere else None)


def test_clients_for_node_are_compared_with_each_other() -> None:
    groups = flags.settings(parsed()).matrix.groups()
    mixed = [group for group in groups if len({CLIENTS[cell.client].runtime for cell in group}) > 1]
    assert not mixed
    in_node = [group for group in groups if group[0].shape.pattern == PROMISES]
    names = ["spikewire-node", "spikewire-node-compat", "cassandra-driver-node"]
    assert all([cell.client for cell in group] == names for group in in_node)
    shapes = {(group[0].shape.operation, group[0].shape.depth) for group in in_node}
    calls = {(what, many) for what in ("insert", "select") for many in (1, 128)}
    assert shapes == {*calls, ("page", 1)}
    assert not any("Node" in why for _, why in flags.settings(parsed()).matrix.absent())
    assert lacks("spikewire-node", SHAPE) == "is for Node.js"


def test_clients_for_rust_are_compared_with_each_other() -> None:
    groups = flags.settings(parsed("-z", "1,32,128")).matrix.groups()
    in_rust = [group for group in groups if group[0].shape.pattern == TOKIO]
    names = ["spikewire-rust", "scylla-rust", "cdrs-tokio"]
    for group in in_rust:
        server = group[0].shape.server
        assert [cell.client for cell in group] == (names[:2] if server == "canned" else names)
    shapes = {(group[0].shape.operation, group[0].shape.depth) for group in in_rust}
    operations = ("insert", "select", "page")
    assert shapes == {(what, many) for what in operations for many in (1, 32, 128)}
    assert set(names) == set(rust.CQL)
    assert lacks("cdrs-tokio", SHAPE) == "is for Rust"


def test_clients_for_rust_without_tls_are_left_out_where_it_is_needed() -> None:
    encrypted = Access(tls=Tls(ca="ca.pem"))
    reasons = {name: CLIENTS[name].barred(encrypted) for name in rust.CQL}
    assert reasons == {
        "spikewire-rust": None,
        **dict.fromkeys(("scylla-rust", "cdrs-tokio"), "is built without TLS here"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("client", [name for name in rust.CQL if CLIENTS[name].canned])
def test_the_programs_in_rust_measure_every_operation(client: str) -> None:
    program, reason = rust.find_built(rust.CQL[client][0])
    if program is None:
        pytest.skip(reason)
    with CannedServer(()) as server:
        server.start()
        make_tables(server.seed, schema(), server.access)
        for operation in ("insert", "select", "page"):
            job = lab.for_other_languages(node_job(operation, *server.seed))
            outcome = as_cql(run_job([str(program)], {**job, "client": client}))
            assert "failed" not in outcome, outcome
            assert outcome["operations"] > 0
            assert outcome["errors"] == 0
            assert (outcome["client"], outcome["loop"]) == (client, "tokio")
            assert outcome["protocol"] == ("v5" if client == "spikewire-rust" else "")
        refused = run_job([str(program)], {**job, "port": 1})
        assert refused["failed"]


@pytest.mark.slow
def test_the_worker_for_node_measures_every_operation() -> None:
    node_runner, reason = node.runner()
    if node_runner is None:
        pytest.skip(reason)
    with CannedServer(()) as server:
        server.start()
        make_tables(server.seed, schema(), server.access)
        for operation in ("insert", "select", "page"):
            job = lab.for_other_languages(node_job(operation, *server.seed))
            outcome = as_cql(node_runner.start(job))
            assert "failed" not in outcome, outcome
            assert outcome["operations"] > 0
            assert outcome["errors"] == 0
            assert (outcome["client"], outcome["protocol"]) == ("spikewire-node", "v5")
        refused = node_runner.start({**job, "port": 1})
        assert "ConnectionFailed" in str(refused["failed"])


def node_job(operation: str, host: str, port: int) -> CqlJob:
    return {
        "action": "cql",
        "step": "measure",
        "client": "spikewire-node",
        "operation": operation,
        "pattern": PROMISES,
        "threads": 1,
        "depth": 4,
        "host": host,
        "port": port,
        "canned": True,
        "keys": 100,
        "seed": 1,
        "warmup": 0.0,
        "duration": 0.2,
        "server_pid": None,
        "cpus": [],
    }


def test_every_client_binds_the_same() -> None:
    assert drawn("insert", 100, 1, 0, 4) == drawn("insert", 100, 1, 0, 4)
    assert drawn("insert", 100, 1, 0, 4) != drawn("insert", 100, 1, 1, 4)
    keys = [row[:1] for row in drawn("insert", 100, 1, 0, 4)]
    assert drawn("select", 100, 1, 0, 4) == keys
    assert len(str(item(7)[2])) > 100
    assert len(wide(3)) == len(COLUMNS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-H", "a,b"], "one address"),
        (["--nodes", "3", "--servers", "canned"], "--nodes is for"),
        (["--replicas", "3"], "only 1 nodes"),
        (["--burst", "3", "--threads", "4"], "fewer calls"),
        (["--clients", "acsylla", "--patterns", "blocking"], "none of these"),
    ],
)
def test_invalid_flags_are_rejected(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flags.run(parsed(*arguments)) == flags.USAGE
    assert words in capsys.readouterr().err


# --- Loops --------------------------------------------------------------------------------------


class Fake:
    """A client whose third call fails, and that is told to stop during the tenth."""

    def __init__(self) -> None:
        self.calls = 0
        self.stop: list[bool] = []
        self.errors: list[BaseException] = []

    def execute(self, _p: object) -> None:
        self.calls += 1
        if self.calls == 10:
            self.stop.append(True)
        if self.calls == 3:
            raise ValueError("the third")

    def start(self, p: object) -> Future[None]:
        future: Future[None] = Future()
        try:
            self.execute(p)
            future.set_result(None)
        except ValueError as error:
            future.set_exception(error)
        return future

    async def awaited(self, p: object) -> None:
        await asyncio.sleep(0)
        self.execute(p)

    def verbs(self, asynchronous: bool = False) -> Verbs:
        names = {"execute": self.awaited if asynchronous else self.execute, "start": self.start}
        return Verbs(
            call="await execute(p)" if asynchronous else "execute(p)",
            start="start(p)",
            finish="future.result()",
            chain="start(p).add_done_callback(done)",
            held="value.result()",
            many="for p in rows:\n"
            "    try: execute(p)\n"
            "    except ValueError as error: failed(error)",
            names=names,
        )


@pytest.mark.parametrize("pattern", ["blocking", *FUTURES])
def test_every_call_of_a_thread_is_counted_with_its_errors(pattern: str) -> None:
    fake = Fake()
    loop: Any = loop_of(pattern, fake.verbs())
    tried = loop(iter([()] * 1000), fake.stop, fake.errors.append, 4)
    assert tried == fake.calls >= 10
    assert tried < 20
    assert [str(error) for error in fake.errors] == ["the third"]


@pytest.mark.parametrize("pattern", ["blocking", "concurrent", *FUTURES])
def test_loops_end_when_there_is_nothing_more_to_bind(pattern: str) -> None:
    fake = Fake()
    loop: Any = loop_of(pattern, fake.verbs())
    tried = loop(iter([()] * 7), [], fake.errors.append, 4)
    assert tried == fake.calls == 7


def test_a_call_for_many_rows_counts_each_of_them() -> None:
    fake = Fake()
    loop: Any = loop_of(CONCURRENT, fake.verbs())
    tried = loop(iter([()] * 1000), fake.stop, fake.errors.append, 4)
    assert tried == fake.calls == 4 * MANY
    assert [str(error) for error in fake.errors] == ["the third"]


def test_a_call_that_fails_as_a_whole_fails_for_each_row() -> None:
    errors: list[BaseException] = []
    loop: Any = loop_of(CONCURRENT, Verbs(call="", many="raise ValueError(len(rows))"))
    assert loop(iter([()] * 7), [], errors.append, 4) == len(errors) == 7


def test_tasks_count_as_threads_do() -> None:
    fake = Fake()
    loop: Any = loop_of(ASYNCIO, fake.verbs(asynchronous=True))

    async def main() -> int:
        streams = [iter([()] * 100) for _ in range(3)]
        each = [loop(stream, fake.stop, fake.errors.append, 1) for stream in streams]
        return sum(await asyncio.gather(*each))

    assert asyncio.run(main()) == fake.calls < 20
    assert [str(error) for error in fake.errors] == ["the third"]


# --- Reports --------------------------------------------------------------------------------------


def test_lines_have_medians_and_compare_with_the_best_peer() -> None:
    ours = summarise(Cell("spikewire", SHAPE), [result(elapsed=e) for e in (1.0, 0.5, 2.0)])
    peer = summarise(Cell("cassandra-driver", SHAPE), [result()])
    flawed = summarise(Cell("acsylla", SHAPE), [result(errors=2, elapsed=0.1)])
    assert ours.rate is not None
    assert ours.rate.median == 1000
    assert ours.cpu is not None
    assert ours.cpu.median == pytest.approx(40)
    assert ours.grown == 20
    first, *_ = with_ratios([ours, peer, flawed])
    assert first.rate_ratio == 2
    assert flawed.flawed


def test_few_errors_do_not_flag_a_line_and_timeouts_count_separately() -> None:
    rounds = [result(errors=3, timeouts=2, first_error="ReadTimeout: late")]
    cell = Cell("acsylla", SHAPE)
    assert summarise(cell, rounds).flawed
    line = summarise(cell, rounds, error_limit=0.003)
    assert not line.flawed
    assert line.error_share == 3 / 1003
    assert "3 (2 timeouts)" in row(line)
    text, *_ = remarks([[line]])
    assert text.endswith("3 errors, 2 of them timeouts, the first: ReadTimeout: late")


def test_a_page_is_one_call() -> None:
    page = Cell("acsylla", replace(SHAPE, operation=PAGE))
    line = summarise(page, [result(errors=1, operations=9 * PAGE_ROWS)])
    assert line.error_share == 1 / 10


def test_clients_alternate_on_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[tuple[str, str]] = []

    def answer(_command: object, job: CqlJob, *_: object) -> object:
        if job["step"] == "measure":
            order.append((job["operation"], job["client"]))
            if len(order) == 7:
                raise KeyboardInterrupt
            return result()
        return {"unavailable": None}

    monkeypatch.setattr(lab, "run_job", answer)
    flag_text = "--servers canned --patterns asyncio -z 1 --clients spikewire,acsylla --pause 0"
    settings = flags.settings(parsed(*flag_text.split(), "--operations", "insert,select"))
    comparison = compare_cql(settings, [], Progress(bar=False))
    every = [cell for group in settings.matrix.groups() for cell in group]
    turns = [cell for number in range(2) for cell in shuffled(every, settings.seed, number)]
    assert order == [(cell.shape.operation, cell.client) for cell in turns[:7]]
    assert comparison.interrupted
    assert sum(map(len, comparison.rounds.values())) == 6
    # Tables keep the order of the flags, whatever was measured first.
    assert [group[0].cell.shape.operation for group in comparison.lines()] == ["insert", "select"]


def test_failed_rounds_are_listed_and_not_counted() -> None:
    line = summarise(Cell("spikewire", SHAPE), [{"failed": "no"}, result()])
    assert line.flawed
    assert line.failures == ("no",)
    assert line.rate is not None
    assert line.rate.median == 500


def test_a_collapse_in_throughput_is_reported() -> None:
    few = Cell("spikewire", Shape("canned", "insert", CHAINS, 1, 120))
    many = Cell("spikewire", Shape("canned", "insert", CHAINS, 1, 5000))
    (text,) = collapses({few: [result()], many: [result(elapsed=4.0)]})
    assert "5,000 chains reach 50 % of the rate of 120" in text


def test_markdown_has_every_line_and_note() -> None:
    args = parsed("--clients", "spikewire,acsylla", "--servers", "canned")
    comparison = CqlComparison(flags.settings(args), interrupted=True)
    comparison.rounds[Cell("spikewire", SHAPE)] = [result()]
    text = markdown(comparison)
    assert "| blocking, 1 thread | spikewire" in text
    assert "acsylla: has no blocking interface" in text
    assert "interrupted" in text


def report_of(operations: int, rounds: int) -> dict[str, Any]:
    """The JSON of a comparison with two lines, one of which has this many operations."""
    comparison = CqlComparison(
        flags.settings(parsed("--clients", "spikewire,acsylla", "--servers", "canned"))
    )
    comparison.environment = environment.machine([])
    for client in ("spikewire", "acsylla"):
        many = operations if client == "spikewire" else 1000
        runs: list[Any] = [result(client=client, operations=many + at) for at in range(rounds)]
        comparison.rounds[Cell(client, SHAPE)] = runs
    read: dict[str, Any] = json.loads(json.dumps(comparison.as_json()))
    return read


def test_a_saved_comparison_is_a_baseline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "before.json"
    path.write_text(json.dumps(report_of(1000, 6)))
    baseline = against.of_flag(parsed("--baseline", str(path), "--rounds", "6"), (CQL,))
    assert baseline is not None
    assert against.ended(0, baseline, report_of(1000, 6)) == 0
    assert "0 better; 0 worse; 6 no change found" in capsys.readouterr().out
    assert against.ended(0, baseline, report_of(800, 6)) == against.GOT_WORSE
    lines = capsys.readouterr().out.splitlines()
    worse = [line for line in lines if "worse" in line and "spikewire" in line]
    # As much processor time for fewer operations.
    assert len(worse) == 2
    assert any("spikewire insert blocking, 1 thread, canned" in line for line in worse)
    assert any("throughput (op/s)" in line and "-20.0%" in line for line in worse)
    assert against.ended(0, baseline, report_of(800, 2)) == against.CANNOT_TELL
    assert "cannot tell with 2 rounds, 5 needed" in capsys.readouterr().out
    assert against.ended(1, baseline, report_of(800, 6)) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "is not JSON"), ('{"kind": "cql"}', "not a whole comparison: 'cells'")],
)
def test_an_invalid_baseline_is_rejected_before_a_server_starts(
    content: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "before.json"
    path.write_text(content)
    assert flags.run(parsed("--baseline", str(path))) == flags.USAGE
    errors = capsys.readouterr().err
    assert "--baseline: " in errors
    assert words in errors


def test_bursts_are_shared_by_threads() -> None:
    matrix = replace(Matrix(("spikewire",), ("canned",), ("insert",), (), (), (), (), 100))
    unthrottled = replace(matrix, patterns=(UNTHROTTLED,), threads=(1, 4))
    assert [shape.depth for shape in unthrottled.shapes()] == [100, 100]


# --- Several processes ----------------------------------------------------------------------------


def test_processes_are_for_clients_in_python() -> None:
    shapes = list(flags.settings(parsed("--processes", "1,4")).matrix.shapes())
    assert {shape.processes for shape in shapes if shape.pattern in ("blocking", ASYNCIO)} == {1, 4}
    assert {shape.processes for shape in shapes if shape.pattern in (PROMISES, TOKIO)} == {1}
    assert replace(SHAPE, processes=4).title == "blocking, 1 thread, 4 processes"


def test_the_result_of_processes_is_the_sum_of_what_they_did_at_the_same_time() -> None:
    second = {"opened": 10**9 + 10**8, "elapsed": 2.5, "server_cpu": 0.7}
    both = merged([result(opened=10**9), result(**second, errors=2, first_error="late")], 2.0)
    assert (both["operations"], both["errors"], both["first_error"]) == (2000, 2, "late")
    assert both["cpu"] == {"user": 0.02, "system": 0.06}
    assert both["memory"] == {"ready": 20, "peak": 60}
    assert both["elapsed"] == 2.5
    assert both["server_cpu"] == pytest.approx(0.6)
    assert both["apart"] == pytest.approx(0.1)


def test_processes_that_did_not_work_at_the_same_time_are_no_result() -> None:
    late = result(opened=10**9)
    assert merged([result(opened=0), late], 2.0)["failed"] == "the processes began 1,000 ms apart"
    gone, cause = {"failed": f"it ended: {GONE}"}, {"failed": "no memory"}
    failed = merged([late, as_cql(gone), as_cql(cause)], 2.0)["failed"]
    assert failed == "one of 3 processes: no memory"


# --- End to end -----------------------------------------------------------------------------------

QUICK = ("--servers", "canned", "--rounds", "1", "-d", "0.2", "--warmup", "0.1", "--pause", "0")


@pytest.mark.slow
def test_the_command_measures_and_writes_both_files(tmp_path: Path) -> None:
    pytest.importorskip("cassandra.cluster", exc_type=ImportError)
    command = [
        *(sys.executable, "-m", "spikewire", "compare-cql", *QUICK),
        *("--clients", "spikewire,cassandra-driver", "--operations", "insert,select,page"),
        *("--threads", "2", "--chains", "300", "-z", "4", "--burst", "50"),
        *("--json", str(tmp_path / "a.json"), "--markdown", str(tmp_path / "a.md")),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, ended.stderr
    report = json.loads((tmp_path / "a.json").read_text())
    patterns = {cell["cell"]["shape"]["pattern"] for cell in report["cells"]}
    assert patterns - {"uvloop"} == set(PATTERNS) - {"uvloop", PROMISES, TOKIO}
    assert all(cell["rate"]["median"] > 0 for cell in report["cells"])
    assert {cell["protocol"] for cell in report["cells"]} == {"v5"}
    assert "300 callback chains" in (tmp_path / "a.md").read_text()


@pytest.mark.slow
def test_several_processes_measure_together(tmp_path: Path) -> None:
    # Long, because they may begin a tenth of it apart, on a machine that does other work as well.
    command = [
        *(sys.executable, "-m", "spikewire", "compare-cql", *QUICK, "-d", "4", "--rounds", "1"),
        *("--clients", "spikewire", "--operations", "insert", "--patterns", "blocking"),
        *("--threads", "2", "--processes", "2", "--json", str(tmp_path / "a.json")),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    cells = json.loads((tmp_path / "a.json").read_text())["cells"]
    assert [cell["rate"]["median"] > 0 for cell in cells] == [True]


@pytest.mark.slow
def test_an_interrupted_comparison_keeps_what_is_finished(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "spikewire", "compare-cql", *QUICK),
        # More rounds than there is time for: the interrupt comes before the end.
        *("--rounds", "100"),
        *("--clients", "spikewire", "--operations", "insert", "--patterns", "blocking"),
        *("--json", str(tmp_path / "a.json"), "--markdown", str(tmp_path / "a.md")),
    ]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stderr is not None
        while not running.stderr.readline().startswith("[1/"):
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=120)
    assert running.returncode == flags.INTERRUPTED
    report = json.loads((tmp_path / "a.json").read_text())
    assert report["interrupted"]
    assert 1 <= len(report["cells"]) < 5
