"""Every client does what the verb of a stream says, and declares the verbs that it lacks."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from spikewire import Client
from spikewire_lab.clients import PEERS, more
from spikewire_lab.clients.base import FIND, Peer, PoolClient, Target
from spikewire_lab.run.cluster import EmbeddedCluster
from spikewire_lab.run.launch import as_result, python_worker, run_job
from spikewire_lab.work import into_blocks, mix, parse_bins, parse_workload, value_pool
from spikewire_lab.work.keys import ABSENT
from spikewire_lab.work.shape import BATCH_READ, EACH, MAP
from spikewire_lab.work.shape import POOL as POOLED
from spikewire_lab.worker.loop import Tally, asyncio_loop, blocking_loop, blocking_read
from spikewire_lab.worker.steps import Fresh, Misses, lacking, stepped, verbs_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spikewire_lab.clients.base import AsyncioClient, BlockingClient, Verbs
    from spikewire_lab.contract.result import Job
    from spikewire_lab.work import Block, Operation

BINS = parse_bins("S5,I4")
POOL = value_pool(BINS, seed=3)
KEYS = 40
ABLE = [peer for peer in PEERS.values() if peer.verbs and peer.name != "null"]
COUNTED = cast("int", POOL[1]["b1"])
STEPS: list[tuple[object, object, str]] = [
    (0, None, mix.READ),
    (0, "b1", mix.READ_ONE),
    (1, 1, mix.ADD),
    (1, 1, mix.OPERATE),
    (1, 1, mix.INCREMENT),
    (1, -1, mix.DECREMENT),
    (2, {"b0": "other", "b1": 2}, mix.WRITE),
    (3, {"b1": 3}, mix.WRITE_ONE),
    (4, {"b1": 4}, mix.REPLACE),
    (5, {"b0": "again", "b1": 5}, mix.UPDATE),
    (6, {"b1": 6}, mix.UPDATE_ONE),
    (7, None, mix.TOUCH),
    (7, None, mix.EXISTS),
    (8, None, mix.REMOVE),
    (8, None, mix.REMOVE),
    (8, None, mix.EXISTS),
    (list(range(10, 20)), None, mix.SCAN),
    (0, None, mix.INSERT),
    (0, None, mix.INSERT),
    (1, None, mix.LATEST),
    (ABSENT, None, mix.MISS),
]
"""One or more of each verb."""


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with EmbeddedCluster(1, "test") as cluster:
        yield Target(cluster.seeds, "test", "verbs")


def steps_of(peer: Peer) -> list[tuple[object, object, str]]:
    """The steps that this client supports."""
    return [step for step in STEPS if lacking(peer, workload_of(step[2]), 0) is None]


def workload_of(*verbs: str) -> mix.Workload:
    return mix.Workload("MIX", tuple((verb, 1.0) for verb in verbs))


def blocks(peer: Peer) -> list[Block]:
    return into_blocks(cast("list[Operation]", steps_of(peer)), 1)


def verbs(
    peer: Peer,
    client: BlockingClient | AsyncioClient | PoolClient,
    fresh: Fresh,
    missed: Misses,
) -> Verbs:
    workload = workload_of(*dict.fromkeys(verb for _, _, verb in steps_of(peer)))
    many = None
    if mix.SCAN in workload.verbs:
        many = client.many() if isinstance(client, PoolClient) else client.many("")
    return stepped(client.verbs(), many, workload, 10, "b1", POOL, fresh, missed)


def check(peer: Peer, target: Target, tally: Tally, errors: list[str], samples: array[int]) -> None:
    assert errors == []
    steps = steps_of(peer)
    assert tally[:2] == (len(steps), len(steps))
    reading = [verb in mix.READING for _, _, verb in steps]
    assert [sample > 0 for sample in samples[: len(steps)]] == reading
    added = sum(cast("int", bins) for key, bins, verb in steps if verb in mix.COUNTING)
    assert added > 0
    with Client.connect(target.seed_text) as client:
        dataset = client.dataset(target.namespace, target.set_name)
        assert dict(dataset.get(1).bins) == {"b0": POOL[1]["b0"], "b1": COUNTED + added}
        assert dict(dataset.get(2).bins) == {"b0": "other", "b1": 2}
        assert dict(dataset.get(3).bins) == {"b0": POOL[3]["b0"], "b1": 3}
        assert dict(dataset.get(4).bins) == {"b1": 4}
        assert dict(dataset.get(5).bins) == {"b0": "again", "b1": 5}
        assert dict(dataset.get(6).bins) == {"b0": POOL[6]["b0"], "b1": 6}
        assert not dataset.exists(8)
        assert dict(dataset.get(KEYS + 1).bins) == POOL[KEYS + 1]
        assert not dataset.exists(KEYS + 2)


def fill(target: Target) -> None:
    with Client.connect(target.seed_text) as client:
        dataset = client.dataset(target.namespace, target.set_name)
        dataset.put_many({key: POOL[key] for key in range(KEYS)}).raise_for_errors()
        for key in range(KEYS, KEYS + 4):
            dataset.delete(key)
        dataset.put(4, POOL[4], exists="replace")


@pytest.mark.parametrize("peer", [one for one in ABLE if one.blocking], ids=lambda one: one.name)
def test_blocking_clients_do_every_verb(peer: object, target: Target) -> None:
    known = next(one for one in ABLE if one is peer)
    assert known.blocking is not None
    if known.unavailable() is not None:
        pytest.skip(f"{known.name} is not installed")
    fill(target)
    client = known.blocking()
    client.open(target)
    errors: list[str] = []
    missed = Misses()
    missed.mark()
    samples = array("q", [0] * 32)
    try:
        assert set(client.verbs().more) == known.verbs
        loop = blocking_loop(verbs(known, client, Fresh(KEYS), missed))
        tally = loop(
            blocks(known), [], time.perf_counter_ns, samples, lambda one: errors.append(repr(one))
        )
    finally:
        client.close()
    check(known, target, tally, errors, samples)
    missed.mark()
    assert missed.between() == 1


@pytest.mark.parametrize("peer", [one for one in ABLE if one.asyncio], ids=lambda one: one.name)
def test_asyncio_clients_do_every_verb(peer: object, target: Target) -> None:
    known = next(one for one in ABLE if one is peer)
    assert known.asyncio is not None
    if known.unavailable() is not None:
        pytest.skip(f"{known.name} is not installed")
    fill(target)
    make = known.asyncio
    errors: list[str] = []
    missed = Misses()
    missed.mark()
    samples = array("q", [0] * 32)

    async def main() -> Tally:
        client = make()
        await client.open(target)
        try:
            assert set(client.verbs().more) == known.verbs
            loop = asyncio_loop(verbs(known, client, Fresh(KEYS), missed))
            return await loop(
                blocks(known),
                [],
                time.perf_counter_ns,
                samples,
                lambda one: errors.append(repr(one)),
            )
        finally:
            await client.close()

    check(known, target, asyncio.run(main()), errors, samples)
    missed.mark()
    assert missed.between() == 1


@pytest.mark.parametrize("peer", [one for one in ABLE if one.pool], ids=lambda one: one.name)
def test_pools_do_every_verb(peer: object, target: Target) -> None:
    known = next(one for one in ABLE if one is peer)
    assert known.pool is not None
    if known.unavailable() is not None:
        pytest.skip(f"{known.name} is not installed")
    fill(target)
    client = known.pool()
    client.open(target, 2, uvloop=False)
    errors: list[str] = []
    missed = Misses()
    missed.mark()
    samples = array("q", [0] * 32)
    try:
        assert set(client.verbs().more) == known.verbs
        loop = asyncio_loop(verbs(known, client, Fresh(KEYS), missed))
        call = client.run(
            loop,
            blocks(known),
            [],
            time.perf_counter_ns,
            samples,
            lambda one: errors.append(repr(one)),
        )
        tally = cast("Tally", call.result(30))
    finally:
        client.close()
    check(known, target, tally, errors, samples)
    missed.mark()
    assert missed.between() == 1


@pytest.mark.parametrize("way", [POOLED, MAP, EACH])
def test_a_workload_is_run_on_several_loops(target: Target, way: str) -> None:
    pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
    fill(target)
    job: Job = {
        "action": "measure",
        "client": "spikewire",
        "mode": "async",
        "concurrency": 4,
        "shape": {"kind": "single", "rows": 1, "columns": 0, "way": way},
        "seeds": list(target.seeds),
        "namespace": target.namespace,
        "set": target.set_name,
        "keys": KEYS,
        "bins": "S5,I4",
        "workload": "MIX,read=40,touch=30,scan=20,operate=10",
        "warmup": 0.0,
        "duration": 0.1,
        "sample_every": 4,
        "seed": 3,
        "cpus": [],
        "server_pid": None,
        "loops": 2,
        "work": 5,
        "misses": 25.0,
    }
    done = as_result(run_job(python_worker(sys.executable), job))
    assert "failed" not in done
    assert (done["errors"], done["first_error"]) == (0, None)
    expected = {"read": 0.3, "miss": 0.1, "touch": 0.3, "scan": 0.2, "operate": 0.1}
    assert done["shares"] == pytest.approx(expected)
    assert 0 < done["misses"] < done["operations"]


def test_every_verb_is_tried_above() -> None:
    assert {verb for _, _, verb in STEPS} == {*mix.VERBS, mix.MISS}


def test_missing_verbs_of_a_client_are_reported() -> None:
    touching = parse_workload("MIX,read=50,touch=50")
    none = Peer("none", "none", "none")
    assert lacking(none, touching, 0) == "has no touch for single records in this lab"
    assert lacking(replace(none, verbs=frozenset({"touch"})), touching, 0) is None
    assert lacking(replace(none, verbs=frozenset({"touch"})), touching, 5) is not None
    assert lacking(replace(none, verbs=frozenset({"touch", FIND})), touching, 5) is None
    assert lacking(none, parse_workload("RU,50"), 0) is None


def test_a_client_without_batches_has_no_scans() -> None:
    scanning = parse_workload("YCSB-E")
    local = PEERS["aerospike-native-local"]
    reason = "has no batch read, of which a scan is made, in this lab"
    assert lacking(local, scanning, 0) == reason
    assert lacking(local, parse_workload("YCSB-B"), 0) is None
    for peer in PEERS.values():
        batches = any(way.kind == BATCH_READ for way in peer.ways)
        assert (lacking(peer, scanning, 0) is None) == batches, peer.name
    both = parse_workload("MIX,scan=50,add=50")
    assert lacking(local, both, 0) == f"has no add for single records and no {reason[7:]}"


@pytest.mark.parametrize("peer", PEERS.values(), ids=lambda one: one.name)
def test_clients_declare_their_verbs(peer: Peer) -> None:
    """Only the client with a runtime for each thread lacks one: its `add`."""
    assert more.ALL - peer.verbs == ({mix.ADD} if peer.name == "aerospike-native-local" else set())


def test_reads_on_an_empty_set_may_find_nothing() -> None:
    filled = parse_workload("RU,50")
    empty = replace(filled, sparse=True)
    assert filled.plain
    assert not empty.plain
    assert verbs_of(empty, 0) == verbs_of(filled, 0)
    none = replace(PEERS["spikewire"], verbs=frozenset())
    reason = "has no read that may find nothing for single records in this lab"
    assert (lacking(none, filled, 0), lacking(none, empty, 0)) == (None, reason)


@pytest.mark.slow
@pytest.mark.parametrize("client", ["spikewire", "aerospike-sdk", "aerospike"])
def test_a_run_on_an_empty_set_has_misses_and_no_errors(client: str, tmp_path: Path) -> None:
    pytest.importorskip(PEERS[client].module)
    command = [
        *(sys.executable, "-m", "spikewire", "bench", "--client", client, "--mode", "sync"),
        *("--threads", "2", "-k", "2000", "-d", "0.3", "--warmup", "0", "--rounds", "2"),
        *("--truncate", "--no-populate", "--json", str(tmp_path / "a.json")),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    (cell,) = json.loads((tmp_path / "a.json").read_text())["cells"]
    # Every round begins with an empty set.
    assert all(run["errors"] == 0 and run["misses"] > 0 for run in cell["runs"])


def test_misses_are_a_verb_of_their_own() -> None:
    assert verbs_of(parse_workload("RU,90"), 0) == ["read", "write"]
    assert verbs_of(parse_workload("RU,90"), 5) == ["read", "write", "miss"]


@pytest.mark.parametrize("peer", [one for one in ABLE if one.blocking], ids=lambda one: one.name)
def test_clients_ask_for_alternate_addresses(peer: object, target: Target) -> None:
    known = next(one for one in ABLE if one is peer)
    assert known.blocking is not None
    if known.unavailable() is not None:
        pytest.skip(f"{known.name} is not installed")
    fill(target)
    client = known.blocking()
    client.open(replace(target, services_alternate=True))
    try:
        assert blocking_read(client.verbs())(9) == POOL[9]
    finally:
        client.close()
