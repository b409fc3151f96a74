"""The pytest fixture of spikewire, found by pytest when that is installed.

It stands beside the package, not in it: pytest imports its plug-ins at the start of every run, and
runs that do not ask for the fixture are not to load the native module.
"""

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
