"""Scans of the official client on the embedded cluster."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from box import c_client

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")

from aerospike_helpers import expressions as ex  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

# The binding announces removals of calls; this server is as old as they are.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

COUNT = 2000
_sets = itertools.count()


@pytest.fixture(scope="module")
def peer(box: Any) -> Iterator[Any]:
    client = c_client(box.seeds)
    yield client
    client.close()


@pytest.fixture(scope="module")
def filled(peer: Any) -> str:
    """A set of records with their number in bin ``i``; every tenth has its key stored."""
    name = f"scan{next(_sets)}"
    for at in range(COUNT):
        key = ("test", name, at)
        policy = {"key": aerospike.POLICY_KEY_SEND} if at % 10 == 0 else {}
        peer.put(key, {"i": at, "s": f"text {at}", "l": [at, at + 1]}, policy=policy)
    return name


def numbers(rows: Any) -> list[int]:
    return sorted(bins["i"] for _, _, bins in rows)


def test_a_scan_returns_every_record_once(peer: Any, filled: str) -> None:
    rows = peer.query("test", filled).results()
    assert numbers(rows) == list(range(COUNT))
    assert {len(row[0][3]) for row in rows} == {20}
    stored = sorted(row[0][2] for row in rows if row[0][2] is not None)
    assert stored == list(range(0, COUNT, 10))
    assert all(meta["gen"] == 1 for _, meta, _ in rows)
    assert peer.query("test", "nobody wrote here").results() == []


def test_a_scan_selects_bins_or_none(peer: Any, filled: str) -> None:
    query = peer.query("test", filled)
    query.select("s")
    assert {tuple(bins) for _, _, bins in query.results()} == {("s",)}
    rows = peer.query("test", filled).results(options={"nobins": True})
    assert len(rows) == COUNT
    assert all(not bins for _, _, bins in rows)


def test_a_scan_takes_a_filter(peer: Any, filled: str) -> None:
    policy = {"expressions": ex.LT(ex.IntBin("i"), 70).compile()}
    assert numbers(peer.query("test", filled).results(policy)) == list(range(70))


def test_a_query_reads_chosen_partitions(peer: Any, filled: str) -> None:
    met: list[int] = []
    for begin in range(0, 4096, 1024):
        policy = {"partition_filter": {"begin": begin, "count": 1024}}
        rows = peer.query("test", filled).results(policy)
        met += numbers(rows)
        for (_, _, _, digest), _, _ in rows:
            partition = digest[0] | (digest[1] & 0x0F) << 8
            assert begin <= partition < begin + 1024
    assert sorted(met) == list(range(COUNT))


def test_a_query_is_paginated(peer: Any, filled: str) -> None:
    query = peer.query("test", filled)
    query.max_records = 300
    query.paginate()
    met: list[int] = []
    pages = 0
    while not query.is_done():
        rows = query.results()
        assert len(rows) <= 300
        met += numbers(rows)
        pages += 1
    assert sorted(met) == list(range(COUNT))
    assert pages >= COUNT // 300


def test_a_page_goes_on_in_another_query(peer: Any, filled: str) -> None:
    first = peer.query("test", filled)
    first.max_records = 500
    first.paginate()
    met = numbers(first.results())
    status = first.get_partitions_status()
    policy = {"partition_filter": {"begin": 0, "count": 4096, "partition_status": status}}
    met += numbers(peer.query("test", filled).results(policy))
    assert sorted(met) == list(range(COUNT))


def test_a_rate_returns_every_record(peer: Any, filled: str) -> None:
    query = peer.query("test", filled)
    query.records_per_second = 20_000
    assert numbers(query.results()) == list(range(COUNT))


def test_a_consumer_that_stops(peer: Any, filled: str) -> None:
    seen: list[Any] = []

    def stop(row: Any) -> bool:
        seen.append(row)
        return len(seen) < 10

    peer.query("test", filled).foreach(stop)
    assert 10 <= len(seen) < COUNT
    assert numbers(peer.query("test", filled).results()) == list(range(COUNT))


def test_a_scan_survives_a_failing_node(fragile_box: Any) -> None:
    """Two copies of everything: while a node fails, no record is lost and none comes twice."""
    client = c_client(fragile_box.seeds)
    for at in range(1000):
        client.put(("test", "fragile", at), {"i": at})
    seen: list[int] = []

    def take(row: Any) -> None:
        seen.append(row[2]["i"])
        if len(seen) == 100:
            fragile_box.kill(1)

    query = client.query("test", "fragile")
    # Slow enough for the failure to come in the middle.
    query.records_per_second = 2000
    query.foreach(take, {"max_retries": 20, "sleep_between_retries": 100, "total_timeout": 20000})
    assert sorted(seen) == list(range(1000))
    client.close()
