"""Spikewire and a public client on one cluster."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faces import Face, Opened

# Some clients put their own event loop into the whole process when they are imported.
os.environ.setdefault("AEROSPIKE_NO_UVLOOP", "1")

#: Where the public clients' calls are put behind one set of names.
ADAPTERS = Path(__file__).resolve().parents[1] / "peers"

PEERS = ["aerospike", "aerospike_py", "aerospike_sdk", "aerospike_native"]


@pytest.fixture(scope="session", params=[1, 3], ids=["one node", "three nodes"])
def shared_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with Cluster(request.param) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture(scope="session", params=PEERS)
def peer(request: pytest.FixtureRequest, shared_cluster: Cluster) -> Iterator[Any]:
    """A public client; skipped where it has no wheel for this interpreter."""
    if str(ADAPTERS) not in sys.path:
        sys.path.append(str(ADAPTERS))
    adapter = importlib.import_module(f"test_{request.param}")
    peer = adapter.Client(shared_cluster.seeds)
    yield peer
    peer.close()


@pytest.fixture(scope="session")
def ours(face: Face, shared_cluster: Cluster) -> Iterator[Opened]:
    with face.open(shared_cluster.seeds, timeout=10) as client:
        yield client
