"""Every way in which the lab reads a whole set returns every record as it was written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from spikewire_lab.access.seeds import parse_seeds
from spikewire_lab.clients import OURS, PEERS
from spikewire_lab.contract.queries import as_scan
from spikewire_lab.queries.cells import ARROW, FILL, NOTHING, SCAN, record_bins, scans
from spikewire_lab.queries.check import BY_CONTENT, BY_KEY, ExpectedRecords, range_of_share
from spikewire_lab.run.launch import python_worker, run_job
from spikewire_lab.work import parse_bins, value_pool

if TYPE_CHECKING:
    from spikewire_lab.contract.result import Job

RECORDS = 700
CASES = [
    (scan.client, scan.mode, scan.way, scan.consumer)
    for scan in scans(tuple(PEERS), 100, RECORDS)
    if not scan.ours or scan.consumer == NOTHING
]
POOL = value_pool(parse_bins(record_bins(100)), seed=1)
BETWEEN = range_of_share(POOL, 20)
CHOSEN = ExpectedRecords(POOL, RECORDS, "scans", BETWEEN)


def job(hosts: list[tuple[str, int]], action: str, client: str, mode: str, way: str) -> Job:
    return {
        "action": action,
        "client": client,
        "mode": mode,
        "concurrency": 1,
        "shape": {"kind": SCAN, "rows": 1, "columns": 0, "way": way},
        "seeds": hosts,
        "namespace": "test",
        "set": "scans",
        "keys": RECORDS,
        "bins": record_bins(100),
        "workload": "RU,100",
        "warmup": 0.0,
        "duration": 0.02,
        "sample_every": 1,
        "seed": 1,
        "cpus": [],
        "server_pid": None,
        "verify": True,
    }


@pytest.fixture(scope="module")
def hosts(box: Any) -> list[tuple[str, int]]:
    seeds = box.seeds if isinstance(box.seeds, str) else ",".join(box.seeds)
    nodes = list(parse_seeds(seeds))
    filling = job(nodes, FILL, OURS, "sync", "")
    filling["between"] = list(BETWEEN)
    filled = run_job(python_worker(sys.executable), filling)
    assert filled["records"] == RECORDS
    return nodes


@pytest.mark.parametrize("box", [3], indirect=True, ids=["three nodes"])
@pytest.mark.parametrize("selecting", [False, True], ids=["all", "a range"])
@pytest.mark.parametrize(("client", "mode", "way", "consumer"), CASES)
def test_a_scan_gives_every_record(
    hosts: list[tuple[str, int]], client: str, mode: str, way: str, consumer: str, selecting: bool
) -> None:
    pytest.importorskip(PEERS[client].module)
    variables = PEERS[client].environment.get(mode)
    one = job(hosts, SCAN, client, mode, f"{way}/{consumer}")
    if selecting:
        one["between"] = list(BETWEEN)
    done = as_scan(run_job(python_worker(sys.executable), one, variables))
    assert "failed" not in done, done
    expected = CHOSEN.count if selecting else RECORDS
    assert 0 < CHOSEN.count < RECORDS
    assert done["records"] == done["scans"] * expected > 0
    assert done["checked"] == (BY_CONTENT if way == ARROW else BY_KEY)
    assert done["version"]
