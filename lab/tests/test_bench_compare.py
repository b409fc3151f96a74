"""A comparison from its flags to its tables and JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from spikewire_lab.access.seeds import parse_seeds
from spikewire_lab.plan import Cell, Matrix, Sizes, SkippedClient
from spikewire_lab.run import compare as lab
from spikewire_lab.run.cluster import ExternalCluster
from spikewire_lab.run.compare import (
    CannotRunError,
    Comparison,
    Lab,
    RecordSet,
    Settings,
    compare,
)
from spikewire_lab.run.launch import run_job
from spikewire_lab.run.progress import Progress, brief
from spikewire_lab.work.shape import BATCH_READ, Shape

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire_lab.contract.result import Job
    from spikewire_lab.table.line import Line

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
rich_console = pytest.importorskip("rich.console", reason="the lab's rich is not installed")

FLOOR = Settings(
    matrix=Matrix(
        clients=("null",),
        modes=("sync", "async"),
        tasks=(2,),
        threads=(2,),
        in_flight=(2,),
        interpreters=("",),
    ),
    hosts=(),
    namespace="test",
    set_name="bench",
    keys=1000,
    bins="I1",
    workload="RU,50",
    duration=0.15,
    warmup=0.02,
    rounds=2,
    sample_every=16,
    seed=1,
    pause=0.0,
    populate=True,
    nodes=1,
    server_threads=1,
    gil=None,
    client_cpus=(),
    server_cpus=(),
)
NOWHERE = replace(FLOOR, hosts=(("127.0.0.1", 1),))


def run(settings: Settings) -> Comparison:
    return compare("compare", settings, ["spikewire", "compare"], Progress(bar=False))


def with_clients(settings: Settings, *clients: str) -> Settings:
    return replace(settings, matrix=replace(settings.matrix, clients=clients, modes=("sync",)))


def output_of(comparison: Comparison, width: int = 180) -> str:
    from spikewire_lab.run.report import show

    out = io.StringIO()
    show(comparison, rich_console.Console(file=out, width=width))
    return out.getvalue()


def answers(
    monkeypatch: pytest.MonkeyPatch, **by_client: dict[str, object] | BaseException
) -> list[tuple[str, str]]:
    """Replaces the workers; returns the jobs that they were given."""
    calls: list[tuple[str, str]] = []

    def answer(
        command: object, job: Job, extra: object = None, *, on_report: object = None
    ) -> dict[str, object]:
        calls.append((job["action"], job["client"]))
        none: dict[str, object] = {"unavailable": "not installed"}
        canned = by_client.get(job["client"].replace("-", "_"), none)
        if isinstance(canned, BaseException):
            raise canned
        if job["action"] == "describe":
            return {"unavailable": canned.get("unavailable")}
        return canned

    monkeypatch.setattr(lab, "run_job", answer)
    return calls


def test_the_floor_is_measured_without_any_cluster(tmp_path: Path) -> None:
    from spikewire_lab.run.report import write_json

    comparison = run(FLOOR)
    assert [len(lines) for lines in comparison.lines()] == [1, 1]
    path = tmp_path / "deep" / "result.json"
    write_json(comparison, path)
    report: dict[str, Any] = json.loads(path.read_text())
    assert report["schema"] == 1
    assert report["kind"] == "compare"
    assert report["interrupted"] is False
    assert report["skipped"] == []
    assert report["environment"]["command_line"] == ["spikewire", "compare"]
    assert set(report["environment"]) >= {
        *("date", "cpu_count", "load_average", "python", "packages", "cluster", "system"),
    }
    assert report["settings"]["workload"] == "RU,50"
    for cell in report["cells"]:
        assert cell["client"] == "null"
        assert cell["flawed"] is False
        assert len(cell["runs"]) == cell["rounds"] == 2
        rates = sorted(one["rate"] for one in cell["runs"])
        assert [cell["rate"]["low"], cell["rate"]["high"]] == pytest.approx(rates)
        assert cell["rate_ratio"] is None
        assert all("python" in one and "latency" in one for one in cell["runs"])


def test_rounds_are_interleaved(monkeypatch: pytest.MonkeyPatch) -> None:
    failing: dict[str, object] = {"failed": "no"}
    calls = answers(monkeypatch, aerospike=failing, aerospike_py=failing)
    settings = replace(with_clients(NOWHERE, "aerospike", "aerospike-py"), populate=False)
    run(settings)
    described, first, second = calls[:2], calls[2:4], calls[4:]
    assert described == [("describe", "aerospike"), ("describe", "aerospike-py")]
    each = [("measure", "aerospike"), ("measure", "aerospike-py")]
    assert sorted(first) == sorted(second) == each


def test_a_client_that_cannot_be_used_is_listed_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(
        monkeypatch,
        aerospike={"unavailable": "cannot import aerospike: no wheel"},
        aerospike_py={},
    )
    settings = replace(with_clients(NOWHERE, "aerospike", "aerospike-py"), populate=False)
    comparison = run(settings)
    reason = "cannot import aerospike: no wheel"
    assert comparison.skipped == [SkippedClient("aerospike", "sync", "", reason)]
    assert "skipped: aerospike" in capsys.readouterr().err
    assert f"skipped: aerospike: {reason}" in output_of(comparison)
    assert [cell.client for group in comparison.groups for cell in group] == ["aerospike-py"]
    assert comparison.as_json()["skipped"] == [
        {
            "client": "aerospike",
            "mode": "sync",
            "interpreter": "",
            "reason": reason,
        }
    ]


def test_the_gil_is_not_claimed_to_be_off_where_it_cannot_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    python = {"version": "3.11.7", "free_threaded": False}

    def answer(*_: object, on_report: object = None) -> dict[str, object]:
        return {"python": python}

    monkeypatch.setattr(lab, "run_job", answer)
    with pytest.raises(CannotRunError):
        run(replace(with_clients(NOWHERE, "aerospike"), gil=False))
    settings = replace(with_clients(NOWHERE, "aerospike"), gil=True, populate=False, rounds=1)
    assert run(settings).skipped == []
    python["free_threaded"] = True
    assert run(replace(settings, gil=False)).skipped == []


def test_modules_that_enable_the_gil_are_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a free-threaded interpreter: the module switches it on unless the variable is set."""

    def answer(
        _command: object, _job: Job, extra: dict[str, str], *, on_report: object = None
    ) -> dict[str, object]:
        gil = extra.get("PYTHON_GIL") != "0"
        return {"python": {"version": "3.14.0", "free_threaded": True, "gil": gil}}

    monkeypatch.setattr(lab, "run_job", answer)
    settings = with_clients(NOWHERE, "aerospike")
    settings = replace(settings, matrix=replace(settings.matrix, gil=(True, False)))
    comparison = run(replace(settings, populate=False))
    assert [one.reason for one in comparison.skipped] == ["switches the GIL on when it is imported"]
    assert [cell.gil for group in comparison.groups for cell in group] == [True]


