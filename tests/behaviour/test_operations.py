"""Operations on lists, maps, bits, sketches and expressions, through the cluster."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import HyperLogLog, ctx, exp, op

if TYPE_CHECKING:
    from collections.abc import Callable

    from apis import Caller

LIST = [3, 1, 2, 1]
MAP = {"a": 3, "b": 1, "c": 2}


def results(data: Caller, *operations: spikewire.Operation) -> tuple[Any, ...]:
    return data.operate("k", list(operations)).results


@pytest.mark.parametrize(
    ("operation", "result", "left"),
    [
        (op.list.size("b"), 4, LIST),
        (op.list.get("b", -2), 2, LIST),
        (op.list.get_range("b", 1, 2), [1, 2], LIST),
        (op.list.get_range("b", 2), [2, 1], LIST),
        (op.list.append("b", None), 5, [*LIST, None]),
        (op.list.append("b", 3, unique=True, no_fail=True), 4, LIST),
        (op.list.append_items("b", [1, 4], unique=True, no_fail=True, partial=True), 5, [*LIST, 4]),
        (op.list.insert("b", 1, "x"), 5, [3, "x", 1, 2, 1]),
        (op.list.insert("b", 9, "x", bounded=True, no_fail=True), 4, LIST),
        (op.list.insert_items("b", -1, (8, 9)), 6, [3, 1, 2, 8, 9, 1]),
        (op.list.set("b", 1, [5]), None, [3, [5], 2, 1]),
        (op.list.increment("b", 0), 4, [4, 1, 2, 1]),
        (op.list.increment("b", 0, -2), 1, [1, 1, 2, 1]),
        (op.list.pop("b", 0), 3, [1, 2, 1]),
        (op.list.pop_range("b", 1, 2), [1, 2], [3, 1]),
        (op.list.remove("b", 0), 1, [1, 2, 1]),
        (op.list.remove_range("b", 2), 2, [3, 1]),
        (op.list.trim("b", 1, 2), 2, [1, 2]),
        (op.list.clear("b"), None, []),
        (op.list.sort("b"), None, [1, 1, 2, 3]),
        (op.list.sort("b", descending=True), None, [3, 2, 1, 1]),
        (op.list.sort("b", drop_duplicates=True), None, [1, 2, 3]),
        (op.list.set_order("b", "ordered"), None, [1, 1, 2, 3]),
        (op.list.get_by_index("b", 0, returning="rank"), 3, LIST),
        (op.list.get_by_index_range("b", 1, 2, inverted=True), [3, 1], LIST),
        (op.list.get_by_rank("b", -1, returning="reverse_index"), 3, LIST),
        (op.list.get_by_rank_range("b", 2, returning="count"), 2, LIST),
        (op.list.get_by_value("b", 1, returning="index"), [1, 3], LIST),
        (op.list.get_by_value("b", 7, returning="exists"), False, LIST),
        (op.list.get_by_value_list("b", [1, 7], returning="count"), 2, LIST),
        (op.list.get_by_value_range("b", 2), [3, 2], LIST),
        (op.list.get_by_value_range("b", None, 2), [1, 1], LIST),
        (op.list.get_by_value_relative_rank("b", 2, 0, 1), [2], LIST),
        (op.list.remove_by_index("b", 0, returning="value"), 3, [1, 2, 1]),
        (op.list.remove_by_index_range("b", 1, 2), None, [3, 1]),
        (op.list.remove_by_rank("b", -1), None, [1, 2, 1]),
        (op.list.remove_by_rank_range("b", 0, 2, returning="count"), 2, [3, 2]),
        (op.list.remove_by_value("b", 1, inverted=True, returning="value"), [3, 2], [1, 1]),
        (op.list.remove_by_value_list("b", [1, 2], returning="count"), 3, [3]),
        (op.list.remove_by_value_range("b", 2, 3, returning="rank"), [2], [3, 1, 1]),
        (op.list.remove_by_value_relative_rank("b", 2, -1, 1), None, [3, 1, 2]),
    ],
    ids=repr,
)
def test_list_operations_return_their_results(
    data: Caller, operation: spikewire.Operation, result: Any, left: Any
) -> None:
    data.put("k", {"b": LIST})
    assert results(data, operation, op.get("b")) == (result, left)


@pytest.mark.parametrize(
    ("operation", "result", "left"),
    [
        (op.map.size("b"), 3, MAP),
        (op.map.put("b", "d", [1]), 4, {**MAP, "d": [1]}),
        (op.map.put("b", b"x", None, create_only=True), 4, {**MAP, b"x": None}),  # type: ignore[misc]
        (op.map.put("b", "a", 9, create_only=True, no_fail=True), 3, MAP),
        (op.map.put("b", "a", 9, update_only=True), 3, {**MAP, "a": 9}),
        (op.map.put_items("b", {1: 2, "a": 0}), 4, {**MAP, 1: 2, "a": 0}),  # type: ignore[misc]
        (
            op.map.put_items("b", {1: 2, "a": 0}, create_only=True, no_fail=True, partial=True),
            4,
            {**MAP, 1: 2},  # type: ignore[misc]
        ),
        (op.map.increment("b", "a"), 4, {**MAP, "a": 4}),
        (op.map.increment("b", "n", 2.5), 2.5, {**MAP, "n": 2.5}),
        (op.map.decrement("b", "a", 5), -2, {**MAP, "a": -2}),
        (op.map.clear("b"), None, {}),
        (op.map.set_order("b", "key_value"), None, MAP),
        (op.map.get_by_key("b", "a"), 3, MAP),
        (op.map.get_by_key("b", "z"), None, MAP),
        (op.map.get_by_key("b", "c", returning="index"), 2, MAP),
        (op.map.get_by_key_list("b", ["a", "z"], returning="key_value"), {"a": 3}, MAP),
        (op.map.get_by_key_range("b", "b", returning="key"), ["b", "c"], MAP),
        (op.map.get_by_key_range("b", None, "b", returning="unordered_map"), {"a": 3}, MAP),
        (op.map.get_by_key_relative_index("b", "bb", -1, 1, returning="key"), ["b"], MAP),
        (op.map.get_by_index("b", -1, returning="key"), "c", MAP),
        (op.map.get_by_index_range("b", 0, 2, returning="key", inverted=True), ["c"], MAP),
        (op.map.get_by_index_range("b", 1, returning="index_range"), [1, 2], MAP),
        (op.map.get_by_rank("b", 0, returning="key"), "b", MAP),
        (op.map.get_by_rank_range("b", -2, returning="key"), ["c", "a"], MAP),
        (op.map.get_by_rank_range("b", -2, returning="rank_range"), [1, 2], MAP),
        (op.map.get_by_value("b", 2, returning="key"), ["c"], MAP),
        (op.map.get_by_value_list("b", [1, 2], returning="count"), 2, MAP),
        (op.map.get_by_value_range("b", 2, returning="ordered_map"), {"a": 3, "c": 2}, MAP),
        (op.map.get_by_value_relative_rank("b", 2, 1, returning="reverse_rank"), [0], MAP),
        (op.map.remove_by_key("b", "a", returning="value"), 3, {"b": 1, "c": 2}),
        (op.map.remove_by_key_list("b", ["a", "z"], returning="count"), 1, {"b": 1, "c": 2}),
        (op.map.remove_by_key_range("b", "b"), None, {"a": 3}),
        (op.map.remove_by_key_relative_index("b", "b", 1), None, {"a": 3, "b": 1}),
        (op.map.remove_by_index("b", 0, returning="exists"), True, {"b": 1, "c": 2}),
        (op.map.remove_by_index_range("b", 1, 1, returning="key"), ["b"], {"a": 3, "c": 2}),
        (op.map.remove_by_rank("b", -1, returning="key"), "a", {"b": 1, "c": 2}),
        (op.map.remove_by_rank_range("b", 1, returning="count"), 2, {"b": 1}),
        (op.map.remove_by_value("b", 1, inverted=True, returning="count"), 2, {"b": 1}),
        (op.map.remove_by_value_list("b", [1, 3]), None, {"c": 2}),
        (op.map.remove_by_value_range("b", None, 3), None, {"a": 3}),
        (
            op.map.remove_by_value_relative_rank("b", 2, 0, 1, returning="key"),
            ["c"],
            {"a": 3, "b": 1},
        ),
    ],
    ids=repr,
)
def test_map_operations_return_their_results(
    data: Caller, operation: spikewire.Operation, result: Any, left: Any
) -> None:
    data.put("k", {"b": MAP})
    assert results(data, operation, op.get("b")) == (result, left)


@pytest.mark.parametrize(
    ("operation", "result", "left"),
    [
        (op.bit.resize("b", 3), None, b"\x0f\xf1\x00"),
        (op.bit.resize("b", 3, from_front=True), None, b"\x00\x0f\xf1"),
        (op.bit.resize("b", 1, grow_only=True, no_fail=True), None, b"\x0f\xf1"),
        (op.bit.insert("b", 1, b"x"), None, b"\x0fx\xf1"),
        (op.bit.remove("b", 0, 1), None, b"\xf1"),
        (op.bit.set("b", 0, 4, bytearray(b"\xff")), None, b"\xff\xf1"),
        (op.bit.or_("b", 8, 8, b"\x0e"), None, b"\x0f\xff"),
        (op.bit.xor("b", 0, 8, b"\xff"), None, b"\xf0\xf1"),
        (op.bit.and_("b", 0, 8, b"\x03"), None, b"\x03\xf1"),
        (op.bit.not_("b", 0, 16), None, b"\xf0\x0e"),
        (op.bit.lshift("b", 0, 16, 4), None, b"\xff\x10"),
        (op.bit.rshift("b", 0, 16, 4), None, b"\x00\xff"),
        (op.bit.add("b", 0, 8, 250, overflow="saturate"), None, b"\xff\xf1"),
        (op.bit.add("b", 0, 8, 250, overflow="wrap"), None, b"\x09\xf1"),
        (op.bit.subtract("b", 8, 8, 1, signed=True), None, b"\x0f\xf0"),
        (op.bit.set_int("b", 0, 12, 0xABC), None, b"\xab\xc1"),
        (op.bit.get("b", 4, 8), b"\xff", b"\x0f\xf1"),
        (op.bit.count("b", 0, 16), 9, b"\x0f\xf1"),
        (op.bit.lscan("b", 0, 16, True), 4, b"\x0f\xf1"),
        (op.bit.rscan("b", 0, 16, False), 14, b"\x0f\xf1"),
        (op.bit.get_int("b", 8, 8), 0xF1, b"\x0f\xf1"),
        (op.bit.get_int("b", 8, 8, signed=True), -15, b"\x0f\xf1"),
    ],
    ids=repr,
)
def test_bit_operations_return_their_results(
    data: Caller, operation: spikewire.Operation, result: Any, left: bytes
) -> None:
    data.put("k", {"b": b"\x0f\xf1"})
    assert results(data, operation, op.get("b")) == (result, left)


def test_hll_operations_return_their_results(data: Caller) -> None:
    first = results(
        data,
        op.hll.init("h", 12, 16),
        op.hll.add("h", ["a", "b", 3, 1.5, None]),
        op.hll.add("other", ["a", "c"], 12, 16, create_only=True),
        op.hll.get_count("h"),
        op.hll.describe("h"),
        op.hll.may_contain("h", ["a", 3]),
        op.hll.may_contain("h", ["z"]),
        op.hll.refresh_count("h"),
        op.hll.init("h", 4, no_fail=True, create_only=True),
        op.get("other"),
    )
    *front, other = first
    assert front == [None, 5, 2, 5, [12, 16], 1, 0, 5, None]
    assert isinstance(other, HyperLogLog)
    union, count, both, alike = results(
        data,
        op.hll.get_union("h", [other]),
        op.hll.get_union_count("h", [other]),
        op.hll.get_intersect_count("h", [other]),
        op.hll.get_similarity("h", [other]),
    )
    assert (count, both, round(alike, 2)) == (6, 1, 0.17)
    assert results(data, op.hll.set_union("h", [other]), op.hll.get_count("h")) == (None, 6)
    assert bytes(data.get("k")["h"])[11:] == bytes(union)[11:], "all but the kept count"
    data.operate("k", [op.hll.add("plain", [*range(100)], 10), op.hll.fold("plain", 6)])
    assert results(data, op.hll.describe("plain")) == ([6, 0],)


def test_operations_with_a_context_reach_nested_values(data: Caller) -> None:
    data.put("k", {"b": {"m": {"x": [1, [5, 6]]}}, "l": [[1], {"y": 2}]})
    path = [ctx.map_key("m"), ctx.map_key("x")]
    assert results(
        data,
        op.list.append("b", 7, ctx=path),
        op.list.get_by_value("b", 6, returning="index", ctx=(*path, ctx.list_index(1))),
        op.list.size("b", ctx=[ctx.map_index(0), ctx.map_rank(0)]),
        op.map.get_by_key("l", "y", ctx=[ctx.list_rank(-1)]),
        op.list.get("l", 0, ctx=[ctx.list_value([1])]),
        op.list.get("l", 0, ctx=[ctx.index(0)]),
        op.map.size("b", ctx=[ctx.rank(0)]),
        op.map.put("b", "z", 1, ctx=[ctx.map_value({"x": [1, [5, 6], 7]})]),
    ) == (3, [1], 3, 2, 1, 1, 1, 2)


def test_a_context_creates_missing_parts(data: Caller) -> None:
    results(
        data,
        op.map.put("m", "k", 1, order="key", ctx=[ctx.map_key_create("a", "key")]),
        op.list.append("l", 1, ctx=[ctx.list_index_create(2, pad=True)]),
        op.list.create("made", "ordered", ctx=[ctx.map_key("x")]),
        op.list.append_items("made", [3, 1, 2], ctx=[ctx.map_key("x")]),
        op.map.create("top", "key_value", persist_index=True),
        op.list.create("gap", pad=True, ctx=[ctx.list_index(1)]),
        op.map.create("deep", ctx=[ctx.map_key_create("a"), ctx.map_key("b")]),
    )
    assert data.get("k").bins == {
        "m": {"a": {"k": 1}},
        "l": [None, None, [1]],
        "made": {"x": [1, 2, 3]},
        "top": {},
        "gap": [None, []],
        "deep": {"a": {"b": {}}},
    }


def test_expressions_read_and_write_bins(data: Caller) -> None:
    data.put("k", {"n": 5, "l": [1, 2, 3], "s": "abc"})
    record = data.operate(
        "k",
        [
            op.read("twice", exp.bin("n") * 2),
            op.read("text", "$.n + 1"),
            op.read("given", ("$.n + ?0", 10)),
            op.read("none", exp.bin("no", int) + 1, no_fail=True),
            op.write("sum", exp.bin("n", int) + exp.list.get(exp.bin("l"), -1)),
            op.write("n", "when($.n > 3 => 0, default => 1)", update_only=True),
            op.get("sum"),
            op.write("n", exp.value(None), allow_delete=True),
            op.get("n"),
        ],
    )
    assert record.results == (10, 6, 15, None, None, None, 8, None, None)
    assert record.bins == {"twice": 10, "text": 6, "given": 15, "sum": 8}
    for operation, error in [
        (op.read("r", exp.bin("no", int) + 1), spikewire.OpNotApplicable),
        (op.write("sum", exp.value(1), create_only=True), spikewire.BinExists),
        (op.write("new", exp.value(1), update_only=True), spikewire.BinNotFound),
    ]:
        with pytest.raises(error):
            data.operate("k", [operation])
    no_fail = op.write("new", exp.bin("no", int), no_fail=True)
    assert data.operate("k", [no_fail]).results == (None,)
    assert "new" not in data.get("k")


# In the order of servers: integers, strings, bytes. Stored maps are in it, whatever was put.
IN_ORDER: dict[Any, Any] = {-1: 0, 300: 1, "a": 2, "ab": [{"x": 1, "y": 2}], b"z": 3}
# (Expressions compare whole maps only if every map inside is key-ordered.)
FLAT: dict[Any, Any] = {b"z": 3, "a": 2, 300: 1}
UNORDERED: dict[Any, Any] = {b"z": 3, "ab": [{"y": 2, "x": 1}], "a": 2, 300: 1, -1: 0}


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        (op.list.get_by_value("l", UNORDERED, returning="index"), [1]),
        (op.list.get_by_value("l", [1, UNORDERED], returning="index"), [2]),
        (op.list.get_by_value_list("l", [0, UNORDERED], returning="count"), 2),
        (op.list.get_by_value_range("l", UNORDERED, returning="count"), 1),
        (op.list.get_by_value_range("l", None, UNORDERED, returning="count"), 2),
        (op.list.get_by_value_relative_rank("l", UNORDERED, 0, 1, returning="index"), [1]),
        (op.list.remove_by_value("l", UNORDERED, returning="count"), 1),
        (op.list.remove_by_value_list("l", [UNORDERED, [1, UNORDERED]], returning="count"), 2),
        (op.list.append("l", UNORDERED, unique=True, no_fail=True), 3),
        (op.list.size("l", ctx=[ctx.list_value([1, UNORDERED])]), 2),
        (op.map.size("l", ctx=[ctx.list_value(UNORDERED)]), 5),
        (op.map.size("l", ctx=[ctx.list_index(2), ctx.value(UNORDERED)]), 5),
        (op.map.get_by_value("m", UNORDERED, returning="key"), ["k"]),
        (op.map.get_by_value_list("m", [UNORDERED, 1], returning="key"), ["k"]),
        (op.map.get_by_value_range("m", UNORDERED, returning="key"), ["k"]),
        (op.map.remove_by_value("m", UNORDERED, returning="count"), 1),
        (op.map.size("m", ctx=[ctx.map_value(UNORDERED)]), 5),
        (
            op.map.get_by_value("m", [{"y": 2, "x": 1}], ctx=[ctx.map_key("k")]),
            [[{"x": 1, "y": 2}]],
        ),
        (op.read("r", exp.list.get_by_value(exp.bin("l", list), UNORDERED, returning="count")), 1),
        (op.read("r", exp.map.size(exp.bin("m", dict), ctx=[ctx.map_value(UNORDERED)])), 5),
        (op.read("r", exp.bin("k", dict) == FLAT), True),
    ],
    ids=str,
)
def test_maps_are_looked_for_in_the_order_of_servers(
    data: Caller, operation: spikewire.Operation, result: Any
) -> None:
    """Operands that servers compare with stored maps, which are in order: on a real server one in
    another order equals nothing, and nobody is told."""
    data.put("k", {"l": [0, UNORDERED, [1, UNORDERED]], "m": {"k": UNORDERED, "z": 0}})
    data.operate("k", [op.map.put_items("k", FLAT, order="key")])
    assert list(data.get("k", bins=["m"])["m"]["k"]) == list(IN_ORDER)
    assert results(data, operation) == (result,)


def test_several_operations_on_one_bin_run_in_order(data: Caller) -> None:
    record = data.operate(
        "k",
        [op.list.append("l", 1), op.list.append("l", 2), op.list.clear("l"), op.list.size("l")],
    )
    assert record.results == (1, 2, None, 0)
    assert record["l"] == 0
    record = data.operate("k", [op.list.append("l", 3), op.list.clear("l")])
    assert (record.results, record["l"]) == ((1, None), 1), "the last that gives something"


def test_only_reads_write_nothing(data: Caller) -> None:
    data.put("k", {"l": [1], "m": {"a": 1}, "b": b"x", "h": None})
    reads = [
        op.list.get("l", 0),
        op.map.get_by_key("m", "a"),
        op.bit.count("b", 0, 8),
        op.read("r", exp.ttl()),
    ]
    record = data.operate("k", reads)
    assert record.generation == 1
    assert record.results[:3] == (1, 1, 4)
    with pytest.raises(ValueError, match="only read"):
        data.operate("k", reads, ttl=10)
    with pytest.raises(spikewire.RecordNotFound):
        data.operate("missing", reads)
    assert data.operate("missing", [op.list.append("l", 1)]).generation == 1


@pytest.mark.parametrize(
    "other",
    [op.get("a"), op.list.size("l"), op.list.append("l", 1), op.read("r", "$.a + 1")],
    ids=repr,
)
def test_reading_every_bin_adds_no_result(data: Caller, other: spikewire.Operation) -> None:
    with pytest.raises(ValueError, match="every bin"):
        data.operate("k", [op.get(), other])
    assert data.operate("k", [op.put("a", 1), op.get()]).bins == {"a": 1}


def test_operate_many_runs_operations_on_each_record(data: Caller) -> None:
    data.put_many({at: {"l": [at]} for at in range(5)})
    operations = [op.list.append("l", 9), op.list.get("l", 0), op.read("n", "$.l.type()")]
    assert [row.results for row in data.operate_many(range(5), operations)] == [
        (2, at, 20) for at in range(5)
    ]


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (op.list.append("l", 1, unique=True), spikewire.ElementExists),
        (op.list.insert("l", 9, 1, bounded=True), spikewire.OpNotApplicable),
        (op.list.get("l", 9), spikewire.OpNotApplicable),
        (op.map.put("m", "a", 1, create_only=True), spikewire.ElementExists),
        (op.map.put("m", "z", 1, update_only=True), spikewire.ElementNotFound),
        (op.map.put("l", "z", 1), spikewire.BinTypeError),
        (op.list.size("l", ctx=[ctx.list_index(9)]), spikewire.OpNotApplicable),
        (op.bit.set("no", 0, 8, b"x"), spikewire.BinNotFound),
        (op.bit.resize("b", 3, create_only=True), spikewire.BinExists),
        (op.bit.add("b", 0, 8, 255), spikewire.OpNotApplicable),
        (op.hll.refresh_count("no"), spikewire.BinNotFound),
    ],
    ids=repr,
)
def test_invalid_operations_get_server_errors(
    data: Caller, operation: spikewire.Operation, error: type[spikewire.Error]
) -> None:
    data.put("k", {"l": [1], "m": {"a": 1}, "b": b"x"})
    with pytest.raises(error):
        data.operate("k", [operation])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: op.list.get_by_index("l", 0, returning="key"), ValueError, "'value'.*'key'"),  # type: ignore[arg-type]
        (lambda: op.list.get_by_rank("l", 0, returning="index_range"), ValueError, "'rank_range'"),  # type: ignore[arg-type]
        (lambda: op.map.get_by_key_list("m", ["a"], returning="rank"), ValueError, "returning"),  # type: ignore[arg-type]
        (
            lambda: op.map.get_by_index_range("m", 0, returning="index_range", inverted=True),
            ValueError,
            "inversion",
        ),
        (lambda: op.list.append("l", 1, order="key"), ValueError, "'unordered' or 'ordered'"),  # type: ignore[arg-type]
        (lambda: op.map.create("m", "ordered"), ValueError, "'key_value'"),  # type: ignore[arg-type]
        (lambda: op.map.set_order("m", None), TypeError, "order must be str"),  # type: ignore[arg-type]
        (lambda: op.list.append("l", object()), TypeError, '"l".*value.*object'),  # type: ignore[arg-type]
        (lambda: op.list.append("l", 1 << 64), OverflowError, '"l".*64 bits'),
        (lambda: op.list.append("l", 1, unique=1), TypeError, "unique must be bool"),  # type: ignore[arg-type]
        (lambda: op.list.append_items("l", "abc"), TypeError, "items must be a list"),  # type: ignore[arg-type]
        (lambda: op.list.get("l", True), TypeError, "index must be int, not bool"),
        (lambda: op.list.get("l", 1 << 64), OverflowError, "64 bits"),
        (lambda: op.list.get("l" * 16, 1), ValueError, "16 bytes"),
        (lambda: op.map.put("m", 1.5, 1), TypeError, "map key must be"),
        (lambda: op.map.put("m", True, 1), TypeError, "map key must be"),
        (lambda: op.map.put_items("m", [1]), TypeError, "items must be a dict"),  # type: ignore[arg-type]
        (
            lambda: op.map.put("m", 1, 1, create_only=True, update_only=True),
            ValueError,
            "exclude each other",
        ),
        (lambda: op.bit.set("b", 0, 8, "x"), TypeError, "data must be bytes"),  # type: ignore[arg-type]
        (lambda: op.bit.add("b", 0, 8, 1, overflow="no"), ValueError, "'saturate' or 'wrap'"),  # type: ignore[arg-type]
        (lambda: op.bit.lscan("b", 0, 8, 1), TypeError, "bit must be bool"),  # type: ignore[arg-type]
        (lambda: op.bit.resize("b", 1, grow_only=True, shrink_only=True), ValueError, "exclude"),
        (lambda: op.hll.init("h", 17), ValueError, "index_bits must be from 4 to 16"),
        (lambda: op.hll.init("h", 8, 3), ValueError, "0 or from 4 to 51"),
        (lambda: op.hll.init("h", 16, 49), ValueError, "64 together"),
        (lambda: op.hll.add("h", ["a"], None, 8), ValueError, "needs index_bits"),
        (lambda: op.hll.get_union("h", [b"x"]), TypeError, r"sketches\[0\].*HyperLogLog"),  # type: ignore[list-item]
        (lambda: op.list.get("l", 0, ctx="a"), TypeError, "ctx must be a list or tuple"),  # type: ignore[arg-type]
        (lambda: op.list.get("l", 0, ctx=["a"]), TypeError, r"ctx\[0\].*str"),  # type: ignore[list-item]
        (lambda: op.add("n", 1, ctx=[]), TypeError, "ctx"),  # type: ignore[call-arg]
        (lambda: op.hll.describe("n", ctx=[]), TypeError, "ctx"),  # type: ignore[call-arg]
        (lambda: op.bit.get("n", 0, 1, ctx=[]), TypeError, "ctx"),  # type: ignore[call-arg]
        (
            lambda: op.list.create("l", ctx=[ctx.list_rank(0)]),
            ValueError,
            "list_rank.*|only a list",
        ),
        (
            lambda: op.list.get(
                "l", 0, ctx=[ctx.list_index(0), ctx.map_key_create("a", persist_index=True)]
            ),
            ValueError,
            r"ctx\[1\].*persists",
        ),
        (lambda: ctx.list_index("a"), TypeError, "index must be int"),  # type: ignore[arg-type]
        (lambda: ctx.map_key(1.5), TypeError, "map key must be"),
        (lambda: ctx.list_index_create(0, "key"), ValueError, "'unordered' or 'ordered'"),  # type: ignore[arg-type]
        (lambda: ctx.list_index_create(0, "ordered", pad=True), ValueError, "cannot be padded"),
        (lambda: ctx.list_index_create(-9, pad=True), ValueError, "0 or more.*padded, got -9"),
        (
            lambda: op.list.create("l", pad=True, ctx=[ctx.list_index(-1)]),
            ValueError,
            r"ctx\[0\]: index must be 0 or more",
        ),
        (
            lambda: op.map.get_by_key_list("m", [], inverted=True),
            ValueError,
            "keys: an empty list, inverted, means every entry",
        ),
        (
            lambda: op.map.remove_by_value_list("m", (), inverted=True, returning="key"),
            ValueError,
            "values: an empty list, inverted",
        ),
        (lambda: op.read("sixteen-bytes-xx", "$.a:INT"), ValueError, "16 bytes"),
        (lambda: op.read("r", "$.a +"), ValueError, "expression: .*the end"),
        (lambda: op.read("r", 5), TypeError, "an expression is"),  # type: ignore[arg-type]
        (lambda: op.write("w", "$.a", create_only=True, update_only=True), ValueError, "exclude"),
        (lambda: spikewire.Operation.list("fly", "l", ()), ValueError, "fly"),
        (lambda: spikewire.Operation.list("size", "l", (1,)), TypeError, "0 arguments.*1 were"),
    ],
)
def test_invalid_arguments_raise(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (op.get(), "op.get()"),
        (op.list.append("l", 1), 'op.list.append("l", 1)'),
        (
            op.list.append("l", [1], order="ordered", unique=True),
            "op.list.append(\"l\", [1], order='ordered', unique=True)",
        ),
        (
            op.map.get_by_key("m", "k", ctx=[ctx.map_key("a"), ctx.list_index(-1)]),
            (
                "op.map.get_by_key(\"m\", 'k', returning='value', "
                "ctx=[ctx.map_key('a'), ctx.list_index(-1)])"
            ),
        ),
        (op.bit.get_int("b", 0, 8, signed=True), 'op.bit.get_int("b", 0, 8, signed=True)'),
        (op.read("r", exp.bin("a") + 1), 'op.read("r", Expression($.a:INT + 1))'),
        (
            ctx.list_index_create(3, pad=True),
            "ctx.list_index_create(3, order='unordered', pad=True)",
        ),
        (ctx.map_key_create(b"k", "key"), "ctx.map_key_create(b'k', order='key')"),
        (ctx.map_value({"a": [1]}), "ctx.map_value({'a': [1]})"),
    ],
)
def test_repr_shows_the_call(value: object, text: str) -> None:
    if isinstance(value, spikewire.Operation) and text.startswith("op.read"):
        text = text.replace("Expression($.a:INT + 1)", repr(exp.bin("a", int) + 1))
    assert repr(value) == text


def test_operations_copy_their_arguments() -> None:
    items = [1]
    operation = op.list.append_items("l", items)
    items.append(2)
    assert repr(operation) == 'op.list.append_items("l", [1])'


def test_steps_compare() -> None:
    assert ctx.map_key("a") == ctx.map_key("a")
    assert ctx.map_key("a") != ctx.map_key("b")
    assert hash(ctx.map_key("a")) == hash(ctx.map_key("a"))
    assert ctx.map_key("a") != ctx.map_key_create("a")


def test_wildcards_and_infinity_match_but_are_not_stored(data: Any) -> None:
    pairs = [["a", 1], ["b", 2], ["a", 3, 4]]
    data.put("k", {"l": pairs, "m": {"x": ["a", 1], "y": ["b", 2]}})
    record = data.operate(
        "k",
        [
            op.list.get_by_value("l", ["a", op.WILDCARD]),
            op.list.get_by_value_range("l", ["a", 2], ["a", op.INFINITY]),
            op.list.get_by_value("l", op.WILDCARD, returning="count"),
            op.map.get_by_value("m", ["a", op.WILDCARD], returning="key"),
        ],
    )
    assert record.results == ([["a", 1], ["a", 3, 4]], [["a", 3, 4]], 3, ["x"])
    with pytest.raises(TypeError, match=r"bin \"l\"\[1\]: op\.WILDCARD cannot be stored"):
        data.put("k", {"l": [1, op.WILDCARD]})
    with pytest.raises(TypeError, match=r"bin \"l\": op\.INFINITY cannot be stored"):
        data.put("k", {"l": op.INFINITY})
    with pytest.raises(spikewire.ServerError) as caught:
        data.operate("k", [op.list.append("l", op.WILDCARD)])  # type: ignore[arg-type]
    assert caught.value.code == 4
    assert pickle.loads(pickle.dumps(op.WILDCARD)) == op.WILDCARD != op.INFINITY


def test_an_empty_list_selects_nothing(data: Caller) -> None:
    data.put("k", {"l": [1, 2], "m": {"a": 1}})
    record = data.operate(
        "k",
        [
            op.list.get_by_value_list("l", [], inverted=True),
            op.map.get_by_key_list("m", []),
            op.map.get_by_key_list("m", [], inverted=True, returning="count"),
            op.map.remove_by_value_list("m", [], inverted=True),
            op.map.size("m"),
        ],
    )
    assert record.results == ([1, 2], [], 1, None, 0)
