"""The pytest fixture, found by pytest when spikewire is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cluster import Cluster


@pytest.fixture(scope="session")
def spikewire_cluster() -> Iterator[Cluster]:
    """A three-node embedded cluster with namespace "test", for the whole test session."""
    from spikewire.testing.cluster import Cluster

    with Cluster(nodes=3) as cluster:
        yield cluster