def test_no_usable_client_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, aerospike={"unavailable": "no"})
    with pytest.raises(CannotRunError, match="none of the clients"):
        run(with_clients(NOWHERE, "aerospike"))


def test_a_failed_population_ends_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = answers(monkeypatch, aerospike={"failed": "connection refused"})
    with pytest.raises(CannotRunError, match="connection refused"):
        run(with_clients(NOWHERE, "aerospike"))
    assert ("populate", "aerospike") in calls
    assert not any(action == "measure" for action, _ in calls)


def test_another_client_writes_the_records_where_the_first_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: dict[str, object] = {"operations": NOWHERE.keys}

    def as_it_is(answer: object) -> object:
        return answer

    def in_brief(_cell: Cell, answer: object) -> str:
        return str(answer)

    monkeypatch.setattr(lab, "as_result", as_it_is)
    monkeypatch.setattr(lab, "brief", in_brief)
    calls = answers(monkeypatch, aerospike={"failed": "refused"}, aerospike_py=written)
    comparison = Comparison("compare", with_clients(NOWHERE, "aerospike"))
    runner = Lab(comparison.settings, comparison, Progress(bar=False))
    with ExternalCluster(NOWHERE.hosts) as cluster:
        runner.populate(RecordSet("bench", NOWHERE.keys, "I1"), cluster)
    assert [client for action, client in calls if action == "populate"] == [
        "aerospike",
        "aerospike-py",
    ]


def test_every_run_that_inserts_has_a_set_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    sets: list[str] = []

    def answer(
        command: object, job: Job, extra: object = None, *, on_report: object = None
    ) -> dict[str, object]:
        if job["action"] == "describe":
            return {"unavailable": None}
        sets.append(job["set"])
        return {"failed": "no"}

    monkeypatch.setattr(lab, "run_job", answer)
    run(replace(with_clients(NOWHERE, "aerospike", "aerospike-py"), workload="I"))
    assert sets == ["bench-1", "bench-2", "bench-3", "bench-4"]


def test_failed_rounds_flag_their_line(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, aerospike={"failed": "Mismatch: key 0 reads back as None"})
    comparison = run(replace(with_clients(NOWHERE, "aerospike"), populate=False))
    ((line,),) = comparison.lines()
    assert line.flawed
    assert "round failed: Mismatch: key 0 reads back as None" in output_of(comparison)


