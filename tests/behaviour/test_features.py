"""What the version of a node cannot do is refused before anything is sent to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Caller

#: A filter that needs 8.1.2.
NEWER = exp.value(1).is_in(exp.bin("l"))


def check(error: spikewire.Error) -> None:
    assert isinstance(error, spikewire.FeatureUnavailable)
    assert "needs server 8.1.2; node BB9" in error.message
    assert error.message.endswith("has 8.1.1.0")
    assert not error.in_doubt


def outcome(data: Caller, key: int) -> object:
    """The bins of a record, if its node has what the filter needs."""
    try:
        return data.get(key, where=NEWER).bins
    except spikewire.FeatureUnavailable as error:
        check(error)
        return None


def test_nodes_say_what_they_can_do(api: Api) -> None:
    with Cluster(nodes=2, build="8.1.1,8.2") as cluster, api.open(cluster.seeds) as client:
        nodes = sorted(client.raw.nodes(), key=lambda node: node.build)
    assert [node.build for node in nodes] == ["8.1.1.0", "8.2.0.0"]
    assert nodes[0].features == ("paths",)
    assert {"paths", "path_keys", "strings", "text_filters"} <= set(nodes[1].features)
    assert not {"compression", "transactions"} & set(nodes[1].features), "these are Enterprise"


def test_what_a_node_cannot_do_is_not_sent_to_it(api: Api) -> None:
    with Cluster(build="8.1.1") as cluster, api.open(cluster.seeds) as client:
        data = client.dataset("test", "s")
        data.put("k", {"l": [1]})
        computed = [op.read("r", NEWER)]
        calls: list[Any] = [
            lambda: data.get("k", where=NEWER),
            lambda: data.put("k", {"l": [2]}, where=NEWER),
            lambda: data.delete("k", where=NEWER),
            lambda: data.operate("k", computed),
        ]
        for call in calls:
            with pytest.raises(spikewire.FeatureUnavailable) as caught:
                call()
            check(caught.value)
        assert data.get("k").bins == {"l": [1]}


def test_batches_need_it_of_every_node(api: Api) -> None:
    with Cluster(nodes=2, build="8.2,8.1.1") as cluster, api.open(cluster.seeds) as client:
        data = client.dataset("test", "s")
        keys = list(range(20))
        data.put_many([(key, {"l": [1]}) for key in keys])
        alone = [outcome(data, key) for key in keys]
        assert 0 < alone.count({"l": [1]}) < 20, "the record's own node decides"
        errors = data.get_many(keys, where=NEWER).errors
        assert list(errors) == keys
        for error in errors.values():
            check(error)
        with pytest.raises(spikewire.FeatureUnavailable) as caught:
            api.rows(data.target.query(where=NEWER))
        check(caught.value)
