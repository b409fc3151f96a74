"""One cluster, the official client, and its names over Spikewire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat.aerospike_drivers import OURS, REAL, Driver
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def drivers() -> Iterator[tuple[Driver, Driver]]:
    pytest.importorskip("aerospike", reason="the official client is not installed")
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        made = (
            Driver(REAL, cluster.addresses[0], "real"),
            Driver(OURS, cluster.addresses[0], "ours"),
        )
        yield made
        for driver in made:
            driver.close()
