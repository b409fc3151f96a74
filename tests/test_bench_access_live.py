"""Every client of the lab at an embedded cluster that lets in whom it knows."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("rich.console", reason="the lab's rich is not installed")
pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")

from spikewire.bench.access import Access, Secret
from spikewire.bench.clients import FLOOR, PEERS
from spikewire.bench.run.compare import Comparison, Settings, compare
from spikewire.bench.run.plan import Matrix
from spikewire.bench.run.progress import Progress

pytestmark = pytest.mark.lab
PASSWORD = "not to be seen"
LOGIN = Access("app", Secret(PASSWORD), "internal")
EVERYBODY = tuple(name for name in PEERS if name != FLOOR)


def settings(access: Access, *clients: str, modes: tuple[str, ...] = ("sync", "async")) -> Settings:
    return Settings(
        matrix=Matrix(clients, modes, (1,), (1,), (1,), ("",)),
        access=access,
        nodes=2,
        keys=200,
        bins="I1",
        workload="RU,50",
        duration=0.05,
        warmup=0.0,
        rounds=1,
        sample_every=4,
        seed=1,
        pause=0.0,
        populate=True,
        gil=None,
        client_cpus=(),
    )


def measured(found: Comparison) -> set[str]:
    """The clients whose calls all went well."""
    for line in (line for lines in found.lines() for line in lines):
        assert not line.failures, (line.cell, line.failures)
        assert line.errors == 0, (line.cell, line.first_error)
        assert line.rate is not None, line.cell
    return {cell.client for cell in found.rounds}


def test_every_client_logs_in() -> None:
    line = ["spikewire", "compare", "--user", "app", "--password", PASSWORD]
    found = compare("compare", settings(LOGIN, *EVERYBODY), line, Progress(bar=False))
    lacking = {one.client for one in found.skipped if "cannot import" in one.reason}
    assert measured(found) == set(EVERYBODY) - lacking
    saved = json.dumps(found.as_json())
    assert "with a login (internal)" in saved
    assert PASSWORD not in saved
