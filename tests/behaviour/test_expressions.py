"""Expressions: made, checked, shown, kept."""

from __future__ import annotations

import copy
import math
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikewire import GeoJSON, HyperLogLog, exp

if TYPE_CHECKING:
    from collections.abc import Callable

AGE = exp.bin("age")


@pytest.mark.parametrize(
    ("expression", "shown"),
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
def test_shown_as_text(expression: exp.Expression, shown: str) -> None:
    assert str(expression) == shown
    assert repr(expression) == f"Expression({shown})"


@pytest.mark.parametrize(
    ("make", "error", "says"),
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
        (lambda: exp.bin("a", complex), TypeError, "complex"),
        (lambda: exp.key(float), TypeError, "user key"),
        (lambda: exp.digest_modulo(0), ValueError, "modulo 0"),
        (lambda: exp.cond(True, 1), ValueError, "last value"),
        (lambda: exp.exclusive(True), ValueError, "two operands"),
        (lambda: exp.let({}, True), ValueError, "variable"),
        (lambda: bytes(exp.bin("a") == exp.bin("b")), TypeError, "of which type"),
        (lambda: bytes(exp.var("x") > 1), ValueError, "not defined"),
        (lambda: bytes(exp.let({"x": "t"}, exp.var("x") > 1)), TypeError, "one type"),
        (lambda: bool(exp.bin("a") == 1), TypeError, "truth value"),
        (lambda: 1 < exp.bin("a") < 3, TypeError, "truth value"),
        (lambda: pow(exp.bin("a"), 2, 3), TypeError, "two arguments"),
        (lambda: exp.text("$.a >"), ValueError, "at byte 5"),
        (lambda: exp.text("$.a > ?1", 1), ValueError, "parameter"),
        (lambda: exp.Expression.from_bytes(b"\x93"), ValueError, "malformed"),
        (lambda: exp.Expression.apply("nope", (1,)), ValueError, "nope"),
    ],
)
def test_faults_show_when_it_is_made(
    make: Callable[[], Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        make()


def test_an_error_in_a_text_shows_the_place() -> None:
    with pytest.raises(TypeError) as caught:
        exp.text("$.age > 'x' + 1")
    assert str(caught.value).splitlines()[1:] == ["    $.age > 'x' + 1", "            ^^^^^^^"]


def test_kept_hashed_and_pickled() -> None:
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


def test_trees_that_would_be_too_large_are_refused() -> None:
    tree = exp.value(1)

    def grow() -> None:
        nonlocal tree
        for _ in range(100):
            tree = tree + tree

    with pytest.raises(ValueError, match="far larger"):
        grow()


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = exp.text(text)
    except (TypeError, ValueError):
        return
    assert exp.Expression.from_bytes(bytes(read)).same_as(read)


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read = exp.Expression.from_bytes(data)
    except (TypeError, ValueError):
        return
    assert exp.Expression.from_bytes(bytes(read)).same_as(read)
