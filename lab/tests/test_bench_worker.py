"""A worker answers one job with one JSON object, even if the client prints or fails."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from spikewire_lab.contract.result import Job, Result
from spikewire_lab.measure import merge
from spikewire_lab.run.launch import (
    as_result,
    environment,
    python_worker,
    recorded_variables,
    run_job,
    rust_variables,
)

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
LAB = {
    *("served", "server_threads", "server_busiest", "server_remote"),
    *(
        "loop_delay",
        "open",
        "beside",
        "turn",
        "shares",
        "next_key",
        "build",
        "rate",
        "series",
        "misses",
        "opened",
        "apart",
        "each",
        "timeouts",
    ),
}
"""Fields that the lab adds to a worker's result, and fields that only some jobs request."""


def a_job(client: str = "null", mode: str = "sync", action: str = "measure") -> Job:
    return {
        "action": action,
        "client": client,
        "mode": mode,
        "concurrency": 2,
        "shape": {"kind": "single", "rows": 1, "columns": 0, "way": ""},
        "seeds": [("127.0.0.1", 1)],
        "namespace": "test",
        "set": "bench",
        "keys": 1000,
        "bins": "I1",
        "workload": "RU,50",
        "warmup": 0.05,
        "duration": 0.2,
        "sample_every": 16,
        "seed": 1,
        "cpus": [],
        "server_pid": None,
    }


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_result_has_every_field_and_they_agree(mode: str) -> None:
    result = as_result(run_job(python_worker(sys.executable), a_job(mode=mode)))
    assert "failed" not in result
    assert (
        set(result) - {"rate", "series", "timeouts"}
        == Result.__required_keys__
        == set(Result.__annotations__) - LAB
    )
    assert result["mode"] == mode
    assert result["rate"] >= result["operations"] / result["elapsed"]
    assert result["errors"] == 0
    assert result["first_error"] is None
    assert result["elapsed"] > 0.19
    assert result["operations"] > 0
    assert result["cpu"]["user"] > 0
    assert result["memory"]["bare"] <= result["memory"]["ready"] <= result["memory"]["peak"]
    latency = result["latency"]
    counted = merge([latency["read"], latency["write"]]).get_total_count()
    assert counted == latency["samples"] > 0
    assert result["python"] is not None
    assert result["python"]["version"] == platform.python_version()
    if mode == "async":
        assert result["loop"] is not None
        assert result["loop"].startswith("asyncio.")
    else:
        assert result["loop"] is None


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("kind", ["batch-read", "batch-write"])
def test_a_batch_counts_its_records_and_times_its_calls(kind: str, mode: str) -> None:
    job = a_job(mode=mode)
    job["shape"] = {"kind": kind, "rows": 8, "columns": 0, "way": ""}
    result = as_result(run_job(python_worker(sys.executable), job))
    assert "failed" not in result
    assert result["operations"] > 0
    assert result["operations"] % 8 == 0
    latency = result["latency"]
    assert latency["samples"] + latency["overwritten"] == result["operations"] // 8
    histogram = merge([latency["write" if kind == "batch-write" else "read"]])
    assert histogram.get_total_count() == latency["samples"]


def test_each_uvloop_mode_runs_on_uvloop() -> None:
    pytest.importorskip("uvloop", reason="uvloop is not installed")
    result = as_result(run_job(python_worker(sys.executable), a_job(mode="async-uvloop")))
    assert "failed" not in result
    assert result["loop"] == "uvloop.Loop"


