"""Lists and maps through the C client's helpers, compared with a model."""

from __future__ import annotations

from typing import Any

import pytest
from box import c_client, open_box
from cdt_model import NOT_APPLICABLE, NUMBERS, Bin, RejectedError, in_order, same

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
pytest.importorskip("hypothesis", reason="hypothesis is not installed")
from aerospike import exception  # noqa: E402
from aerospike_helpers import cdt_ctx  # noqa: E402
from aerospike_helpers.operations import list_operations as lists  # noqa: E402
from aerospike_helpers.operations import map_operations as maps  # noqa: E402
from aerospike_helpers.operations import operations as make  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

RETURNS = {
    "none": 0, "index": 1, "reverse index": 2, "rank": 3, "reverse rank": 4, "count": 5,
    "key": 6, "value": 7, "pairs": 8, "exists": 13, "map": 17,
}  # fmt: skip
LIST_RETURNS = [name for name in RETURNS if name not in ("key", "pairs", "map")]
SINGLE = {"index", "rank", "key"}

scalars = (
    st.integers(-3, 3)
    | st.sampled_from([2**63 - 1, -(2**63), 300, -129, None, True, False, 0.5, -1.0, "a", "b", ""])
    | st.sampled_from([b"", b"a", b"\xff"])
)
values = (
    scalars
    | st.lists(scalars, max_size=2)
    | st.dictionaries(st.integers(0, 2), scalars, max_size=2)
)
keys = st.integers(-4, 4) | st.sampled_from(["a", "b", "ab", "", b"a", b"z"])
numbers = st.integers(-7, 7)
counts = st.integers(0, 7)
collections = st.lists(values, max_size=7)
mappings = st.dictionaries(keys, values, max_size=7)
flags = st.integers(0, 15)


def ways(kind: str) -> st.SearchStrategy[tuple[str, tuple[Any, ...]]]:
    """The ways to select elements, with arguments."""
    strategies: dict[str, st.SearchStrategy[Any]] = {
        "index": st.tuples(numbers),
        "rank": st.tuples(numbers),
        "all by value": st.tuples(values),
        "value list": st.tuples(st.lists(values, max_size=4)),
        "index range": st.tuples(numbers, counts),
        "rank range": st.tuples(numbers, counts),
        # Some of the client's helpers take None for an open end.
        "value interval": st.tuples(values, values).filter(lambda ends: None not in ends),
        "relative rank": st.tuples(values, numbers, st.none() | counts),
    }
    if kind == "map":
        strategies |= {
            "key": st.tuples(keys),
            "key list": st.tuples(st.lists(keys, max_size=4)),
            "key interval": st.tuples(keys, keys),
            "relative index": st.tuples(keys, numbers, st.none() | counts),
        }
    return st.one_of(*(st.tuples(st.just(way), args) for way, args in strategies.items()))


NAMES = {
    "index": "index", "rank": "rank", "key": "key", "all by value": "value",
    "value list": "value_list", "key list": "key_list", "index range": "index_range",
    "rank range": "rank_range", "value interval": "value_range", "key interval": "key_range",
    "relative rank": "value_rank_range_relative", "relative index": "key_index_range_relative",
}  # fmt: skip


def operation(
    kind: str, verb: str, way: str, args: tuple[Any, ...], returns: str, inverted: bool
) -> dict[str, Any]:
    """The client's operation on the bin ``v``."""
    call = getattr(lists if kind == "list" else maps, f"{kind}_{verb}_by_{NAMES[way]}")
    code = RETURNS[returns]
    if way in SINGLE:
        return call("v", *args, code)
    if way.startswith("relative"):
        value, offset, count = args
        return call("v", value, offset, code, count, inverted)
    if kind == "list" and way in ("index range", "rank range"):
        start, count = args
        return call("v", start, code, count, inverted)
    if kind == "list" and way == "value interval":
        return call("v", code, *args, inverted)
    if kind == "list" and way == "value list":
        return call("v", args[0], code, inverted)
    return call("v", *args, code, inverted)


@pytest.fixture(scope="module")
def client() -> Any:
    box = open_box(1)
    if box is None:
        pytest.skip("neither the extension nor spikewire-aerospike-server is built")
    connected = c_client(box.seeds)
    yield connected
    connected.close()
    box.stop()