def test_an_interruption_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def interrupted(
        command: list[str], job: Job, extra: dict[str, str], *, on_report: object = None
    ) -> object:
        if job["action"] == "measure":
            done.append(job["mode"])
            if len(done) == 2:
                raise KeyboardInterrupt
        return run_job(command, job, extra)

    monkeypatch.setattr(lab, "run_job", interrupted)
    comparison = run(FLOOR)
    assert comparison.interrupted
    assert sum(map(len, comparison.rounds.values())) == 1
    assert "not complete" in output_of(comparison)


@pytest.mark.parametrize(("width", "columns"), [(180, True), (100, False)])
def test_a_narrow_terminal_gets_the_columns_that_matter(width: int, columns: bool) -> None:
    text = output_of(run(replace(FLOOR, rounds=1)), width)
    assert "CPU us/op" in text
    assert "op/s ÷ best" in text
    assert ("p99.9" in text) is columns
    assert "…" not in text


@pytest.mark.parametrize("width", [80, 60])
def test_a_terminal_of_80_columns_shows_every_figure_that_matters_and_cuts_none(width: int) -> None:
    comparison = run(replace(FLOOR, rounds=1))
    text = output_of(comparison, width)
    (line, *_) = comparison.lines()[0]
    assert line.rate is not None
    assert f"{line.rate.median:,.0f}" in text
    assert all(name in text for name in ("op/s", "CPU us/op", "p50 us", "p99"))
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 60])
def test_a_narrow_table_shows_clients_and_ratios_with_their_intervals(width: int) -> None:
    comparison = run(replace(FLOOR, rounds=1, matrix=replace(FLOOR.matrix, modes=("sync",))))
    (one,) = comparison.rounds.values()
    base: Any = one[0]
    cells = [Cell(name, "sync", 32) for name in ("spikewire", "aerospike", "aerospike-sdk")]
    rates = {"spikewire": 3_000_000, "aerospike": 1_000_000, "aerospike-sdk": 900_000}
    comparison.rounds = {
        cell: [
            {  # type: ignore[misc]
                **base,
                "client": cell.client,
                "version": "19.3.0",
                "operations": int(rates[cell.client] * (1 + (at * at % 5) / 50)),
                "elapsed": 1.0,
                "rate": float(rates[cell.client] * (1 + (at * at % 5) / 50 + at / 100)),
                "served": 10**9,
                "turn": {},
            }
            for at in range(5)
        ]
        for cell in cells
    }
    shaky: Any = comparison.rounds[cells[2]]
    shaky[0]["rate"], shaky[1]["rate"] = 1_200_000.0, 900_000.0
    comparison.groups = [tuple(cells)]
    text = output_of(comparison, width)
    words = text.replace("│", " ").split()
    assert "3.00" in words
    assert "(3.00-3.00)" in words
    assert "equal" in words
    assert "spikewire" in words
    assert "aerospike" in text
    assert max(map(len, text.splitlines())) <= width


def test_progress_lines_show_the_rate_or_the_failure() -> None:
    cell = Cell("null", "sync", 2)
    assert brief(cell, {"failed": "no"}) == "failed: no"
    comparison = run(replace(with_clients(FLOOR, "null"), rounds=1))
    assert "op/s" in brief(cell, comparison.rounds[cell][0])
    batch = replace(cell, shape=Shape(BATCH_READ, 8))
    assert "row/s" in brief(batch, comparison.rounds[cell][0])


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> tuple[tuple[str, int], ...]:
    """The seeds of an embedded cluster, if the package and its pytest plugin are built."""
    reason = "the native module is not built"
    testing = pytest.importorskip("spikewire.testing", reason=reason, exc_type=ImportError)
    if not hasattr(testing, "Cluster"):
        pytest.skip(reason)
    try:
        cluster = request.getfixturevalue("spikewire_cluster")
    except pytest.FixtureLookupError:
        pytest.skip("the package and its pytest plugin are not installed")
    return parse_seeds(cluster.seeds if isinstance(cluster.seeds, str) else ",".join(cluster.seeds))


def sound(comparison: Comparison) -> list[list[Line]]:
    """The lines of a comparison without any failure."""
    assert all("is not installed" in one.reason for one in comparison.skipped)
    for line in (line for lines in comparison.lines() for line in lines):
        assert line.failures == ()
        assert line.errors == 0, line.first_error
        if line.absent is None:
            assert line.rate is not None
            assert line.rate.low > 0
            assert line.latency is not None
            assert line.latency["p50"] > 0
    return comparison.lines()


def test_single_records_are_compared_on_the_embedded_cluster(
    seeds: tuple[tuple[str, int], ...],
) -> None:
    matrix = replace(FLOOR.matrix, clients=("spikewire",), modes=("sync", "async"))
    lines = sound(run(replace(FLOOR, hosts=seeds, matrix=matrix, duration=0.3)))
    assert list(map(len, lines)) == [1, 1]


