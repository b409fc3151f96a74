"""Every way in which the lab drives a client does the work that its table states."""

from __future__ import annotations

import asyncio
import sys
import time
from array import array
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire_lab.access.seeds import parse_seeds
from spikewire_lab.clients import FLOOR, PEERS
from spikewire_lab.clients.base import SYNC
from spikewire_lab.run.launch import as_result, python_worker, run_job
from spikewire_lab.work.shape import DICT, IN_COLUMNS, SINGLE, TABLE_WRITE, column_bins
from spikewire_lab.worker.job import Plan
from spikewire_lab.worker.loop import asyncio_loop, blocking_loop

if TYPE_CHECKING:
    from spikewire_lab.contract.result import Job

pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")

KEYS, ROWS = 40, 4
CASES = [
    (name, mode, way.kind, way.name)
    for name, peer in PEERS.items()
    if name != FLOOR
    for way in peer.ways
    for mode in way.modes
    if peer.lacks(mode) is None
]


def job(hosts: list[tuple[str, int]], client: str, mode: str, kind: str, way: str) -> Job:
    rows, columns = 1 if kind == SINGLE else ROWS, 3 if kind in IN_COLUMNS else 0
    return {
        "action": "measure",
        "client": client,
        "mode": mode,
        "concurrency": 2,
        "shape": {
            "kind": kind,
            "rows": rows,
            "columns": columns,
            "way": way,
        },
        "seeds": hosts,
        "namespace": "test",
        "set": "ways",
        "keys": KEYS,
        "bins": column_bins(3),
        "workload": "RU,50",
        "warmup": 0.0,
        "duration": 0.05,
        "sample_every": 16,
        "seed": 1,
        "cpus": [],
        "server_pid": None,
    }


@pytest.fixture(scope="module")
def hosts(box: Any) -> list[tuple[str, int]]:
    """The seeds of a cluster that holds the records, written by the client that the lab prefers."""
    pytest.importorskip("aerospike")
    seeds = box.seeds if isinstance(box.seeds, str) else ",".join(box.seeds)
    nodes = list(parse_seeds(seeds))
    filling = job(nodes, "aerospike", "sync", SINGLE, "")
    filling["action"] = "populate"
    filled = as_result(run_job(python_worker(sys.executable), filling))
    assert "failed" not in filled
    assert filled["operations"] == KEYS
    return nodes


WRITING = [(client, mode, way) for client, mode, kind, way in CASES if kind == TABLE_WRITE]


@pytest.mark.parametrize("box", [3], indirect=True, ids=["three nodes"])
@pytest.mark.parametrize(("client", "mode", "way"), WRITING)
def test_a_table_is_written_as_its_rows_are(
    hosts: list[tuple[str, int]], client: str, mode: str, way: str
) -> None:
    peer = PEERS[client]
    pytest.importorskip(peer.module)
    if peer.way(TABLE_WRITE, way).needs:
        pytest.importorskip(peer.way(TABLE_WRITE, way).needs)
    where = f"written-{client}-{mode}-{way}"
    plan = Plan.of({**job(hosts, client, mode, TABLE_WRITE, way), "set": where})
    call = plan.call()
    assert call is not None
    assert isinstance(call[1], list) == (way == DICT)
    errors: list[str] = []
    arguments: Any = (
        [(call, [])],
        [],
        time.perf_counter_ns,
        array("q", [0]),
        lambda one: errors.append(repr(one)),
    )

    def write() -> None:
        assert peer.blocking is not None
        adapter = peer.blocking()
        adapter.open(plan.target)
        blocking_loop(plan.verbs(adapter))(*arguments)
        adapter.close()

    async def write_async() -> None:
        assert peer.asyncio is not None
        adapter = peer.asyncio()
        await adapter.open(plan.target)
        await asyncio_loop(plan.verbs(adapter))(*arguments)
        await adapter.close()

    write() if mode == SYNC else asyncio.run(write_async())
    assert errors == []
    with spikewire.Client.connect(plan.target.seed_text) as reader:
        result = reader.dataset("test", where).get_many(range(ROWS + 1))
        rows = [None if record is None else dict(record.bins) for record in result]
    assert rows == [*plan.pool[:ROWS], None]


@pytest.mark.parametrize("box", [3], indirect=True, ids=["three nodes"])
@pytest.mark.parametrize(("client", "mode", "kind", "way"), CASES)
def test_a_way_performs_the_verbs_of_its_table(
    hosts: list[tuple[str, int]], client: str, mode: str, kind: str, way: str
) -> None:
    pytest.importorskip(PEERS[client].module)
    needed = PEERS[client].way(kind, way).needs
    if needed:
        pytest.importorskip(needed)
    done = as_result(run_job(python_worker(sys.executable), job(hosts, client, mode, kind, way)))
    assert "failed" not in done
    assert (done["errors"], done["first_error"]) == (0, None)
    calls = done["latency"]["samples"] + done["latency"]["overwritten"]
    assert done["operations"] == calls * ROWS > 0
