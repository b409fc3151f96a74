"""What tests of the lab share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Files that take longest. Where processes share the files of a run, these begin first.
LONGEST = (
    "test_lab_recipes.py",
    "test_bench_cql.py",
    "test_bench_queries.py",
    "test_bench_open_tables.py",
    "test_bench_builds.py",
    "test_bench_processes.py",
    "test_bench_clients.py",
    "test_lab_serving.py",
    "test_lab_spike.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Orders the files of a run that several processes share."""
    if hasattr(config, "workerinput"):
        ranks = {name: rank for rank, name in enumerate(LONGEST)}
        items.sort(key=lambda item: ranks.get(item.path.name, len(LONGEST)))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A healthy three-node cluster. Tests that harm a cluster make their own."""
    with Cluster(nodes=3) as cluster:
        assert cluster.wait_settled()
        yield cluster
