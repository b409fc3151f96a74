"""Fixtures: a cluster for each worker of pytest-xdist, a set for each test.

``spikewire_cluster`` comes with spikewire. It has session scope, and every worker is a process with
its own session, so workers share nothing. With ``SEEDS=host:port`` all of them share that cluster;
set names keep them apart there.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, cast

import pytest
from pytest_suite.accounts import Accounts

import spikewire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing import Cluster

_numbers = itertools.count()


@pytest.fixture(scope="session")
def client(request: pytest.FixtureRequest) -> Iterator[spikewire.Client]:
    """A client for all tests of a worker."""
    seeds = os.environ.get("SEEDS")
    if seeds is None:
        seeds = cast("Cluster", request.getfixturevalue("spikewire_cluster")).seeds
    with spikewire.Client(seeds, timeout=10) as client:
        yield client


@pytest.fixture
def records(client: spikewire.Client) -> Iterator[spikewire.Dataset]:
    """A set that no other test uses, of this worker or another one."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    records = client.dataset("test", f"accounts-{os.getpid()}-{worker}-{next(_numbers)}")
    yield records
    # Our own cluster ends with the run; a shared one should not keep leftovers.
    records.delete_all().wait()


@pytest.fixture
def accounts(records: spikewire.Dataset) -> Accounts:
    """Accounts of two owners."""
    bank = Accounts(records)
    bank.open("alice", 100)
    bank.open("bob", 50)
    return bank
