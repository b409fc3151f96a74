"""Operations and expressions by path: the official client and the drop-in see the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compat.side_by_side import Programs

if TYPE_CHECKING:
    from compat.aerospike_drivers import Driver

program: Programs[Driver] = Programs("drivers")
test_both_see_the_same = program.test()

M = {"a": {"v": 1, "n": "x"}, "b": {"v": 5, "n": "y"}, "c": {"v": 9}}
BINS = {
    "m": M,
    "l": [10, 20, 30, 40],
    "ll": [[1, 2], [3], [], [4, 5, 6]],
    "mix": {"a": 1, "b": [1, 2], "c": {"v": 3}},
    "i": 7,
    "all": [None, True, 5, "s", b"b", 1.5, [1], {"k": 1}],
}


class Paths:
    """What the paths of a program are made of."""

    def __init__(self, d: Driver) -> None:
        self.d = d
        self.exp = d.helper("expressions")
        self.ctx = d.helper("cdt_ctx")
        self.ops = d.helper("operations.operations")
        self.of_expressions = d.helper("operations.expression_operations")
        self.key = d.key(1)
        d.client.put(self.key, BINS)
        self.all = self.ctx.cdt_ctx_all_children()
        self.v = self.ctx.cdt_ctx_map_key("v")

    def where(self, expression: Any) -> Any:
        return self.ctx.cdt_ctx_all_children_with_filter(expression.compile())

    def above(self, least: int = 2) -> Any:
        e, m = self.exp, self.d.module
        v = e.MapGetByKey(
            None, m.MAP_RETURN_VALUE, e.ResultType.INTEGER, "v", e.LoopVarMap(m.EXP_LOOPVAR_VALUE)
        )
        return e.GT(v, least)

    def select(self, name: str, path: Any, flags: Any) -> Any:
        operation = self.ops.select_by_path(name, path, flags)
        return self.d.fails(self.d.client.operate, self.key, [operation])

    def modify(self, name: str, path: Any, expression: Any, flags: Any = 0) -> Any:
        operation = self.ops.modify_by_path(name, path, expression, flags)
        result = self.d.fails(self.d.client.operate, self.key, [operation])
        return result, self.d.typed(self.d.client.get(self.key)[2][name])


@program
def selections(d: Driver) -> Any:
    p, m = Paths(d), d.module
    above, outcomes = p.where(p.above()), []
    keys_in, and_filter = p.ctx.cdt_ctx_map_keys_in, p.ctx.cdt_ctx_and_filter
    even = p.exp.Eq(p.exp.Mod(p.exp.LoopVarInt(m.EXP_LOOPVAR_INDEX), 2), 0)
    no_b = p.exp.NE(p.exp.LoopVarStr(m.EXP_LOOPVAR_KEY), "b")
    for name, path, flags in [
        ("m", [p.all, p.v], m.EXP_PATH_SELECT_VALUE),
        ("m", [above], m.EXP_PATH_SELECT_VALUE),
        ("m", [above], m.EXP_PATH_SELECT_MATCHING_TREE),
        ("m", [above], m.EXP_PATH_SELECT_MAP_KEY),
        ("m", [above], m.EXP_PATH_SELECT_MAP_KEY_VALUE),
        ("m", [p.where(no_b), p.v], m.EXP_PATH_SELECT_MAP_KEY_VALUE),
        ("l", [p.where(even)], m.EXP_PATH_SELECT_LIST_VALUE),
        ("ll", [p.all, p.all], m.EXP_PATH_SELECT_LIST_VALUE),
        ("all", [p.all], m.EXP_PATH_SELECT_VALUE),
        ("m", [keys_in(["a", "c", "zz"])], m.EXP_PATH_SELECT_MAP_KEY),
        ("m", [keys_in(["a", "b"]), and_filter(p.above().compile())], m.EXP_PATH_SELECT_MAP_KEY),
        ("l", [p.ctx.cdt_ctx_list_index(9)], 1),
        ("l", [p.ctx.cdt_ctx_list_value(20)], 1),
        ("mix", [p.all, p.v], 1),
        ("mix", [p.all, p.v], 1 | m.EXP_PATH_SELECT_NO_FAIL),
        ("l", [p.all], 2),
        ("l", [p.all], 2 | m.EXP_PATH_SELECT_NO_FAIL),
        ("l", [p.all], 5),
        ("l", [p.all], 0x21),
        ("i", [p.all], 1),
        ("none", [p.all], 1),
        ("l", [p.ctx.cdt_ctx_list_index(0)] * 64, 1),
        ("m", [p.all, and_filter(p.above().compile())], 1),
    ]:
        outcomes.append(p.select(name, path, flags))
    return outcomes


@program
def bad_arguments(d: Driver) -> Any:
    p = Paths(d)
    return [
        p.select("l", [], 1)[0][0],
        p.select("l", None, 1)[0][0],
        p.select("l", [p.ctx.cdt_ctx_list_index(0)] * 65, 1)[0][0],
        p.select("l", [p.ctx.cdt_ctx_map_keys_in(["a"])], 1)[0][0],
    ]


@program
def modifications(d: Driver) -> Any:
    p, m = Paths(d), d.module
    value = p.exp.LoopVarInt(m.EXP_LOOPVAR_VALUE)
    index = p.exp.LoopVarInt(m.EXP_LOOPVAR_INDEX)
    more, quiet = p.exp.Add(value, 1).compile(), m.EXP_PATH_MODIFY_NO_FAIL
    removal = p.exp.RemoveResult().compile()
    return [
        p.modify("m", [p.all, p.v], more),
        p.modify("l", [p.all], p.exp.Add(value, index).compile(), m.EXP_PATH_MODIFY_DEFAULT),
        p.modify("mix", [p.all], more)[1],
        p.modify("mix", [p.all], more, quiet),
        p.modify("ll", [p.ctx.cdt_ctx_list_index(3), p.where(p.exp.LT(value, 5))], removal),
        p.modify("m", [p.where(p.above(6))], removal),
        p.modify("l", [p.ctx.cdt_ctx_list_index(0)], p.exp.Val(None).compile()),
        p.modify("l", [p.ctx.cdt_ctx_list_index(1)], p.exp.Val("text").compile()),
        d.client.get(p.key)[1]["gen"],
    ]


@program
def several_operations_and_batches(d: Driver) -> Any:
    p, m = Paths(d), d.module
    value = p.exp.LoopVarInt(m.EXP_LOOPVAR_VALUE)
    operations = [
        p.ops.modify_by_path("l", [p.all], p.exp.Mul(value, 2).compile(), 0),
        p.ops.select_by_path("l", [p.all], 1),
        p.ops.select_by_path("m", [p.all, p.v], 1),
        p.ops.read("i"),
    ]
    ordered = d.client.operate_ordered(p.key, operations)[2]
    batch = d.client.batch_operate([p.key], operations)
    rows = [(row.result, d.typed(row.record[2])) for row in batch.batch_records]
    return d.typed(ordered), rows


@program
def types_of_loop_variables(d: Driver) -> Any:
    p, m, outcomes = Paths(d), d.module, []
    e = p.exp
    for kind, sought in [
        (e.LoopVarNil, None), (e.LoopVarBool, True), (e.LoopVarInt, 5), (e.LoopVarStr, "s"),
        (e.LoopVarBlob, b"b"), (e.LoopVarFloat, 1.5), (e.LoopVarList, [1]),
    ]:  # fmt: skip
        same = e.Eq(kind(m.EXP_LOOPVAR_VALUE), sought)
        outcomes.append(p.select("all", [p.where(same)], 1 | m.EXP_PATH_SELECT_NO_FAIL))
    return outcomes


@program
def expressions(d: Driver) -> Any:
    p, m, outcomes = Paths(d), d.module, []
    e, kinds = p.exp, p.exp.ResultType
    value = e.LoopVarInt(m.EXP_LOOPVAR_VALUE)
    above = p.where(p.above())
    more, removal = e.Add(value, 1).compile(), e.RemoveResult().compile()
    for expression in [
        e.SelectByPath([p.all, p.v], kinds.LIST, 1, e.MapBin("m")),
        e.SelectByPath([above], kinds.MAP, 0, e.MapBin("m")),
        e.SelectByPath([above], kinds.LIST, 0, e.MapBin("m")),
        e.SelectByPath([p.all], kinds.INTEGER, 1, e.ListBin("l")),
        e.ListSize(None, e.SelectByPath([above], kinds.LIST, 1, e.MapBin("m"))),
        e.ModifyByPath([p.all, p.v], kinds.MAP, more, 0, e.MapBin("m")),
        e.ModifyByPath([above], kinds.MAP, removal, 0, e.MapBin("m")),
        e.ModifyByPath([p.all], kinds.LIST, more, 0, e.ListBin("ll")),
        e.ModifyByPath([p.all], kinds.LIST, more, m.EXP_PATH_MODIFY_NO_FAIL, e.ListBin("ll")),
        e.InList(20, e.SelectByPath([p.all], kinds.LIST, 1, e.ListBin("l"))),
    ]:
        compiled = expression.compile()
        operation = p.of_expressions.expression_read("r", compiled)
        outcomes.append(d.fails(d.client.operate, p.key, [operation]))
    size = e.ListSize(None, e.SelectByPath([above], kinds.LIST, 1, e.MapBin("m")))
    for least in (1, 2):
        policy = {"expressions": e.GT(size, least).compile()}
        outcomes.append(d.fails(d.client.get, p.key, policy)[0])
    return outcomes
