"""The same programs observe the same with aerospike-py and with its drop-in."""

from __future__ import annotations

import asyncio
from typing import Any

from compat.aerospike_py_drivers import PATIENT, Driver
from compat.side_by_side import Programs

program: Programs[Driver] = Programs("py_drivers")
test_both_see_the_same = program.test()

VALUES: dict[str, Any] = {
    "int": -(2**63),
    "text": "Grüße",
    "empty": "",
    "bytes": b"\x00\xff",
    "array": bytearray(b"ab"),
    "float": 1.5,
    "bool": True,
    "list": [1, "a", [None, b"x", 1.5, False]],
    "map": {"a": 1, 2: [3], "n": {"m": None}},
}


@program
def values_of_every_type(d: Driver) -> Any:
    return d.put("v", VALUES), d.typed(d.get("v"))


@program
def shapes_of_reads(d: Driver) -> Any:
    c, key = d.client, d.key("a")
    d.put("a", {"x": 1, "y": "s"})
    digest = c.get(key).key.digest
    seen = [
        c.get(key),
        c.get(("test", d.set, None, digest)),
        c.get(("test", d.set, "a", digest)),
        c.get(("test", d.set, "a", None)),
        c.get(c.get(key).key),
        c.exists(key),
        c.exists(d.key("none")),
        c.select(key, ["x", "q"]),
        c.is_connected(),
        c.ping(),
    ]
    named = c.get(key)
    return [d.typed(each) for each in seen], named.meta.gen, named.bins["x"], named.key.user_key


@program
def keys_of_every_type(d: Driver) -> Any:
    seen = []
    for key in (1, -5, 2**62, "text", "", b"bytes", b"", b"\xff\x00\xfe"):
        d.put(key, {"k": 1})
        seen.append((d.typed(d.get(key)), d.get(key).key.digest == d.client.get(d.key(key))[0][3]))
    own = d.put("x", {"k": 1}), d.client.get(("test", d.set, "x"), {})
    return seen, d.typed(own)


@program
def failures_of_reads(d: Driver) -> Any:
    c, key = d.client, d.key("a")
    d.put("a", {"x": 1})
    return [
        d.fails(*each)
        for each in (
            (c.get, d.key("none")),
            (c.select, d.key("none"), ["x"]),
            (c.select, key, []),
            (c.select, key, ("x",)),
            (c.get, ("test", d.set)),
            (c.get, ("test", d.set, 1, None, 2)),
            (c.get, "x"),
            (c.get, None),
            (c.get, ["test", d.set, 1]),
            (c.get, ("test", d.set, 1.5)),
            (c.get, ("test", d.set, True)),
            (c.get, ("test", d.set, None)),
            (c.get, ("test", d.set, "a", b"short")),
            (c.get, key, "s"),
            (c.get, key, {"total_timeout": "a"}),
            (c.get, key, {"read_touch_ttl_percent": 300}),
            (c.get, key, {"filter_expression": {"__expr__": "nonsense"}}),
            (c.exists, ("test", d.set)),
            (c.get,),
        )
    ]


