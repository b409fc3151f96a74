"""Aggregations over the embedded cluster, reduced by the C client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from box import c_client

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
from aerospike import exception, predicates  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MODULE = """
local function n(rec) return rec.n end
local function add(a, b) return a + b end

function total(stream, least)
    return stream : filter(function(rec) return rec.n >= least end) : map(n) : reduce(add)
end

local function count(groups, rec)
    local key = rec.n % 3
    groups[key] = (groups[key] or 0) + 1
    return groups
end

function groups(stream)
    return stream : aggregate(map(), count) : reduce(function(a, b)
        return map.merge(a, b, add)
    end)
end

function all(stream) return stream : map(n) end
function fail(stream) return stream : map(function(rec) error('no luck') end) end
"""
RECORDS = 300


@pytest.fixture(scope="module")
def client(box: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("lua") / "streams.lua"
    path.write_text(MODULE)
    client = c_client(box.seeds)
    client.udf_put(str(path), aerospike.UDF_TYPE_LUA)
    for n in range(RECORDS):
        client.put(("test", "streams", n), {"n": n})
    yield client
    client.udf_remove("streams.lua")
    client.close()


def run(client: Any, function: str, *arguments: Any, where: Any = None) -> list[Any]:
    query = client.query("test", "streams")
    if where is not None:
        query.where(where)
    query.apply("streams", function, list(arguments))
    return query.results()


def test_a_reduction_combines_all_records(client: Any) -> None:
    assert run(client, "total", 100) == [sum(range(100, RECORDS))]


def test_maps_are_merged(client: Any) -> None:
    assert run(client, "groups") == [{0: 100, 1: 100, 2: 100}]


def test_a_stream_without_a_reduction_returns_every_value(client: Any) -> None:
    assert sorted(run(client, "all")) == list(range(RECORDS))


def test_an_aggregation_uses_an_index(client: Any) -> None:
    client.index_integer_create("test", "streams", "n", "streams_n")
    try:
        numbers = run(client, "all", where=predicates.between("n", 10, 12))
        assert sorted(numbers) == [10, 11, 12]
    finally:
        client.index_remove("test", "streams_n")


def test_a_failure_is_reported_and_the_cluster_lives(client: Any) -> None:
    with pytest.raises(exception.AerospikeError) as caught:
        run(client, "fail")
    assert "no luck" in str(caught.value)
    assert len(run(client, "all")) == RECORDS
