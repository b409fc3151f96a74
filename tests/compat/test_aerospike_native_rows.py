"""Rows of ``batch_write`` that the extension takes as they are give what the same rows give when
Python code converts them, which it does for classes of programs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.compat import aerospike
from spikewire.compat.aerospike import batch as batches
from spikewire.compat.aerospike_helpers import cdt_ctx
from spikewire.compat.aerospike_helpers.batch.records import BatchRecords, Write
from spikewire.compat.aerospike_helpers.operations import (
    list_operations as lists,
)
from spikewire.compat.aerospike_helpers.operations import (
    map_operations as maps,
)
from spikewire.compat.aerospike_helpers.operations import (
    operations as ops,
)
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMESPACE = "test"
ORDERED = {"map_order": aerospike.MAP_KEY_ORDERED}
FEATURES = {"a": 1.5, "b": 2, "c": "text", "d": None, "e": b"\0\xff"}
VALUE, KEY_VALUE = aerospike.MAP_RETURN_VALUE, aerospike.MAP_RETURN_KEY_VALUE


class ConvertedWrite(Write):
    """A row that Python code converts."""


class Text(str):
    __slots__ = ()


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with Cluster(1) as cluster:
        host, port = cluster.addresses[0].rsplit(":", 1)
        yield host, int(port)


def client_of(address: tuple[str, int], **config: Any) -> Any:
    policies = {kind: {"total_timeout": 30_000} for kind in ("read", "write", "batch", "remove")}
    return aerospike.client({"hosts": [address], "policies": policies, **config})


@pytest.fixture(scope="module")
def client(address: tuple[str, int]) -> Iterator[Any]:
    client = client_of(address)
    yield client
    client.close()


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The rows that Python code converts."""
    rows: list[Any] = []
    convert = batches._Rows.convert

    def recorded(self: Any, row: Any) -> Any:
        rows.append(row)
        return convert(self, row)

    monkeypatch.setattr(batches._Rows, "convert", recorded)
    return rows


