"""Every client of the lab against an embedded cluster with users, and over TLS."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("rich.console", reason="the lab's rich is not installed")
pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")

from spikewire_lab.access import Access, Secret, Tls
from spikewire_lab.clients import FLOOR, PEERS
from spikewire_lab.commands.queries import compare_scans
from spikewire_lab.plan import Matrix
from spikewire_lab.queries.lab import Scans
from spikewire_lab.queries.lab import Settings as ScanSettings
from spikewire_lab.run import ready
from spikewire_lab.run.cluster import EmbeddedCluster, truncate
from spikewire_lab.run.compare import Comparison, Settings, compare
from spikewire_lab.run.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD = "not to be seen"
LOGIN = Access("app", Secret(PASSWORD), "internal")
BOTH = replace(LOGIN, tls=Tls())
EVERYBODY = tuple(name for name in PEERS if name != FLOOR)
NO_TLS = {"aerospike-py", "spikewire-compat-py"}


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


def measured(comparison: Comparison) -> set[str]:
    """The clients whose calls all succeeded."""
    for line in (line for lines in comparison.lines() for line in lines):
        assert not line.failures, (line.cell, line.failures)
        assert line.errors == 0, (line.cell, line.first_error)
        assert line.rate is not None, line.cell
    return {cell.client for cell in comparison.rounds}


@pytest.mark.parametrize(
    ("access", "text"),
    [
        (LOGIN, "with a login (internal)"),
        (BOTH, "and with a login (internal)"),
    ],
    ids=["login", "both"],
)
def test_every_client_logs_in_or_is_skipped(access: Access, text: str) -> None:
    line = ["spikewire", "compare", "--user", "app", "--password", PASSWORD]
    comparison = compare("compare", settings(access, *EVERYBODY), line, Progress(bar=False))
    barred = NO_TLS if access.tls else set[str]()
    lacking = {one.client for one in comparison.skipped if "cannot import" in one.reason}
    assert measured(comparison) == set(EVERYBODY) - barred - lacking
    left_out = {one.client for one in comparison.skipped if one.reason == "has no TLS"}
    assert left_out == barred
    saved = json.dumps(comparison.as_json())
    assert text in saved
    assert PASSWORD not in saved


def scan_settings(access: Access) -> ScanSettings:
    return ScanSettings(
        access=access,
        nodes=2,
        modes=("queries", "scans-p99"),
        clients=("spikewire", "aerospike", "aerospike-py", "aerospike-native"),
        interpreters=("",),
        records=300,
        slow_records=300,
        sizes=(100,),
        duration=0.05,
        warmup=0.0,
        pause=0.0,
        rounds=1,
        seed=1,
        populate=True,
        gil=None,
        client_cpus=(),
        consumers=("no-op",),
    )


def test_scans_log_in_too() -> None:
    comparison: Scans = compare_scans(scan_settings(BOTH), ["spikewire"], Progress(bar=False))
    assert not comparison.flawed
    measured = {scan.client for scan in comparison.scans}
    assert {"spikewire", "aerospike"} <= measured
    assert "aerospike-py" not in measured
    assert comparison.gets
    assert PASSWORD not in json.dumps(comparison.as_json())


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(2, "test", copies=2, access=BOTH) as started:
        yield started


def test_the_lab_reads_a_secured_cluster(cluster: EmbeddedCluster) -> None:
    assert ready.out_of_reach(cluster.seeds, cluster.access) is None
    assert isinstance(cluster.rows(), int)
    assert truncate(cluster, "test", "gone") is None


def test_wrong_credentials_are_reported_before_measuring(cluster: EmbeddedCluster) -> None:
    wrong = replace(cluster.access, password=Secret("another one"))
    text = ready.out_of_reach(cluster.seeds, wrong)
    assert text is not None
    assert "app" in text
    assert "another one" not in text
    untrusted = replace(cluster.access, tls=Tls(names=("127.0.0.1",) * 2))
    text = ready.out_of_reach(cluster.seeds, untrusted)
    assert text is not None
    assert "certificate" in text.lower()