@program
def failures_of_writes(d: Driver) -> Any:
    c, key, m = d.client, d.key("a"), d.module
    d.put("a", {"x": 1, "y": "s"})
    return [
        d.fails(*each)
        for each in (
            (c.put, key, {"x": object()}),
            (c.put, key, {"x": {1, 2}}),
            (c.put, key, {"x": 2**70}),
            (c.put, key, {"x" * 20: 1}),
            (c.put, key, {1: 1}),
            (c.put, key, {}),
            (c.put, key, "x"),
            (c.put, key, {"x": 1}, {"ttl": "a"}),
            (c.put, key, {"x": 1}, {"ttl": -7}),
            (c.put, key, {"x": 1}, {"gen": 7}),
            (c.put, key, {"x": 1}, None, {"gen": m.POLICY_GEN_EQ}),
            (c.put, key, {"x": 1}, {"gen": 1}, {"gen": m.POLICY_GEN_GT}),
            (c.put, key, {"x": 1}, None, {"exists": m.POLICY_EXISTS_CREATE_ONLY}),
            (c.put, d.key("none"), {"x": 1}, None, {"exists": m.POLICY_EXISTS_UPDATE_ONLY}),
            (c.put, d.key("none"), {"x": 1}, None, {"exists": m.POLICY_EXISTS_REPLACE_ONLY}),
            (c.put, key, {"x": 1}, None, "s"),
            (c.put, key, {"x": 1}, None, {"total_timeout": "a"}),
            (c.remove, d.key("none")),
            (c.remove, key, {"gen": 7}),
            (c.touch, d.key("none"), 100),
            (c.increment, key, "y", 1),
            (c.increment, key, "x", "s"),
            (c.append, key, "x", "s"),
            (c.append, key, "y", 1),
            (c.remove_bin, d.key("none"), ["x"]),
            (c.remove_bin, key, []),
            (c.remove_bin, key, ("x",)),
            (c.operate, key, []),
            (c.operate, key, "s"),
            (c.operate, key, [3]),
            (c.operate, key, [{"op": 77}]),
            (c.operate, key, [{"op": "a"}]),
            (c.operate, key, [{"bin": "x"}]),
            (c.operate, key, [{"op": m.OPERATOR_WRITE}]),
            (c.operate, key, [{"op": m.OPERATOR_READ, "bin": "x"}], {"gen": 99}),
            (c.operate, d.key("none"), [{"op": m.OPERATOR_READ, "bin": "x"}]),
        )
    ]


@program
def writes_of_every_kind(d: Driver) -> Any:
    c, key, m = d.client, d.key("w"), d.module
    seen: list[Any] = [
        c.put(key, {"x": 1, "y": "b", "z": 1.5, "l": [1]}, {"ttl": 1000}),
        c.increment(key, "x", 5),
        c.increment(key, "z", 1.5),
        c.append(key, "y", "c"),
        c.prepend(key, "y", "a"),
        c.append(key, "new", b"bytes"),
        c.get(key).bins,
        c.touch(key, 100),
        c.put(key, {"l": None}),
        c.remove_bin(key, ["z", "not there"]),
        c.put(key, {"g": 1}, {"gen": c.get(key).meta.gen}),
        c.get(key).bins,
        c.put(key, {"only": 1}, None, {"exists": m.POLICY_EXISTS_REPLACE}),
        c.get(key),
        c.put(key, {"t": 1}, {"ttl": m.TTL_NEVER_EXPIRE}),
        c.put(key, {"t": 2}, None, {"ttl": m.TTL_DONT_UPDATE}),
        c.put(key, {"t": 2}, {"ttl": 50}, {"ttl": m.TTL_NEVER_EXPIRE}),
        c.put(key, {"t": 3}, {"exists": m.POLICY_EXISTS_UPDATE_ONLY, "key": m.POLICY_KEY_SEND}),
        c.exists(key),
        c.remove(key),
        c.exists(key),
    ]
    return [d.typed(each) for each in seen]


@program
def several_operations(d: Driver) -> Any:
    key, m = "o", d.module

    def did(code: int, name: str | None = None, value: Any = None) -> dict[str, Any]:
        return {"op": code, "bin": name, "val": value}

    d.put(key, {"x": 1, "y": "s"})
    seen = [
        d.operate(key, did(m.OPERATOR_INCR, "x", 2), did(m.OPERATOR_READ, "x")),
        d.operate(key, did(m.OPERATOR_READ, "x"), did(m.OPERATOR_READ, "none")),
        d.operate(key, did(m.OPERATOR_READ)),
        d.operate(key, did(m.OPERATOR_WRITE, "w", [1]), did(m.OPERATOR_APPEND, "y", "t")),
        d.operate(key, did(m.OPERATOR_PREPEND, "y", "r"), did(m.OPERATOR_INCR, "x")),
        d.operate(key, did(m.OPERATOR_TOUCH), meta={"ttl": 200}),
        d.get(key).bins,
        d.operate(key, did(m.OPERATOR_WRITE, "x"), did(m.OPERATOR_READ, "y"), key=1),
        d.client.operate_ordered(d.key(key), [did(m.OPERATOR_READ, "y")]),
        d.operate(key, did(m.OPERATOR_DELETE)),
        d.client.exists(d.key(key)),
    ]
    return [d.typed(each) for each in seen]