def outcome(client: Any, kind: type[Write], set_name: str, rows: list[dict[str, Any]]) -> Any:
    """What a batch of these rows returns or raises, its warnings, and what is stored then."""
    writes = [
        kind((NAMESPACE, set_name, row["key"]), row["ops"], row.get("meta"), row.get("policy"))
        for row in rows
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            batch = client.batch_write(BatchRecords(list(writes)))
        except Exception as error:
            code, text = getattr(error, "code", None), getattr(error, "msg", None) or str(error)
            return type(error), code, text.replace(set_name, "")
    results = [
        (row.result, row.message, row.in_doubt, row.record and typed(row.record[1:]))
        for row in writes
    ]
    keys = [row.record and typed((row.record[0][0], *row.record[0][2:3])) for row in writes]
    stored = [record_of(client, (NAMESPACE, set_name, row["key"])) for row in rows]
    messages = [(each.category, str(each.message), each.filename) for each in caught]
    return batch.result, results, keys, stored, messages


def record_of(client: Any, key: Any) -> Any:
    """What is stored under a key."""
    try:
        _, meta, bins = client.get(key)
    except aerospike.exception.RecordNotFound:
        return None
    return typed(bins), meta["gen"], meta["ttl"] > 100_000


def typed(value: Any) -> Any:
    """A value with the types of all that is in it, but for times to live."""
    if isinstance(value, dict):
        items = [(typed(name), typed(value[name])) for name in value if name != "ttl"]
        return type(value), items
    if isinstance(value, (list, tuple)):
        return type(value), [typed(each) for each in value]
    return type(value), repr(value)


SEED = [
    lists.list_append_items("l", [3, 1, 2, 3]),
    maps.map_put_items("m", {"a": 1, "b": [1, 2], "c": {"x": 1}}, ORDERED),
    ops.write("n", 5),
]
#: Operations on lists and maps, with all choices that follow from their entries.
COLLECTIONS: list[list[dict[str, Any]]] = [
    [maps.map_put_items("features", {"view": FEATURES}, ORDERED), maps.map_put("t", "view", 1)],
    [maps.map_put("m", b"k", [1, {"x": 1.5}], {"map_order": aerospike.MAP_KEY_VALUE_ORDERED})],
    [maps.map_put("m", "k", True, {"map_write_flags": aerospike.MAP_WRITE_FLAGS_CREATE_ONLY})],
    [maps.map_put("m", "a", 1, {"map_write_flags": aerospike.MAP_WRITE_FLAGS_CREATE_ONLY})],
    [maps.map_put("m", "a", 1, {"map_write_flags": 5}), ops.read("m")],
    [maps.map_increment("m", "a", 2), maps.map_decrement("m", "a", 0.5)],
    [maps.map_clear("m"), maps.map_size("m")],
    [maps.map_create("new", aerospike.MAP_KEY_ORDERED, False)],
    [maps.map_set_policy("m", {"map_order": aerospike.MAP_UNORDERED})],
    [maps.map_remove_by_key("m", "a", VALUE), maps.map_get_by_key("m", "c", VALUE)],
    [maps.map_remove_by_key_list("m", ["a", "x"], KEY_VALUE), maps.map_size("m")],
    [maps.map_remove_by_key_range("m", "a", "c", aerospike.MAP_RETURN_ORDERED_MAP)],
    [maps.map_remove_by_value("m", 1, aerospike.MAP_RETURN_COUNT, inverted=True)],
    [maps.map_remove_by_index_range("m", 0, 2, KEY_VALUE), maps.map_get_by_rank("m", 0, VALUE)],
    [maps.map_get_by_key_list("m", ["a", "c"], aerospike.MAP_RETURN_KEY_VALUE), *SEED[2:]],
    [maps.map_get_by_key("m", "c", aerospike.MAP_RETURN_UNORDERED_MAP), *SEED[2:]],
    [maps.map_remove_by_value_rank_range_relative("m", 1, 0, VALUE, 1)],
    [lists.list_append("l", {"x": [1]}), lists.list_append_items("l", [b"x", None])],
    [lists.list_insert("l", 1, "x", {"write_flags": 1}), lists.list_set("l", 0, 7)],
    [lists.list_increment("l", 0, 2), lists.list_pop("l", -1), lists.list_size("l")],
    [lists.list_remove_range("l", 0, 2), lists.list_get_range("l", 0, 5)],
    [lists.list_trim("l", 1, 2), lists.list_sort("l", aerospike.LIST_SORT_DROP_DUPLICATES)],
    [lists.list_remove_by_value("l", 3, aerospike.LIST_RETURN_INDEX, inverted=True)],
    [lists.list_remove_by_index_range("l", 1, aerospike.LIST_RETURN_VALUE, 2)],
    [lists.list_remove_by_index_range("l", 1, aerospike.LIST_RETURN_VALUE)],
    [lists.list_remove_by_value_range("l", aerospike.LIST_RETURN_COUNT, 1, None)],
    [lists.list_set_order("l", aerospike.LIST_ORDERED), lists.list_clear("l")],
]


@pytest.mark.parametrize("operations", COLLECTIONS, ids=range(len(COLLECTIONS)))
def test_collections_are_converted_like_other_rows(
    client: Any, conversions: list[Any], operations: list[Any]
) -> None:
    outcomes = []
    for kind, name in ((Write, "native"), (ConvertedWrite, "converted")):
        conversions.clear()
        set_name = f"{name}_{COLLECTIONS.index(operations)}"
        rows: list[dict[str, Any]] = [
            {"key": key, "ops": each}
            for key in ("text", 7, bytearray(b"\0bytes"))
            for each in (SEED, operations, operations)
        ]
        outcomes.append(outcome(client, kind, set_name, rows))
        assert len(conversions) == (0 if kind is Write else len(rows))
    assert outcomes[0] == outcomes[1]
    assert isinstance(outcomes[0][0], int)


def written(at: int) -> list[dict[str, Any]]:
    return [ops.write("n", at), maps.map_put("m", "k", at, ORDERED)]


#: Policies and metadata of rows that follow one another.
TERMS: list[list[tuple[Any, Any]]] = [
    [({"ttl": 3600}, None), ({"ttl": 3600}, None), ({"ttl": 7200}, None), (None, None)],
    [({"ttl": aerospike.TTL_NEVER_EXPIRE}, None), ({"ttl": aerospike.TTL_DONT_UPDATE}, None)],
    [
        (None, {"ttl": 3600}),
        ({"ttl": 1}, {"ttl": 3600}),
        (None, {"key": 1, "durable_delete": True}),
    ],
    [({"gen": 1}, {"gen": aerospike.POLICY_GEN_EQ}), ({"gen": 9}, {"gen": 1}), ({"gen": 9}, None)],
    [({"gen": 9}, {"gen": aerospike.POLICY_GEN_GT}), ({"gen": 1}, {"gen": 2})],
    [({"gen": 0}, {"gen": aerospike.POLICY_GEN_GT})],
    [(None, {"exists": exists}) for exists in (0, 1, 2, 3, 4, 9)],
    [({"gen": True}, {"gen": 1}), ({"gen": 1}, {"gen": True})],
    [({}, None), (None, {}), ({}, {})],
    [(None, {"unknown": 1}), ({"unknown": 1}, None)],
    [({"ttl": 3600}, {"commit_level": 1})],
    # What is refused.
    [("x", None)],
    [(None, "x")],
    [({"ttl": "x"}, None)],
    [({"ttl": 1 << 63}, None)],
    [({"ttl": 1 << 40}, None)],
    [({"ttl": -7}, None)],
    [({"gen": "x"}, None)],
    [({"gen": 1 << 40}, {"gen": 1})],
    [(None, {"exists": "x"})],
    [(None, {"exists": 4, "gen": 1, "generation": 70_000})],
    [(None, {"expressions": 7})],
]


@pytest.mark.parametrize("terms", TERMS, ids=range(len(TERMS)))
@pytest.mark.parametrize("validates", [False, True], ids=["", "validates"])
def test_native_and_converted_rows_agree_on_policies(
    address: tuple[str, int], conversions: list[Any], terms: list[Any], validates: bool
) -> None:
    outcomes = []
    client = client_of(address, validate_keys=validates)
    for kind, name in ((Write, "native"), (ConvertedWrite, "converted")):
        conversions.clear()
        set_name = f"{name}_terms_{TERMS.index(terms)}{validates}"
        rows: list[dict[str, Any]] = [{"key": "k", "ops": written(at)} for at in range(2)]
        rows += [
            {"key": "k", "ops": written(at), "meta": meta, "policy": policy}
            for at, (meta, policy) in enumerate([*terms, *terms])
        ]
        outcomes.append(outcome(client, kind, set_name, rows))
        if kind is Write and isinstance(outcomes[0][0], int):
            assert conversions == []
    client.close()
    assert outcomes[0] == outcomes[1]


PUT = maps.map_put("m", "k", 1, ORDERED)
APPEND = lists.list_append("l", 1, {"write_flags": 1})
#: Rows that the extension leaves to Python code, many of which are refused.
OTHERS: list[dict[str, Any]] = [
    *(
        {"key": "k", "ops": [ops.write("n", 1), operation]}
        for operation in (
            PUT | {"map_policy": 7},
            PUT | {"map_policy": {"map_order": 7}},
            PUT | {"map_policy": {"map_order": "x"}},
            PUT | {"map_policy": {"map_order": True}},
            PUT | {"map_policy": {"map_write_flags": 3}},
            PUT | {"map_policy": {"map_write_flags": "x"}},
            PUT | {"map_policy": {"persist_index": 1}},
            PUT | {"map_policy": {"unknown": 1}},
            PUT | {"map_policy": None, "ctx": None},
            PUT | {"ctx": [cdt_ctx.cdt_ctx_map_key_create("x", aerospike.MAP_KEY_ORDERED)]},
            PUT | {"ctx": 7},
            PUT | {"unknown": 1},
            PUT | {"loosely": 2},
            PUT | {"key": None},
            PUT | {"key": [1]},
            PUT | {"key": 1.5},
            PUT | {"val": object()},
            PUT | {"val": {1.5: 1}},
            PUT | {"val": 1 << 70},
            PUT | {"val": aerospike.null()},
            PUT | {"val": Text("x")},
            PUT | {"val": aerospike.GeoJSON({"type": "Point", "coordinates": [1.0, 2.0]})},
            PUT | {"val": (1, 2)},
            PUT | {"bin": "a name that is too long"},
            PUT | {"bin": ""},
            PUT | {"bin": b"m"},
            PUT | {"bin": None},
            PUT | {"bin": 1},
            PUT | {"op": 9999},
            PUT | {"op": "x"},
            {name: value for name, value in PUT.items() if name != "val"},
            {name: value for name, value in PUT.items() if name != "bin"},
            maps.map_put_items("m", [1]),
            maps.map_put_items("m", {"a": object()}),
            maps.map_remove_by_key("m", "k", "x"),
            maps.map_remove_by_key("m", "k", 99),
            maps.map_remove_by_key("m", "k", True),
            maps.map_remove_by_index("m", "x", VALUE),
            maps.map_remove_by_index("m", True, VALUE),
            maps.map_remove_by_index("m", 1 << 70, VALUE),
            maps.map_remove_by_key_list("m", "x", VALUE),
            APPEND | {"list_policy": {"write_flags": "x"}},
            APPEND | {"list_policy": {"list_order": 9}},
            APPEND | {"pad": 7},
            lists.list_append_items("l", 7),
            lists.list_insert("l", "x", 1),
            lists.list_insert("l", None, 1),
            lists.list_remove_by_index_range("l", 0, aerospike.LIST_RETURN_VALUE, 1.5),
        )
    ),
    {"key": "k", "ops": [maps.map_get_by_key("m", "k", VALUE)]},
    {"key": "k", "ops": [maps.map_get_by_key("m", "k", VALUE)], "meta": {"ttl": 90}},
    {"key": "k", "ops": [ops.write("n", 1), ops.touch()], "policy": {"ttl": 90}},
    {"key": "k", "ops": [], "meta": {"ttl": 90}},
    {"key": "k", "ops": (PUT,)},
    {"key": "k", "ops": [PUT, 7]},
    *(
        {"key": key, "ops": [PUT], "meta": meta}
        for meta in (None, {"ttl": 3600}, {"ttl": "x"})
        for key in (
            *(b"bytes", bytearray(), 1 << 63, True, None, 1.5, "nul\0", Text("x")),
            *(memoryview(b"x"), [1], "\udcff"),
        )
    ),
]


@pytest.mark.parametrize("row", OTHERS, ids=range(len(OTHERS)))
@pytest.mark.parametrize("validates", [False, True], ids=["", "validates"])
def test_native_and_converted_rows_agree_on_other_rows(
    address: tuple[str, int], row: dict[str, Any], validates: bool
) -> None:
    client = client_of(address, validate_keys=validates)
    outcomes = []
    for kind, name in ((Write, "native"), (ConvertedWrite, "converted")):
        set_name = f"{name}_others_{OTHERS.index(row)}{validates}"
        outcomes.append(outcome(client, kind, set_name, [{"key": "k", "ops": [PUT]}, row, row]))
    client.close()
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    "config",
    [
        {"strict_types": False},
        {"send_bool_as": aerospike.INTEGER},
        {"serialization": (str, str.upper)},
        {"policies": {"batch_write": {"ttl": 3600, "key": 1}}},
    ],
    ids=lambda config: next(iter(config)),
)
def test_clients_that_are_configured(address: tuple[str, int], config: dict[str, Any]) -> None:
    client = client_of(address, **config)
    rows: list[dict[str, Any]] = [
        {"key": "k", "ops": [PUT, maps.map_put("m", "flag", True), APPEND]},
        {"key": "k", "ops": [PUT, APPEND], "meta": {"ttl": 200_000}},
        {"key": "k", "ops": [PUT], "policy": {"key": 0}},
        {
            "key": "k",
            "ops": [maps.map_put("m", "bytes", b"x"), maps.map_remove_by_key("m", "k", 7)],
        },
        {"key": "k", "ops": [maps.map_remove_by_key("m", "bytes", VALUE)]},
        {"key": "k", "ops": [maps.map_put("m", "own", {1, 2})], "meta": {"ttl": 200_000}},
    ]
    for several in (rows[:2], rows[:-1], rows):
        outcomes = [
            outcome(client, kind, f"{name}_{next(iter(config))}_{len(several)}", several)
            for kind, name in ((Write, "native"), (ConvertedWrite, "converted"))
        ]
        assert outcomes[0] == outcomes[1]
    client.close()


