"""A cluster, and each client together with its drop-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat import aerospike_drivers, aerospike_py_drivers
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def drivers() -> Iterator[list[aerospike_drivers.Driver]]:
    """The official client, and the drop-in."""
    pytest.importorskip("aerospike", reason="the official client is not installed")
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        drivers = [
            aerospike_drivers.Driver(packages, cluster.addresses[0], name)
            for packages, name in (
                (aerospike_drivers.REAL, "real"),
                (aerospike_drivers.OURS, "ours"),
            )
        ]
        yield drivers
        for driver in drivers:
            driver.close()


@pytest.fixture(scope="module")
def py_drivers() -> Iterator[list[aerospike_py_drivers.Driver]]:
    """aerospike-py, and the drop-in."""
    pytest.importorskip("aerospike_py", reason="aerospike-py is not installed")
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        drivers = [
            aerospike_py_drivers.Driver(each, cluster.addresses[0], each[:4])
            for each in (aerospike_py_drivers.REAL, aerospike_py_drivers.OURS)
        ]
        yield drivers
        for driver in drivers:
            driver.close()