def test_pools_are_compared_on_the_embedded_cluster(seeds: tuple[tuple[str, int], ...]) -> None:
    matrix = replace(
        FLOOR.matrix, clients=("spikewire",), tasks=(4,), threads=(2,), loops=(2,), work=(5,)
    )
    comparison = run(replace(FLOOR, hosts=seeds, matrix=matrix, rounds=1))
    assert all("uvloop is not installed" in one.reason for one in comparison.skipped)
    for lines in comparison.lines():
        for line in lines:
            assert line.failures == ()
            assert line.errors == 0, line.first_error
            assert line.one_loop is not None
            # A caller that gives single commands to a pool does not wait for each.
            assert bool(line.latency) == (line.cell.shape.way != "map")
    text = output_of(comparison)
    for what in ("1 loop", "pool, 2 loops", "pool.map, 2 loops", "2 loops, a client each"):
        assert text.count(f"│ {what} ") == len(comparison.groups)
    assert text.count("│ 2 threads ") == 1
    assert "CPU ÷ 1 loop" in text


def test_batches_are_compared_on_the_embedded_cluster(seeds: tuple[tuple[str, int], ...]) -> None:
    sizes = Sizes(reads=(4, 50), writes=(50,))
    matrix = replace(
        FLOOR.matrix, clients=("spikewire",), modes=("batch",), batch_tasks=(2,), sizes=sizes
    )
    comparison = run(replace(FLOOR, hosts=seeds, matrix=matrix, rounds=1))
    lines = sound(comparison)
    apis = [[(line.cell.mode, line.cell.name) for line in group] for group in lines]
    both = [[(mode, "spikewire"), (mode, "spikewire get")] for mode in ("sync", "async")]
    assert apis == [
        *(both[0], both[0][:1], both[0][:1]),
        *(both[1], both[1][:1], both[1][:1]),
    ]
    text = output_of(comparison)
    for title in ("batch reads, sync, 2 threads", "batch writes, async, 2 tasks"):
        assert text.count(title) == 1
    assert "a batch of 4 reads" in text
    assert "row/s ÷ best" in text


def test_a_drop_in_is_compared_with_the_verbs(seeds: tuple[tuple[str, int], ...]) -> None:
    matrix = replace(
        FLOOR.matrix,
        clients=("spikewire", "spikewire-compat"),
        modes=("batch",),
        batch_tasks=(),
        sizes=Sizes(reads=(20,), writes=(20,)),
    )
    comparison = run(replace(FLOOR, hosts=seeds, matrix=matrix, rounds=1))
    read, written = sound(comparison)
    assert [line.cell.name for line in read] == ["spikewire", "spikewire-compat"]
    assert [line.cell.name for line in written] == [
        *("spikewire", "spikewire operations", "spikewire-compat"),
    ]
    _, same, other_api = written
    assert same.cpu is not None
    assert other_api.cpu is not None
    assert other_api.apis is not None
    assert other_api.apis.cpu_verb == pytest.approx(other_api.cpu.median / same.cpu.median)


def test_columns_are_compared_on_the_embedded_cluster(seeds: tuple[tuple[str, int], ...]) -> None:
    pytest.importorskip("numpy", reason="NumPy is not installed")
    sizes = Sizes(records=(300,), bins=(3,), tables=(200,))
    matrix = replace(FLOOR.matrix, clients=("spikewire",), modes=("columns",), sizes=sizes)
    comparison = run(replace(FLOOR, hosts=seeds, matrix=matrix, rounds=1))
    cells = [[line.cell.shape for line in group] for group in sound(comparison)]
    expected = [(3, 300), (3, 200)] * 2
    assert [(shapes[0].columns, shapes[0].rows) for shapes in cells] == expected
    for shapes in cells:
        assert {shape.way for shape in shapes} >= {"dict", "numpy"}
    for lines in comparison.lines():
        assert all(line.memory is not None and line.memory >= 0 for line in lines)
    text = output_of(comparison)
    assert "columns, sync, 1 thread" in text
    assert "columns, async, 1 task" in text
    assert "table writes, sync, 1 thread" in text
    assert "MB ÷ dict" in text
    assert "…" not in text


@pytest.mark.parametrize(
    ("client", "mode"), [("aerospike-rust", "rust"), ("aerospike-node", "node")]
)
def test_clients_without_alternate_addresses_are_skipped(client: str, mode: str) -> None:
    matrix = replace(FLOOR.matrix, clients=("null", client), modes=("sync", mode))
    comparison = run(replace(NOWHERE, matrix=matrix, services_alternate=True, populate=False))
    assert [(one.client, one.reason) for one in comparison.skipped] == [
        (client, "its worker does not ask for alternate addresses")
    ]
