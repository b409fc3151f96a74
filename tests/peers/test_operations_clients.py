"""The same operations through the C client and through Spikewire, on the same cluster: the same
results, refusals and stored values."""

from __future__ import annotations

from typing import Any

import pytest
from box import c_client, open_box

import spikewire
from spikewire import ctx, exp, op

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
pytest.importorskip("hypothesis", reason="hypothesis is not installed")
from aerospike import exception  # noqa: E402
from aerospike_helpers import cdt_ctx  # noqa: E402
from aerospike_helpers import expressions as ex  # noqa: E402
from aerospike_helpers.operations import bitwise_operations as bits  # noqa: E402
from aerospike_helpers.operations import expression_operations as exop  # noqa: E402
from aerospike_helpers.operations import hll_operations as hll  # noqa: E402
from aerospike_helpers.operations import list_operations as lists  # noqa: E402
from aerospike_helpers.operations import map_operations as maps  # noqa: E402
from hypothesis import Phase, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from test_cdt_collections import (  # noqa: E402
    RETURNS,
    SINGLE,
    collections,
    counts,
    flattened,
    keys,
    mappings,
    numbers,
    operation,
    plain,
    values,
    ways,
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

PHASES = (Phase.explicit, Phase.generate)
checks = settings(
    max_examples=60,
    derandomize=True,
    phases=PHASES,
)
THEIRS = ("test", "both", "theirs")
OURS = ("test", "both", "ours")
#: The C client's names for our selectors and return types.
WAYS = {
    "all by value": "value",
    "value interval": "value_range",
    "key interval": "key_range",
    "relative rank": "value_relative_rank",
    "relative index": "key_relative_index",
}
ANSWERS = {"pairs": "key_value", "map": "ordered_map"}
FLAGS = {1: "unique", 2: "bounded", 4: "no_fail", 8: "partial"}
MAP_FLAGS = {1: "create_only", 2: "update_only", 4: "no_fail", 8: "partial"}
BIT_FLAGS = {1: "create_only", 2: "update_only", 4: "no_fail", 8: "partial"}


class Both:
    """The two clients."""

    def __init__(self, seeds: str) -> None:
        self.theirs = c_client(seeds)
        self.ours = spikewire.Client(seeds, timeout=10, connect_timeout=20)

    def close(self) -> None:
        self.theirs.close()
        self.ours.close()

    def start(self, value: Any, *, ordered: bool = False) -> None:
        for key in (THEIRS, OURS):
            self.ours.put(key, {"v": value, "x": 1}, exists="replace")
            if ordered and isinstance(value, list):
                self.ours.operate(key, [op.list.set_order("v", "ordered")])

    def agree(self, theirs: dict[str, Any], ours: spikewire.Operation) -> None:
        """Runs one operation through each client, and compares everything observable."""
        result, expected = self.run_ours(ours), self.run_theirs(theirs)
        # The C client makes a flat list of pairs.
        if isinstance(result, dict) and not isinstance(expected, dict) and expected is not None:
            assert flattened(result) == flattened(expected), ours
        else:
            assert typed(result) == typed(expected), ours
        assert typed(self.ours.get(OURS).bins) == typed(self.ours.get(THEIRS).bins), ours

    def run_ours(self, operation: spikewire.Operation) -> Any:
        try:
            (result,) = self.ours.operate(OURS, [operation]).results
        except spikewire.ServerError as error:
            return f"rejected with {error.code}"
        return plain(bytes(result) if isinstance(result, spikewire.HyperLogLog) else result)

    def run_theirs(self, operation: dict[str, Any]) -> Any:
        # The client requests every result if there is a map operation.
        try:
            pairs = self.theirs.operate_ordered(THEIRS, [operation, maps.map_size("none")])[2]
        except exception.AerospikeError as error:
            return f"rejected with {error.code}"
        result = pairs[0][1]
        return plain(bytes(result) if isinstance(result, bytes) else result)


def typed(value: Any) -> Any:
    """A value with its types: 1, 1.0 and True are different."""
    value = plain(value)
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, dict):
        return {(type(key), key): typed(item) for key, item in value.items()}
    if isinstance(value, spikewire.HyperLogLog):
        return bytes(value)
    return type(value), value


