"""Aggregations: stream functions on the nodes, reduced in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api

SOURCE = """
local function n(rec) return rec.n end
local function add(a, b) return a + b end

function total(stream, least)
    return stream : filter(function(rec) return rec.n >= least end) : map(n) : reduce(add)
end

local function count(groups, rec)
    groups[rec.n % 3] = (groups[rec.n % 3] or 0) + 1
    return groups
end

function groups(stream)
    return stream : aggregate(map(), count) : reduce(function(a, b)
        return map.merge(a, b, add)
    end)
end

function all(stream) return stream : map(n) end
function fail(stream) return stream : map(function(rec) error('no luck') end) end
function late(stream) return stream : map(n) : reduce(function() error('too late') end) end
function spin(stream) return stream : map(function(rec) while true do end end) end
function none(stream) return 7 end
"""
RECORDS = 500


@pytest.fixture(scope="module")
def numbers(api: Api, client: Any) -> Iterator[Any]:
    modules = client.raw.modules
    api.settle(lambda: modules.register("streams.lua", SOURCE))
    numbers = client.dataset("test", f"aggregated {api.name}")
    numbers.put_many({n: {"n": n} for n in range(RECORDS)})
    yield numbers
    api.settle(lambda: modules.remove("streams.lua"))


@pytest.fixture
def aggregate(api: Api, numbers: Any) -> Callable[..., list[Any]]:
    def aggregate(*arguments: Any, **options: Any) -> list[Any]:
        return api.settle(lambda: numbers.target.query(**options).aggregate(*arguments))

    return aggregate


def test_a_reduction_combines_all_records(aggregate: Callable[..., list[Any]]) -> None:
    assert aggregate("streams", "total", [100]) == [sum(range(100, RECORDS))]
    assert aggregate("streams", "groups") == [{0: 167, 1: 167, 2: 166}]
    assert aggregate("streams", "total", [RECORDS]) == []


def test_an_unknown_set_aggregates_to_nothing(api: Api, client: Any, numbers: Any) -> None:
    assert numbers is not None, "the module is registered"
    query = client.raw.query("test", "never written")
    assert api.settle(lambda: query.aggregate("streams", "total", [1])) == []


def test_a_stream_without_a_reduction_returns_every_value(
    aggregate: Callable[..., list[Any]],
) -> None:
    assert sorted(aggregate("streams", "all")) == list(range(RECORDS))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("fail", "streams.lua:21: no luck"),
        ("late", "streams.lua:22: too late"),
        ("spin", "ran for longer than"),
        ("none", "must return its stream"),
        ("nothing", "function not found"),
    ],
)
def test_errors_of_functions_are_reported(
    aggregate: Callable[..., list[Any]], function: str, text: str
) -> None:
    with pytest.raises(spikewire.FunctionFailed) as caught:
        aggregate("streams", function)
    assert text in caught.value.message
    assert aggregate("streams", "total", [0]) == [sum(range(RECORDS))]


def test_invalid_aggregations_are_rejected(aggregate: Callable[..., list[Any]]) -> None:
    with pytest.raises(spikewire.FunctionFailed, match=r"module missing\.lua: not.found"):
        aggregate("missing", "f")
    with pytest.raises(ValueError, match="limit does not apply"):
        aggregate("streams", "total", [1], limit=5)
    with pytest.raises(ValueError, match=r"where. does not apply"):
        aggregate("streams", "total", [1], where="$.n > 3")
    with pytest.raises(spikewire.ServerError) as caught:
        aggregate("streams", "all", index=spikewire.between("n", 1, 2))
    assert caught.value.code == 201


def test_an_unknown_namespace_raises(api: Api, client: Any, numbers: Any) -> None:
    with pytest.raises(spikewire.NamespaceNotFound) as caught:
        api.settle(lambda: client.raw.query("nowhere").aggregate("streams", "all"))
    assert caught.value.code == 20


def test_names_cannot_inject_info_commands(
    api: Api, client: Any, numbers: Any, aggregate: Callable[..., list[Any]]
) -> None:
    truncating = "x;\ntruncate-namespace:namespace=test;\nudf-get:filename=y"
    with pytest.raises(ValueError, match="module must have none of"):
        aggregate(truncating, "all")
    with pytest.raises(ValueError, match="function must have none of"):
        aggregate("streams", truncating)
    raw = client.raw.dataset("test", "untouched")
    for name in (truncating, "x;y", "x=y", "x\ry"):
        with pytest.raises(ValueError, match="module must have none of"):
            api.settle(lambda name=name: raw.apply(1, name, "f"))  # type: ignore[misc]
        with pytest.raises(ValueError, match="module must have none of"):
            api.settle(lambda name=name: raw.apply_all(name, "f"))  # type: ignore[misc]
    assert aggregate("streams", "total", [0]) == [sum(range(RECORDS))]


def test_the_local_reduction_times_out(api: Api) -> None:
    """Two nodes with a record each, so that only this process reduces."""
    source = """
    local function join(a, b)
        return string.find(string.rep("a", 40), string.rep("a-", 40) .. "b")
    end
    function joined(stream) return stream : map(function() return 1 end) : reduce(join) end
    """
    with Cluster(nodes=2, replication_factor=1) as cluster, api.open(cluster.seeds) as client:
        api.settle(lambda: client.raw.modules.register("joins.lua", source))
        data = client.dataset("test", "joined")
        keys = iter(range(1000))
        for node in range(2):
            while cluster.stats(node)["master_objects"] == 0:
                key = next(keys)
                data.put(key, {"n": key})
                if cluster.stats(1 - node)["master_objects"] > node:
                    data.delete(key)
        assert [cluster.stats(node)["master_objects"] for node in range(2)] == [1, 1]
        query = data.target.query()
        with pytest.raises(spikewire.ServerError, match="longer than 100 ms"):
            api.settle(lambda: query.aggregate("joins", "joined"))
