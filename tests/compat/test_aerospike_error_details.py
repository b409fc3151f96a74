"""Subcodes and messages of servers from 8.2 on, for the official client and its drop-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = ("test", "details", "k")


@pytest.fixture(scope="module")
def newer() -> Iterator[Cluster]:
    with Cluster(nodes=1, build="8.2") as cluster:
        yield cluster


@pytest.fixture(params=["official", "drop-in"])
def module(request: pytest.FixtureRequest) -> Any:
    if request.param == "official":
        return pytest.importorskip("aerospike")
    from spikewire.compat import aerospike

    return aerospike


@pytest.fixture
def client(module: Any, newer: Cluster) -> Iterator[Any]:
    host, _, port = newer.seeds.rpartition(":")
    connected = module.client({"hosts": [(host, int(port))]}).connect()
    connected.put(KEY, {"l": [1, 2], "n": 1})
    yield connected
    connected.close()


def test_exceptions_have_the_subcode_that_a_policy_asks_for(module: Any, client: Any) -> None:
    get = [{"op": module.OP_LIST_GET, "bin": "l", "index": 9, "val": None}]
    for level in range(4):
        with pytest.raises(module.exception.OpNotApplicable) as raised:
            client.operate(KEY, get, policy={"error_detail_verbosity": level})
        assert raised.value.code == 26
        assert raised.value.subcode == (1 if level else 0)
        texts = [str(raised.value.msg), *getattr(raised.value, "__notes__", [])]
        said = any("index 9 is outside a list of 2 elements" in text for text in texts)
        assert said == (level > 1), texts


def test_rows_of_batches_have_it(module: Any, client: Any) -> None:
    get = [{"op": module.OP_LIST_GET, "bin": "l", "index": 9, "val": None}]
    rows = client.batch_operate([KEY, KEY], get, {"error_detail_verbosity": 2})
    assert [row.result for row in rows.batch_records] == [26, 26]
    assert [row.subcode for row in rows.batch_records] == [1, 1]
    for row in rows.batch_records:
        assert "index 9 is outside a list of 2 elements" in row.message
