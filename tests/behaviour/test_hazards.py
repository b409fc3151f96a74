"""What servers of 8.1.1 and 8.1.2 do not withstand is refused for them before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import ctx, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api

every = ctx.all_children
text_of_call = exp.map.get_by_key(exp.loop.value(dict), "title", kind=str)

#: Operations, with words of the reason.
REFUSED: list[tuple[Any, str]] = [
    (op.path.modify("rows", [every(), ctx.list_index(0)], "@ + 1"), "ordered"),
    (op.path.modify("rows", [every(), every()], "@ + 1"), "lead the path there by keys"),
    (op.path.modify("m", [ctx.map_key("l"), every()], "@ + 1", no_fail=True), "below the top"),
    (op.path.remove("rows", [every(), every("@ > 1")]), "shrink below 16"),
    (op.path.modify("books", [every()], text_of_call), "read from inside of the element"),
    (op.path.select("n", [ctx.map_index(0), ctx.and_where("@ > 0")]), "filter the result"),
    (op.read("x", exp.path.modify(exp.bin("rows", list), [every(), every()], "@ + 1")), "ordered"),
    (op.read("x", exp.bin("i", int) / -1), "the smallest one"),
    (op.read("x", exp.text("$.i % -1")), "the smallest one"),
]

#: Their neighbours, which every server from 8.1.2 on withstands.
SAFE: list[Any] = [
    op.path.modify("books", [every(), ctx.map_key("price")], "@ + 1"),
    op.path.modify("n", [every()], "@ + 1"),
    op.path.select("rows", [every(), every()]),
    op.path.remove("n", [every("@ > 100")]),
    op.path.remove("m", [ctx.map_key("l"), every("@ > 100")]),
    op.path.select("n", [ctx.map_keys_in(["a"]), ctx.and_where("@ > 0")]),
    op.read("x", exp.bin("i", int) / -2),
    op.read("x", -exp.bin("i", int)),
]

RECORD = {
    "rows": [[1, 2], [3]],
    "m": {"l": [1, 2]},
    "n": {"a": 1, "b": 2},
    "books": [{"title": "Emma", "price": 7}],
    "i": 5,
}


@pytest.fixture
def data(api: Api) -> Iterator[Any]:
    with Cluster(build="8.1.2") as cluster, api.open(cluster.seeds) as client:
        dataset = client.dataset("test", "hazards")
        dataset.put("k", RECORD)
        yield dataset


def test_each_is_refused_with_the_reason(data: Any) -> None:
    for operation, reason in REFUSED:
        with pytest.raises(spikewire.FeatureUnavailable) as caught:
            data.operate("k", [operation])
        assert reason in caught.value.message, operation
        assert "servers of 8.1.1 and 8.1.2" in caught.value.message
        assert caught.value.message.endswith("has 8.1.2.0")
    with pytest.raises(spikewire.FeatureUnavailable, match="smallest one"):
        data.get("k", where="$.i / -1 == 5")
    errors = data.operate_many(["k", "other"], [REFUSED[0][0]]).errors
    assert [type(error) for error in errors.values()] == [spikewire.FeatureUnavailable] * 2
    record = data.get("k")
    assert (record.bins, record.generation) == (RECORD, 1), "nothing was sent"


def test_what_is_like_them_and_safe_runs(data: Any) -> None:
    for operation in SAFE:
        data.operate("k", [operation])


def test_other_versions_run_them(api: Api) -> None:
    with Cluster(build="8.2") as cluster, api.open(cluster.seeds) as client:
        dataset = client.dataset("test", "hazards")
        for operation, _ in REFUSED:
            dataset.put("k", RECORD)
            dataset.operate("k", [operation])


def test_who_knows_what_is_stored_may_send_them(api: Api) -> None:
    with (
        Cluster(build="8.1.2") as cluster,
        api.open(cluster.seeds, protect_servers=False) as client,
    ):
        data = client.dataset("test", "hazards")
        for operation, _ in REFUSED:
            data.put("k", RECORD)
            data.operate("k", [operation])
        assert data.get("k", where="$.i / -1 == -5").bins == RECORD
        assert not data.operate_many(["k"], [REFUSED[0][0]]).errors
        assert data.get("k").bins["rows"] == [[2, 2], [4]]
