"""Ordered maps, resumed partitions, expressions and metrics: the same with both."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from compat.side_by_side import Programs

if TYPE_CHECKING:
    from compat.aerospike_drivers import Driver

program: Programs[Driver] = Programs("drivers")
test_both_see_the_same = program.test()


@program
def names_of_sets(d: Driver) -> Any:
    """Servers take any text; what ends a parameter of an info command is no exception."""
    c, outcomes = d.client, []
    for name in ("session:1", "a;b", "a=b,c", "a b"):
        key = ("test", f"{d.set}{name}", 1)
        outcomes += [c.put(key, {"n": 1}), c.get(key)[2], c.exists(key)[1] is not None]
        outcomes += [[row.record[2] for row in c.batch_read([key]).batch_records]]
        outcomes += [[bins for _, _, bins in c.query(*key[:2]).results()], c.remove(key)]
        outcomes += [bytes(d.module.calc_digest("test", name, 1))]
    return outcomes


@program
def texts_with_a_nul(d: Driver) -> Any:
    """A text key ends at its first NUL."""
    c, outcomes = d.client, []
    for name in ("a\0b", "a\0", "\0a", "plain"):
        key = ("test", d.set, name)
        outcomes += [
            c.put(key, {"n": 1}),
            c.get(key)[2],
            c.batch_read([key]).batch_records[0].result,
        ]
        outcomes += [c.operate(key, [{"op": d.module.OPERATOR_READ, "bin": "n"}])[2]]
        outcomes += [c.get(("test", d.set, name.split("\0")[0]))[2], c.exists(key)[1] is not None]
        outcomes += [bytes(d.module.calc_digest("test", "s", name)), c.remove(key)]
    return outcomes


@program
def selections_are_chained(d: Driver) -> Any:
    c = d.client
    c.put(d.key(1), {"n": 1, "m": 2})
    query = c.query("test", d.set)
    return query.select("n") is query, [bins for _, _, bins in query.results()]


@program
def keys_of_bytes(d: Driver) -> Any:
    """``bytes`` are text up to a NUL, a ``bytearray`` is a key of its own, a ``bool`` 0 or 1."""
    c, send = d.client, {"key": d.module.POLICY_KEY_SEND}
    outcomes = []
    for name in (b"abc", b"ab\0c", b"", bytearray(b"abc"), bytearray(b""), True, False):
        key = ("test", "of_bytes", name)
        outcomes.append(
            [
                d.fails(c.put, key, {"v": 1}),
                d.fails(lambda key=key: c.get(key, send)[0]),
                d.fails(lambda key=key: c.exists(key)[0]),
                d.fails(lambda key=key: [row.key for row in c.batch_read([key]).batch_records]),
                d.fails(c.get_key_partition_id, *key),
                d.fails(d.module.calc_digest, *key),
                d.fails(c.remove, key),
            ]
        )
    return outcomes


@program
def ordered_maps(d: Driver) -> Any:
    c, ordered = d.client, d.module.KeyOrderedDict
    maps = d.helper("operations.map_operations")
    c.put(d.key(1), {"top": ordered({"b": 1, "a": ordered({2: 1, 1: b"x"})}), "plain": {"z": 1}})
    c.put(d.key(2), {"deep": [1, ordered({b"k": 1, "t": 2, 5: 3}), {"y": ordered()}]})
    outcomes = []
    for key in (d.key(1), d.key(2)):
        bins = c.get(key)[2]
        outcomes.append(kinds(bins))
        c.put(key, bins)
        outcomes.append(kinds(c.get(key)[2]))
    by_rank = maps.map_get_by_rank_range("top", 0, 5, d.module.MAP_RETURN_KEY)
    outcomes.append(d.typed(c.operate(d.key(1), [by_rank])[2]))
    return outcomes


def kinds(value: Any) -> Any:
    if isinstance(value, dict):
        return type(value).__name__, [(kinds(name), kinds(each)) for name, each in value.items()]
    return [kinds(each) for each in value] if isinstance(value, list) else value


def filled(d: Driver, count: int = 60) -> dict[str, Any]:
    """Records, all in one partition."""
    part, at, written = 77, 0, 0
    while written < count:
        if d.client.get_key_partition_id("test", d.set, at) in (part, part + 1):
            d.client.put(d.key(at), {"n": at})
            written += 1
        at += 1
    return {"begin": part, "count": 2}


@pytest.mark.parametrize("kind", ["query", "scan"])
def test_partitions_are_read_on(drivers: list[Driver], kind: str) -> None:
    shapes = []
    for d in drivers:
        d.set = f"{d.name}_{kind}_parts"
        part = filled(d)
        first, seen = getattr(d.client, kind)("test", d.set), list[Any]()

        def take(number: int, record: Any, seen: list[Any] = seen) -> bool | None:
            if len(seen) == 7:
                return False
            seen.append((number, record[2]["n"]))
            return None

        first.foreach(take, {"partition_filter": part})
        status = first.get_partitions_status()
        rest = getattr(d.client, kind)("test", d.set)
        remaining = rest.results({"partition_filter": {**part, "partition_status": status}})
        numbers = [number for _, number in seen] + [bins["n"] for _, _, bins in remaining]
        assert len(set(numbers)) == len(numbers) == 60
        shapes.append(
            (
                sorted(map(str, status)),
                sorted(len(each) for each in status.values() if isinstance(each, tuple)),
            )
        )
        again = rest.get_partitions_status()
        shapes.append((again["done"], [again[each][:3] + again[each][4:] for each in (77, 78)]))
    assert shapes[:2] == shapes[2:]


@program
def partitions_of_an_index(d: Driver) -> Any:
    part = filled(d, 10)
    c, p = d.client, d.module.predicates
    c.index_integer_create("test", d.set, "n", f"{d.name}_parts")
    query = c.query("test", d.set)
    query.where(p.between("n", 0, 100))
    seen = [sorted(bins["n"] for _, _, bins in query.results({"partition_filter": part}))]
    status = query.get_partitions_status()
    seen.append([status[each][:3] for each in (77, 78)])
    c.index_remove("test", f"{d.name}_parts")
    return seen


@program
def pages(d: Driver) -> Any:
    part = filled(d, 10)
    outcomes = []
    query = d.client.query("test", d.set)
    query.max_records = 6
    for _ in range(2):
        outcomes.append(len(query.results({"partition_filter": part})))  # noqa: PERF401
    outcomes.append(query.is_done())
    for bad in (
        {"begin": 5000}, {"begin": 4095, "count": 2}, {"count": 0}, {"partition_status": 1}, 7,
        {**part, "partition_status": {"done": False, "retry": False, 77: (77, "x", False)}},
        {**part, "partition_status": {"retry": False}},
    ):  # fmt: skip
        query = d.client.query("test", d.set)
        outcomes.append(d.fails(query.results, {"partition_filter": bad}))
    return outcomes


@program
def arithmetic(d: Driver) -> Any:
    e, key = d.helper("expressions"), d.key(1)
    d.client.put(key, {"i": 7, "f": 2.5, "s": "x"})
    i, f = e.IntBin("i"), e.FloatBin("f")
    expressions = [
        e.Eq(i + 1 + e.Add(i, 2), 17), e.Eq(i - 1 - 2, 4), e.Eq(i * 2 * i, 98), e.Eq(i / 2, 3),
        e.Eq(i % 4, 3), e.Eq(f**2.0, 6.25), e.Eq(f // 2.0, 1.0), e.Eq(abs(i - 9), 2),
        e.Eq(i + "x", 3), e.Eq(i, "x"), e.And(1, 2), e.Eq(e.IntAnd(i, "x"), 1),
        e.Or(e.Eq(1, 1), "x"),
        e.GT(f % 2, 1), e.Eq(f**2.0**2.0, 1.0), e.Eq(e.StrBin("s"), 2**70), e.Eq(e.IntBin(5), 1),
    ]  # fmt: skip
    return [d.fails(d.client.get, key, {"expressions": each.compile()}) for each in expressions] + [
        d.fails(d.client.get, key, {"expressions": "$.i > 3"}),
        d.fails(d.client.get, key, {"expressions": 7}),
    ]


@program
def results_of_expressions(d: Driver) -> Any:
    """Keys and values alternate, and some values are nil."""
    e, m, key = d.helper("expressions"), d.module, d.key(1)
    ops = d.helper("operations.expression_operations")
    d.client.put(key, {"m": {"a": 1, "b": 2}, "n": {2: None, 3: 4}, "l": [None, 1]})
    pairs = e.MapGetByValueRange(None, m.MAP_RETURN_KEY_VALUE, 0, 10, "m")
    nil = e.ResultType.NIL
    expressions = [
        pairs,
        e.MapGetByValueRange(None, m.MAP_RETURN_KEY_VALUE, 5, 9, "m", True),
        e.MapGetByKeyList(None, m.MAP_RETURN_KEY_VALUE, ["zz"], "m"),
        e.MapGetByValueRange(None, m.MAP_RETURN_ORDERED_MAP, 0, 10, "m"),
        e.Let(e.Def("x", pairs), e.Def("y", e.Var("x")), e.Var("y")),
        e.Let(e.Def("x", pairs), e.MapBin("m")),
        e.Cond(e.Eq(1, 1), pairs, pairs),
        e.MapGetByKey(None, m.MAP_RETURN_VALUE, nil, 2, "n"),
        e.MapGetByKey(None, m.MAP_RETURN_VALUE, nil, 3, "n"),
        e.MapGetByKey(None, m.MAP_RETURN_KEY, nil, 2, "n"),
        e.ListGetByIndex(None, m.LIST_RETURN_VALUE, nil, 0, "l"),
        e.ListGetByIndex(None, m.LIST_RETURN_VALUE, nil, 1, "l"),
        e.Eq(e.MapGetByKey(None, m.MAP_RETURN_VALUE, nil, 2, "n"), None),
    ]
    read = [[ops.expression_read("r", each.compile())] for each in expressions]
    return [d.fails(lambda each=each: d.client.operate(key, each)[2]) for each in read] + [
        d.typed(d.client.batch_operate([key], read[0]).batch_records[0].record[2]),
        d.typed(d.client.operate_ordered(key, [*read[0], *read[3]])[2]),
    ]


@program
def return_types_that_do_not_fit(d: Driver) -> Any:
    lists, maps, key = (
        d.helper("operations.list_operations"), d.helper("operations.map_operations"), d.key(1),
    )  # fmt: skip
    d.client.put(key, {"m": {"a": 1, "b": 2}, "l": [[1, 2], [3]]})
    operations: list[Any] = []
    for number in (9, 14, 42, -1, 6, 8, 16):
        operations.append(lists.list_get_by_index_range("l", 0, number, 1, False))
        operations.append(maps.map_get_by_index_range("m", 0, 1, number))
    return [d.fails(lambda each=each: d.client.operate(key, [each])[2]) for each in operations]


@program
def flags_of_writes(d: Driver) -> Any:
    """Flags that an operation does not support are rejected, and nothing is written."""
    bits, sketches = (d.helper(f"operations.{name}_operations") for name in ("bitwise", "hll"))
    expressions, e, key = (
        d.helper("operations.expression_operations"),
        d.helper("expressions"),
        d.key(1),
    )
    seen = []
    for number in (0, 1, 2, 4, 5, 8, 12, 16, 32):
        flags = {"bit_write_flags": number}
        for operation in (
            bits.bit_resize("b", 6, policy=flags),
            bits.bit_insert("b", 0, 1, b"z", policy=flags),
            bits.bit_remove("b", 0, 1, policy=flags),
            bits.bit_set("b", 0, 8, 1, b"z", policy=flags),
            bits.bit_not("b", 0, 8, policy=flags),
            bits.bit_add("b", 0, 8, 1, False, 0, policy=flags),
            sketches.hll_init("h", 8, 4, {"flags": number}),
            sketches.hll_add("h", ["a"], 8, 4, {"flags": number}),
            expressions.expression_read("r", e.IntBin("i").compile(), number),
            expressions.expression_read("r", e.IntBin("none").compile(), number),
            expressions.expression_write("i", e.Val(5).compile(), number),
            expressions.expression_write("n", e.IntBin("none").compile(), number),
        ):
            d.client.put(key, {"b": b"abcd", "i": 7, "h": d.module.null(), "n": d.module.null()})
            seen.append(d.fails(lambda operation=operation: d.client.operate(key, [operation])[2]))
            seen.append(sorted(d.client.get(key)[2].items(), key=lambda pair: pair[0])[:2])
    return seen


@program
def paths_as_text(d: Driver) -> Any:
    x = d.helper("cdt_ctx")
    return [
        d.outcome(d.client.get_cdtctx_base64, path)
        for path in (
            [x.cdt_ctx_list_index(0)],
            [x.cdt_ctx_map_key("a"), x.cdt_ctx_list_rank(-1), x.cdt_ctx_map_value(b"x")],
            [x.cdt_ctx_list_value("v" * 70), x.cdt_ctx_map_key_create("z", 1)],
            None,
            ["x"],
        )
    ] + [x.index_type_string(1), x.index_datatype_string(d.module.INDEX_STRING)]


def test_metrics_listeners_get_the_same_structures(drivers: list[Driver]) -> None:
    """Listeners are called with the same structures, and commands are counted."""
    shapes: list[Any] = []
    for d in drivers:
        d.set = f"{d.name}_metrics"
        metrics = d.helper("metrics")
        seen: list[Any] = []
        counted = threading.Event()

        def snapshot(
            cluster: Any, seen: list[Any] = seen, counted: threading.Event = counted
        ) -> None:
            seen.append(cluster)
            if cluster.command_count >= 5:
                counted.set()

        listeners = metrics.MetricsListeners(
            lambda seen=seen: seen.append("on"), snapshot, seen.append, seen.append
        )
        client = d.module.client({**d.config, "app_id": "program", "tend_interval": 250}).connect()
        policy = metrics.MetricsPolicy(listeners, interval=1, latency_columns=4, latency_shift=2)
        client.enable_metrics(policy)
        for at in range(5):
            client.put(d.key(at), {"a": 1})
        assert counted.wait(60)
        client.disable_metrics()
        assert seen[0] == "on"
        last = seen[-1]
        spaces = {each.ns: each for node in last.nodes for each in node.metrics}
        assert sum(spaces["test"].write_latency) == 5
        shapes.append((shape(last), shape(client.get_stats())))
        for odd in (
            {"interval": "x"},
            {"report_dir": 1},
            {"labels": {1: 2}},
            {"latency_shift": 256},
        ):
            shapes[-1] += (d.outcome(client.enable_metrics, metrics.MetricsPolicy(**odd)),)
        shapes[-1] += (d.outcome(client.enable_metrics, 1),)
        client.close()
    assert shapes[1] == shapes[0]


def shape(value: Any) -> Any:
    """The types of everything in an object; for a list those of its first element."""
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    if hasattr(value, "__dict__") and type(value).__module__.endswith("metrics"):
        own = {name: shape(each) for name, each in vars(value).items()}
        return type(value).__name__, dict(sorted(own.items()))
    return type(value).__name__


@program
def ends_of_ranges(d: Driver) -> Any:
    e, ops, key = d.helper("expressions"), d.helper("operations.expression_operations"), d.key(1)
    m = d.module
    d.client.put(key, {"m": {1: 1, 2: 2, 3: 6}, "l": [1, 2, 6, None, "x"]})
    kind, outcomes = m.MAP_RETURN_VALUE, []
    for end in (None, m.null(), m.CDTInfinite(), 3):
        for expression in (
            e.MapRemoveByKeyRange(None, 2, end, "m"),
            e.MapRemoveByValueRange(None, 2, end, "m"),
            e.MapGetByKeyRange(None, kind, 2, end, "m"),
            e.MapGetByValueRange(None, kind, 2, end, "m"),
            e.ListGetByValueRange(None, m.LIST_RETURN_VALUE, 2, end, "l"),
            e.ListRemoveByValueRange(None, 2, end, "l"),
            e.ListRemoveByValueRange(None, None, end, "l"),
        ):
            steps = [ops.expression_read("r", expression.compile())]
            outcomes.append(d.fails(d.client.operate, key, steps))
    return outcomes


@program
def batches_with_ill_typed_expressions(d: Driver) -> Any:
    e, steps = d.helper("expressions"), d.helper("operations.operations")
    keys = [d.key(at) for at in range(2)]
    policy = {"expressions": e.Eq(e.IntBin("n"), "x").compile()}
    for key in keys:
        d.client.put(key, {"n": 1})
    batches = (
        d.client.batch_read(keys, policy=policy),
        d.client.batch_read(keys, ["n"], policy),
        d.client.batch_operate(keys, [steps.write("n", 2)], policy_batch_write=policy),
        d.client.batch_remove(keys, policy_batch_remove=policy),
    )
    return [
        (batch.result, [(d.typed(row.key), row.result, row.record) for row in batch.batch_records])
        for batch in batches
    ]
