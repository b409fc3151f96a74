"""Fixtures for the tests with other clients."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

import pytest

pytest.register_assert_rewrite("contract")

from box import open_box  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

# Some clients install their own event loop for the whole process when they are imported.
os.environ.setdefault("AEROSPIKE_NO_UVLOOP", "1")

_sets = itertools.count()


def _box(nodes: int) -> Iterator[Any]:
    box = open_box(nodes)
    if box is None:
        pytest.skip("neither the extension nor spikewire-aerospike-server is built")
    yield box
    box.stop()


@pytest.fixture(scope="session", params=[1, 3], ids=["one node", "three nodes"])
def box(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A healthy cluster."""
    yield from _box(request.param)


@pytest.fixture
def fragile_box() -> Iterator[Any]:
    """Three nodes for one test, to be killed."""
    yield from _box(3)


@pytest.fixture
def set_name() -> str:
    """A set that no other test uses."""
    return f"p{next(_sets)}"
