"""Expressions have the same wire format with both clients, and filter the same records."""

# ruff: noqa: ARG005

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat.aerospike_drivers import Driver

FORMS: list[Callable[[Any, Any, Any], Any]] = [
    lambda e, m, c: e.Eq(e.IntBin("a"), 1),
    lambda e, m, c: e.And(
        e.GT(e.IntBin("a"), 1), e.LT(e.FloatBin("b"), 2.5), e.Not(e.BoolBin("c"))
    ),
    lambda e, m, c: e.Or(e.BinExists("a"), e.Eq(e.BinType("b"), 1), e.Eq(e.SetName(), "x")),
    lambda e, m, c: e.GE(e.Add(e.IntBin("a"), 1, 2), e.Mul(e.IntBin("a"), 3)),
    lambda e, m, c: e.CmpRegex(m.REGEX_ICASE | m.REGEX_EXTENDED, "^a.*", e.StrBin("s")),
    lambda e, m, c: e.GT(e.ListSize(None, e.ListBin("l")), 3),
    lambda e, m, c: e.Eq(
        e.ListGetByIndex(None, m.LIST_RETURN_VALUE, e.ResultType.INTEGER, 0, "l"), 5
    ),
    lambda e, m, c: e.Eq(e.ListGetByValueRange(None, m.LIST_RETURN_COUNT, 1, 5, "l"), 2),
    lambda e, m, c: e.Eq(e.ListGetByIndexRangeToEnd(None, m.LIST_RETURN_VALUE, 1, "l"), [1]),
    lambda e, m, c: e.Eq(e.ListAppendItems(None, {"write_flags": 1}, [3], "l"), [1]),
    lambda e, m, c: e.Eq(e.ListRemoveByValueList(None, [3], "l"), [1]),
    lambda e, m, c: e.Eq(
        e.ListGetByValueRelRankRangeToEnd(None, m.LIST_RETURN_COUNT, 1, 2, "l"), 1
    ),
    lambda e, m, c: e.Eq(
        e.MapGetByKey([c.cdt_ctx_map_key("q")], m.MAP_RETURN_VALUE, e.ResultType.INTEGER, "k", "m"),
        1,
    ),
    lambda e, m, c: e.Eq(e.MapGetByKeyRange(None, m.MAP_RETURN_COUNT, "a", "b", "m"), 1),
    lambda e, m, c: e.Eq(e.MapGetByRankRange(None, m.MAP_RETURN_COUNT, 1, 2, "m"), 1),
    lambda e, m, c: e.Eq(e.MapGetByIndexRangeToEnd(None, m.MAP_RETURN_COUNT, 1, "m"), 1),
    lambda e, m, c: e.Eq(e.BitCount(0, 8, "b"), 1),
    lambda e, m, c: e.Eq(e.BitSet(None, 0, 8, b"a", "b"), b"a"),
    lambda e, m, c: e.Eq(e.BitLeftScan(0, 8, True, "b"), 1),
    lambda e, m, c: e.Eq(e.HLLGetCount(e.HLLAdd(None, ["a"], 8, None, "h")), 1),
    lambda e, m, c: e.Let(e.Def("x", e.IntBin("a")), e.GT(e.Var("x"), 1)),
    lambda e, m, c: e.Eq(e.Cond(e.Eq(e.IntBin("a"), 1), 2, 3), 2),
    lambda e, m, c: e.CmpGeo(e.GeoBin("g"), m.geojson('{"type":"Point","coordinates":[1,2]}')),
    lambda e, m, c: e.InList(1, "l"),
    lambda e, m, c: e.And(e.Eq(e.TTL(), 1), e.GT(e.LastUpdateTime(), 1), e.Eq(e.DigestMod(3), 1)),
    lambda e, m, c: e.Eq(e.IntAnd(e.IntCount(e.IntBin("a")), 1), 1),
    lambda e, m, c: e.Eq(e.ToInt(e.Pow(e.FloatBin("a"), 2.0)), 1),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("number", range(len(FORMS)))
def test_the_wire_form_is_the_same(drivers: list[Driver], number: int) -> None:
    real, ours = (
        d.client.get_expression_base64(
            FORMS[number](d.helper("expressions"), d.module, d.helper("cdt_ctx")).compile()
        )
        for d in drivers
    )
    assert ours == real


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_both_clients_filter_the_same_records(drivers: list[Driver]) -> None:
    seen = []
    for d in drivers:
        d.set = f"{d.name}_filtered"
        e, operations = d.helper("expressions"), d.helper("operations.expression_operations")
        for at in range(6):
            d.client.put(d.key(at), {"n": at})
        large = {"expressions": e.GT(e.IntBin("n"), 3).compile()}
        double = e.Mul(e.IntBin("n"), 2).compile()
        seen.append(
            [
                sorted(bins["n"] for _, _, bins in d.client.query("test", d.set).results(large)),
                d.fails(d.client.get, d.key(1), large),
                d.fails(d.client.get, d.key(5), large),
                d.fails(d.client.exists, d.key(1), large),
                d.fails(d.client.put, d.key(1), {"n": 9}, None, large),
                d.fails(d.client.remove, d.key(1), None, large),
                d.typed(d.client.operate(d.key(2), [operations.expression_read("d", double)])),
                d.typed(d.client.operate(d.key(2), [operations.expression_write("w", double)])),
                d.typed(d.client.get(d.key(2))[2]),
                [
                    row.result
                    for row in d.client.batch_read([d.key(1), d.key(5)], None, large).batch_records
                ],
            ]
        )
    assert seen[1] == seen[0]
    assert seen[0][0] == [4, 5]