def test_a_changed_bytearray_does_not_change_its_row(client: Any) -> None:
    user_key = bytearray(b"first")
    row, other = (
        Write((NAMESPACE, "changed", user_key), [PUT], policy={"ttl": 3600}) for _ in range(2)
    )
    client.batch_write(BatchRecords([row]))
    user_key[:] = b"other"
    client.batch_write(BatchRecords([other]))
    assert row.record is not None
    assert other.record is not None
    assert [row.record[0][2], other.record[0][2]] == [b"first", b"other"]
    assert row.record[0][3] != other.record[0][3]
    assert other.record[1]["gen"] == 1


def test_a_policy_that_changes_between_batches(client: Any) -> None:
    policy = {"exists": aerospike.POLICY_EXISTS_CREATE}
    order = {"map_order": aerospike.MAP_UNORDERED}
    row = Write((NAMESPACE, "policies", 1), [maps.map_put("m", "k", 1, order)], policy=policy)
    batch = BatchRecords([row])
    assert [client.batch_write(batch).result, row.result] == [0, 0]
    assert client.batch_write(batch).result != 0
    policy["exists"] = aerospike.POLICY_EXISTS_UPDATE
    order["map_order"] = 7
    with pytest.raises(aerospike.exception.ParamError):
        client.batch_write(batch)
    order["map_order"] = aerospike.MAP_KEY_ORDERED
    assert client.batch_write(batch).result == 0
