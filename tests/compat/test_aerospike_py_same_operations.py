"""Operations, expressions and NumPy: the same with aerospike-py and with its drop-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat.side_by_side import Programs

if TYPE_CHECKING:
    from compat.aerospike_py_drivers import Driver

pytest.importorskip("numpy")

program: Programs[Driver] = Programs("py_drivers")
test_both_see_the_same = program.test()

BINS = {
    "l": [3, 1, 2],
    "m": {"a": 1, "b": 2, "c": 3},
    "b": b"\x01\x02\x03\x04",
    "x": 1,
}


def each_on_its_own(d: Driver, operations: list[dict[str, Any]]) -> list[Any]:
    """The result of each operation, and the value then in its bin."""
    seen = []
    for operation in operations:
        d.put("k", BINS)
        seen.append(d.fails(lambda operation=operation: d.operate("k", operation).bins))
        seen.append(d.typed(d.get("k").bins.get(operation.get("bin"))))
        d.client.remove(d.key("k"))
    return seen


@program
def operations_on_lists(d: Driver) -> Any:
    m, o = d.module, d.module.list_operations
    value = m.LIST_RETURN_VALUE
    several = m.LIST_WRITE_ADD_UNIQUE | m.LIST_WRITE_NO_FAIL | m.LIST_WRITE_PARTIAL
    return each_on_its_own(
        d,
        [
            o.list_append("l", 9),
            o.list_append("l", None),
            o.list_append("l", 3, {"order": m.LIST_ORDERED, "flags": m.LIST_WRITE_ADD_UNIQUE}),
            o.list_append_items("l", [3, 4], {"flags": several}),
            o.list_insert("l", 1, "i"),
            o.list_insert("l", 9, 1, {"flags": m.LIST_WRITE_INSERT_BOUNDED}),
            o.list_insert_items("l", 0, [7, 8]),
            o.list_pop("l", -1),
            o.list_pop_range("l", 0, 2),
            o.list_remove("l", 0),
            o.list_remove_range("l", 0, 2),
            o.list_set("l", 0, "z"),
            o.list_trim("l", 0, 1),
            o.list_clear("l"),
            o.list_size("l"),
            o.list_get("l", 1),
            o.list_get("l", 9),
            o.list_get_range("l", 1, 5),
            o.list_get_by_value("l", 3, m.LIST_RETURN_EXISTS),
            o.list_get_by_index("l", 0, value),
            o.list_get_by_index("l", 0, 99),
            o.list_get_by_index_range("l", 1, value),
            o.list_get_by_index_range("l", 0, value, 2),
            o.list_get_by_rank("l", 0, value),
            o.list_get_by_rank_range("l", 1, value),
            o.list_get_by_rank_range("l", 0, m.LIST_RETURN_RANK, 2),
            o.list_get_by_value_list("l", [1, 9], m.LIST_RETURN_COUNT),
            o.list_get_by_value_range("l", 1, 3, value),
            o.list_get_by_value_range("l", 2, None, value),
            o.list_get_by_value_range("l", None, 3, value),
            o.list_remove_by_value("l", 1, value),
            o.list_remove_by_value_list("l", [1, 2], m.LIST_RETURN_INDEX),
            o.list_remove_by_value_range("l", 1, 3, m.LIST_RETURN_COUNT),
            o.list_remove_by_index("l", 0, value),
            o.list_remove_by_index_range("l", 0, value, 1),
            o.list_remove_by_rank("l", 0, value),
            o.list_remove_by_rank_range("l", 0, m.LIST_RETURN_NONE),
            o.list_increment("l", 0, 4),
            o.list_sort("l"),
            o.list_sort("l", m.LIST_SORT_DROP_DUPLICATES),
            o.list_set_order("l", m.LIST_ORDERED),
            {"op": 1001, "val": 1},
            {"op": 1003, "bin": "l", "val": 1},
            {"op": 1016, "bin": "l", "index": 1},
            {"op": 1018, "bin": "l", "index": 0, "return_type": 7},
            {"op": 1029, "bin": "l", "index": 0},
        ],
    )


@program
def operations_on_maps(d: Driver) -> Any:
    m, o = d.module, d.module.map_operations
    key, value, both = m.MAP_RETURN_KEY, m.MAP_RETURN_VALUE, m.MAP_RETURN_KEY_VALUE
    return each_on_its_own(
        d,
        [
            o.map_put("m", "z", 1, {"order": m.MAP_KEY_ORDERED, "write_mode": m.MAP_CREATE_ONLY}),
            o.map_put("m", "a", 1, {"write_mode": m.MAP_CREATE_ONLY}),
            o.map_put("m", "zz", 1, {"write_mode": m.MAP_UPDATE_ONLY}),
            o.map_put_items("m", {"q": 1, 5: [1]}),
            o.map_increment("m", "a", 5),
            o.map_decrement("m", "a", 5),
            o.map_clear("m"),
            o.map_size("m"),
            o.map_set_order("m", m.MAP_KEY_ORDERED),
            o.map_get_by_key("m", "a", value),
            o.map_get_by_key("m", "a", both),
            o.map_get_by_key("m", "none", value),
            o.map_get_by_key("m", "a", m.MAP_RETURN_EXISTS),
            o.map_get_by_key("m", "a", 99),
            o.map_get_by_key_list("m", ["a", "c"], both),
            o.map_get_by_key_range("m", "a", "c", key),
            o.map_get_by_key_range("m", "b", None, key),
            o.map_get_by_value("m", 1, key),
            o.map_get_by_value_list("m", [1, 3], key),
            o.map_get_by_value_range("m", 1, 3, both),
            o.map_get_by_index("m", 0, both),
            o.map_get_by_index_range("m", 0, both),
            o.map_get_by_index_range("m", 1, key, 1),
            o.map_get_by_rank("m", -1, key),
            o.map_get_by_rank_range("m", 1, value),
            o.map_remove_by_key("m", "a", value),
            o.map_remove_by_key_list("m", ["a"], m.MAP_RETURN_COUNT),
            o.map_remove_by_key_range("m", "a", "c", m.MAP_RETURN_COUNT),
            o.map_remove_by_value("m", 1, key),
            o.map_remove_by_value_list("m", [1, 2], key),
            o.map_remove_by_value_range("m", 1, 3, key),
            o.map_remove_by_index("m", 0, key),
            o.map_remove_by_index_range("m", 0, key),
            o.map_remove_by_rank("m", 0, key),
            o.map_remove_by_rank_range("m", 0, key, 1),
            {"op": 2002, "bin": "m", "val": 1},
            {"op": 2018, "bin": "m", "map_key": "a"},
        ],
    )


@program
def operations_on_bits(d: Driver) -> Any:
    m, o = d.module, d.module.bit_operations
    return each_on_its_own(
        d,
        [
            o.bit_resize("b", 6),
            o.bit_resize("b", 6, m.BIT_RESIZE_FROM_FRONT),
            o.bit_insert("b", 1, b"\xff"),
            o.bit_remove("b", 0, 1),
            o.bit_set("b", 0, 8, bytearray(b"\xff")),
            o.bit_or("b", 0, 8, b"\xf0"),
            o.bit_xor("b", 0, 8, b"\xf0"),
            o.bit_and("b", 0, 8, b"\x00"),
            o.bit_not("b", 0, 8),
            o.bit_lshift("b", 0, 16, 3),
            o.bit_rshift("b", 0, 16, 3),
            o.bit_add("b", 0, 8, 255, False, m.BIT_OVERFLOW_WRAP),
            o.bit_add("b", 0, 8, 127, True, m.BIT_OVERFLOW_SATURATE),
            o.bit_add("b", 0, 8, 255),
            o.bit_subtract("b", 0, 8, 1),
            o.bit_set_int("b", 8, 8, 77),
            o.bit_get("b", 4, 12),
            o.bit_count("b", 0, 32),
            o.bit_lscan("b", 0, 32, True),
            o.bit_rscan("b", 0, 32, True),
            o.bit_get_int("b", 0, 8),
            o.bit_get_int("b", 0, 8, True),
            o.bit_set("none", 0, 8, b"\xff", m.BIT_WRITE_UPDATE_ONLY | m.BIT_WRITE_NO_FAIL),
        ],
    )


@program
def operations_on_sketches(d: Driver) -> Any:
    m, o = d.module, d.module.hll_operations
    seen = [
        d.operate("h", o.hll_add("h", ["a", "b"], 8), o.hll_get_count("h"), o.hll_describe("h")),
        d.operate("h", o.hll_init("h2", 8, 4), o.hll_describe("h2")),
        d.operate("h", o.hll_init("h3", 8)),
    ]
    sketch = d.get("h").bins["h"]
    seen += [
        d.operate("h", each)
        for each in (
            o.hll_get_union("h", [sketch]),
            o.hll_get_union_count("h", [sketch]),
            o.hll_get_intersect_count("h", [sketch]),
            o.hll_get_similarity("h", [sketch]),
            o.hll_set_union("h", [sketch]),
            o.hll_fold("h", 6),
        )
    ]
    again = o.hll_add("h", ["q"], policy={"flags": m.HLL_WRITE_CREATE_ONLY})
    return d.typed(seen), d.typed(d.get("h").bins), d.fails(d.operate, "h", again)


@program
def several_operations_on_one_bin(d: Driver) -> Any:
    m, lists, maps = d.module, d.module.list_operations, d.module.map_operations
    d.put("k", BINS)
    read = {"op": m.OPERATOR_READ, "bin": "l"}
    return [
        d.typed(d.operate("k", *each))
        for each in (
            [lists.list_append("l", 4), lists.list_append("l", 5), lists.list_size("l"), read],
            [read, lists.list_clear("l"), read],
            [maps.map_size("m"), maps.map_get_by_key("m", "none", 7), maps.map_size("m")],
            [{"op": m.OPERATOR_WRITE, "bin": "x", "val": 3}, maps.map_size("m")],
        )
    ]


@program
def expressions(d: Driver) -> Any:
    m, e = d.module, d.module.exp
    number, real, text = e.int_val, e.float_val, e.string_bin("s")
    a, f = e.int_bin("a"), e.float_bin("f")
    point = '{"type":"Point","coordinates":[1,1]}'
    circle = '{"type":"AeroCircle","coordinates":[[1,1],1000]}'
    d.put("k", {"a": 5, "f": 1.5, "s": "Hello", "b": b"x", "t": True, "l": [1]}, None, key=1)
    expressions = [
        e.eq(a, number(5)),
        e.ne(a, number(5)),
        e.and_(e.gt(a, number(1)), e.le(a, number(5))),
        e.or_(e.lt(a, number(1)), e.ge(a, number(5))),
        e.not_(e.eq(a, number(1))),
        e.xor_(e.eq(a, number(5)), e.eq(a, number(6))),
        e.eq(e.num_add(a, number(1)), number(6)),
        e.eq(e.num_sub(a, number(1)), number(4)),
        e.eq(e.num_mul(a, number(2)), number(10)),
        e.eq(e.num_div(a, number(2)), number(2)),
        e.eq(e.num_mod(a, number(2)), number(1)),
        e.eq(e.num_pow(f, real(2.0)), real(2.25)),
        e.gt(e.num_log(f, real(2.0)), real(0.5)),
        e.eq(e.num_abs(number(-5)), a),
        e.eq(e.num_floor(f), real(1.0)),
        e.eq(e.num_ceil(f), real(2.0)),
        e.eq(e.to_int(f), number(1)),
        e.eq(e.to_float(a), real(5.0)),
        e.eq(e.min_(a, number(3)), number(3)),
        e.eq(e.max_(a, number(3)), number(5)),
        e.eq(e.int_and(a, number(4)), number(4)),
        e.eq(e.int_or(a, number(2)), number(7)),
        e.eq(e.int_xor(a, number(1)), number(4)),
        e.eq(e.int_not(a), number(-6)),
        e.eq(e.int_lshift(a, number(1)), number(10)),
        e.eq(e.int_rshift(number(-4), number(60)), number(15)),
        e.eq(e.int_arshift(number(-4), number(1)), number(-2)),
        e.eq(e.int_count(a), number(2)),
        e.eq(e.int_lscan(a, e.bool_val(True)), number(61)),
        e.eq(e.int_rscan(a, e.bool_val(True)), number(63)),
        e.regex_compare("^hel", m.REGEX_ICASE, text),
        e.regex_compare("^hel", m.REGEX_NONE, text),
        e.regex_compare("^Hel+o$", m.REGEX_EXTENDED, text),
        e.eq(text, e.string_val("Hello")),
        e.eq(e.blob_bin("b"), e.blob_val(b"x")),
        e.eq(e.bool_bin("t"), e.bool_val(True)),
        e.eq(e.list_bin("l"), e.list_val([1])),
        e.bin_exists("a"),
        e.bin_exists("none"),
        e.eq(e.bin_type("a"), number(1)),
        e.eq(e.key(e.EXP_TYPE_STRING), e.string_val("k")),
        e.key_exists(),
        e.eq(e.set_name(), e.string_val(d.set)),
        e.gt(e.record_size(), number(1)),
        e.gt(e.last_update(), number(1)),
        e.ge(e.since_update(), number(0)),
        e.eq(e.void_time(), number(-1)),
        e.eq(e.ttl(), number(-1)),
        e.not_(e.is_tombstone()),
        e.ge(e.digest_modulo(3), number(0)),
        e.eq(e.cond(e.gt(a, number(3)), number(1), number(2)), number(1)),
        e.let_(e.def_("v", e.num_add(a, number(1))), e.eq(e.var("v"), number(6))),
        e.geo_compare(e.geo_val(point), e.geo_val(circle)),
        e.eq(f, real(1.5)),
        e.cond(number(1)),
        e.let_(a),
        e.and_(),
        {"__expr__": "nonsense"},
        {"__expr__": "eq", "left": a},
        {"__expr__": "num_mod", "exprs": [a]},
        e.eq(a, e.int_val("5")),  # type: ignore[arg-type]
    ]
    return [d.fails(d.client.get, d.key("k"), {"filter_expression": each}) for each in expressions]


@program
def numpy_both_ways(d: Driver) -> Any:
    import numpy as np

    c, m = d.client, d.module
    fields = [
        ("_key", "i4"), ("n", "i2"), ("f", "f8"), ("g", "f4"), ("b", "S3"), ("a", "u1", (2,)),
        ("v", "V2"), ("_odd", "i4"),
    ]  # fmt: skip
    data = np.zeros(5, fields)
    data["_key"], data["n"], data["f"], data["b"] = range(5), range(5), 0.5, b"ab"
    written = c.batch_write_numpy(data, "test", d.set, data.dtype)
    keys = [d.key(at) for at in range(5)]
    handle = c.batch_read([*keys, d.key("none")])
    dtype = np.dtype([("n", "i8"), ("f", "f8"), ("g", "f4"), ("b", "S3"), ("zz", "u2")])
    arrays = handle.to_numpy(dtype)
    seen: list[Any] = [
        [row.result for row in written.batch_records],
        handle.to_list(),
        arrays.batch_records.tolist(),
        arrays.batch_records.dtype == dtype,
        arrays.meta.tolist(),
        arrays.meta.dtype.descr,
        arrays.result_codes.tolist(),
        arrays.get(2)["n"],
        len(arrays),
        3 in arrays,
        77 in arrays,
        [row["n"] for row in arrays],
        repr(arrays),
        type(arrays).__name__,
        d.fails(arrays.get, 99)[0],
    ]
    texts = np.array([(b"k1", b"test", d.set.encode(), 5)], [
        ("id", "S8"), ("_namespace", "S8"), ("_set", "S60"), ("n", "i4"),
    ])  # fmt: skip
    seen.append(c.batch_write_numpy(texts, "no", "no", texts.dtype, "id").batch_records[0][0][:3])
    seen.append(c.batch_write_numpy(data[:0], "test", d.set, data.dtype).batch_records)
    numbers = np.dtype([("n", "i4")])
    seen += [
        d.fails(handle.to_numpy, np.dtype("i8"))[0][0],
        d.fails(handle.to_numpy, np.dtype([("n", "U4")])),
        d.fails(handle.to_numpy, np.dtype([("n", ">i4")])),
        d.fails(handle.to_numpy, np.dtype([("n", "?")])),
        d.fails(handle.to_numpy, np.dtype([("b", "i4")])),
        d.fails(handle.to_numpy, np.dtype([("n", "S2")])),
        d.fails(c.batch_write_numpy, [1], "test", d.set, numbers),
        d.fails(c.batch_write_numpy, np.zeros(1, numbers), "test", d.set, numbers),
        d.fails(c.batch_write_numpy, data, "test", d.set, data.dtype, "none"),
    ]
    d.put("odd", {"f": 2.75, "t": True, "s": "abcdef", "b": b"abcdef", "m": {}, "i": 1000})
    odd = c.batch_read([d.key("odd"), d.key("none")])
    for field in (
        ("f", "i4"), ("t", "i1"), ("t", "f4"), ("s", "S3"), ("b", "S3"), ("b", "S9"), ("b", "V3"),
        ("b", "i4", (2,)), ("b", "u1", (3,)), ("f", "f2"), ("s", "V9"), ("m", "i4"), ("i", "i1"),
        ("s", "u1", (6,)), ("i", "u8"), ("i", "S3"),
    ):  # fmt: skip
        call = odd.to_numpy
        seen.append(
            d.fails(lambda call=call, field=field: call(np.dtype([field])).batch_records.tobytes())
        )
    large = d.put("large", {"n": 1000})
    seen.append((large, d.fails(c.batch_read([d.key("large")]).to_numpy, np.dtype([("n", "i1")]))))

    async def asynchronous(client: Any) -> Any:
        done = await client.batch_write_numpy(data, "test", d.set, data.dtype)
        arrays = (await client.batch_read(keys)).to_numpy(dtype)
        return [row.result for row in done.batch_records], arrays.batch_records.tolist()

    seen.append(d.run(asynchronous))
    assert issubclass(m.NumpyBatchRecords, object)
    return d.typed(seen)
