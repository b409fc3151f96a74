"""Fixtures for tests on a real Cassandra. Without one, tests are skipped, with the reason."""

from __future__ import annotations

import itertools
import os
import re
from typing import TYPE_CHECKING

import pytest

from apis import APIS
from cql.compat_drivers import OURS, REAL, Driver
from pytest_spikewire import shared_cassandra
from sessions import Opened, Sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

_keyspaces = itertools.count()
#: Names of keyspaces have at most 48 characters.
LONGEST_STEM = 30


@pytest.fixture(scope="session")
def cassandra(spikewire_cassandra: SharedCassandra) -> SharedCassandra:
    """One node, shared by all workers of the run. Tests do not harm it."""
    return spikewire_cassandra


@pytest.fixture(scope="session")
def _three_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCassandra]:
    with shared_cassandra(tmp_path_factory, 3) as cassandra:
        yield cassandra


@pytest.fixture(scope="module")
def cassandra_cluster(_three_nodes: SharedCassandra) -> Iterator[SharedCassandra]:
    """Three nodes in three racks, reserved for the file: tests may harm them, and need not restore
    them. For files whose tests have the mark ``cassandra_cluster``."""
    with _three_nodes.alone():
        yield _three_nodes


@pytest.fixture(scope="module")
def keyspace(cassandra: SharedCassandra, request: pytest.FixtureRequest) -> str:
    """A keyspace of the file's own on ``cassandra``."""
    return _make_keyspace(cassandra, request, 1)


@pytest.fixture(scope="module")
def cluster_keyspace(cassandra_cluster: SharedCassandra, request: pytest.FixtureRequest) -> str:
    """A keyspace of the file's own on ``cassandra_cluster``, with a copy on each node."""
    return _make_keyspace(cassandra_cluster, request, 3)


def _make_keyspace(cassandra: SharedCassandra, request: pytest.FixtureRequest, copies: int) -> str:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    stem = re.sub(r"\W", "_", request.path.stem.removeprefix("test_").lower())
    name = f"k_{stem[:LONGEST_STEM]}_{worker}_{next(_keyspaces)}"
    cassandra.execute(
        f"CREATE KEYSPACE {name} WITH replication = "
        f"{{'class': 'NetworkTopologyStrategy', 'dc1': {copies}}}"
    )
    return name


@pytest.fixture(params=APIS)
def sessions(request: pytest.FixtureRequest) -> Iterator[Sessions]:
    """Opens sessions of each API in turn, and closes them at the end."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    sessions = Sessions(request.param)
    yield sessions
    sessions.end()


@pytest.fixture
def session(sessions: Sessions, cassandra: SharedCassandra, keyspace: str) -> Opened:
    """A session in the file's keyspace, on each API in turn."""
    return sessions.open(cassandra.addresses[0], keyspace=keyspace)


@pytest.fixture(scope="module")
def drivers(cassandra: SharedCassandra, keyspace: str) -> Iterator[tuple[Driver, Driver]]:
    """cassandra-driver and its drop-in, each with a session in a keyspace of its own."""
    result = []
    for package, suffix in ((REAL, "a"), (OURS, "b")):
        name = f"{keyspace}_{suffix}"
        cassandra.execute(
            f"CREATE KEYSPACE {name} WITH replication = "
            "{'class': 'NetworkTopologyStrategy', 'dc1': 1}"
        )
        result.append(Driver(package, cassandra.addresses[0], name))
    yield result[0], result[1]
    for driver in result:
        driver.close()
