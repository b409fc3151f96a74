"""The cluster for the examples: ``SEEDS=host:port,...``, or one in this process."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def find() -> Generator[str, None, None]:
    """The seeds of a cluster, for the duration of a ``with`` block."""
    if address := os.environ.get("SEEDS"):
        yield address
    else:
        with Cluster(nodes=3) as cluster:
            yield cluster.seeds
