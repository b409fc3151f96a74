"""Every example runs as it is, without warnings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from spikewire.testing import Cluster

HERE = Path(__file__).resolve().parent.parent / "examples/python"
EXAMPLES = sorted(path.name for path in HERE.glob("*.py") if path.name != "seeds.py")

#: Text that each example must print, among others.
SAYS = {
    "celery_tasks.py": "early counted True in forks True\nown counted True in forks True",
    "data_frames.py": "duckdb ranked [749.75]",
    "django_service.py": "views counted True",
    "error_handling.py": "in doubt: True",
    "feature_store.py": (
        "late 1\nread [{'trips': 7}, None]\n"
        "matrix [[7.0, 4.0], [0.0, 4.5], [9.0, 4.0]]\nscores 24800.0"
    ),
    "fastapi_service.py": (
        "200 {'n': 3, 'town': 'Ulm'}\n"
        "200 {'name': 'alice', 'visits': 50}\n404 {'detail': 'nobody of that name'}\n"
        "200 [{'name': 'alice', 'visits': 50}, {'name': 'bob', 'visits': 3}]"
    ),
    "flask_service.py": "counts True",
    "in_flight_batched_futures.py": "batched futures: 20000 calls",
    "in_flight_blocking.py": "blocking: 20000 calls",
    "in_flight_callback_chains.py": "500 chains: 20000 calls",
    "in_flight_full_pipeline.py": "concurrent: 20000 calls",
    "in_flight_unthrottled.py": "0 failed",
    "pool_of_loops.py": "20000 records, total 199990000",
    "quickstart_asyncio.py": "[0, 1, 4, 9, 16, 25, 36, 49, 64, 81]",
    "quickstart_sync.py": "deleted True",
    "several_loops.py": "loop 3: 500 records",
    "threads.py": "3200 rounds",
    "web_service.py": '200 {"name": "alice", "visits": 2}',
}

#: Further packages of examples (requirements/frameworks.txt, serving.txt, columns.txt).
NEEDS = {
    "celery_tasks.py": ("celery",),
    "data_frames.py": ("duckdb", "pandas", "polars", "pyarrow"),
    "django_service.py": ("django",),
    "feature_store.py": ("numpy",),
    "fastapi_service.py": ("fastapi", "httpx", "pydantic"),
    "flask_service.py": ("flask", "gunicorn"),
}


def run(example: str, **environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(HERE / example)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | environment,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_prints_its_result(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in NEEDS.get(example, ()):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    monkeypatch.delenv("SEEDS", raising=False)
    assert SAYS[example] in run(example)


def suite(monkeypatch: pytest.MonkeyPatch, *arguments: str, **environment: str) -> str:
    """Runs the example test suite, separately from this run."""
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)
    # Loading other installed plugins takes longer than the suite.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ["-p", "pytest_spikewire", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", *plugins, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=HERE / "pytest_suite",
        env=os.environ | environment,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    return ran.stdout


def test_the_example_suite_runs_under_xdist(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    monkeypatch.delenv("SEEDS", raising=False)
    text = suite(monkeypatch, "-p", "xdist", "-n", "2")
    for worker in ("gw0", "gw1"):
        assert re.search(rf"^\[{worker}\] .* PASSED ", text, re.MULTILINE)


def test_the_example_suite_runs_on_a_given_cluster(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sum(cluster.stats(node)["connections_opened"] for node in range(3))
    assert "1 passed" in suite(monkeypatch, "-k", "test_balances", SEEDS=cluster.seeds)
    assert sum(cluster.stats(node)["connections_opened"] for node in range(3)) > before


def test_examples_run_on_a_given_cluster(cluster: Cluster) -> None:
    assert SAYS["quickstart_sync.py"] in run("quickstart_sync.py", SEEDS=cluster.seeds)
