"""What tests of the lab share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A healthy three-node cluster. Tests that harm a cluster make their own."""
    with Cluster(nodes=3) as cluster:
        assert cluster.wait_settled()
        yield cluster
