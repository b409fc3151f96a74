"""What `aerospike-sdk` reads about sets and indexes from the embedded cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from box import addresses

from spikewire.testing import Cluster
from waiting import until

sdk = pytest.importorskip("aerospike_sdk", reason="no wheel of aerospike-sdk for this interpreter")
blocking = pytest.importorskip("aerospike_sdk.sync")

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    with Cluster(nodes=1) as cluster:
        hosts = [sdk.Host(host, port) for host, port in addresses(cluster.seeds)]
        peer = blocking.ClusterDefinition(hosts=hosts).connect()
        session = peer.create_session()
        for n in range(60):
            session.put(sdk.Key("test", "info", n), {"n": n % 20, "l": [n, n + 100, n + 200]})
        yield session
        peer.close()


def test_info_lists_indexes(session: Any) -> None:
    about = session.info()
    for name, what in [
        ("n", "bin=n;type=numeric"),
        ("l", "bin=l;type=numeric;indextype=list"),
        ("all", "indextype=set"),
    ]:
        about.info(f"sindex-create:namespace=test;set=info;indexname={name};{what}")
        assert until(lambda name=name: about.secondary_index_details("test", name).is_ready)  # type: ignore[misc]
    details = {name: about.secondary_index_details("test", name) for name in ("n", "l", "all")}
    assert [details[name].entries for name in ("n", "l", "all")] == [60, 180, 60]
    assert all(detail.used_bytes > 0 for detail in details.values())
    means = [(details[name].entries_per_bval, details[name].entries_per_rec) for name in ("n", "l")]
    assert means == [(3, 1), (1, 3)]
    assert about.secondary_index_details("test", "none") is None
    listed = {index.name: index for index in about.secondary_indexes("test")}
    assert set(listed) == {"n", "l", "all"}
    assert all(index.is_ready and index.set_name == "info" for index in listed.values())
    assert [listed[name].is_set_index for name in ("n", "l", "all")] == [False, False, True]


def test_info_lists_sets(session: Any) -> None:
    about = session.info()
    command = "set-config:context=namespace;namespace=test;set=small;enable-index="
    for answer in ("true", "false"):
        assert list(about.info(command + answer).values()) == ["ok"]
        statistics = about.set("test", "small")
        assert statistics is not None
        assert (statistics["enable-index"], statistics.objects) == (answer, 0)
    assert about.set("test", "info").objects == 60
