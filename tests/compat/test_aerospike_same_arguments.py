"""Keys, policies, configurations and wrong arguments: the same messages and results with both."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from compat.side_by_side import Programs

if TYPE_CHECKING:
    from compat.aerospike_drivers import Driver

program: Programs[Driver] = Programs("drivers")
test_both_see_the_same = program.test()


@program
def wrong_calls(d: Driver) -> Any:
    c = d.client
    return [
        d.outcome(c.get),
        d.outcome(c.get, 1, 2, 3),
        d.outcome(c.put, ("test", "s", 1)),
        d.outcome(c.put, ("test", "s", 1), {"a": 1}, None, None, None, None),
        d.outcome(c.get, nothing=1),
        d.outcome(c.remove, ("test", "s", 1), key=1),
        d.outcome(c.apply, ("test", "s", 1), "m", "f"),
        d.outcome(c.operate, ("test", "s", 1)),
        d.outcome(c.increment),
        d.outcome(c.info_all),
        d.outcome(d.module.calc_digest, "test"),
        d.outcome(d.module.calc_digest, 1, "s", 1)[:1],
        d.outcome(c.job_info, "x")[0],
        d.outcome(c.udf_put, "x.lua", "0")[0],
    ]


@program
def keys(d: Driver) -> Any:
    c = d.client
    named = {"ns": "test", "set": d.set, "key": "k"}
    wrong: tuple[Any, ...] = (
        None, 1, "x", [], (), ("test",), ("test", "s"), (None, "s", 1), (1, "s", 1), ("test", 2, 1),
        ("test", "s", None), ("test", "s", 1.5), ("test", "s", []),
        ("test", "s", None, 7), ("test", "s", None, bytearray(3)), ("test", "s", 2**63), {},
        {"ns": "test"}, {"ns": "test", "set": "s"},
    )  # fmt: skip
    return [
        d.outcome(c.put, named, {"a": 1}),
        d.outcome(c.get, named),
        d.outcome(c.get, d.key("k")),
        d.outcome(
            c.get, {**named, "key": None, "digest": d.module.calc_digest("test", d.set, "k")}
        ),
        d.outcome(c.exists, named),
        *(d.outcome(c.get, each) for each in wrong),
        *(d.outcome(c.put, each, {"a": 1}) for each in wrong),
        d.outcome(c.batch_read, [named])[0],
        d.outcome(c.remove, named),
    ]


@program
def texts_of_refusals(d: Driver) -> Any:
    c, key = d.client, d.key(1)
    missing = [d.outcome(c.get, key), d.outcome(c.touch, key), d.outcome(c.remove, key)[:2]]
    c.put(key, {"a": 1, "s": "x"})
    return [
        *missing,
        d.outcome(c.append, key, "a", "x"),
        d.outcome(c.put, key, {"a": 1}, {"gen": 9}, {"gen": d.module.POLICY_GEN_EQ}),
        d.outcome(c.put, key, {"a": 1}, None, {"exists": d.module.POLICY_EXISTS_CREATE}),
        d.outcome(c.put, key, {"a" * 16: 1}),
        d.outcome(c.put, key, {"a": 2**64}),
        d.outcome(c.put, key, {"a": 1}, {"ttl": 2**64}),
        d.outcome(c.put, key, {"a": 1}, "meta"),
        d.outcome(c.put, key, {"a": 1}, {"gen": True, "ttl": True}),
        d.outcome(c.put, key, {"a": d.module.CDTInfinite()}),
        d.outcome(c.put, key, {"a": d.module.CDTWildcard()}),
        d.outcome(c.batch_read, [key], 1),
        d.outcome(c.batch_read, [key], [1]),
        d.outcome(c.truncate, "test", "s", -1),
        d.outcome(c.truncate, "test", "s", 2**64),
        d.outcome(c.udf_put, "/"),
        d.outcome(c.index_single_value_create, "test", "s", "b", 1, None),
        d.outcome(c.get_cdtctx_base64, []),
    ]


@program
def policies_of_other_commands(d: Driver) -> Any:
    """One dictionary for every command: each uses the entries that it knows."""
    c, key = d.client, d.key(1)
    every = {
        "total_timeout": 30_000, "max_retries": 1, "sleep_between_retries": 2, "exists": 2,
        "gen": d.module.POLICY_GEN_IGNORE, "generation": 7, "key": 1, "replica": 1, "ttl": 100,
        "read_mode_ap": 1, "read_mode_sc": 1, "read_touch_ttl_percent": 0, "durable_delete": False,
        "max_records": 5, "records_per_second": 1000, "no such name": "x",
    }  # fmt: skip
    c.put(key, {"a": 1})
    steps = d.helper("operations.operations")
    return [
        d.fails(c.put, key, {"a": 2}, None, every),
        d.fails(lambda: c.get(key, every)[2]),
        d.fails(c.get, key, every | {"read_touch_ttl_percent": 5}),  # of the Enterprise Edition
        d.fails(lambda: c.select(key, ["a"], every)[2]),
        d.fails(lambda: c.exists(key, every)[1]["gen"]),
        d.fails(c.append, key, "s", "x", None, every),
        d.fails(c.increment, key, "a", 3, None, every),
        d.fails(lambda: c.operate(key, [steps.read("a")], None, every)[2]),
        d.fails(lambda: c.batch_read([key], policy=every).batch_records[0].record[2]),
        d.fails(lambda: [row[2] for row in c.query("test", d.set).results(every)]),
        d.fails(lambda: [row[2] for row in c.scan("test", d.set).results(every)]),
        d.fails(c.remove_bin, key, ["s"], None, every),
        d.fails(c.touch, key, 0, None, every),
        d.fails(c.remove, key, None, every),
    ]


@program
def numbers_that_are_no_constants(d: Driver) -> Any:
    """They count as the default."""
    c, key = d.client, d.key(1)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        seen = [
            d.fails(c.put, key, {"a": 1}, {"gen": 7}, {"gen": 5}),
            d.fails(c.put, key, {"a": 1}, None, {"exists": 99}),
            *(
                d.fails(lambda name=name: c.get(key, {name: 77})[2])
                for name in ("replica", "read_mode_sc", "exists", "key")
            ),
            d.fails(c.remove, d.key("none"), {"gen": 7}, {"gen": 9}),
        ]
    if d.name == "ours":
        texts = [str(each.message) for each in warned if each.category is not DeprecationWarning]
        assert len(texts) == 5
        assert all("has no effect" in text for text in texts)
    return seen


@program
def clients_that_are_closed(d: Driver) -> Any:
    c, key = d.module.client(d.config).connect(), d.key(1)
    open_ones = [
        len(c.get_nodes("x")), len(c.get_node_names(1, a=2)), c.is_connected(3),
    ]  # fmt: skip
    c.close()
    calls = (
        (c.get, key), (c.put, key, {"a": 1}), (c.select, key, ["a"]), (c.exists, key),
        (c.remove, key), (c.touch, key), (c.batch_read, [key]), (c.get_nodes,), (c.get_nodes, "x"),
        (c.get_node_names,), (c.is_connected, 1), (c.info_all, "build"),
        (c.info_random_node, "build"), (c.info_single_node, "build", "x"), (c.udf_list,),
        (c.truncate, "test", "x", 0), (c.get_key_partition_id, *key), (c.job_info, 1, "scan"),
        (c.index_remove, "test", "x"), (c.scan_apply, "test", d.set, "m", "f", []),
    )  # fmt: skip
    return open_ones + [d.outcome(*each) for each in calls]


@program
def validated_names(d: Driver) -> Any:
    client = d.module.client({**d.config, "validate_keys": True}).connect()
    key, odd = d.key(1), {"a": 1}
    lists, maps = (d.helper(f"operations.{name}_operations") for name in ("list", "map"))
    operations = d.helper("operations.operations")
    try:
        return [
            d.outcome(client.get, key, odd),
            d.outcome(client.put, key, {"a": 1}, odd),
            d.outcome(client.put, key, {"a": 1}, None, odd),
            d.outcome(client.remove, key, odd)[0],
            d.outcome(client.operate, key, [operations.read("a")], None, odd),
            d.outcome(client.operate, key, [lists.list_append("l", 1, odd)]),
            d.outcome(client.operate, key, [maps.map_put("m", 1, 1, odd)]),
            d.outcome(client.batch_read, [key], None, odd),
            d.outcome(client.batch_remove, [key], None, odd),
            d.outcome(client.query("test").results, odd),
            d.outcome(client.scan("test").results, odd),
            d.outcome(client.info_all, "build", odd),
            *(
                d.outcome(d.module.client, {**d.config, "validate_keys": True, **more})
                for more in (
                    odd,
                    {"lua": odd},
                    {"policies": odd},
                    {"policies": {"read": odd}},
                    {"policies": {"txn_roll": odd}},
                )
            ),
            d.outcome(d.module.client, {**d.config, "validate_keys": "yes"}),
        ]
    finally:
        client.close()


@program
def configurations(d: Driver) -> Any:
    hosts = d.config["hosts"]
    outcomes = []
    for more in (
        {"policies": {"read": {"max_retries": "x"}}},
        {"policies": {"read": {"compress": 0.2}}},
        {"policies": {"batch_remove": {"generation": 2**16}}},
        {"policies": {"batch_remove": {"generation": -1}}},
        {"policies": {"metrics": 1}},
        {"policies": {"auth_mode": 17}},
        {"serialization": (5, None)},
        {"compression_threshold": -1},
        {"lua": {"user_path": "a" * 256}},
        {"hosts": [("127.0.0.1", "3000")]},
        {"hosts": [3000]},
        {"rack_id": "x"},
    ):
        settings = {"hosts": hosts, **more}
        outcomes.append(d.outcome(d.module.client, settings)[:2])
    common = d.module.client({"hosts": hosts, "policies": {"key": d.module.POLICY_KEY_SEND}})
    common.put(d.key("k"), {"a": 1})
    outcomes.append(d.typed(common.get(d.key("k"))))
    outcomes.append(d.outcome(d.module.client))
    common.close()
    return outcomes


@program
def loose_types(d: Driver) -> Any:
    loose = d.module.client({**d.config, "strict_types": False}).connect()
    m, outcomes = d.module, []
    for at, steps in enumerate(
        (
            [{"op": m.OPERATOR_PREPEND, "bin": "b", "val": 4}],
            [{"op": m.OPERATOR_APPEND, "bin": "b", "val": {"a": 1}}],
            [{"op": m.OPERATOR_INCR, "bin": "b", "val": "x"}],
            [
                {"op": m.OPERATOR_INCR, "bin": "a" * 20, "val": 3},
                {"op": m.OPERATOR_READ, "bin": "b"},
            ],
            [{"op": 999, "bin": "b", "val": 3}, {"op": m.OPERATOR_READ, "bin": "b"}],
        )
    ):
        loose.put(d.key(at), {"n": 1})
        outcomes.append(d.fails(loose.operate, d.key(at), steps))
        outcomes.append(d.typed(loose.get(d.key(at))))
        outcomes.append(d.fails(d.client.operate, d.key(at), steps))
        existing = [{**each, "bin": "n"} for each in steps[:1]]
        outcomes.append(d.fails(loose.operate, d.key(at), existing))
        outcomes.append(d.typed(loose.get(d.key(at))[2]))
        outcomes.append(d.fails(loose.operate_ordered, d.key(f"new {at}"), steps))
    loose.close()
    return outcomes


@program
def serializers_everywhere(d: Driver) -> Any:
    c = d.module.client({**d.config, "serialization": (json.dumps, json.loads)}).connect()
    steps, exp = d.helper("operations.operations"), d.helper("expressions")
    key, outcomes = d.key(1), []
    c.operate(key, [steps.write("t", (1, 2)), steps.write("l", [(3,), "x"])])
    outcomes.append(d.typed(c.get(key)))
    outcomes.append(d.typed(c.operate(key, [steps.read("t"), steps.read("l")])))
    outcomes.append(d.typed(d.client.get(key)))
    same = exp.Eq(exp.BlobBin("t"), (1, 2)).compile()
    outcomes.append(d.fails(c.get, key, {"expressions": same}))
    outcomes.append(d.fails(d.client.get, key, {"expressions": same}))
    outcomes.append(d.fails(c.put, key, {"t": (1,)}, serializer=d.module.SERIALIZER_NONE))
    outcomes.append(d.fails(d.client.put, key, {"t": (1,)}, serializer=d.module.SERIALIZER_USER))
    c.close()
    return outcomes


@program
def bools_as_integers(d: Driver) -> Any:
    c = d.module.client({**d.config, "send_bool_as": d.module.INTEGER}).connect()
    steps = d.helper("operations.operations")
    c.put(d.key(1), {"a": True, "l": [False, {"x": True}]})
    c.operate(d.key(1), [steps.write("b", False)])
    record = d.typed(c.get(d.key(1)))
    c.close()
    return record


@program
def values_that_are_no_list(d: Driver) -> Any:
    lists, maps = (d.helper(f"operations.{of}_operations") for of in ("list", "map"))
    d.client.put(d.key(1), {"l": [1, 2], "m": {"a": 1}})
    many = [
        ("l", lists.list_get_by_value_list), ("l", lists.list_remove_by_value_list),
        ("m", maps.map_get_by_value_list), ("m", maps.map_remove_by_value_list),
        ("m", maps.map_get_by_key_list), ("m", maps.map_remove_by_key_list),
    ]  # fmt: skip
    outcomes = []
    for wrong in ("text", b"bytes", 7, 1.5, None, {"a": 1}):
        for bin_name, operation in many:
            outcomes.append(d.fails(d.client.operate, d.key(1), [operation(bin_name, wrong, 0)]))
        for operation in (lists.list_append_items, lists.list_insert_items):
            args = ("l", wrong) if operation is lists.list_append_items else ("l", 0, wrong)
            outcomes.append(d.outcome(d.client.operate, d.key(1), [operation(*args)]))
        if not isinstance(wrong, dict):
            outcomes.append(d.fails(d.client.operate, d.key(1), [maps.map_put_items("m", wrong)]))
    return outcomes


@program
def expressions_that_are_too_large(d: Driver) -> Any:
    base = d.helper("expressions.base")
    d.client.put(d.key(1), {"s": "x"})
    large = base.Eq(base.StrBin("s"), "x" * (1 << 20)).compile()
    return [
        d.fails(d.client.get, d.key(1), {"expressions": large}),
        d.fails(d.client.put, d.key(1), {"s": "y"}, policy={"expressions": large}),
        d.fails(d.client.query("test", d.set).results, {"expressions": large}),
        [batch_of(d, count, large) for count in (1, 3)],
        [batch_of(d, count, base.Eq(base.StrBin("s"), 5).compile()) for count in (1, 3)],
    ]


def batch_of(d: Driver, count: int, expression: Any) -> Any:
    keys = [d.key(number) for number in range(count)]
    batch = d.client.batch_read(keys, policy={"expressions": expression})
    return batch.result, [row.result for row in batch.batch_records]


@program
def deprecations(d: Driver) -> Any:
    """The same warnings, not about lines of the drop-in."""
    c, m, key = d.client, d.module, d.key("a")
    ops, bits = d.helper("operations.operations"), d.helper("operations.bitwise_operations")
    records, ctx = d.helper("batch.records"), d.helper("cdt_ctx")
    ttl = {"ttl": 1000}
    c.put(key, {"n": 1, "b": b"b"})

    def warned(call: Any, *args: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            d.fails(call, *args)
        warned = [each for each in caught if each.category is DeprecationWarning]
        assert not any("spikewire/compat" in each.filename for each in warned)
        return [str(each.message) for each in warned]

    created = [
        warned(getattr(c, f"index_{kind}_create"), "test", d.set, kind, f"{d.set}_{kind}"[-60:])
        for kind in ("integer", "string", "blob", "geo2dsphere")
    ]
    path = [ctx.cdt_ctx_list_index(0)]
    nested = warned(
        c.index_cdt_create, "test", d.set, "l", m.INDEX_TYPE_LIST, m.INDEX_NUMERIC,
        f"{d.set}_nested"[-60:], path,
    )  # fmt: skip
    rows = [records.Write(key, [ops.write("n", 1)], ttl)]
    return [
        created,
        nested,
        warned(c.put, key, {"n": 1}, ttl),
        warned(c.put, key, {"n": 1}, {"gen": 1}),
        warned(c.put, key, {"n": 1}, {}, {"ttl": 1000}),
        warned(c.touch, key, 0, ttl),
        warned(c.append, key, "b", b"b", ttl),
        warned(c.prepend, key, "b", b"b", ttl),
        warned(c.increment, key, "n", 1, ttl),
        warned(c.operate, key, [ops.read("n")], ttl),
        warned(c.operate_ordered, key, [ops.read("n")], ttl),
        warned(c.remove_bin, key, ["x"], ttl),
        warned(c.batch_write, records.BatchRecords(rows)),
        warned(c.remove, key, {"gen": 9}),
        warned(c.remove, key),
        warned(ops.touch, 100),
        warned(ops.touch),
        warned(bits.bit_insert, "b", 0, 1, b"b"),
        warned(bits.bit_xor, "b", 0, 8, 1, b"b"),
        warned(bits.bit_get, "b", 0, 8),
    ]
