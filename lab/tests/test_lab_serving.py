"""The recipe `serving`: users and server count the same, and tables have the study's rows."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.request import urlopen

import pytest

from lab_bench import a_bench, ran
from spikewire_lab import measure
from spikewire_lab.clients import PEERS
from spikewire_lab.run.launch import python_worker, run_job
from spikewire_lab.run.served import total
from spikewire_lab.serving.answers import Answers
from spikewire_lab.serving.apps import Service, asgi, fastapi
from spikewire_lab.serving.arrivals import arrive
from spikewire_lab.serving.cells import (
    ASGI,
    BATCH,
    BINS,
    CALL,
    CLIENTS,
    ENVIRONMENTS,
    FILL,
    LOAD,
    LOOP,
    MODEL,
    SETS,
    WAYS,
    Cell,
)
from spikewire_lab.serving.connection import Connection
from spikewire_lab.serving.model import Model
from spikewire_lab.serving.result import as_serving
from spikewire_lab.serving.store import REQUESTS
from spikewire_lab.serving.users import WARMING, measured, use
from spikewire_lab.studies.recipes.serving.environments import compared
from spikewire_lab.studies.recipes.serving.figures import (
    AVERAGE,
    CLUSTER,
    CPU,
    HEADINGS,
    P50,
    P95,
    RATE,
    RECORDS,
    Figures,
)
from spikewire_lab.studies.recipes.serving.lab import amount
from spikewire_lab.studies.recipes.serving.published import PUBLISHED, STEPS
from spikewire_lab.studies.recipes.serving.steps import steps
from spikewire_lab.studies.report import Median

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from typing_extensions import Self

    from spikewire.testing import Cluster
    from spikewire_lab.serving.result import ServingJob, ServingResult, Usage

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
pytest.importorskip("rich.console", reason="the lab's rich is not installed")

SERVED = ("uvicorn", "httptools", "fastapi", "numpy")
LACKING = [name for name in SERVED if importlib.util.find_spec(name) is None]
needs_server = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")
needs_httptools = pytest.mark.skipif("httptools" in LACKING, reason="httptools is not installed")

SET_COUNT, ROWS, KEYS = 2, 3, 20


def a_result(times: list[int], *, cpu: float = 0.5, users: float | None = 0.1) -> ServingResult:
    return {
        "client": "spikewire",
        "version": "1",
        "environment": ASGI,
        "way": BATCH,
        "python": {
            "version": "3.11",
            "build": "",
            "implementation": "CPython",
            "free_threaded": False,
            "gil": True,
        },
        "elapsed": 2.0,
        "requests": len(times),
        "errors": 0,
        "first_error": None,
        "mean": sum(times) / len(times) / 1e9,
        "latency": measure.encode(times),
        "max_ns": max(times),
        "service": None,
        "cpu": cpu,
        "generator_cpu": users,
        "cluster_cpu": None,
        "asked": 10,
        "answered": 10,
        "load_average": [0.0],
    }


def test_figures_are_medians_of_rounds() -> None:
    """Percentiles are of all requests together, the rest are medians of rounds."""
    fast, slow = [1_000_000] * 90, [9_000_000] * 10
    figures = Figures([a_result(fast), a_result(slow), a_result(fast)])
    assert figures.at(AVERAGE) == pytest.approx(1.0)
    assert figures.at(P50) == pytest.approx(1.0, rel=1e-3)
    assert figures.at(P95) == pytest.approx(9.0, rel=1e-3)
    assert figures.at(RATE) == pytest.approx(45.0)
    assert figures.at(CPU) == pytest.approx(0.5 / 90 * 1e3)
    rate = figures.fields()[RATE.key]
    assert isinstance(rate, Median)
    assert (rate.low, rate.high, rate.rounds) == (5.0, 45.0, 3)
    assert not figures.flaws()


def test_figures_say_when_the_users_set_the_pace() -> None:
    assert "more processor time" in Figures([a_result([1], cpu=0.1, users=0.2)]).flaws()[0]
    assert not Figures([a_result([1], cpu=0.1, users=None)]).flaws()


def test_what_the_cluster_did_is_shown_for_each_request() -> None:
    counted = a_result([1])
    counted["cluster_cpu"], counted["records"] = 0.25, 40
    figures = Figures([counted])
    assert (figures.at(CLUSTER), figures.at(RECORDS)) == (250.0, 4.0)
    assert not {CLUSTER.key, RECORDS.key} & set(Figures([a_result([1])]).fields())


def test_records_are_those_of_all_nodes_or_not_known() -> None:
    sizes = ["uptime=1;cluster_size=2", "cluster_size=2"]
    counts = [
        "objects=7;client_read_success=3;client_read_not_found=1;batch_sub_read_success=10",
        "client_write_success=5;client_write_error=9",
    ]
    assert total(sizes, counts) == 19
    assert total(sizes[:1], counts[:1]) is None
    assert total(sizes, [counts[0], None]) is None
    assert total(["cluster_size=1"], ["no such namespace"]) is None


@needs_server
def test_replicas_share_the_requests(cluster: Cluster) -> None:
    fill(cluster)
    job = a_job(cluster, LOAD, ASGI)
    job["replicas"] = 2
    answer: Any = run_job(python_worker(""), job)
    result = as_serving(answer)
    assert "failed" not in result, result
    assert result["asked"] == result["answered"] > 3
    assert str(Cell(MODEL, "spikewire", BATCH, replicas=2)).endswith("2 replicas")


def test_users_and_server_have_to_count_the_same() -> None:
    good = a_result([1])
    assert as_serving(cast("dict[str, object]", good)) == good
    bad: Any = {**good, "answered": 9}
    assert "9 requests where users counted 10" in str(as_serving(bad))
    assert "lacks" in str(as_serving({"client": "spikewire"}))


def test_each_row_of_the_study_is_measured_or_absent() -> None:
    assert set(PUBLISHED) == set(ENVIRONMENTS)
    for clients in PUBLISHED.values():
        assert set(clients) < set(CLIENTS)
        for figures in clients.values():
            assert set(figures) <= {heading.key for heading in HEADINGS}
    by_cell = {Cell(MODEL, "aerospike-py", BATCH): Figures([a_result([1_000_000])])}
    table = steps(by_cell, amount(a_bench()))
    rows = {row.label: row for row in table.rows}
    assert {step.what for step in STEPS} <= set(rows)
    (note,) = table.notes
    missing = note.removeprefix("Not measured in this run: ").partition(". ")[0].split("; ")
    for step in STEPS:
        measured = rows[step.what].fields[P95.key] is not None
        assert measured == (
            step.client == "aerospike-py" and step.way == BATCH and not step.free_threaded
        )
        assert measured != (step.what in missing)


def test_our_client_is_compared_with_the_best_of_its_way() -> None:
    by_cell = {
        Cell(LOOP, "spikewire", BATCH): Figures([a_result([2_000_000])]),
        Cell(LOOP, "aerospike-py", BATCH): Figures([a_result([4_000_000] * 4)]),
        Cell(LOOP, "aerospike", BATCH): Figures([a_result([1_000_000])]),
        Cell(LOOP, "aerospike", SETS): Figures([a_result([1])]),
    }
    conclusions, losses = compared(by_cell)
    assert len(conclusions) == 1
    assert len(losses) == 2
    assert "2.00 times that of aerospike." in losses[0]
    assert "0.25 of the requests" in losses[1]
    due = {replace(cell, rate=50.0): figures for cell, figures in by_cell.items()}
    conclusions, losses = compared(due)
    assert len(conclusions) == len(losses) == 1
    assert "50 due each second" in losses[0]


def test_the_model_scores_each_item() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    model = Model(SET_COUNT, seed=1)
    items = [{"b0": at, "b1": 10**9 + at, "b2": 0.5, "b3": at / 10} for at in range(5)]
    scores = model.scores([items] * SET_COUNT)
    assert len(scores) == 5
    assert len(set(scores)) == 5
    assert all(0 < score < 1 for score in scores)
    assert scores == Model(SET_COUNT, seed=1).scores([items] * SET_COUNT)


@needs_httptools
def test_users_count_every_reply() -> None:
    """Against a server that refuses every tenth request and hangs up after the hundredth."""
    good = bad = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal good, bad
        while await reader.readuntil(b"\r\n\r\n"):
            number = good + bad + 1
            if number > 100:
                break
            status = b"500 No" if number % 10 == 0 else b"200 OK"
            good, bad = (good, bad + 1) if number % 10 == 0 else (good + 1, bad)
            # In two pieces, as servers send head and body.
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 4\r\n\r\n")
            await asyncio.sleep(0)
            writer.write(b"body")
        writer.close()
        await writer.wait_closed()

    async def run() -> Answers:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            connection = await Connection.open(server.sockets[0].getsockname()[1])

            async def ask(which: int) -> None:
                assert await connection.get(f"/features?user={which}") == b"body"

            answers = Answers()
            await asyncio.wait_for(use([ask], 60.0, "seed", answers), 30)
        return answers

    answers = asyncio.run(run())
    assert (good, bad) == (90, 10)
    assert len(answers.times) == 90
    # The ten, and the unanswered one, after which the user stops.
    assert answers.errors == 11
    assert answers.first_error == "Reply: status 500: b'body'"


def test_requests_that_were_due_count_from_then() -> None:
    """One user, whose first answer takes longer than the interval of the others: they wait for
    it."""

    async def run() -> Answers:
        count = 0

        async def ask(which: int) -> None:
            nonlocal count
            count += 1
            if count == 1:
                await asyncio.sleep(0.2)
            if count == 3:
                raise ValueError("no")

        answers = Answers()
        due = [0, 1_000_000, 2_000_000, 3_000_000, 150_000_000]
        await asyncio.wait_for(arrive([ask], due, "seed", answers), 30)
        assert count == len(due)
        return answers

    answers = asyncio.run(run())
    assert (answers.errors, answers.first_error) == (1, "ValueError: no")
    assert len(answers.times) == len(answers.service) == 4
    assert min(answers.times[:3]) >= 190_000_000
    assert answers.times[3] >= 40_000_000
    assert all(
        service <= time for service, time in zip(answers.service, answers.times, strict=True)
    )


def test_requests_that_no_user_is_left_for_are_errors() -> None:
    async def hang_up(which: int) -> None:
        raise ConnectionResetError("gone")

    answers = Answers()
    asyncio.run(asyncio.wait_for(arrive([hang_up, hang_up], [0] * 10, "seed", answers), 30))
    assert not answers.times
    assert answers.errors == 10


def test_an_open_loop_is_warmed_up_by_few_users() -> None:
    """All of its connections in a closed loop would be more than the client can handle."""
    numbers: set[int] = set()

    def user(number: int) -> Callable[[int], Awaitable[object]]:
        async def ask(_which: int) -> None:
            numbers.add(number)
            await asyncio.sleep(0.001)

        return ask

    async def usage() -> Usage:
        return {"cpu": 0.0, "answered": 0}

    async def run(rate: float | None) -> set[int]:
        numbers.clear()
        calls = [user(number) for number in range(3 * WARMING)]
        job = {"warmup": 0.02, "duration": 0.01, "seed": 1, "rate": rate, "server_pid": None}
        answer = await measured(calls, cast("ServingJob", job), usage)
        assert answer["requests"] > 0
        return set(numbers)

    assert asyncio.run(run(None)) == set(range(3 * WARMING))
    assert asyncio.run(run(200.0)) <= set(range(WARMING))


@pytest.mark.parametrize("make", [asgi, pytest.param(fastapi, marks=needs_server)])
def test_a_service_reports_its_error(make: Callable[[Service], Any]) -> None:
    service = Service(cast("ServingJob", {"environment": ASGI, "sets": 1, "seed": 1}))
    service._store = cast("Any", _Broken())
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "path": "/features",
        "raw_path": b"/features",
        "root_path": "",
        "scheme": "http",
        "query_string": b"user=1",
        "headers": [],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    asyncio.run(make(service)(scope, receive, send))
    assert sent[0]["status"] == 500
    assert json.loads(sent[1]["body"]) == {"detail": "TimeoutError: after 1 s"}


class _Broken:
    """A store whose client does not answer in time."""

    requests = ([[1]],)

    @property
    def features(self) -> Self:
        return self

    async def read(self, _request: object) -> object:
        raise TimeoutError("after 1 s")


def a_job(cluster: Cluster, action: str, environment: str, seed: int = 1) -> ServingJob:
    seeds = [
        (host, int(port)) for host, port in (one.split(":") for one in cluster.seeds.split(","))
    ]
    return {
        "action": action,
        "client": "spikewire",
        "mode": "async",
        "concurrency": 3,
        "shape": {"kind": "single", "rows": 1, "columns": 0, "way": ""},
        "seeds": seeds,
        "namespace": "test",
        "set": "served",
        "keys": KEYS,
        "bins": BINS,
        "workload": "RU,100",
        "warmup": 0.02,
        "duration": 0.1,
        "sample_every": 1,
        "seed": seed,
        "cpus": [],
        "server_pid": None,
        "environment": environment,
        "way": BATCH,
        "sets": SET_COUNT,
        "rows": ROWS,
        "server": python_worker(""),
        "variables": {},
        "rate": None,
        "replicas": 1,
    }


def fill(cluster: Cluster) -> None:
    written = run_job(python_worker(""), a_job(cluster, FILL, LOOP))
    assert written["records"] == KEYS * SET_COUNT


def test_a_client_that_reads_other_records_fails(cluster: Cluster) -> None:
    fill(cluster)
    answer = run_job(python_worker(""), a_job(cluster, CALL, LOOP, seed=2))
    assert "reads other records than were written" in str(answer["failed"])


@needs_server
def test_a_server_that_cannot_start_reports_the_reason(cluster: Cluster) -> None:
    fill(cluster)
    answer = run_job(python_worker(""), a_job(cluster, LOAD, ASGI, seed=2))
    assert "the server did not start" in str(answer["failed"])
    assert "reads other records than were written" in str(answer["failed"])


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("way", WAYS)
def test_each_way_reads_the_same(cluster: Cluster, way: str, client: str) -> None:
    pytest.importorskip(PEERS[client].module)
    fill(cluster)
    job = a_job(cluster, CALL, LOOP)
    job["way"], job["client"] = way, client
    result: Any = as_serving(run_job(python_worker(""), job))
    assert "failed" not in result, result
    assert result["requests"] > 0
    assert result["asked"] == result["answered"]


@needs_server
def test_our_client_is_measured_in_all_environments(tmp_path: Path) -> None:
    report = ran("serving", tmp_path, [*ENVIRONMENTS, "open", "replicas"], "spikewire")
    for section in report.sections:
        table = section.tables[0]
        assert [row.client for row in table.rows] == ["spikewire"]
        assert all(not row.flawed for row in table.rows), table.rows
        keys = {one.key for one in HEADINGS}
        assert set(table.rows[0].fields) >= keys - {"generator"}
        assert (table.rows[0].fields.get("service-p95") is None) == (section.name != "open")
        (cell,) = report.runs[section.name]
        (run,) = cell["runs"]
        assert run["asked"] == run["answered"] >= run["requests"] > 0
    assert [table.name for table in report.sections[2].tables] == ["model", "steps"]


@needs_server
def test_the_service_runs_by_itself_for_other_load_generators(cluster: Cluster) -> None:
    command = [
        *(sys.executable, "-m", "spikewire_lab.serving", "-H", cluster.seeds),
        *("--environment", ASGI, "--sets", "2", "--rows", "3", "-k", "20"),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        try:
            assert service.stderr.readline() == "writing 40 records\n"
            word, port = service.stderr.readline().split()
            assert word == "serving"
            with urlopen(f"http://127.0.0.1:{port}/features?user=300", timeout=10) as reply:
                assert json.load(reply) == {"records": 6}
        finally:
            service.terminate()
    assert service.returncode == 0


def test_the_script_for_k6_asks_what_the_service_answers() -> None:
    script = (Path(__file__).parents[1] / "k6" / "features.js").read_text()
    assert f"const REQUESTS = {REQUESTS}\n" in script
    assert "/features?user=${user}" in script
