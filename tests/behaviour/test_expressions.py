"""Expressions: building, validation, repr, pickling."""

from __future__ import annotations

import copy
import math
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikewire import GeoJSON, HyperLogLog, ctx, exp, op

if TYPE_CHECKING:
    from collections.abc import Callable

AGE = exp.bin("age")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (AGE >= 18, "$.age:INT >= 18"),
        (18 < AGE, "$.age:INT > 18"),  # noqa: SIM300
        (AGE == "x", "$.age:STRING == 'x'"),
        (AGE != b"\x01", "$.age:BLOB != X'01'"),
        (AGE == [1, {"b": None, "a": 2.5}], "$.age:LIST == [1, {'a': 2.5, 'b': nil}]"),
        (exp.bin("g", GeoJSON), "$.g:GEO"),
        (exp.bin("h", HyperLogLog), "$.h:HLL"),
        ((AGE > 1) & (AGE < 9) & exp.bin("ok"), "$.age:INT > 1 and $.age:INT < 9 and $.ok:BOOL"),
        ((AGE > 1) | ~(AGE < 9), "$.age:INT > 1 or not($.age:INT < 9)"),
        ((AGE > 1) ^ (AGE < 9), "exclusive($.age:INT > 1, $.age:INT < 9)"),
        (True & exp.bin("ok"), "true and $.ok:BOOL"),
        (AGE + 1 - 2 * AGE == 0, "(($.age:INT + 1) - (2 * $.age:INT)) == 0"),
        ((AGE & 6) == 2, "($.age:INT & 6) == 2"),
        (~(AGE | 1) == 2, "~($.age:INT | 1) == 2"),
        (AGE << 1 >> 2, "($.age:INT << 1) >> 2"),
        (AGE.shift_right(3), "$.age:INT >>> 3"),
        (exp.bin("f", float) / 2 > 1, "($.f:FLOAT / 2.0) > 1.0"),
        (2 ** exp.bin("f", float), "2.0 ** $.f:FLOAT"),
        (-AGE + abs(AGE), "-($.age) + abs($.age)"),
        (math.floor(AGE) + math.ceil(AGE), "floor($.age:FLOAT) + ceil($.age:FLOAT)"),
        (AGE.to_int().to_float() > 1, "toFloat(toInt($.age:FLOAT)) > 1.0"),
        (exp.bin("s").matches("^a/", ignore_case=True), "$.s:STRING =~ /^a\\//i"),
        (exp.value(3).is_in(exp.bin("l")), "3 in $.l:LIST"),
        (exp.cond(AGE > 1, "x", exp.unknown()), "when($.age:INT > 1 => 'x', default => unknown)"),
        (exp.let({"x": AGE + 1}, exp.var("x") > 5), "let(x = $.age:INT + 1) then (${x} > 5)"),
        (exp.ttl() < exp.minimum(60, AGE), "$.ttl() < min(60, $.age:INT)"),
        (exp.key(str) == exp.set_name(), "$.key():STRING == $.setName()"),
        (exp.bin_exists("a") & exp.key_exists(), "$.a.type() != 0 and $.keyExists()"),
        (exp.digest_modulo(3) == 0, "$.digestModulo(3) == 0"),
        (exp.text("$.a > ?0", 5), "$.a:INT > 5"),
    ],
    ids=str,
)
def test_expressions_print_as_text(expression: exp.Expression, text: str) -> None:
    assert str(expression) == text
    assert repr(expression) == f"Expression({text})"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: exp.bin("a", int) == "x", TypeError, "INT and STRING"),
        (lambda: exp.bin("a", int) & True, TypeError, "takes INT, not BOOL"),
        (lambda: exp.bin("a", int) > 2.5, TypeError, "INT and FLOAT"),
        (lambda: exp.bin("a", float) > 2**53 + 1, TypeError, "FLOAT and INT"),
        (lambda: exp.bin("g", GeoJSON) == exp.bin("h"), TypeError, "does not compare"),
        (lambda: exp.bin("a") > 2**63, OverflowError, "64 bits"),
        (lambda: exp.bin("a") == object(), TypeError, "object"),
        (lambda: exp.bin("a") == {1.5: 1}, TypeError, "map key"),
        (lambda: exp.bin("a" * 16), ValueError, "16 bytes"),
        (lambda: exp.bin(""), ValueError, "empty"),
        (lambda: exp.bin("a", complex), TypeError, "complex"),  # type: ignore[arg-type]
        (lambda: exp.key(float), TypeError, "user key"),  # type: ignore[arg-type]
        (lambda: exp.digest_modulo(0), ValueError, "modulo 0"),
        (lambda: exp.cond(True, 1), ValueError, "last value"),
        (lambda: exp.exclusive(True), ValueError, "two operands"),
        (lambda: exp.let({}, True), ValueError, "variable"),
        (lambda: bytes(exp.bin("a") == exp.bin("b")), TypeError, "of which type"),
        (lambda: bytes(exp.var("x") > 1), ValueError, "not defined"),
        (lambda: bytes(exp.let({"x": "t"}, exp.var("x") > 1)), TypeError, "one type"),
        (lambda: bool(exp.bin("a") == 1), TypeError, "truth value"),
        (lambda: 1 < exp.bin("a") < 3, TypeError, "truth value"),
        (lambda: pow(exp.bin("a"), 2, 3), TypeError, "two arguments"),  # type: ignore[misc]
        (lambda: exp.text("$.a >"), ValueError, "line 1, column 6"),
        (lambda: exp.text("$.a > ?1", 1), ValueError, "2 placeholders, 1 value"),
        (lambda: exp.Expression.from_bytes(b"\x93"), ValueError, "malformed"),
        (lambda: exp.Expression.apply("nope", (1,)), ValueError, "nope"),
    ],
)
def test_invalid_expressions_raise_when_built(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def test_an_error_in_a_text_shows_the_place() -> None:
    with pytest.raises(TypeError) as caught:
        exp.text("$.age > 'x' + 1")
    assert str(caught.value).splitlines()[1:] == ["    $.age > 'x' + 1", "            ^^^^^^^"]


def test_expressions_hash_and_pickle() -> None:
    one = (AGE > 5) & (exp.bin("s") == "x")
    same = (AGE > 5) & (exp.bin("s") == "x")
    assert one.same_as(same)
    assert hash(one) == hash(same)
    assert not one.same_as(AGE > 6)
    assert {one: "kept"}[one] == "kept"
    assert pickle.loads(pickle.dumps(one)).same_as(one)
    assert copy.deepcopy(one).same_as(one)
    assert exp.Expression.from_bytes(bytes(one)).same_as(one)
    assert (AGE.kind, one.kind, (AGE + 1).kind) == (None, "BOOL", "INT")


@pytest.mark.parametrize("operator", ["and", "or", "+", "*"])
def test_long_chains_do_not_nest(operator: str) -> None:
    whole = exp.bin("a", int) if operator in "+*" else exp.bin("a") == 0
    for at in range(3000):
        match operator:
            case "and":
                whole = whole & (exp.bin("a") == at)
            case "or":
                whole = whole | (exp.bin("a") == at)
            case "+":
                whole = whole + at
            case _:
                whole = whole * at
    assert exp.Expression.from_bytes(bytes(whole)).same_as(whole)


def test_oversized_expressions_raise() -> None:
    tree = exp.value(1)

    def grow() -> None:
        nonlocal tree
        for _ in range(100):
            tree = tree + tree

    with pytest.raises(ValueError, match="far larger"):
        grow()


@given(st.text())
def test_any_text_parses_or_raises(text: str) -> None:
    try:
        read = exp.text(text)
    except (TypeError, ValueError):
        return
    assert exp.Expression.from_bytes(bytes(read)).same_as(read)


@given(st.binary())
def test_any_bytes_decode_or_raise(data: bytes) -> None:
    try:
        read = exp.Expression.from_bytes(data)
    except (TypeError, ValueError):
        return
    assert exp.Expression.from_bytes(bytes(read)).same_as(read)


MAP = exp.bin("m")
LIST = exp.bin("l")
CIRCLE = GeoJSON('{"type":"AeroCircle","coordinates":[[1,2],9]}')


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (exp.map.get_by_key(MAP, "k") > 5, "$.m.k:INT > 5"),
        (exp.map.get_by_key(MAP, 5) == "x", "$.m.{@5}:STRING == 'x'"),
        (exp.list.get(LIST, 0) == 2.5, "$.l.[0]:FLOAT == 2.5"),
        (exp.list.get_by_rank(LIST, -1, kind=int), "$.l.[#-1]:INT"),
        (exp.list.get_by_value(LIST, 3, returning="exists"), "$.l.[=3].exists()"),
        (exp.list.get_by_value(LIST, 3, inverted=True), "$.l.[!=3]"),
        (exp.list.get_by_index_range(LIST, 1, 2), "$.l.[1:3]"),
        (exp.map.get_by_key_list(MAP, ["a", "b"]), "$.m.{@'a', 'b'}"),
        (exp.map.get_by_rank_range(MAP, -3, returning="key"), "$.m.{#-3:}.getKeys()"),
        (exp.list.size(LIST) + exp.map.size(MAP), "$.l.[].count() + $.m.{}.count()"),
        (exp.list.get(MAP, 0, ctx=[ctx.map_key("k")]) == 1, "$.m.k.[0]:INT == 1"),
        (exp.list.append(LIST, 5), "list.append($.l:LIST, 5):LIST"),
        (exp.list.get(exp.list.append(LIST, 5), -1) == 5, None),
        (exp.list.get(LIST, exp.bin("n")) == 5, "list.get($.l:LIST, $.n:INT):INT == 5"),
        (exp.bit.count(exp.bin("b"), 0, 8) > 1, "bit.count($.b:BLOB, 0, 8):INT > 1"),
        (exp.hll.get_count(exp.bin("h")) > 1, "hll.get_count($.h:HLL):INT > 1"),
    ],
    ids=str,
)
def test_operations_inside_expressions_print_and_round_trip(
    expression: exp.Expression, text: str | None
) -> None:
    if text is not None:
        assert str(expression) == text
    assert exp.Expression.from_bytes(bytes(expression)).same_as(expression)
    if str(expression).startswith("$") and "(" not in str(expression).replace("()", ""):
        assert str(exp.text(str(expression))) == text


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (exp.list.size(LIST), 4),
        (exp.list.get(LIST, -1, kind=int), 1),
        (exp.list.get_range(LIST, 1, 2), [1, 2]),
        (exp.list.get_by_index(LIST, 1, kind=int), 1),
        (exp.list.get_by_index(LIST, exp.bin("n"), kind=int), 2),
        (exp.list.get_by_rank(LIST, -1, returning="index"), 0),
        (exp.list.get_by_rank_range(LIST, 3, returning="count"), 1),
        (exp.list.get_by_value(LIST, 1, returning="index"), [1, 3]),
        (exp.list.get_by_value_list(LIST, [2, 3], returning="count"), 2),
        (exp.list.get_by_value_range(LIST, exp.bin("n", int), None, returning="count"), 2),
        (exp.list.get_by_value_relative_rank(LIST, 2, 0, returning="exists"), True),
        (exp.list.append(LIST, [1, 2]), [3, 1, 2, 1, [1, 2]]),
        (exp.list.append_items(LIST, [1, 2]), [3, 1, 2, 1, 1, 2]),
        (exp.list.insert(LIST, 0, 9), [9, 3, 1, 2, 1]),
        (exp.list.insert_items(LIST, 0, [9, 8]), [9, 8, 3, 1, 2, 1]),
        (exp.list.set(LIST, 0, "x"), ["x", 1, 2, 1]),
        (exp.list.increment(LIST, 0, 5), [8, 1, 2, 1]),
        (exp.list.sort(LIST, drop_duplicates=True), [1, 2, 3]),
        (exp.list.clear(LIST), []),
        (exp.list.remove_by_value(LIST, 1), [3, 2]),
        (exp.list.remove_by_index_range(LIST, 0, 2), [2, 1]),
        (exp.list.size(exp.list.remove_by_rank(LIST, 0)), 3),
        (exp.map.size(MAP), 3),
        (exp.map.get_by_key(MAP, "a", kind=int), 1),
        (exp.map.get_by_key(MAP, "z", returning="exists"), False),
        (exp.map.get_by_index(MAP, 0, returning="key", kind=str), "a"),
        (exp.map.get_by_rank_range(MAP, 1, returning="key_value"), {"b": "x", "c": [4, 5]}),
        (exp.map.get_by_key_range(MAP, "b", returning="count"), 2),
        (exp.map.get_by_key_relative_index(MAP, "b", 0, 1, returning="key"), ["b"]),
        (exp.list.size(MAP, ctx=[ctx.map_key("c")]), 2),
        (exp.list.append(MAP, 6, ctx=[ctx.map_key("c")]), {"a": 1, "b": "x", "c": [4, 5, 6]}),
        (exp.map.put(MAP, "a", 2), {"a": 2, "b": "x", "c": [4, 5]}),
        (exp.map.put_items(MAP, {"d": 1}), {"a": 1, "b": "x", "c": [4, 5], "d": 1}),
        (exp.map.increment(MAP, "a", 2), {"a": 3, "b": "x", "c": [4, 5]}),
        (exp.map.decrement(MAP, "a"), {"a": 0, "b": "x", "c": [4, 5]}),
        (exp.map.remove_by_key(MAP, "c"), {"a": 1, "b": "x"}),
        (exp.map.remove_by_key_list(MAP, ["a", "b"], inverted=True), {"a": 1, "b": "x"}),
        (exp.map.clear(MAP), {}),
        (exp.bit.get(exp.bin("b"), 0, 8), b"\x0f"),
        (exp.bit.count(exp.bit.not_(exp.bin("b"), 0, 16), 0, 16), 7),
        (exp.bit.lscan(exp.bin("b"), 0, 16, True), 4),
        (exp.bit.get_int(exp.bit.add(exp.bin("b"), 0, 8, exp.bin("n")), 0, 8), 17),
        (exp.bit.resize(exp.bin("b"), 1), b"\x0f"),
        (exp.hll.get_count(exp.bin("h")), 3),
        (exp.hll.get_count(exp.hll.add(exp.bin("h"), ["d"])), 4),
        (exp.hll.get_union_count(exp.bin("h"), exp.bin("h")), 3),
        (exp.hll.get_similarity(exp.bin("h"), [HyperLogLog(b"")]), None),
        (exp.hll.describe(exp.bin("h")), [12, 0]),
        (exp.hll.may_contain(exp.bin("h"), ["a"]), 1),
        (exp.text("$.m.c.[0] + $.l.[#0]:INT * ?0", 10), 14),
        (exp.text("$.m.{@'a':'c'}.count()"), 2),
        (exp.text("$.l.[!=1,2]"), [3]),
        (exp.within(exp.bin("g"), CIRCLE), True),
    ],
    ids=str,
)
def test_operations_inside_expressions_are_evaluated(
    data: Any, expression: exp.Expression, value: Any
) -> None:
    data.put(
        "k",
        {
            "l": [3, 1, 2, 1],
            "m": {"a": 1, "b": "x", "c": [4, 5]},
            "n": 2,
            "b": b"\x0f\xf1",
            "g": GeoJSON('{"type":"Point","coordinates":[1,2]}'),
        },
    )
    data.operate("k", [op.hll.add("h", ["a", "b", "c"], 12)])
    (result,) = data.operate("k", [op.read("r", expression, no_fail=True)]).results
    assert result == value


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: exp.list.get(exp.bin("l", int), 0), TypeError, "LIST or MAP, not INT"),
        (lambda: exp.list.get(LIST, "x"), TypeError, "index takes INT, not STRING"),
        (lambda: exp.list.get(LIST, True), TypeError, "index takes INT, not BOOL"),
        (lambda: exp.list.size(LIST) == "x", TypeError, "INT and STRING"),
        (lambda: exp.list.get(LIST, 0, kind=complex), TypeError, "complex"),  # type: ignore[arg-type]
        (
            lambda: exp.list.get_by_index(LIST, 0, returning="count", kind=str),
            TypeError,
            "INT, not",
        ),
        (lambda: bytes(exp.list.get(LIST, 0)), TypeError, "which type .*l.*0"),
        (lambda: exp.list.append_items(LIST, 5), TypeError, "items takes LIST, not INT"),
        (lambda: exp.list.append(LIST, object()), TypeError, "value: .*object"),  # type: ignore[arg-type]
        (lambda: exp.map.put(MAP, 1.5, 1), TypeError, "map key"),
        (lambda: exp.map.put(MAP, "k", 1, order="x"), ValueError, "'key_value'"),  # type: ignore[arg-type]
        (lambda: exp.list.get_by_index(LIST, 0, returning="key"), ValueError, "'value'"),  # type: ignore[arg-type]
        (lambda: exp.bit.count(exp.bin("b", str), 0, 1), TypeError, "BLOB, not STRING"),
        (lambda: exp.bit.set(exp.bin("b"), 0, 1, "x"), TypeError, "data takes BLOB"),
        (lambda: exp.hll.get_union(exp.bin("h"), exp.bin("n", int)), TypeError, "HLL, not INT"),
        (lambda: exp.list.size(LIST, ctx=[1]), TypeError, r"ctx\[0\]"),  # type: ignore[list-item]
        (
            lambda: exp.map.get_by_value_list(MAP, [], inverted=True),
            ValueError,
            "exp.map.get_by_value_list: values: an empty list, inverted",
        ),
        (lambda: exp.Expression.call("set", "size", LIST, ()), ValueError, "set"),
        (lambda: exp.Expression.call("list", "fly", LIST, ()), ValueError, "fly"),
        (lambda: exp.Expression.call("list", "size", LIST, (1,)), TypeError, "0 arguments"),
    ],
)
def test_invalid_calls_raise(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_parsed_texts_are_cached(data: Any) -> None:
    data.put("k", {"n": 1})
    for at in range(300):
        assert data.exists("k", where=f"$.n + {at} == {at + 1}")
        assert data.exists("k", where="$.n == 1")
        assert not data.exists("k", where=f"$.n == {at + 2}")
    with pytest.raises(ValueError, match="the end"):
        data.exists("k", where="$.n ==")
    with pytest.raises(ValueError, match="the end"):
        data.exists("k", where="$.n ==")