def named(flags: int, names: dict[int, str]) -> dict[str, bool]:
    return {name: True for flag, name in names.items() if flags & flag}


@pytest.fixture(scope="module")
def both() -> Any:
    box = open_box(1)
    if box is None:
        pytest.skip("neither the extension nor spikewire-aerospike-server is built")
    both = Both(box.seeds)
    yield both
    both.close()
    box.stop()


def by(both: Both, kind: str, value: Any, ordered: bool, data: Any) -> None:
    way, args = data.draw(ways(kind))
    allowed = [n for n in RETURNS if kind == "map" or n not in ("key", "pairs", "map")]
    if way == "key list":
        allowed = [name for name in allowed if "rank" not in name]
    returns = data.draw(st.sampled_from(allowed))
    inverted = way not in SINGLE and data.draw(st.booleans())
    verb = data.draw(st.sampled_from(["get", "remove"]))
    both.start(value, ordered=ordered)
    name = WAYS.get(way, way.replace(" ", "_"))
    call = getattr(op.list if kind == "list" else op.map, f"{verb}_by_{name}")
    options: dict[str, Any] = {"returning": ANSWERS.get(returns, returns.replace(" ", "_"))}
    # All entries except those of an empty list: rejected, since servers crash.
    if kind == "map" and way in ("key list", "value list") and not args[0]:
        inverted = False
    if inverted:
        options["inverted"] = True
    theirs = operation(kind, verb, way, args, returns, inverted)
    both.agree(theirs, call("v", *args, **options))


@checks
@given(collections, st.booleans(), st.data())
def test_both_clients_select_from_lists_alike(
    both: Both, value: list[Any], ordered: bool, data: Any
) -> None:
    by(both, "list", value, ordered, data)


@checks
@given(mappings, st.data())
def test_both_clients_select_from_maps_alike(both: Both, value: dict[Any, Any], data: Any) -> None:
    by(both, "map", value, False, data)


@checks
@given(
    collections, st.booleans(), values, collections, numbers, st.integers(0, 15), st.integers(0, 5)
)
def test_both_clients_write_lists_alike(
    both: Both, value: list[Any], ordered: bool, item: Any, items: list[Any], index: int,
    write: int, verb: int,
) -> None:  # fmt: skip
    # Flags that a verb does not support are left out for both.
    write &= [5, 13, 7, 15, 7, 7][verb]
    policy = {"write_flags": write}
    flags: dict[str, Any] = dict(named(write, FLAGS))
    both.start(value, ordered=ordered)
    theirs, ours = [
        (lists.list_append("v", item, policy), lambda: op.list.append("v", item, **flags)),
        (
            lists.list_append_items("v", items, policy),
            lambda: op.list.append_items("v", items, **flags),
        ),
        (
            lists.list_insert("v", index, item, policy),
            lambda: op.list.insert("v", index, item, **flags),
        ),
        (
            lists.list_insert_items("v", index, items, policy),
            lambda: op.list.insert_items("v", index, items, **flags),
        ),
        (lists.list_set("v", index, item, policy), lambda: op.list.set("v", index, item, **flags)),
        (
            lists.list_increment("v", index, 3, policy),
            lambda: op.list.increment("v", index, 3, **flags),
        ),
    ][verb]
    both.agree(theirs, ours())


@checks
@given(collections, st.booleans(), numbers, counts, st.integers(0, 11))
def test_both_clients_handle_list_ranges_alike(
    both: Both, value: list[Any], ordered: bool, index: int, count: int, verb: int
) -> None:
    both.start(value, ordered=ordered)
    theirs, ours = [
        (lists.list_get("v", index), op.list.get("v", index)),
        (lists.list_pop("v", index), op.list.pop("v", index)),
        (lists.list_remove("v", index), op.list.remove("v", index)),
        (lists.list_get_range("v", index, count), op.list.get_range("v", index, count)),
        (lists.list_pop_range("v", index, count), op.list.pop_range("v", index, count)),
        (lists.list_remove_range("v", index, count), op.list.remove_range("v", index, count)),
        (lists.list_trim("v", index, count), op.list.trim("v", index, count)),
        (lists.list_size("v"), op.list.size("v")),
        (lists.list_clear("v"), op.list.clear("v")),
        (lists.list_sort("v", 1), op.list.sort("v", descending=True)),
        (lists.list_sort("v", 2), op.list.sort("v", drop_duplicates=True)),
        (lists.list_set_order("v", 1), op.list.set_order("v", "ordered")),
    ][verb]
    both.agree(theirs, ours)