@program
def batches_that_read(d: Driver) -> Any:
    c = d.client
    for at in range(4):
        d.put(at, {"i": at, "s": f"n{at}"})
    digest = d.get(3).key.digest
    keys = [*(d.key(at) for at in range(3)), d.key("none"), ("test", d.set, None, digest)]
    seen: list[Any] = []
    for handle in (
        c.batch_read(keys, None, PATIENT),
        c.batch_read(keys, ["i"]),
        c.batch_read(keys, []),
        c.batch_read([]),
    ):
        seen += [
            handle.to_dict(),
            handle.to_list(),
            len(handle),
            handle.found_count(),
            handle.all_user_keys(),
            list(handle),
            sorted(handle.keys(), key=str),
            dict(handle.items()),
            list(handle.values()),
            handle.get(0),
            handle.get("zz", 5),
            0 in handle,
            [
                (r.key, r.result, r.record and r.record[1:], r.in_doubt)
                for r in handle.batch_records
            ],
            [r.result for r in handle.iter_records()],
            d.module.LazyBatchRecords.merge_to_dict([handle, handle]),
            handle.release_cache(),
            d.fails(lambda handle=handle: handle["not there"]),
        ]
    filtered = c.batch_read(keys, None, {"filter_expression": _above(d, "i", 0)})
    seen.append([r.result for r in filtered.batch_records])
    seen += [d.fails(c.batch_read, tuple(keys)), d.fails(c.batch_read, ["x"])]
    seen.append(d.fails(c.batch_read, keys, "i"))
    return d.typed(seen)


def _above(d: Driver, name: str, number: int) -> Any:
    exp = d.module.exp
    return exp.gt(exp.int_bin(name), exp.int_val(number))


@program
def batches_that_write(d: Driver) -> Any:
    c, m = d.client, d.module
    keys = [d.key(at) for at in range(3)]
    lists = m.list_operations
    seen = [
        d.rows(c.batch_write([(key, {"w": 1, "l": [1]}) for key in keys], PATIENT)),
        d.rows(c.batch_write([(keys[0], {"w": 2}), (keys[1], {"w": 2}, {"gen": 77})])),
        d.rows(c.batch_write([(keys[0], {"w": 3})], {"exists": m.POLICY_EXISTS_CREATE_ONLY})),
        d.rows(c.batch_write([(keys[0], {"w": None, "x": 1})])),
        d.rows(c.batch_write([])),
        c.batch_write([(keys[0], {"w": 3}), (keys[1], {"w": 2}, {"gen": 77})], None, 3).retry,
        c.batch_write([(keys[0], {"w": 3})]).retry,
        d.rows(c.batch_write([(keys[1], {"w": 1})], {"filter_expression": _above(d, "w", 90)})),
        d.rows(
            c.batch_operate(
                [*keys, d.key("new")],
                [
                    {"op": m.OPERATOR_INCR, "bin": "w", "val": 1},
                    {"op": m.OPERATOR_READ, "bin": "w"},
                ],
            )
        ),
        d.rows(c.batch_operate([*keys, d.key("q")], [{"op": m.OPERATOR_READ, "bin": "w"}])),
        d.rows(c.batch_operate(keys, [lists.list_append("l", 2), lists.list_size("l")])),
        d.rows(c.batch_remove([keys[0], (keys[1], {"gen": 88}), d.key("none")])),
        c.batch_read([*keys, d.key("new")]).to_list(),
    ]
    failing = (
        [("a", {"b": 1})],
        [(keys[0], "x")],
        ((keys[0], {"a": 1}),),
        [(keys[0], {"b": 1}, 3)],
        [(keys[0], {"b": object()})],
        [[keys[0], {"b": 1}]],
        [(keys[0], {})],
        [(keys[0],)],
    )
    return d.typed(seen), [d.fails(c.batch_write, each) for each in failing]


