"""Options of an embedded cluster."""

from __future__ import annotations

from typing import Any

import pytest

import spikewire
from spikewire.testing import Cluster


def test_namespaces_have_options_of_their_own() -> None:
    with (
        Cluster(namespaces={"test": {}, "cache": {"default_ttl": 60}}) as cluster,
        spikewire.Client(cluster.seeds) as client,
    ):
        for namespace, has_ttl in (("test", False), ("cache", True)):
            key = (namespace, "users", 1)
            client.put(key, {"n": 1})
            assert (client.get(key).ttl is not None) is has_ttl


@pytest.mark.parametrize(
    ("namespaces", "error", "message"),
    [
        ("test", TypeError, "namespaces must be a list of names, or a dict of names and options"),
        ({"test": 5}, TypeError, 'namespace "test"'),
        ({"test": {"ttl": 5}}, TypeError, 'namespace "test": unknown option'),
        ({"test": {"default_ttl": -1}}, ValueError, 'namespace "test": default_ttl must be from 0'),
        ({}, ValueError, "namespaces"),
    ],
)
def test_invalid_namespaces_are_rejected(
    namespaces: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Cluster(namespaces=namespaces)