@checks
@given(
    mappings, keys, values, mappings, st.integers(0, 15).filter(lambda f: f & 3 != 3),
    st.integers(0, 5), st.sampled_from([(0, "unordered"), (1, "key"), (3, "key_value")]),
)  # fmt: skip
def test_both_clients_write_maps_alike(
    both: Both, value: dict[Any, Any], key: Any, item: Any, items: dict[Any, Any], write: int,
    verb: int, order: tuple[int, Any],
) -> None:  # fmt: skip
    both.start(value)
    write &= [7, 15, 0, 0, 0, 0][verb]
    policy = {"map_write_flags": write, "map_order": order[0]}
    flags: dict[str, Any] = {**named(write, MAP_FLAGS), "order": order[1]}
    theirs, ours = [
        (maps.map_put("v", key, item, policy), lambda: op.map.put("v", key, item, **flags)),
        (maps.map_put_items("v", items, policy), lambda: op.map.put_items("v", items, **flags)),
        (maps.map_increment("v", key, 2, policy), lambda: op.map.increment("v", key, 2, **flags)),
        (maps.map_decrement("v", key, 2, policy), lambda: op.map.decrement("v", key, 2, **flags)),
        (maps.map_clear("v"), lambda: op.map.clear("v")),
        (maps.map_size("v"), lambda: op.map.size("v")),
    ][verb]
    both.agree(theirs, ours())


