"""Background jobs of the official client on the embedded cluster."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

import pytest
from box import c_client

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")

from aerospike import predicates as p  # noqa: E402
from aerospike_helpers import expressions as ex  # noqa: E402
from aerospike_helpers.operations import list_operations as lop  # noqa: E402
from aerospike_helpers.operations import operations as op  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

# The binding announces removals of calls; this server is as old as they are.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

COUNT = 300
_names = itertools.count()


@pytest.fixture(scope="module")
def peer(box: Any) -> Iterator[Any]:
    client = c_client(box.seeds)
    yield client
    client.close()


@pytest.fixture
def filled(peer: Any) -> str:
    name = f"job{next(_names)}"
    for at in range(COUNT):
        peer.put(("test", name, at), {"i": at, "l": [at]})
    return name


def run(peer: Any, query: Any, policy: Any = None) -> None:
    """Runs a job to its end on every node."""
    job = query.execute_background(policy or {})
    while peer.job_info(job, aerospike.JOB_QUERY)["status"] != aerospike.JOB_STATUS_COMPLETED:
        time.sleep(0.005)


def bins(peer: Any, name: str) -> dict[int, dict[str, Any]]:
    rows = [peer.get(("test", name, at)) for at in range(COUNT)]
    return {at: row[2] for at, row in enumerate(rows)}


def test_a_job_changes_every_record(peer: Any, filled: str) -> None:
    query = peer.query("test", filled)
    query.add_ops([op.increment("i", 1000), op.write("new", "x"), lop.list_append("l", "end")])
    run(peer, query)
    expected = {at: {"i": at + 1000, "l": [at, "end"], "new": "x"} for at in range(COUNT)}
    assert bins(peer, filled) == expected


def test_a_job_takes_a_filter(peer: Any, filled: str) -> None:
    query = peer.query("test", filled)
    query.add_ops([op.write("low", True)])
    run(peer, query, {"expressions": ex.LT(ex.IntBin("i"), 50).compile()})
    assert [at for at, names in bins(peer, filled).items() if "low" in names] == list(range(50))


def test_a_job_selects_records_by_an_index(peer: Any, filled: str) -> None:
    name = f"jx{next(_names)}"
    what = f"namespace=test;set={filled};indexname={name};bin=i;type=numeric"
    peer.info_random_node(f"sindex-create:{what}")
    stat = f"sindex-stat:namespace=test;indexname={name}"
    while "load_pct=100" not in peer.info_random_node(stat):
        pass
    query = peer.query("test", filled)
    query.where(p.between("i", 10, 19))
    query.add_ops([op.delete()])
    run(peer, query)
    left = {row[2]["i"] for row in peer.query("test", filled).results()}
    assert left == set(range(COUNT)) - set(range(10, 20))
    peer.info_random_node(f"sindex-delete:namespace=test;indexname={name}")
