"""Path expressions: many elements of nested lists and maps, through the cluster."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import ctx, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Caller

M = {"a": {"v": 1, "n": "x"}, "b": {"v": 5, "n": "y"}, "c": {"v": 9}}
L = [10, 20, 30, 40]
LL = [[1, 2], [3], [], [4, 5, 6]]
MIX = {"a": 1, "b": [1, 2], "c": {"v": 3}}

ALL = ctx.all_children()
V = ctx.map_key("v")
ABOVE = ctx.all_children("@.v > 2")


@pytest.fixture
def data(data: Caller) -> Caller:
    data.put("k", {"m": M, "l": L, "ll": LL, "mix": MIX, "i": 7})
    return data


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        (op.path.select("m", [ALL, V]), [1, 5, 9]),
        (op.path.select("m", (ABOVE,)), [M["b"], M["c"]]),
        (op.path.select("m", [ABOVE], returning="tree"), {"b": M["b"], "c": M["c"]}),
        (op.path.select("m", [ABOVE], returning="key"), ["b", "c"]),
        (op.path.select("m", [ABOVE], returning="key_value"), ["b", M["b"], "c", M["c"]]),
        (
            op.path.select("m", [ctx.all_children("@key != 'b'"), V], returning="key_value"),
            ["v", 1, "v", 9],
        ),
        (op.path.select("l", [ctx.all_children("@index % 2 == 0")]), [10, 30]),
        (op.path.select("l", [ctx.all_children(("@ > ?", 15))], returning="tree"), [20, 30, 40]),
        (op.path.select("ll", [ALL, ALL]), [1, 2, 3, 4, 5, 6]),
        (
            op.path.select("ll", [ALL, ctx.all_children("@ > 4")], returning="tree"),
            [[], [], [], [5, 6]],
        ),
        (op.path.select("m", [ctx.map_keys_in(["a", "c", "zz"])], returning="key"), ["a", "c"]),
        (
            op.path.select("m", [ctx.map_keys_in(("a", "b", "c")), ctx.and_where("@.v > 2"), V]),
            [5, 9],
        ),
        (op.path.select("l", [ctx.list_index(9)]), []),
        (op.path.select("m", [ctx.map_key("zz")], returning="tree"), {}),
        (op.path.select("l", [ctx.list_value(20), ctx.and_where("@index == 1")]), [20]),
        (op.path.select("ll", [ctx.all_children("@:LIST.*.count() > 1")]), [[1, 2], [4, 5, 6]]),
        (op.path.select("mix", [ALL, ctx.index(-1)], no_fail=True), [2, 3]),
        (op.read("r", "$.m:MAP.*.v"), [1, 5, 9]),
        (op.read("r", "$.m:MAP.*[?(@.v > 2)].count()"), 2),
        (op.read("r", ("$.l.[?(@ > ?)].exists()", 30)), True),
        (op.read("r", exp.path.select(exp.bin("m", dict), [ABOVE], returning="key")), ["b", "c"]),
        (op.read("r", exp.path.remove(exp.bin("m", dict), [ABOVE])), {"a": M["a"]}),
        (op.read("r", "$.l.[*].modify(@ + @index)"), [10, 21, 32, 43]),
    ],
    ids=str,
)
def test_selections(data: Caller, operation: spikewire.Operation, result: object) -> None:
    assert not operation.writes
    assert data.operate("k", [operation]).results == (result,)
    assert data.get("k")["m"] == M


@pytest.mark.parametrize(
    ("operation", "name", "left"),
    [
        (
            op.path.modify("m", [ALL, V], "@ + 1"),
            "m",
            {"a": {"v": 2, "n": "x"}, "b": {"v": 6, "n": "y"}, "c": {"v": 10}},
        ),
        (op.path.modify("l", [ALL], exp.loop.value() + exp.loop.index()), "l", [10, 21, 32, 43]),
        (op.path.modify("l", [ALL], ("@ * ?", 2)), "l", [20, 40, 60, 80]),
        (
            op.path.modify("l", [ctx.list_index(0)], exp.value([1, "a"])),
            "l",
            [[1, "a"], 20, 30, 40],
        ),
        (op.path.modify("mix", [ALL], "@ + 1", no_fail=True), "mix", {**MIX, "a": 2}),
        (op.path.remove("m", [ABOVE]), "m", {"a": M["a"]}),
    ],
    ids=str,
)
def test_changes(data: Caller, operation: spikewire.Operation, name: str, left: object) -> None:
    assert operation.writes
    assert data.operate("k", [operation, op.get(name)]).results == (None, left)


@pytest.fixture
def newer(api: Api) -> Iterator[Caller]:
    """The record on a server that is not refused what those up to 8.1.2 do not withstand."""
    with Cluster(build="8.2") as cluster, api.open(cluster.seeds) as client:
        dataset = client.dataset("test", "paths")
        dataset.put("k", {"ll": LL})
        yield dataset


def test_elements_of_several_lists_are_removed(newer: Caller) -> None:
    removal = op.path.remove("ll", [ALL, ctx.all_children("@ < 5")])
    assert newer.operate("k", [removal, op.get("ll")]).results == (None, [[], [], [], [5, 6]])


def test_ordered_lists_stay_ordered_at_every_level(newer: Caller) -> None:
    """Wrong order: servers up to 8.1.2 end, or keep it, below the top."""
    data = newer
    at = [ctx.map_key("s")]
    created = op.list.append_items("o", [1, 2, 3], order="ordered", ctx=[ctx.map_key_create("s")])
    data.operate("k", [created, op.path.modify("o", [*at, ALL], "10 - @")])
    assert data.get("k")["o"] == {"s": [7, 8, 9]}
    data.operate("k", [op.list.append("o", 1, ctx=at)])
    assert data.get("k")["o"] == {"s": [1, 7, 8, 9]}


@pytest.mark.parametrize(
    ("operation", "error", "code"),
    [
        (op.path.select("m", [ctx.list_index(0)]), spikewire.ServerError, 4),
        (op.path.select("m", [ctx.list_index(0)], no_fail=True), spikewire.ServerError, 4),
        (op.path.select("l", [ctx.all_children("@ == 'x'")]), spikewire.ServerError, 4),
        (op.path.select("l", [ALL], returning="key"), spikewire.BinTypeError, 12),
        (op.path.select("i", [ALL]), spikewire.BinTypeError, 12),
        (op.path.remove("none", [ALL]), spikewire.BinTypeError, 12),
        (op.path.modify("mix", [ALL], "@ + 1"), spikewire.ServerError, 1),
        (op.read("r", "$.l.[?(@ == 'x')]"), spikewire.OpNotApplicable, 26),
    ],
    ids=str,
)
def test_failures(
    data: Caller, operation: spikewire.Operation, error: type[spikewire.ServerError], code: int
) -> None:
    with pytest.raises(error) as caught:
        data.operate("k", [operation])
    assert caught.value.code == code
    assert data.get("k")["mix"] == MIX


def test_filters_of_records(data: Caller) -> None:
    for where, matches in [
        ("$.m:MAP.*[?(@.v > 2)].count() > 1", True),
        (("$.l.[?(@:INT > ?)].count() > 0", 40), False),
        ("30 in $.l.[?(@ > 20)]", True),
        (exp.list.size(exp.path.select(exp.bin("m", dict), [ABOVE])) == 2, True),
    ]:
        if matches:
            assert data.get("k", where=where)["i"] == 7
        else:
            with pytest.raises(spikewire.FilteredOut):
                data.get("k", where=where)


#: The modules for arguments of wrong types.
PATH: Any = op.path
CTX: Any = ctx
LOOP: Any = exp.loop


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: PATH.select("b", []), ValueError, "1 to 64 steps, not 0"),
        (lambda: PATH.select("b", [V] * 65), ValueError, "1 to 64 steps, not 65"),
        (lambda: PATH.select("b", V), TypeError, "path"),
        (lambda: PATH.select("b", [ALL], returning="count"), ValueError, "or 'tree', got"),
        (lambda: PATH.select("b", [CTX.and_where("@ > 1")]), ValueError, "must follow"),
        (
            lambda: PATH.select("b", [ABOVE, CTX.and_where("@ > 1")]),
            ValueError,
            r"path\[1\]: it cannot follow",
        ),
        (
            lambda: PATH.remove("b", [CTX.map_key_create("a")]),
            ValueError,
            r"path\[0\]: the steps of a path expression create nothing",
        ),
        (lambda: CTX.all_children("$.a > 1"), ValueError, "not the record"),
        (lambda: CTX.all_children(exp.ttl() > 1), ValueError, "not the record"),
        (lambda: CTX.all_children("@ + 1"), TypeError, "BOOL"),
        (lambda: CTX.all_children("@ >"), ValueError, "line 1, column 4"),
        (lambda: CTX.all_children(5), TypeError, "all_children"),
        (lambda: CTX.and_where(None), TypeError, "and_where"),
        (lambda: CTX.map_keys_in("ab"), TypeError, "keys must be a list or tuple"),
        (lambda: PATH.modify("b", [ALL], "@"), TypeError, "of which type"),
        (lambda: PATH.modify("b", [ALL], 5), TypeError, "an expression is"),
        (lambda: PATH.modify("b", [ALL], exp.bin("a", int)), ValueError, "not the record"),
        (lambda: op.list.size("b", ctx=[ALL]), ValueError, r"ctx\[0\]: all_children names several"),
        (lambda: LOOP.key(float), TypeError, "map key"),
        (lambda: exp.path.select(exp.bin("b", int), [ALL]), TypeError, "LIST or MAP, not INT"),
        (lambda: op.read("r", exp.path.remove(exp.bin("b"), [ALL])), TypeError, "of which type"),
        (lambda: op.read("r", LOOP.value(int)), ValueError, "only in a filter of a path"),
        (lambda: exp.text("$.l.[?(@ > 1"), ValueError, "expected `\\)`"),
    ],
)
def test_bad_paths_are_refused_when_they_are_made(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_text_with_a_misplaced_filter_says_so() -> None:
    """A misleading message: `?(` was read as a parameter."""
    with pytest.raises(ValueError, match=r"`\?\(`, which begins a filter in a path") as caught:
        exp.text("$.a > ?(1)")
    assert "parameter" not in str(caught.value)


def test_steps_and_operations_show_and_compare() -> None:
    assert ctx.all_children("@.v > 2") == ABOVE
    assert hash(ctx.all_children("@.v > 2")) == hash(ABOVE)
    assert ctx.all_children("@.v > 3") != ABOVE
    assert repr(ALL) == "ctx.all_children()"
    assert repr(ABOVE) == "ctx.all_children(where=Expression(@.v:INT > 2))"
    assert repr(ctx.map_keys_in(("a", 1))) == "ctx.map_keys_in(['a', 1])"
    assert repr(ctx.and_where("@key == 'a'")) == "ctx.and_where(Expression(@key:STRING == 'a'))"
    removal = op.path.remove("b", [ALL, V], no_fail=True)
    path = "[ctx.all_children(), ctx.map_key('v')]"
    assert repr(removal) == f'op.path.remove("b", {path}, no_fail=True)'
    change = op.path.modify("b", [ALL], exp.loop.value() + 1)
    assert repr(change) == 'op.path.modify("b", [ctx.all_children()], Expression(@:INT + 1))'
    tree = exp.path.select(exp.bin("b", dict), [ABOVE, V], no_fail=True)
    assert str(tree) == "$.b:MAP.*[?(@.v:INT > 2)].v.get(NO_FAIL)"
    assert pickle.loads(pickle.dumps(tree)).same_as(tree)
    price = exp.map.get_by_key(exp.loop.value(dict), "v") > 2
    assert ctx.all_children(price) == ABOVE
    assert pickle.loads(pickle.dumps(price)).same_as(price)


def test_batches_and_chains_have_paths(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds) as client:
        users = client.dataset("test", "paths")
        for key in ("a", "b"):
            users.put(key, {"l": [1, 2, 3]})
        twice = op.path.modify("l", [ctx.all_children("@ > 1")], "@ * 2")
        batch = users.operate_many(["a", "b"], [twice, op.path.select("l", [ALL])])
        assert [row and row.results for row in batch] == [(None, [1, 4, 6])] * 2
        session = client.session()
        chain = session.update(users.key("a")).op(op.path.remove("l", [ctx.list_index(0)]))
        chain.where("$.l.[?(@ > ?)].exists()", 5).execute()
        read = session.query(users.key("a")).op(op.path.select("l", [ALL])).first()
        assert read.results == ([4, 6],)
        found = users.query(where="$.l.[?(@ == 1)].count() == 1")
        assert [record["l"] for record in found] == [[1, 4, 6]]
        users.operate_all([op.path.modify("l", [ALL], "0 - @")]).wait()
        assert sorted(record["l"] for record in users.query()) == [[-4, -6], [-1, -4, -6]]
