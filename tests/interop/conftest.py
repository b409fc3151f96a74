"""Spikewire and another client on one cluster."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import selection
from apis import APIS
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Opened

# Some clients install their own event loop for the whole process when they are imported.
os.environ.setdefault("AEROSPIKE_NO_UVLOOP", "1")

#: The adapters that give the other clients a common interface.
ADAPTERS = Path(__file__).resolve().parents[1] / "peers"

PEERS = ["aerospike", "aerospike_py", "aerospike_sdk", "aerospike_native"]


NODES = [1, 3]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Reduces all combinations to pairs.

    Who wrote, and to how many nodes, makes no difference to what a client reads. So each case runs
    with each peer once: on another API each time, half of them with one node. Every pair of case,
    peer, API and number of nodes is among those that remain.
    """

    def is_selected(number: int, case: dict[str, object]) -> bool:
        peer = PEERS.index(str(case["peer"]))
        api = APIS[(number + peer) % len(APIS)]
        nodes = NODES[(number + peer // 2) % len(NODES)]
        return (case["api"], case["shared_cluster"]) == (api, nodes)

    def among(item: pytest.Item) -> bool:
        return {"api", "peer", "shared_cluster"} <= selection.parameters(item).keys()

    varied = ["api", "peer", "shared_cluster"]
    dropped = selection.keep(items, is_selected, varied, among)
    if dropped:
        config.hook.pytest_deselected(items=dropped)


@pytest.fixture(scope="session", params=NODES, ids=["one node", "three nodes"])
def shared_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with Cluster(request.param) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture(scope="session", params=PEERS)
def peer(request: pytest.FixtureRequest, shared_cluster: Cluster) -> Iterator[Any]:
    """Another client; skipped if it has no wheel for this interpreter."""
    if str(ADAPTERS) not in sys.path:
        sys.path.append(str(ADAPTERS))
    adapter = importlib.import_module(f"test_{request.param}")
    peer = adapter.Client(shared_cluster.seeds)
    yield peer
    peer.close()


@pytest.fixture(scope="session")
def ours(api: Api, shared_cluster: Cluster) -> Iterator[Opened]:
    with api.open(shared_cluster.seeds, timeout=10) as client:
        yield client