STEPS = {
    "list_index": (cdt_ctx.cdt_ctx_list_index, ctx.list_index),
    "list_rank": (cdt_ctx.cdt_ctx_list_rank, ctx.list_rank),
    "list_value": (cdt_ctx.cdt_ctx_list_value, ctx.list_value),
    "map_index": (cdt_ctx.cdt_ctx_map_index, ctx.map_index),
    "map_rank": (cdt_ctx.cdt_ctx_map_rank, ctx.map_rank),
    "map_key": (cdt_ctx.cdt_ctx_map_key, ctx.map_key),
    "map_value": (cdt_ctx.cdt_ctx_map_value, ctx.map_value),
}
steps = (
    st.tuples(st.sampled_from(["list_index", "list_rank", "map_index", "map_rank"]), numbers)
    | st.tuples(
        st.sampled_from(["list_value", "map_value"]), values.filter(lambda v: v is not None)
    )
    | st.tuples(st.just("map_key"), keys)
)
nested = st.recursive(
    st.integers(0, 3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=8,
).filter(lambda value: isinstance(value, list | dict))


@checks
@given(nested, st.lists(steps, min_size=1, max_size=3), st.integers(0, 3))
def test_both_clients_change_nested_values_alike(
    both: Both, value: Any, path: list[tuple[str, Any]], verb: int
) -> None:
    both.start(value)
    theirs_path = [STEPS[name][0](at) for name, at in path]
    ours_path = [STEPS[name][1](at) for name, at in path]
    theirs, ours = [
        (lists.list_append("v", 9, None, theirs_path), op.list.append("v", 9, ctx=ours_path)),
        (lists.list_size("v", theirs_path), op.list.size("v", ctx=ours_path)),
        (maps.map_put("v", "a", 9, None, theirs_path), op.map.put("v", "a", 9, ctx=ours_path)),
        (
            maps.map_get_by_key("v", "a", aerospike.MAP_RETURN_VALUE, theirs_path),
            op.map.get_by_key("v", "a", ctx=ours_path),
        ),
    ][verb]
    both.agree(theirs, ours)


@checks
@given(nested, keys, numbers, st.sampled_from([0, 1, 3]), st.booleans())
def test_both_clients_create_missing_paths_alike(
    both: Both, value: Any, key: Any, at: int, how: int, pad: bool
) -> None:
    both.start(value)
    # A list that is indexed from its end is never padded: rejected, since servers crash.
    pad = pad and at >= 0
    order = {0: "unordered", 1: "key", 3: "key_value"}[how]
    theirs = [cdt_ctx.cdt_ctx_map_key_create(key, how)]
    ours = [ctx.map_key_create(key, order)]  # type: ignore[arg-type]  # one of the words above
    both.agree(maps.map_increment("w", "n", 1, None, theirs), op.map.increment("w", "n", ctx=ours))
    both.agree(
        lists.list_append("v", 1, None, [cdt_ctx.cdt_ctx_list_index_create(at, 0, pad)]),
        op.list.append("v", 1, ctx=[ctx.list_index_create(at, pad=pad)]),
    )


blobs = st.binary(min_size=1, max_size=8)
offsets = st.integers(-40, 70)
sizes = st.integers(0, 70)


@checks
@given(blobs, offsets, sizes, blobs, st.integers(0, 15).filter(lambda f: f & 3 != 3),
       st.integers(0, 18), st.booleans())  # fmt: skip
def test_both_clients_change_bits_alike(
    both: Both, value: bytes, at: int, size: int, other: bytes, write: int, verb: int, flag: bool
) -> None:
    both.start(value)
    write &= [7, 7, 14, 14, 14, 14, 14, 14, 14, 14, 6, 6, 6, 0, 0, 0, 0, 0, 0][verb]
    policy, flags = {"bit_write_flags": write}, named(write, BIT_FLAGS)
    wrap: Any = {"signed": flag, "overflow": "wrap", **flags}
    saturate: Any = {"signed": flag, "overflow": "saturate", **flags}
    length = len(other)
    theirs, ours = [
        (bits.bit_resize("v", size, policy), lambda: op.bit.resize("v", size, **flags)),
        (
            bits.bit_insert("v", at, length, other, policy),
            lambda: op.bit.insert("v", at, other, **flags),
        ),
        (bits.bit_remove("v", at, size, policy), lambda: op.bit.remove("v", at, size, **flags)),
        (
            bits.bit_set("v", at, size, length, other, policy),
            lambda: op.bit.set("v", at, size, other, **flags),
        ),
        (
            bits.bit_or("v", at, size, length, other, policy),
            lambda: op.bit.or_("v", at, size, other, **flags),
        ),
        (
            bits.bit_xor("v", at, size, length, other, policy),
            lambda: op.bit.xor("v", at, size, other, **flags),
        ),
        (
            bits.bit_and("v", at, size, length, other, policy),
            lambda: op.bit.and_("v", at, size, other, **flags),
        ),
        (bits.bit_not("v", at, size, policy), lambda: op.bit.not_("v", at, size, **flags)),
        (
            bits.bit_lshift("v", at, size, 3, policy),
            lambda: op.bit.lshift("v", at, size, 3, **flags),
        ),
        (
            bits.bit_rshift("v", at, size, 3, policy),
            lambda: op.bit.rshift("v", at, size, 3, **flags),
        ),
        (
            bits.bit_add("v", at, size, 99, flag, aerospike.BIT_OVERFLOW_WRAP, policy),
            lambda: op.bit.add("v", at, size, 99, **wrap),
        ),
        (
            bits.bit_subtract("v", at, size, 99, flag, aerospike.BIT_OVERFLOW_SATURATE, policy),
            lambda: op.bit.subtract("v", at, size, 99, **saturate),
        ),
        (
            bits.bit_set_int("v", at, size, 99, policy),
            lambda: op.bit.set_int("v", at, size, 99, **flags),
        ),
        (bits.bit_get("v", at, size), lambda: op.bit.get("v", at, size)),
        (bits.bit_count("v", at, size), lambda: op.bit.count("v", at, size)),
        (bits.bit_lscan("v", at, size, flag), lambda: op.bit.lscan("v", at, size, flag)),
        (bits.bit_rscan("v", at, size, flag), lambda: op.bit.rscan("v", at, size, flag)),
        (bits.bit_get_int("v", at, size, flag), lambda: op.bit.get_int("v", at, size, signed=flag)),
        (
            bits.bit_get_int("none", at, size, flag),
            lambda: op.bit.get_int("none", at, size, signed=flag),
        ),
    ][verb]
    both.agree(theirs, ours())


@checks
@given(st.lists(st.integers(0, 50)), st.lists(st.integers(0, 50), min_size=1),
       st.sampled_from([(4, None), (8, None), (10, 4), (12, 20)]), st.integers(0, 7))  # fmt: skip
def test_both_clients_change_sketches_alike(
    both: Both, value: list[int], more: list[int], precision: tuple[int, Any], write: int
) -> None:
    both.start(b"")
    policy = {"flags": write & 5}
    flags = named(write & 5, {1: "create_only", 4: "no_fail"})
    both.agree(
        hll.hll_init("h", *precision, {"flags": write & 6}),
        op.hll.init("h", *precision, **named(write & 6, {2: "update_only", 4: "no_fail"})),
    )
    both.agree(
        hll.hll_add("h", more, *precision, policy), op.hll.add("h", more, *precision, **flags)
    )
    both.agree(hll.hll_add("g", [*value, 1], 8), op.hll.add("g", [*value, 1], 8))
    other = both.ours.get(OURS)["g"]
    theirs = both.theirs.get(THEIRS)[2]["g"]
    for name in ("get_union", "get_union_count", "get_intersect_count", "get_similarity"):
        both.agree(getattr(hll, f"hll_{name}")("h", [theirs]), getattr(op.hll, name)("h", [other]))
    both.agree(hll.hll_set_union("h", [theirs]), op.hll.set_union("h", [other]))
    for name in ("get_count", "refresh_count", "describe"):
        both.agree(getattr(hll, f"hll_{name}")("h"), getattr(op.hll, name)("h"))
    both.agree(hll.hll_fold("h", 6), op.hll.fold("h", 6))


def expressions() -> list[tuple[Any, Any]]:
    """The same expressions for either client."""
    numbers, words, deep = exp.bin("l"), exp.bin("m"), [ctx.map_key("k")]
    theirs_deep = [cdt_ctx.cdt_ctx_map_key("k")]
    value, index = aerospike.LIST_RETURN_VALUE, aerospike.LIST_RETURN_INDEX
    key = aerospike.MAP_RETURN_KEY
    return [
        (ex.ListSize(None, ex.ListBin("l")), exp.list.size(numbers)),
        (ex.ListGetByIndex(None, value, ex.ResultType.INTEGER, 0, ex.ListBin("l")),
         exp.list.get_by_index(numbers, 0, kind=int)),
        (ex.ListGetByRank(None, value, ex.ResultType.INTEGER, -1, ex.ListBin("l")),
         exp.list.get_by_rank(numbers, -1, kind=int)),
        (ex.ListGetByValue(None, index, 1, ex.ListBin("l")),
         exp.list.get_by_value(numbers, 1, returning="index")),
        (ex.ListGetByValueRange(None, value, 1, 3, ex.ListBin("l")),
         exp.list.get_by_value_range(numbers, 1, 3)),
        (ex.ListGetByValueList(None, aerospike.LIST_RETURN_COUNT, [1, 7], ex.ListBin("l")),
         exp.list.get_by_value_list(numbers, [1, 7], returning="count")),
        (ex.ListAppend(None, None, 9, ex.ListBin("l")), exp.list.append(numbers, 9)),
        (ex.ListAppendItems(None, None, [9, 8], ex.ListBin("l")),
         exp.list.append_items(numbers, [9, 8])),
        (ex.ListSort(None, 0, ex.ListBin("l")), exp.list.sort(numbers)),
        (ex.ListRemoveByIndex(None, 0, ex.ListBin("l")), exp.list.remove_by_index(numbers, 0)),
        (ex.ListSize(theirs_deep, ex.MapBin("m")), exp.list.size(words, ctx=deep)),
        (ex.ListAppend(theirs_deep, None, 9, ex.MapBin("m")),
         exp.list.append(words, 9, ctx=deep)),
        (ex.MapSize(None, ex.MapBin("m")), exp.map.size(words)),
        (ex.MapGetByKey(None, aerospike.MAP_RETURN_VALUE, ex.ResultType.INTEGER, "a",
                        ex.MapBin("m")), exp.map.get_by_key(words, "a", kind=int)),
        (ex.MapGetByKey(None, aerospike.MAP_RETURN_VALUE, ex.ResultType.INTEGER, "z",
                        ex.MapBin("m")), exp.map.get_by_key(words, "z", kind=int)),
        (ex.MapGetByRankRange(None, key, 0, 2, ex.MapBin("m")),
         exp.map.get_by_rank_range(words, 0, 2, returning="key")),
        (ex.MapGetByKeyRange(None, key, "a", "l", ex.MapBin("m")),
         exp.map.get_by_key_range(words, "a", "l", returning="key")),
        (ex.MapGetByKeyRelIndexRangeToEnd(None, key, "b", 0, ex.MapBin("m")),
         exp.map.get_by_key_relative_index(words, "b", 0, returning="key")),
        (ex.MapPut(None, None, "n", 5, ex.MapBin("m")), exp.map.put(words, "n", 5)),
        (ex.MapIncrement(None, None, "a", 5, ex.MapBin("m")), exp.map.increment(words, "a", 5)),
        (ex.MapRemoveByKey(None, "a", ex.MapBin("m")), exp.map.remove_by_key(words, "a")),
        (ex.BitCount(0, 8, ex.BlobBin("b")), exp.bit.count(exp.bin("b"), 0, 8)),
        (ex.BitGet(4, 8, ex.BlobBin("b")), exp.bit.get(exp.bin("b"), 4, 8)),
        (ex.BitRightScan(0, 16, True, ex.BlobBin("b")),
         exp.bit.rscan(exp.bin("b"), 0, 16, True)),
        (ex.BitGetInt(0, 8, True, ex.BlobBin("b")),
         exp.bit.get_int(exp.bin("b"), 0, 8, signed=True)),
        (ex.BitLeftShift(None, 0, 8, 3, ex.BlobBin("b")), exp.bit.lshift(exp.bin("b"), 0, 8, 3)),
        (ex.HLLGetCount(ex.HLLBin("h")), exp.hll.get_count(exp.bin("h"))),
        (ex.HLLDescribe(ex.HLLBin("h")), exp.hll.describe(exp.bin("h"))),
        (ex.HLLMayContain(["a"], ex.HLLBin("h")), exp.hll.may_contain(exp.bin("h"), ["a"])),
        (ex.HLLGetUnionCount(ex.HLLBin("h"), ex.HLLBin("h")),
         exp.hll.get_union_count(exp.bin("h"), exp.bin("h"))),
        (ex.Cond(ex.GT(ex.ListSize(None, ex.ListBin("l")), 2), "many", "few"),
         exp.cond(exp.list.size(numbers) > 2, "many", "few")),
    ]  # fmt: skip


@settings(checks, max_examples=300)
@given(
    st.integers(0, len(expressions()) - 1),
    st.lists(st.integers(0, 4), max_size=4),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)),
    st.binary(min_size=2, max_size=3),
)
def test_both_clients_evaluate_expressions_alike(
    both: Both, at: int, numbers: list[int], words: dict[str, int], blob: bytes
) -> None:
    for key in (THEIRS, OURS):
        both.ours.put(key, {"l": numbers, "m": {**words, "k": numbers}, "b": blob})
        both.ours.operate(key, [op.hll.init("h", 8), op.hll.add("h", ["a", "b"])])
    theirs, ours = expressions()[at]
    flags = aerospike.EXP_READ_EVAL_NO_FAIL
    both.agree(exop.expression_read("r", theirs.compile(), flags), op.read("r", ours, no_fail=True))
    both.agree(
        exop.expression_write("w", theirs.compile(), aerospike.EXP_WRITE_EVAL_NO_FAIL),
        op.write("w", ours, no_fail=True),
    )