def test_a_worker_for_a_peer_does_not_load_our_package() -> None:
    folder = python_worker(sys.executable)[1]
    program = textwrap.dedent(
        f"""
        import runpy, sys
        sys.argv = [{folder!r}]
        try:
            runpy.run_path({folder!r}, run_name="not main")["main"]()
        finally:
            print(sorted(name for name in sys.modules if name.startswith("spikewire")),
                  file=sys.stderr)
        """
    ).replace("os._exit", "")
    output = subprocess.run(
        [sys.executable, "-c", program],
        input="not json",
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = output.stderr.strip().splitlines()
    names = next(line for line in loaded if line.startswith("["))
    assert "'spikewire_lab.worker.drivers'" in names
    assert "'spikewire'" not in names


def test_a_client_that_cannot_be_imported_is_described_with_its_reason() -> None:
    program = "import sys; sys.modules['aerospike'] = None; import runpy; runpy.run_path({0!r}, "
    program += "run_name='__main__')"
    folder = python_worker(sys.executable)[1]
    command = [sys.executable, "-c", program.format(folder)]
    answer = run_job(command, a_job("aerospike", action="describe"))
    assert "failed" not in answer
    assert answer["version"] is None
    assert str(answer["unavailable"]).startswith("cannot import aerospike:")


def test_a_way_whose_module_is_missing_is_described_with_its_reason() -> None:
    job = a_job("spikewire", action="describe")
    job["shape"] = {"kind": "columns", "rows": 10, "columns": 1, "way": "numpy"}
    program = "import importlib.util, runpy; known = importlib.util.find_spec; "
    program += "importlib.util.find_spec = lambda name: None if name == 'numpy' else known(name); "
    program += f"runpy.run_path({python_worker(sys.executable)[1]!r}, run_name='__main__')"
    answer = run_job([sys.executable, "-c", program], job)
    if "cannot import" in str(answer["unavailable"]):
        pytest.skip("the native module is not built")
    assert answer["unavailable"] == "numpy is not installed"


def test_a_job_that_cannot_be_done_is_a_failure_with_a_reason() -> None:
    job = a_job()
    job["bins"] = "X1"
    assert "not I<bytes>" in str(run_job(python_worker(sys.executable), job)["failed"])


def test_output_of_a_client_does_not_break_the_result(tmp_path: Path) -> None:
    noisy = tmp_path / "aerospike.py"
    noisy.write_text("import os\nprint('noise', flush=True)\nos.write(1, b'more noise')\n")
    job = a_job("aerospike", action="describe")
    answer = run_job(python_worker(""), job, {"PYTHONPATH": str(tmp_path)})
    assert "failed" not in answer
    assert answer["unavailable"] is None


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import os; os._exit(9)", "ended with status 9: it said nothing"),
        ("import sys; sys.exit('gone wrong')", "ended with status 1: gone wrong"),
        ("print('[1]')", "the worker answered"),
    ],
)
def test_a_worker_that_dies_fails_with_its_last_output(program: str, reason: str) -> None:
    assert reason in str(run_job([sys.executable, "-c", program], a_job())["failed"])


def test_an_interpreter_that_does_not_exist_is_a_failure() -> None:
    assert "cannot start" in str(run_job(["no-such-python"], a_job())["failed"])


def test_a_result_without_its_fields_is_a_failure() -> None:
    failure = as_result({"client": "null", "elapsed": 1.0})
    assert "failed" in failure
    assert "operations" in failure["failed"]


def test_reports_hide_the_values_of_path_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/somewhere/lib.so")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    known = recorded_variables()
    assert (known["LD_PRELOAD"], known["MALLOC_ARENA_MAX"]) == ("a path", "2")


def test_threads_of_our_rust_client_are_for_the_rust_programs_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPIKEWIRE_NATIVE", "1")
    monkeypatch.setenv("SPIKEWIRE_OTHER", "1")
    assert not {"SPIKEWIRE_NATIVE", "SPIKEWIRE_OTHER"} & environment({}).keys()
    assert rust_variables() == {"SPIKEWIRE_NATIVE": "1"}
    assert recorded_variables()["SPIKEWIRE_NATIVE"] == "1"
    monkeypatch.delenv("SPIKEWIRE_NATIVE")
    assert rust_variables() == {}
    assert "SPIKEWIRE_NATIVE" not in recorded_variables()


def test_workers_do_not_inherit_variables_that_change_a_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AEROSPIKE_USE_SERVICES_ALTERNATE", "true")
    monkeypatch.setenv("PSDK_COALESCE", "0")
    monkeypatch.setenv("BENCH_TEST_KEPT", "yes")
    built = environment({"AEROSPIKE_NO_UVLOOP": "1"})
    assert "AEROSPIKE_USE_SERVICES_ALTERNATE" not in built
    assert "PSDK_COALESCE" not in built
    assert built["BENCH_TEST_KEPT"] == "yes"
    assert built["AEROSPIKE_NO_UVLOOP"] == "1"


def test_a_job_is_plain_json() -> None:
    assert json.loads(json.dumps(a_job()))["client"] == "null"
