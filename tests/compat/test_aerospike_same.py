"""The same programs observe the same with the official client and with its drop-in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from compat.side_by_side import Programs

if TYPE_CHECKING:
    from compat.aerospike_drivers import Driver

program: Programs[Driver] = Programs("drivers")
test_both_see_the_same = program.test()

VALUES: dict[str, Any] = {
    "int": -(2**63),
    "text": "Grüße",
    "empty": "",
    "bytes": b"\x00\xff",
    "array": bytearray(b"ab"),
    "float": 1.5,
    "bool": True,
    "list": [1, "a", [None, b"x", 1.5, False]],
    "map": {"a": 1, 2: [3], "n": {"m": None}},
}


@program
def values_of_every_type(d: Driver) -> Any:
    key = d.key("v")
    written = d.client.put(key, VALUES)
    record = d.client.get(key)
    return written, d.typed(record[:2]), sorted(d.typed(record[2])[1], key=repr)


@program
def shapes_of_reads(d: Driver) -> Any:
    c, key = d.client, d.key("a")
    c.put(key, {"x": 1, "y": "s"})
    digest = c.get(key)[0][3]
    return [
        d.typed(each)
        for each in (
            c.get(key),
            c.get(key, {"key": d.module.POLICY_KEY_SEND}),
            c.get(("test", d.set, None, digest)),
            c.exists(key),
            c.exists(d.key("none")),
            c.select(key, ["x", "q"]),
            c.select(key, ("y",)),
            c.get(key, {"total_timeout": 20_000, "max_retries": 2}),
            c.is_connected(),
        )
    ]


@program
def failures_of_reads(d: Driver) -> Any:
    c, key = d.client, d.key("a")
    c.put(key, {"x": 1})
    return [
        d.fails(*each)
        for each in (
            (c.get, d.key("none")),
            (c.select, d.key("none"), ["x"]),
            (c.select, key, []),
            (c.select, key, [1]),
            (c.get, ("test", d.set)),
            (c.get, "x"),
            (c.get, None),
            (c.get, ("test", d.set, 1.5)),
            (c.get, ("nope", d.set, 1)),
            (c.get, key, "s"),
            (c.get, key, {"total_timeout": "a"}),
            (c.exists, ("test", d.set)),
            (c.exists, ("nope", d.set, 1)),
            (c.get,),
        )
    ]


@program
def failures_of_writes(d: Driver) -> Any:
    c, key, m = d.client, d.key("a"), d.module
    c.put(key, {"x": 1, "y": "s"})
    return [
        d.fails(*each)
        for each in (
            (c.put, key, {"x": object()}),
            (c.put, key, {"x": (1, 2)}),
            (c.put, key, {"x": {1, 2}}),
            (c.put, key, {"x": 2**70}),
            (c.put, key, {"x" * 20: 1}),
            (c.put, key, {1: 1}),
            (c.put, key, {}),
            (c.put, key, "x"),
            (c.put, key, {"x": 1}, {"ttl": "a"}),
            (c.put, key, {"x": 1}, {"gen": 7}, {"gen": m.POLICY_GEN_EQ}),
            (c.put, key, {"x": 1}, {}, {"exists": m.POLICY_EXISTS_CREATE}),
            (c.put, d.key("none"), {"x": 1}, {}, {"exists": m.POLICY_EXISTS_UPDATE}),
            (c.put, d.key("none"), {"x": 1}, {}, {"exists": m.POLICY_EXISTS_REPLACE}),
            (c.remove, d.key("none")),
            (c.remove, key, {"gen": 7}, {"gen": m.POLICY_GEN_EQ}),
            (c.touch, d.key("none"), 100),
            (c.increment, key, "y", 1),
            (c.append, key, "x", "s"),
            (c.append, key, "y", 1),
            (c.remove_bin, d.key("none"), ["x"]),
            (c.operate, key, []),
            (c.operate, key, [{"op": m.OPERATOR_READ}]),
            (c.operate, key, [{"op": m.OPERATOR_WRITE, "bin": "x"}]),
        )
    ]


@program
def writes_of_every_kind(d: Driver) -> Any:
    c, key, m = d.client, d.key("w"), d.module
    seen: list[Any] = [
        c.put(key, {"x": 1, "y": "b", "z": 1.5, "l": [1]}, {"ttl": 1000}),
        c.increment(key, "x", 5),
        c.increment(key, "z", 1.5),
        c.append(key, "y", "c"),
        c.prepend(key, "y", "a"),
        c.touch(key, 100),
        c.get(key),
        c.put(key, {"l": None}),
        c.put(key, {"n": m.null()}),
        c.remove_bin(key, ["z"]),
        c.put(key, {"gen": 1}, {"gen": 9}, {"gen": m.POLICY_GEN_EQ}),
        c.get(key),
        c.put(key, {"only": 1}, None, {"exists": m.POLICY_EXISTS_CREATE_OR_REPLACE}),
        c.get(key),
        c.put(key, {"t": 1}, {"ttl": m.TTL_NEVER_EXPIRE}),
        c.exists(key),
        c.remove(key),
        c.exists(key),
    ]
    return [d.typed(each) for each in seen]


@program
def several_operations(d: Driver) -> Any:
    c, key, m = d.client, d.key("o"), d.module
    ops = d.helper("operations.operations")
    c.put(key, {"x": 1, "y": "s"})
    simple = [ops.increment("x", 2), ops.read("x"), ops.read("y"), ops.read("none")]
    return [
        d.typed(each)
        for each in (
            c.operate(key, simple),
            c.operate_ordered(key, simple),
            c.operate(key, [{"op": m.OPERATOR_READ, "bin": "x"}]),
            c.operate(key, [ops.write("w", [1]), ops.append("y", "t"), ops.prepend("y", "r")]),
            c.operate_ordered(key, [ops.touch(100)]),
            c.get(key),
            c.operate(key, [ops.delete()]),
            c.exists(key),
        )
    ]


@program
def operations_on_lists_and_maps(d: Driver) -> Any:
    c, key, m = d.client, d.key("c"), d.module
    ops = d.helper("operations.operations")
    lists, maps = d.helper("operations.list_operations"), d.helper("operations.map_operations")
    c.put(key, {"l": [3, 1, 2], "m": {"a": 1, "b": 2}, "x": 1})
    steps = [
        lists.list_append("l", 4),
        lists.list_append_items("l", [5, 6], {"write_flags": m.LIST_WRITE_ADD_UNIQUE}),
        lists.list_insert("l", 0, 9),
        lists.list_size("l"),
        lists.list_get_by_index("l", -1, m.LIST_RETURN_VALUE),
        lists.list_get_by_rank_range("l", -2, m.LIST_RETURN_VALUE),
        lists.list_get_by_value_range("l", m.LIST_RETURN_COUNT, 2, 5),
        lists.list_remove_by_value("l", 9, m.LIST_RETURN_INDEX),
        lists.list_sort("l"),
        lists.list_pop("l", 0),
        ops.read("l"),
        ops.read("none"),
        ops.write("x", 5),
        maps.map_put("m", "c", 3, {"map_order": m.MAP_KEY_ORDERED}),
        maps.map_put_items("m", {"d": 4, "e": 5}),
        maps.map_increment("m", "a", 10),
        maps.map_size("m"),
        maps.map_get_by_key("m", "b", m.MAP_RETURN_VALUE),
        maps.map_get_by_key("m", "zz", m.MAP_RETURN_VALUE),
        maps.map_get_by_key_list("m", ["a", "c"], m.MAP_RETURN_VALUE),
        maps.map_get_by_index_range("m", 0, 2, m.MAP_RETURN_KEY_VALUE),
        maps.map_get_by_rank("m", -1, m.MAP_RETURN_KEY),
        maps.map_get_by_value_range("m", 2, 5, m.MAP_RETURN_KEY),
        maps.map_remove_by_key("m", "d", m.MAP_RETURN_KEY_VALUE),
        maps.map_clear("m"),
    ]
    return [d.typed(c.operate_ordered(key, steps)), d.typed(c.operate(key, steps[:1]))]


@program
def nested_lists_and_maps(d: Driver) -> Any:
    c, key, m = d.client, d.key("n"), d.module
    ctx = d.helper("cdt_ctx")
    lists, maps = d.helper("operations.list_operations"), d.helper("operations.map_operations")
    c.put(key, {"l": [[1, 2], {"k": [5]}], "m": {"a": {"b": 1}}})
    steps = [
        lists.list_append("l", 3, ctx=[ctx.cdt_ctx_list_index(0)]),
        lists.list_size("l", ctx=[ctx.cdt_ctx_list_index(1), ctx.cdt_ctx_map_key("k")]),
        maps.map_put("m", "c", 2, ctx=[ctx.cdt_ctx_map_key("a")]),
        maps.map_put("m", "x", 1, ctx=[ctx.cdt_ctx_map_key_create("new", m.MAP_KEY_ORDERED)]),
        maps.map_get_by_key("m", "c", m.MAP_RETURN_VALUE, ctx=[ctx.cdt_ctx_map_index(0)]),
    ]
    return [
        d.typed(c.operate_ordered(key, steps)),
        d.typed(c.get(key)),
        d.fails(c.operate, key, [lists.list_append("l", 3, ctx=[ctx.cdt_ctx_list_index(9)])]),
    ]


@program
def bits_and_sketches(d: Driver) -> Any:
    c, key, m = d.client, d.key("b"), d.module
    bits, hll = d.helper("operations.bitwise_operations"), d.helper("operations.hll_operations")
    c.put(key, {"b": b"\x01\x02\x03"})
    steps = [
        bits.bit_set("b", 0, 8, 1, b"\xf0"),
        bits.bit_count("b", 0, 24),
        bits.bit_add("b", 8, 8, 1, False, m.BIT_OVERFLOW_FAIL),
        bits.bit_get_int("b", 8, 8, False),
        bits.bit_lscan("b", 0, 8, True),
        bits.bit_resize("b", 4),
        bits.bit_get("b", 0, 32),
        hll.hll_add("h", ["a", "b"], 8),
        hll.hll_get_count("h"),
        hll.hll_describe("h"),
    ]
    return d.typed(c.operate_ordered(key, steps))


@program
def geojson_and_digests(d: Driver) -> Any:
    c, m, key = d.client, d.module, d.key("g")
    point = m.GeoJSON({"type": "Point", "coordinates": [1.0, 2.0]})
    c.put(key, {"p": point, "l": [m.geojson('{"type":"Point","coordinates":[3.0,4.0]}')]})
    bins = c.get(key)[2]
    return [
        d.typed(bins),
        str(point),
        bins["p"].unwrap(),
        bins["p"].dumps(),
        m.calc_digest("test", "demo", "a"),
        m.calc_digest("test", "demo", 1),
        [d.fails(m.geodata, "x"), d.fails(m.geojson, "x"), d.fails(m.GeoJSON, 5)],
    ]


@program
def configurations_that_are_wrong(d: Driver) -> Any:
    return [
        d.fails(d.module.client, each)
        for each in (
            1,
            {},
            {"hosts": "a"},
            {"hosts": [("127.0.0.1", 1)]},
            {**d.config, "validate_keys": True, "nope": 1},
            {**d.config, "policies": {"read": {"total_timeout": "a"}}},
        )
    ]


@program
def predicates(d: Driver) -> Any:
    p, m = d.module.predicates, d.module
    return [
        p.equals("a", 1),
        p.equals("a", "x"),
        p.between("a", 1, 2),
        p.contains("a", m.INDEX_TYPE_LIST, "x"),
        p.range("a", m.INDEX_TYPE_MAPKEYS, 1, 2),
        p.geo_within_radius("a", 1.0, 2.0, 3.0),
        p.geo_contains_point("a", 1.0, 2.0),
    ]


@program
def serializers(d: Driver) -> Any:
    c, m, key = d.client, d.module, d.key("s")
    m.set_serializer(lambda value: json.dumps(list(value)))
    m.set_deserializer(json.loads)
    try:
        user = {"serializer": m.SERIALIZER_USER}
        seen = [
            c.put(key, {"t": (1, 2), "b": b"99", "l": [(3,), b"88"]}, **user),
            d.typed(c.get(key)[2]),
            d.typed(c.batch_read([key]).batch_records[0].record[2]),
            d.fails(c.put, key, {"t": (1, 2)}),
            d.fails(m.set_serializer, 1),
        ]
        c.put(key, {"t": b"not json"})
        seen.append(d.fails(c.get, key))
    finally:
        m.unset_serializers()
    seen.append(d.typed(c.get(key)[2]))
    return seen