@program
def queries_and_scans(d: Driver) -> Any:
    c, m = d.client, d.module
    for at in range(20):
        d.put(at, {"n": at, "s": f"s{at % 3}", "l": [at, at + 1]}, None, key=m.POLICY_KEY_SEND)
    c.index_integer_create("test", d.set, "n", f"{d.name}_n")
    c.index_string_create("test", d.set, "s", f"{d.name}_s")
    seen: list[Any] = []

    def results(*where: Any, select: tuple[str, ...] = (), **policy: Any) -> Any:
        query = c.query("test", d.set)
        for each in where:
            query.where(each)
        if select:
            query.select(*select)
        records = query.results({"total_timeout": 30_000, **policy})
        return sorted((d.typed(each) for each in records), key=repr)

    seen += [
        results(),
        results(select=("n",)),
        results(m.predicates.between("n", 3, 6)),
        results(m.predicates.equals("n", 4), select=("s",)),
        results(m.predicates.equals("s", "s1")),
        results(filter_expression=_above(d, "n", 15)),
        len(results(max_records=5)),
        results(partition_filter=m.partition_filter_all()),
        results(m.predicates.between("n", 3, 6), filter_expression=_above(d, "n", 4)),
        sum(
            len(results(partition_filter=m.partition_filter_by_range(begin, 2048)))
            for begin in (0, 2048)
        ),
    ]
    numbers: list[Any] = []

    def take(record: Any) -> Any:
        numbers.append(record.bins["n"])
        return len(numbers) < 3

    c.query("test", d.set).foreach(take)
    seen.append(len(numbers))
    query = c.query("test", d.set)
    seen += [
        d.fails(query.where, each)
        for each in (
            ("bogus",),
            ("bogus", "n", 1),
            ("between", "n", 1),
            m.predicates.equals("n", 1.5),
            m.predicates.between("n", "a", "b"),
            m.predicates.contains("n", 77, 1),
            m.predicates.equals("", 1),
        )
    ]
    seen += [
        d.fails(query.results, {"partition_filter": 3}),
        d.fails(m.partition_filter_by_id, 4096),
        d.fails(m.partition_filter_by_range, 4000, 1000),
        repr(m.partition_filter_by_range(1, 2)),
        c.index_integer_create("test", d.set, "n", f"{d.name}_n"),
        c.index_remove("test", f"{d.name}_n"),
        c.index_remove("test", f"{d.name}_n"),
        c.truncate("test", d.set),
    ]
    return seen


@program
def the_cluster(d: Driver) -> Any:
    c = d.client
    return [
        c.get_node_names() == [each.node_name for each in c.info_all("node")],
        d.typed(c.info_all("build")),
        c.info_random_node("build"),
        c.info_all("no-such-command")[0].response,
        c.info_random_node("no-such-command"),
        d.fails(c.info_all, 3),
        d.fails(c.truncate, "test", 3),
        d.fails(c.udf_put, "/not/there.lua"),
        c.udf_remove("no_such_module"),
    ]


@program
def states_of_a_client(d: Driver) -> Any:
    m = d.module
    client = m.client(d.config)
    seen = [
        client.is_connected(),
        client.ping(),
        d.fails(client.get, d.key(1)),
        d.fails(client.query, "test", "x"),
        d.fails(client.get_node_names),
        client.close(),
    ]
    with client.connect() as same:
        seen += [same is client, client.is_connected(), d.fails(client.connect)]
    seen += [client.is_connected(), d.fails(client.get, d.key(1)), client.close()]
    for config in ({}, {"hosts": []}, {"hosts": "a"}, {"hosts": [1]}, {"hosts": ["a:b"]}):
        seen.append(d.fails(lambda config=config: m.client(config).connect()))
    seen.append(d.fails(lambda: m.client({"hosts": [("127.0.0.1", 1)]}).connect()))
    seen.append(d.fails(lambda: m.client(d.config).connect("user")))
    return seen


