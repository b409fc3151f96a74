"""The pytest fixtures of spikewire, which pytest discovers automatically.

It is a separate package because pytest imports its plug-ins at the start of every run, and runs
that use no fixture should not load the native module.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from spikewire.testing.cassandra import SharedCassandra
    from spikewire.testing.cluster import Cluster


@pytest.fixture(scope="session")
def spikewire_cluster() -> Iterator[Cluster]:
    """A three-node embedded cluster with namespace "test", for the whole test session."""
    from spikewire.testing.cluster import Cluster

    with Cluster(nodes=3) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spikewire_cassandra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCassandra]:
    """A real Cassandra of one node, for the whole test session and all of its xdist workers.

    If Java or Maven is missing, the test is skipped, unless ``SPIKEWIRE_CASSANDRA`` is
    ``required``.
    """
    with shared_cassandra(tmp_path_factory, 1) as cassandra:
        yield cassandra


@contextmanager
def shared_cassandra(
    tmp_path_factory: pytest.TempPathFactory, nodes: int
) -> Generator[SharedCassandra, None, None]:
    """A Cassandra that the workers of this test run share, or a skipped test."""
    from spikewire.testing.cassandra import CassandraUnavailable, SharedCassandra
    from spikewire.testing.cassandra.options import UNHURRIED

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        # Each worker has a folder of its own in that of the run.
        folder = folder.parent
    try:
        shared = SharedCassandra(
            folder / f"cassandra-{nodes}",
            nodes,
            quick_start=True,
            yaml=UNHURRIED if nodes == 1 else {},
        )
    except CassandraUnavailable as error:
        if os.environ.get("SPIKEWIRE_CASSANDRA") == "required":
            raise
        pytest.skip(f"no Cassandra: {error}")
    with shared:
        yield shared
