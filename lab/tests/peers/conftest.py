"""Clusters for the tests with other clients."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

# Some clients install their own event loop for the whole process when they are imported.
os.environ.setdefault("AEROSPIKE_NO_UVLOOP", "1")


@pytest.fixture(scope="session", params=[1, 3], ids=["one node", "three nodes"])
def box(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A healthy cluster."""
    with Cluster(nodes=request.param) as cluster:
        yield cluster