@program
def asyncio_does_the_same(d: Driver) -> Any:
    m = d.module

    async def main(c: Any) -> Any:
        keys = [d.key(at) for at in range(30)]
        await asyncio.gather(*(c.put(key, {"n": key[2]}, None, PATIENT) for key in keys))
        records = await asyncio.gather(*(c.get(key, PATIENT) for key in keys))
        seen: list[Any] = [d.typed(each) for each in records]
        # These results are a matter of chance: `()` or `None`.
        await c.increment(keys[0], "n", 5)
        await c.append(keys[1], "t", "x")
        await c.touch(keys[1], 100)
        await c.remove(keys[2])
        seen += [
            await c.exists(d.key("none")),
            await c.select(keys[0], ["n"]),
            await c.operate(keys[0], [{"op": m.OPERATOR_READ, "bin": "n"}]),
            (await c.batch_read(keys, ["n"])).to_list(),
            [row.result for row in (await c.batch_remove(keys[20:])).batch_records],
            [row.result for row in (await c.batch_write([(keys[0], {"n": 1})])).batch_records],
            sorted(each.bins["n"] for each in await c.query("test", d.set).results()),
            await c.ping(),
            c.is_connected(),
            await c.info_random_node("build"),
        ]
        failing = c.get(d.key("none")), c.remove(d.key("none")), c.get("x"), c.put(keys[0], {})
        for error in await asyncio.gather(*failing, return_exceptions=True):
            seen.append([kind.__name__ for kind in type(error).__mro__])
        counted: list[int] = []
        await c.query("test", d.set).foreach(lambda record: counted.append(record.bins["n"]))
        return [d.typed(each) for each in seen], sorted(counted)

    return d.run(main)


@program
def empty_bin_names(d: Driver) -> Any:
    """Refused as the bins of a record, in expressions and in indexes; operations take them."""
    m, c, key = d.module, d.client, d.key("a")
    exp = m.exp
    d.put("a", {"x": 1})
    named = [{"op": m.OPERATOR_WRITE, "bin": "", "val": "t"}]
    checks = [exp.bin_exists(""), exp.eq(exp.int_bin(""), exp.int_val(1))]

    async def awaited(call: Any, *args: Any) -> Any:
        try:
            return await call(*args)
        except Exception as error:
            return type(error).__name__, str(error)

    async def on_a_loop() -> Any:
        async with m.AsyncClient(d.config) as client:
            await client.connect()
            return [
                await awaited(client.put, key, {"": 1}),
                await awaited(client.batch_write, [(key, {"": 1})]),
                await awaited(client.batch_write, [(key, {"": 1}, {"ttl": 100})]),
            ]

    def outcome(call: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except Exception as error:
            return type(error).__name__, str(error)

    return [
        outcome(c.put, key, {"": 1}),
        outcome(c.put, key, {"x": 2, "": None}),
        outcome(c.put, key, {"": 1}, {"ttl": 100}),
        outcome(c.put, key, {"": 1}, policy={"key": m.POLICY_KEY_SEND}),
        outcome(c.batch_write, [(key, {"x": 2}), (key, {"": 1})]),
        outcome(c.batch_write, [(d.key(b"b"), {"": 1})]),
        outcome(c.batch_write, [(key, {"": 1}, {"ttl": 100})]),
        asyncio.run(on_a_loop()),
        [outcome(c.get, key, policy={"filter_expression": each}) for each in checks],
        d.fails(c.index_integer_create, "test", d.set, "", "none"),
        d.typed(c.get(key)),
        d.typed(c.operate(key, named)),
        c.append(key, "", "u"),
        d.typed(c.get(key)),
        c.remove_bin(key, [""]),
        d.typed(c.get(key)),
    ]
