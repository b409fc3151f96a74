"""Open loops on the command line and in tables: rates, sweeps, remarks."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from spikewire.testing import Cluster
from spikewire_lab.clients import FLOOR
from spikewire_lab.commands.run import FLAWED
from spikewire_lab.contract.open import NO_MAP
from spikewire_lab.measure import encode
from spikewire_lab.plan import Cell, Matrix
from spikewire_lab.run import sweep
from spikewire_lab.run.compare import CannotRunError, Comparison
from spikewire_lab.run.report import show, title
from spikewire_lab.table.figures import Spread
from spikewire_lab.table.headings import columns, row
from spikewire_lab.table.line import Line
from spikewire_lab.table.open_figures import PACING, notes
from spikewire_lab.table.summary import summarise, with_ratios
from spikewire_lab.work.shape import Shape
from test_bench_cli import run
from test_bench_compare import FLOOR as SETTINGS
from test_bench_summary import a_result

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire_lab.contract.result import Result

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")


def opened(unsent: int = 0, elapsed: float = 1.0, **more: int) -> Result:
    result = a_result(operations=100 - unsent, elapsed=elapsed)
    result["open"] = {
        "rate": 100.0,
        "arrivals": "constant",
        "scheduled": 100,
        "unsent": unsent,
        "service": encode([5_000] * 1_000),
        "service_max_ns": 5_000,
        "late": encode([1_000] * 100),
        "late_max_ns": 1_000,
        "outstanding_most": 3,
        "held": more.get("held", 0),
        "pacing_calls": 50,
        "pacing_cpu": 0.0005,
    }
    return result


CELL = Cell("spikewire", "sync", 32, rate=100.0)


def test_service_times_stand_beside_response_times() -> None:
    line = summarise(CELL, [opened(), opened()])
    assert line.open is not None
    assert line.rate == Spread(100, 100, 100)
    assert line.latency is not None
    assert line.latency["p50"] == pytest.approx(10, rel=0.001)
    assert line.open.service["p99"] == pytest.approx(5, rel=0.001)
    assert (line.open.scheduled, line.open.outstanding_most) == (200, 3)
    assert line.open.kept_up
    assert summarise(replace(CELL, rate=0.0), [a_result()]).open is None


def test_clients_that_did_not_keep_up_are_noted() -> None:
    behind = summarise(CELL, [opened(), opened(unsent=40)])
    assert notes(behind) == [
        "spikewire at 100/s: did not keep up with the rate, 40 of 200 calls had not begun"
    ]
    slow = summarise(CELL, [opened(elapsed=1.06), opened()])
    assert notes(slow) == ["spikewire at 100/s: did not keep up with the rate"]
    held = summarise(CELL, [opened(held=7)])
    assert notes(held) == [
        "spikewire at 100/s: 7 of 100 calls were due while 32 were outstanding, and waited"
    ]
    assert notes(summarise(CELL, [opened()])) == []


def test_the_cost_of_pacing_is_printed_and_subtracted() -> None:
    result = opened()
    result["cpu"] = {"user": 0.002, "system": 0.001}
    line = with_ratios([summarise(CELL, [result])])[0]
    assert line.open is not None
    assert line.cpu == Spread(30, 30, 30)
    # Fifty calls that did nothing took 500 microseconds.
    assert line.open.generator == pytest.approx(10)
    assert line.open.less_pacing == pytest.approx(20)
    assert PACING in notes(line)
    assert line.rate_ratio is None
    behind = with_ratios([summarise(CELL, [result, opened(unsent=40)])])[0]
    assert behind.open is not None
    assert behind.open.generator == pytest.approx(10)
    assert behind.open.less_pacing is None
    result["open"]["pacing_cpu"] = 0.0001
    assert notes(summarise(CELL, [result])) == []


def test_a_batch_is_one_call_of_many_operations() -> None:
    result = opened()
    result["operations"] = 800
    result["cpu"] = {"user": 0.002, "system": 0.001}
    cell = replace(CELL, shape=Shape("batch-read", 8))
    line = summarise(cell, [result])
    assert line.open is not None
    assert line.open.generator == pytest.approx(10 / 8)
    assert line.open.less_pacing == pytest.approx(20 / 8)
    assert sweep.calls(line) == pytest.approx(100)
    headings = columns("batch-read", opened=True)
    cells = {one.name: text for one, text in zip(headings, row(line), strict=True)}
    assert (cells["records"], cells["reached"], cells["CPU us/row"]) == ("8", "100", "3.75")


def test_a_pool_that_is_handed_commands_has_no_open_loop() -> None:
    matrix = Matrix(
        ("spikewire",), ("pool",), (8,), (2,), (1,), ("",), loops=(2,), rates=(10.0, 20.0)
    )
    ways = {cell.shape.way for group in matrix.groups() for cell in group}
    assert ways == {"", "pool", "each"}
    absent = [cell for cell, reason in matrix.absent() if reason == NO_MAP]
    assert {(cell.mode, cell.rate) for cell in absent} == {
        (mode, rate) for mode in ("async", "async-uvloop") for rate in (10.0, 20.0)
    }
    assert absent[0].beside(matrix.groups()[0][0])
    assert replace(matrix, rates=()).absent() == ()


def test_a_matrix_of_rates_has_open_loops_alone() -> None:
    matrix = Matrix(("spikewire",), ("sync",), (1,), (8, 32), (1,), ("",), rates=(10.0, 20.0))
    cells = [group[0] for group in matrix.groups()]
    assert [(cell.concurrency, cell.rate) for cell in cells] == [
        (8, 10.0),
        (8, 20.0),
        (32, 10.0),
        (32, 20.0),
    ]
    assert not cells[0].beside(cells[1])
    assert str(cells[0]) == "spikewire sync 8 at 10/s"


def test_a_sweep_takes_shares_of_what_the_slowest_can_do() -> None:
    def line(client: str, rate: float) -> Line:
        return Line(Cell(client, "sync", 1), 1, (), rate=Spread(rate, rate, rate))

    groups = [[line("spikewire", 9000), line(FLOOR, 1)], [line("aerospike", 4444)]]
    slowest = sweep.slowest(groups)
    assert slowest.cell.client == "aerospike"
    assert sweep.rates(slowest) == (1100.0, 2200.0, 3300.0, 4000.0)
    with pytest.raises(CannotRunError, match="no client was measured"):
        sweep.slowest([[line(FLOOR, 1)]])


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ("bench --rate 0", "not between 0 and 1,000,000"),
        ("bench --rate fast", "'fast' is not a number of calls each second, nor sweep"),
        ("bench --arrivals poisson", "--arrivals is for open loops, with --rate"),
        ("bench --rate 5 -w I", "has no --rate"),
        ("compare --rate 5 --mode node-queries", "node-queries is a closed loop"),
        ("compare --rate sweep --mode node-batch,node", "sweep one mode at a time"),
        ("compare --rate 5 --mode columns", "columns is a closed loop"),
        ("compare --rate 5 --mode apis", "apis is a closed loop"),
        ("compare --rate sweep --mode async,batch", "sweep one mode at a time"),
        ("compare --rate sweep --mode batch --batch-sizes 4,8", "sweep one size at a time"),
        ("compare --rate 5 --mode sync --batch-sizes 8", "--batch-sizes is for --mode batch"),
        ("compare --rate 5 --mode queries", "queries is a closed loop"),
    ],
)
def test_invalid_open_loops_are_rejected(
    flags: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = run(*flags.split())
    except SystemExit as error:
        status = int(str(error.code))
    assert status == 2
    assert text in capsys.readouterr().err


def test_a_rate_applies_to_the_floor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "open.json"
    flags = (
        f"--client null --mode sync --rate 200 --arrivals poisson -d 0.3 --warmup 0.1 --json {path}"
    )
    assert run("bench", *flags.split()) == 0
    assert "open loop, sync, 32 threads, poisson arrivals" in capsys.readouterr().out
    (cell,) = json.loads(path.read_text())["cells"]
    assert cell["open"]["scheduled"] == 60
    assert cell["asked"] == 200
    assert cell["rate"]["median"] > 0
    assert cell["runs"][0]["open"]["arrivals"] == "poisson"


def test_rates_are_swept_on_the_embedded_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sweep.json"
    with Cluster(nodes=1) as cluster:
        where = f"-H {cluster.seeds} -k 100 -d 0.2 --warmup 0.1"
        flags = f"--client spikewire --mode sync --threads 2 {where}"
        status = run("bench", *flags.split(), "--rate", "sweep", "--json", str(path))
    assert status == 0, capsys.readouterr()
    closed = json.loads((tmp_path / "sweep-saturation.json").read_text())["cells"]
    assert [one["client"] for one in closed] == ["spikewire"]
    cells = json.loads(path.read_text())["cells"]
    assert {one["client"] for one in cells} == {"spikewire"}
    assert all(one["open"]["generator"] > 0 for one in cells)
    assert "of the slowest: spikewire sync 2" in capsys.readouterr().out
    rates = sorted({one["open"]["asked"] for one in cells})
    assert len(rates) == len(sweep.SHARES)
    assert rates[-1] <= closed[0]["rate"]["median"]


def test_batches_of_several_processes_need_their_keys(capsys: pytest.CaptureFixture[str]) -> None:
    where = "--rate 5 --processes 2 --clients spikewire-node -k 1"
    assert run("compare", *f"--mode node-batch --batch-sizes 2 {where}".split()) == 2
    assert "fewer keys than a batch of 2" in capsys.readouterr().err


def test_a_rate_is_of_all_processes_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "open.json"
    flags = f"--client null --processes 2 --rate 100 -k 100 -d 0.5 --warmup 0.1 --json {path}"
    status = run("bench", *flags.split(), "--per-process")
    ((run_of_both,),) = [cell["runs"] for cell in json.loads(path.read_text())["cells"]]
    if "failed" in run_of_both:
        assert status == FLAWED
        pytest.skip(run_of_both["failed"])  # windows too far apart: the machine is busy
    assert run_of_both["open"]["rate"] == 100
    assert run_of_both["open"]["scheduled"] == 50
    output = capsys.readouterr().out
    assert "outstanding at the most in each of 2 processes" in output
    for number in (1, 2):
        assert re.search(rf"null, process {number} of 2: .* of pacing for each call", output)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("--mode pool --loops 2 --work 0", {"1 loop", "pool, 2 loops", "2 loops, a client each"}),
        ("--mode batch --batch-sizes 4 --write-sizes 2", {"batch reads", "batch writes"}),
    ],
)
def test_pools_and_batches_run_at_a_rate(
    flags: str, expected: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "open.json"
    with Cluster(nodes=1) as cluster:
        where = f"-H {cluster.seeds} -k 100 -d 0.1 --warmup 0.05 --pause 0 --rounds 1"
        more = f"--clients spikewire -z 4 --threads 2 --rate 100 --json {path}"
        status = run("compare", *f"{flags} {where} {more}".split())
    captured = capsys.readouterr()
    assert status == 0, captured
    assert {text for text in expected if text in captured.out} == expected
    cells = [one for one in json.loads(path.read_text())["cells"] if one["absent"] is None]
    assert len(cells) >= 4
    for cell in cells:
        (ran,) = cell["runs"]
        assert ran["open"]["scheduled"] == ran["open"]["pacing_calls"] == 10
        assert ran["operations"] == (10 - ran["open"]["unsent"]) * cell["shape"]["rows"]


def test_a_table_lists_rates_in_rows() -> None:
    comparison = Comparison("compare", SETTINGS)
    for rate in (100.0, 200.0):
        cell = replace(CELL, rate=rate)
        comparison.groups.append((cell,))
        comparison.rounds[cell] = [opened(unsent=50 if rate > 100 else 0)]
    console = Console(file=io.StringIO(), width=200)
    show(comparison, console)
    output: io.StringIO = console.file  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    text = output.getvalue()
    assert text.count("open loop, sync, 32 threads, constant arrivals") == 1
    assert "response p50" in text
    assert "did not keep up with the rate" in text
    assert title(comparison.lines()[0]) == title(comparison.lines()[1])