KEY = ("test", "cdt", "k")
checks = settings(
    max_examples=300,
    derandomize=True,
)


def start(client: Any, value: Any, *, ordered: bool = False) -> None:
    """Sets the initial value of the bin ``v``."""
    client.put(KEY, {"v": value}, policy={"exists": aerospike.POLICY_EXISTS_CREATE_OR_REPLACE})
    if ordered and isinstance(value, list):
        client.operate(KEY, [lists.list_set_order("v", aerospike.LIST_ORDERED)])


def run(client: Any, *operations: dict[str, Any]) -> tuple[list[Any], Any]:
    """The results of all operations, and the bin afterwards."""
    # The client requests every result if there is a map operation.
    *results, last = client.operate_ordered(KEY, [*operations, maps.map_size("none")])[2]
    assert last == ("none", None)
    assert all(name == "v" for name, _ in results)
    return [result for _, result in results], client.get(KEY)[2].get("v")


def check_rejected(client: Any, code: int, *operations: dict[str, Any]) -> None:
    with pytest.raises(exception.AerospikeError) as caught:
        client.operate(KEY, list(operations))
    assert caught.value.code == code, caught.value


def agree(result: Any, expected: Any) -> None:
    assert same(plain(result), plain(expected)), (result, expected)


def plain(value: Any) -> Any:
    """Tuples and bytearrays converted to the model's types."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return bytes(value) if isinstance(value, bytearray) else value


def flattened(pairs: Any) -> list[Any]:
    """A key-value result: some clients return a flat list, some pairs, some a map."""
    if isinstance(pairs, dict):
        return [part for pair in pairs.items() for part in pair]
    return [part for pair in pairs for part in (pair if isinstance(pair, tuple) else (pair,))]


def by(client: Any, kind: str, value: Any, ordered: bool, data: Any) -> None:
    way, args = data.draw(ways(kind))
    returns = data.draw(st.sampled_from(LIST_RETURNS if kind == "list" else list(RETURNS)))
    inverted = way not in SINGLE and data.draw(st.booleans())
    verb = data.draw(st.sampled_from(["get", "remove"]))
    start(client, value, ordered=ordered)
    model = Bin(value, ordered=ordered)
    operation_dict = operation(kind, verb, way, args, returns, inverted)
    refusals = way == "key list" and returns in ("rank", "reverse rank")
    try:
        if refusals:
            raise RejectedError(NOT_APPLICABLE)
        positions = model.pick(way, args, inverted=inverted)
    except RejectedError as rejection:
        check_rejected(client, rejection.code, operation_dict)
        return
    expected = model.answer(way, args, returns, inverted=inverted)
    if verb == "remove":
        model.remove(positions)
    (result,), left = run(client, operation_dict)
    # The order of several results has a table of its own, in the server's tests.
    unsorted = inverted or returns in NUMBERS or not way.endswith(("interval", "index", "range"))
    unsorted = unsorted or "rank" in way
    if returns == "pairs":
        pairs = [part for pair in expected for part in pair]
        agree(in_order(flattened(result)), in_order(pairs))
    elif unsorted and isinstance(expected, list) and way not in SINGLE:
        agree(in_order(plain(result)), in_order(plain(expected)))
    else:
        agree(result, expected)
    agree(left, model.value)


@checks
@given(collections, st.booleans(), st.data())
def test_list_selections_match_the_model(
    client: Any, value: list[Any], ordered: bool, data: Any
) -> None:
    by(client, "list", value, ordered, data)


@checks
@given(mappings, st.data())
def test_map_selections_match_the_model(client: Any, value: dict[Any, Any], data: Any) -> None:
    by(client, "map", value, False, data)


@checks
@given(collections, st.booleans(), values, collections, numbers, flags, st.integers(0, 4))
def test_list_writes_match_the_model(
    client: Any, value: list[Any], ordered: bool, item: Any, items: list[Any], index: int,
    write: int, verb: int,
) -> None:  # fmt: skip
    policy = {"write_flags": write}
    start(client, value, ordered=ordered)
    model = Bin(value, ordered=ordered)
    list_write, expect = [
        (lists.list_append("v", item, policy),
         lambda: model.add([item], None, write, several=False)),
        (lists.list_append_items("v", items, policy),
         lambda: model.add(items, None, write, several=True)),
        (lists.list_insert("v", index, item, policy),
         lambda: model.add([item], index, write, several=False)),
        (lists.list_insert_items("v", index, items, policy),
         lambda: model.add(items, index, write, several=True)),
        (lists.list_set("v", index, item, policy), lambda: model.set(index, item, write)),
    ][verb]  # fmt: skip
    try:
        expected = expect()
    except RejectedError as rejection:
        check_rejected(client, rejection.code, list_write)
        agree(client.get(KEY)[2]["v"], Bin(value, ordered=ordered).value)
        return
    (result,), left = run(client, list_write)
    agree(result, expected)
    agree(left, model.value)


@checks
@given(mappings, keys, values, mappings, flags.filter(lambda f: f & 3 != 3), st.booleans())
def test_map_writes_match_the_model(
    client: Any, value: dict[Any, Any], key: Any, item: Any, items: dict[Any, Any], write: int,
    several: bool,
) -> None:  # fmt: skip
    policy = {"map_write_flags": write, "map_order": aerospike.MAP_KEY_ORDERED}
    start(client, value)
    model = Bin(value)
    if several:
        put = maps.map_put_items("v", items, policy)
    else:
        put, items = maps.map_put("v", key, item, policy), {key: item}
        write &= 7
    try:
        expected = model.put(items, write)
    except RejectedError as rejection:
        check_rejected(client, rejection.code, put)
        return
    (result,), left = run(client, put)
    agree(result, expected)
    agree(left, model.value)


@checks
@given(collections, st.booleans(), numbers, counts, st.integers(0, 7))
def test_list_ranges_match_the_model(
    client: Any, value: list[Any], ordered: bool, index: int, count: int, verb: int
) -> None:
    start(client, value, ordered=ordered)
    model = Bin(value, ordered=ordered)
    single = verb in (0, 1, 2)
    args = (index,) if single else (index, count)
    try:
        positions = model.pick("index" if single else "index range", args)
    except RejectedError as rejection:
        read = [lists.list_get, lists.list_pop, lists.list_remove][verb]("v", index)
        check_rejected(client, rejection.code, read)
        return
    calls = [
        lists.list_get, lists.list_pop, lists.list_remove, lists.list_get_range,
        lists.list_pop_range, lists.list_remove_range, lists.list_trim,
    ]  # fmt: skip
    if verb == 7:
        (size,), _ = run(client, lists.list_size("v"))
        assert size == len(value)
        return
    (result,), left = run(client, calls[verb]("v", *args))
    of_values = model.answer("index" if single else "index range", args, "value")
    if verb == 6:
        positions = [at for at in range(len(value)) if at not in positions]
    agree(result, len(positions) if verb in (2, 5, 6) else of_values)
    if verb not in (0, 3):
        model.remove(positions)
    agree(left, model.value)


@checks
@given(collections, st.booleans(), st.sampled_from([0, 1, 2]))
def test_list_sorting_matches_the_model(
    client: Any, value: list[Any], ordered: bool, how: int
) -> None:
    start(client, value, ordered=ordered)
    model = Bin(value, ordered=ordered)
    model.sort(how)
    agree(run(client, lists.list_sort("v", how))[1], model.value)


STEPS = {
    "list": [cdt_ctx.cdt_ctx_list_index, cdt_ctx.cdt_ctx_list_rank, cdt_ctx.cdt_ctx_list_value],
    "map": [
        cdt_ctx.cdt_ctx_map_index, cdt_ctx.cdt_ctx_map_rank, cdt_ctx.cdt_ctx_map_key,
        cdt_ctx.cdt_ctx_map_value,
    ],
}  # fmt: skip


@checks
@given(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=4), st.data())
def test_operations_with_a_context_change_nested_values(
    client: Any, value: list[list[int]], data: Any
) -> None:
    """An append at the end of a path of two steps, through a map and a list."""
    at = data.draw(st.integers(0, len(value) - 1))
    how, step = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 3))
    rank = Bin(value).ranks().index(at)
    at = Bin(value).of_rank(rank)
    selector = [at, rank, value[at]][how]
    target = next(i for i, v in enumerate(value) if v == value[at]) if how == 2 else at
    start(client, {"k": value})
    path = [
        STEPS["map"][step]([0, -1, "k", value][step]),
        STEPS["list"][how](selector),
    ]
    (size,), left = run(client, lists.list_append("v", 9, ctx=path))
    assert size == len(value[target]) + 1
    expected = [[*v, 9] if i == target else v for i, v in enumerate(value)]
    agree(left, {"k": expected})


def fresh(client: Any) -> None:
    client.put(KEY, {"x": 1}, policy={"exists": aerospike.POLICY_EXISTS_CREATE_OR_REPLACE})


def test_contexts_create_missing_parts(client: Any) -> None:
    fresh(client)
    keyed = [cdt_ctx.cdt_ctx_map_key_create("a", aerospike.MAP_KEY_ORDERED)]
    _, left = run(client, maps.map_put("v", "b", 2, {"map_order": 1}, ctx=keyed))
    agree(left, {"a": {"b": 2}})
    listed = [*keyed, cdt_ctx.cdt_ctx_map_key_create("l")]
    _, left = run(client, lists.list_append("v", 5, ctx=listed))
    agree(left, {"a": {"b": 2, "l": [5]}})
    fresh(client)
    check_rejected(
        client, NOT_APPLICABLE, lists.list_append("v", 5, ctx=[cdt_ctx.cdt_ctx_map_key("a")])
    )
    padded = [cdt_ctx.cdt_ctx_list_index_create(2, aerospike.LIST_UNORDERED, True)]
    _, left = run(client, lists.list_append("v", 5, ctx=padded))
    agree(left, [None, None, [5]])
    fresh(client)
    run(client, maps.map_create("v", aerospike.MAP_KEY_ORDERED, True))
    inner = [cdt_ctx.cdt_ctx_map_key("c")]
    run(client, maps.map_create("v", aerospike.MAP_KEY_ORDERED, False, ctx=inner))
    _, left = run(client, maps.map_put("v", "k", 1, ctx=inner))
    agree(left, {"c": {"k": 1}})
    fresh(client)
    run(client, lists.list_create("v", aerospike.LIST_ORDERED, False, True))
    _, left = run(client, lists.list_append_items("v", [3, 1, 2]))
    agree(left, [1, 2, 3])


def test_several_operations_on_one_bin_run_in_order(client: Any) -> None:
    fresh(client)
    steps = [
        lists.list_append("v", 3), lists.list_append_items("v", [1, 2]), make.read("v"),
        lists.list_sort("v"), lists.list_get("v", 0), lists.list_increment("v", 0, 10),
        lists.list_clear("v"), lists.list_size("v"),
    ]  # fmt: skip
    results, left = run(client, *steps)
    assert results == [1, 3, [3, 1, 2], None, 1, 11, None, 0]
    assert left == []
    results = client.operate_ordered(KEY, [lists.list_append("v", 1), lists.list_clear("v")])[2]
    assert results == [("v", 1)], "without asking for all results"


def test_map_increments_add_up(client: Any) -> None:
    fresh(client)
    results, left = run(
        client,
        maps.map_increment("v", "a", 5),
        maps.map_decrement("v", "a", 2),
        maps.map_decrement("v", "f", 0.5),
        maps.map_increment("v", "a", 1.9),
        maps.map_size("v"),
        maps.map_set_policy("v", {"map_order": aerospike.MAP_KEY_VALUE_ORDERED}),
        maps.map_clear("v"),
    )
    assert results == [5, 3, -0.5, 4, 2, None, None]
    agree(left, {})


def test_wildcards_match_any_element(client: Any) -> None:
    start(client, [[1, "a"], [2, "b"], [1, "c"], [1]])
    wild = [1, aerospike.CDTWildcard()]
    (positions,), _ = run(client, lists.list_get_by_value("v", wild, aerospike.LIST_RETURN_INDEX))
    assert positions == [0, 2], "a wildcard stands for a value that is there"
    by_range = lists.list_get_by_value_range(
        "v", aerospike.LIST_RETURN_COUNT, [1, "b"], [2, aerospike.CDTInfinite()]
    )
    (count,), _ = run(client, by_range)
    assert count == 2
