"""Batches, queries, scans, indexes, modules and info: the same with both clients."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat.side_by_side import Programs

if TYPE_CHECKING:
    from compat.aerospike_drivers import Driver

program: Programs[Driver] = Programs("drivers")
test_both_see_the_same = program.test()


def rows(d: Driver, batch: Any) -> Any:
    return batch.result, [
        (
            type(row).__name__,
            len(row.key),
            row.key[2],
            d.typed(row.record),
            row.result,
            row.in_doubt,
        )
        for row in batch.batch_records
    ]


@program
def batches(d: Driver) -> Any:
    c, ops = d.client, d.helper("operations.operations")
    lists = d.helper("operations.list_operations")
    keys = [d.key(at) for at in range(4)]
    for key in keys[:3]:
        c.put(key, {"n": key[2], "l": [1]})
    return [
        rows(d, c.batch_read(keys)),
        rows(d, c.batch_read(keys, ["n"])),
        rows(d, c.batch_read(keys, [])),
        rows(d, c.batch_read([])),
        rows(d, c.batch_operate(keys, [ops.increment("n", 1), ops.read("n")])),
        rows(d, c.batch_operate(keys, [ops.read("n")])),
        rows(d, c.batch_operate(keys[:2], [lists.list_append("l", 2), lists.list_size("l")])),
        rows(d, c.batch_remove([*keys[2:], d.key("none")])),
        d.fails(c.batch_read, "x"),
        d.fails(c.batch_read, [1]),
        d.fails(c.batch_operate, keys, []),
        d.fails(c.batch_remove, "x"),
    ]


@program
def batches_of_rows(d: Driver) -> Any:
    c, m, ops = d.client, d.module, d.helper("operations.operations")
    records = d.helper("batch.records")
    key = d.key(1)
    c.put(key, {"n": 1, "m": 2})
    batch = records.BatchRecords(
        [
            records.Read(key, [ops.read("n")]),
            records.Read(key, None, read_all_bins=True),
            records.Read(d.key("none"), [ops.read("n")]),
            records.Write(d.key(2), [ops.write("z", 1)], {"ttl": 1000}),
            records.Write(key, [ops.write("z", 1)], {"gen": 9}, {"gen": m.POLICY_GEN_EQ}),
            records.Write(key, [ops.increment("n", 5), ops.read("n")]),
            records.Remove(d.key("none")),
            records.Remove(d.key(2)),
        ]
    )
    same = c.batch_write(batch) is batch
    return [same, rows(d, batch), d.typed(c.get(key)), d.fails(c.batch_write, "x")]


@program
def plain_rows_beside_odd_ones(d: Driver) -> Any:
    """Rows that are used as they are, and those that need conversion."""
    c, m, ops = d.client, d.module, d.helper("operations.operations")
    lists = d.helper("operations.list_operations")
    records = d.helper("batch.records")

    def write(key: Any, *operations: Any, **named: Any) -> Any:
        return records.Write(key, list(operations), **named)

    point = m.GeoJSON({"type": "Point", "coordinates": [1.0, 2.0]})
    batch = records.BatchRecords(
        [
            write(d.key(1), ops.write("a", 1), ops.write("b", "x"), ops.write("c", b"y")),
            write(d.key(b"two"), ops.write("a", [1, {"m": [None, 2.5]}])),
            write(("test", None, "three"), ops.write("a", 3), ops.read("a")),
            write(d.key("four"), ops.write("a", point), ops.write("l", [point, {"p": point}])),
            write(d.key(1), ops.increment("a", 2), ops.append("b", "z"), ops.prepend("c", b"w")),
            write(d.key(1), ops.write("b", m.null())),
            write(d.key(1), lists.list_append("n", 1), ops.read("n")),
            write(d.key(1), ops.increment("b", 2), policy={"exists": m.POLICY_EXISTS_CREATE}),
            write(d.key(1), ops.write("a", 9), meta={"ttl": 90}),
            write(d.key(5), ops.write("a", 5), ops.touch()),
            records.Read(d.key(1), None, read_all_bins=True),
            records.Remove(d.key(5)),
        ]
    )
    c.batch_write(batch)
    keys = [d.key(1), d.key(bytearray(b"two")), ("test", None, "three"), d.key("four"), d.key(5)]
    read = [rows(d, c.batch_read(keys)), rows(d, c.batch_read(keys, ["a"]))]
    digest = batch.batch_records[0].record[0][3]
    return [
        rows(d, batch),
        read,
        rows(d, c.batch_read([d.key(1), ("test", d.set, None, digest)], ["a"])),
        rows(d, c.batch_operate(keys, [ops.read("a"), ops.read("l")])),
        rows(d, c.batch_remove(keys)),
    ]


@program
def rows_alike_share_nothing(d: Driver) -> Any:
    """Neither changes of one row by a program nor an earlier batch's results appear in another
    row."""
    c, m, ops = d.client, d.module, d.helper("operations.operations")
    records = d.helper("batch.records")
    keys = [d.key(at) for at in range(4)]
    for at, key in enumerate(keys):
        for _ in range(1 + at // 2):
            c.put(key, {"n": at}, {"ttl": 1000 if at % 2 else m.TTL_NEVER_EXPIRE})

    def changed(batch: Any) -> Any:
        first = batch.batch_records[0].record
        first[1]["gen"] = first[1]["ttl"] = 77
        first[2].clear()
        metas = [row.record[1] for row in batch.batch_records]
        return rows(d, batch), [(meta["gen"], meta["ttl"] > 1000) for meta in metas]

    def written(key: Any, *names: str) -> Any:
        return records.Write(key, [ops.write(name, 1) for name in names])

    alike = [written(key, "a", "b") for key in keys]
    others = [written(keys[0], "b", "a"), written(keys[1], "a"), written(keys[2], "a", "a")]
    reads = [records.Write(keys[3], [ops.write("a", at), ops.read("n")]) for at in range(2)]
    batch = records.BatchRecords([*alike, *others, *reads, written(keys[0], "a", "b")])
    c.batch_write(batch)
    fails = records.Write(keys[0], [ops.write("a", 1)], {"gen": 99}, {"gen": m.POLICY_GEN_EQ})
    again = records.BatchRecords([fails])
    c.batch_write(again)
    failed = again.result, fails.result
    fails.meta = fails.policy = None
    c.batch_write(again)
    return [
        changed(c.batch_read(keys)),
        changed(c.batch_operate(keys, [ops.increment("n", 1), ops.read("n")])),
        changed(batch),
        failed,
        (again.result, fails.result, len(fails.record)),
    ]


@program
def rows_that_are_rejected(d: Driver) -> Any:
    c, ops = d.client, d.helper("operations.operations")
    records = d.helper("batch.records")
    good = records.Write(d.key("good"), [ops.write("a", 1)])

    def outcome(key: Any, *operations: Any) -> Any:
        batch = records.BatchRecords([good, records.Write(key, list(operations))])
        return d.fails(c.batch_write, batch)[0]

    return [
        outcome(d.key(1 << 63), ops.write("a", 1)),
        outcome(d.key(1.5), ops.write("a", 1)),
        outcome(d.key(None), ops.write("a", 1)),
        outcome(d.key("k"), ops.write("a", 1 << 64)),
        outcome(d.key("k"), ops.write(1, 1)),
        d.fails(c.batch_read, [d.key("good"), d.key(1 << 63)])[0],
        d.fails(c.batch_read, [d.key("good"), d.key(1.5)])[0],
        d.fails(c.batch_read, [d.key("good"), list(d.key("good"))])[0],
        d.fails(c.exists, d.key("good"))[0],
    ]


@program
def scans_and_queries(d: Driver) -> Any:
    c, m = d.client, d.module
    for at in range(20):
        c.put(d.key(at), {"n": at, "s": f"v{at % 3}", "l": [at]}, policy={"key": 1})
    for name, make, bin_ in (
        ("n", c.index_integer_create, "n"),
        ("s", c.index_string_create, "s"),
    ):
        assert make("test", d.set, bin_, f"{d.name}_{name}") == 0
    c.index_list_create("test", d.set, "l", m.INDEX_NUMERIC, f"{d.name}_l")

    def results(query: Any, *args: Any) -> Any:
        return sorted((d.typed(each) for each in query.results(*args)), key=repr)

    def query_of(*predicate: Any, bins: tuple[str, ...] = ()) -> Any:
        query = c.query("test", d.set)
        if predicate:
            query.where(*predicate)
        if bins:
            query.select(*bins)
        return query

    p = m.predicates
    called: list[int] = []

    def until_three(record: Any) -> Any:
        called.append(len(record))
        return None if len(called) < 3 else False

    query_of().foreach(until_three)
    paged = c.query("test", d.set)
    paged.max_records = 15
    paged.paginate()
    pages = [len(paged.results()), paged.is_done(), len(paged.results()), paged.is_done()]
    return [
        results(c.scan("test", d.set)),
        results(query_of(p.between("n", 5, 8))),
        results(query_of(p.equals("s", "v1"), bins=("n",))),
        results(query_of(p.contains("l", m.INDEX_TYPE_LIST, 7))),
        results(query_of(p.range("l", m.INDEX_TYPE_LIST, 3, 4))),
        results(query_of(), {"partition_filter": {"begin": 0, "count": 4096}}),
        len(query_of().results({"partition_filter": {"begin": 0, "count": 4096}})),
        called,
        pages,
        query_of().get_partitions_status(),
        d.fails(query_of(p.equals("none", 1)).results),
        d.fails(c.query("nope", d.set).results),
        d.fails(query_of().where, "x"),
        d.fails(query_of().select, 1),
        d.fails(query_of().foreach, 1),
        d.fails(query_of().foreach, lambda record: 1 / 0),  # noqa: ARG005
        [c.index_remove("test", f"{d.name}_{each}") for each in ("n", "s", "l", "none")],
    ]


@program
def modules_and_jobs(d: Driver) -> Any:
    c, name = d.client, f"{d.name}mod"
    key = d.key("u")
    c.put(key, {"n": 1})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.lua"
        path.write_text("function f(r, a) r['n'] = a; aerospike:update(r); return a + 1 end\n")
        written = c.udf_put(str(path))
    # The original keeps a copy in the working directory of the process.
    Path(f"{name}.lua").unlink(missing_ok=True)
    seen = [
        written,
        c.apply(key, name, "f", [5]),
        d.typed(c.get(key)),
        sorted(c.udf_list()[0]),
        c.udf_get(f"{name}.lua"),
        rows(d, c.batch_apply([key], name, "f", [7])),
        rows(d, c.batch_apply([key], "none", "f", [7])),
        d.fails(c.apply, key, "none", "f", []),
        d.fails(c.apply, key, name, "f", "x"),
        d.fails(c.udf_put, "no_such_file.lua"),
        d.fails(c.udf_get, "none.lua"),
        d.fails(c.udf_put, 1),
        d.fails(c.udf_remove, "none.lua"),
    ]
    job = c.scan_apply("test", d.set, name, "f", [9])
    while c.job_info(job, d.module.JOB_SCAN)["status"] == d.module.JOB_STATUS_INPROGRESS:
        pass
    query = c.query("test", d.set)
    query.add_ops([d.helper("operations.operations").write("bg", 1)])
    job = query.execute_background()
    while c.job_info(job, d.module.JOB_QUERY)["status"] == d.module.JOB_STATUS_INPROGRESS:
        pass
    # Nodes that do not know the set have nothing to do.
    nowhere = c.query("test", f"{d.set}_none")
    nowhere.add_ops([d.helper("operations.operations").write("bg", 1)])
    jobs = [c.scan_apply("test", f"{d.set}_none", name, "f", [9]), nowhere.execute_background()]
    seen.append([c.job_info(done, d.module.JOB_QUERY)["status"] for done in jobs])
    seen.append(d.typed(c.get(key)[2]))
    seen.append(sorted(c.job_info(job, d.module.JOB_QUERY)))
    seen.append(d.fails(c.job_info, job, "x"))
    seen.append(c.udf_remove(f"{name}.lua"))
    return seen


@program
def nodes_and_info(d: Driver) -> Any:
    c = d.client
    name = c.get_node_names()[0]["node_name"]
    return [
        c.get_nodes(),
        c.get_node_names(),
        c.info_all("build"),
        c.info_random_node("build"),
        c.info_single_node("build", name),
        d.fails(c.info_single_node, "build", "none"),
        c.get_key_partition_id("test", "demo", "a"),
        c.truncate("test", d.set, 0),
        d.fails(c.truncate, "test", d.set, "x"),
        d.fails(c.truncate, 1, d.set, 0),
        c.shm_key(),
    ]


@program
def closed_clients(d: Driver) -> Any:
    c = d.module.client(d.config).connect()
    c.close()
    key = d.key(1)
    return [
        c.is_connected(),
        *(
            d.fails(*each)
            for each in (
                (c.get, key),
                (c.put, key, {"a": 1}),
                (c.exists, key),
                (c.remove, key),
                (c.batch_read, [key]),
                (c.close,),
            )
        ),
    ]


@program
def rows_with_much_in_common(d: Driver) -> Any:
    """What follows from a policy or from choices is remembered from row to row: rows that differ
    in one of them, and such with the same after a change, are told apart."""
    c, m, ops = d.client, d.module, d.helper("operations.operations")
    maps, lists = d.helper("operations.map_operations"), d.helper("operations.list_operations")
    records = d.helper("batch.records")
    policies: list[Any] = [
        None, {}, {"map_order": m.MAP_KEY_ORDERED}, {"map_order": m.MAP_UNORDERED},
        {"map_write_flags": m.MAP_WRITE_FLAGS_CREATE_ONLY},
        {"map_write_flags": m.MAP_WRITE_FLAGS_CREATE_ONLY | m.MAP_WRITE_FLAGS_NO_FAIL},
        {"map_order": m.MAP_KEY_ORDERED, "persist_index": True},
    ]  # fmt: skip
    seen = []
    for turn in range(2):
        for at, policy in enumerate(policies):
            key = d.key(f"row{at}")
            batch = records.BatchRecords(
                [
                    records.Write(
                        key,
                        [
                            maps.map_put_items("m", {"a": {"b": turn}}, policy),
                            maps.map_put("m", "c", turn, policy),
                            lists.list_append("l", turn, {"write_flags": at % 2}),
                            ops.write("n", turn),
                        ],
                        policy={"exists": m.POLICY_EXISTS_IGNORE, "ttl": 1000 + at},
                    ),
                    records.Write(key, [ops.write("x", 1)], {"gen": 1}, {"gen": m.POLICY_GEN_EQ}),
                    records.Write(key, [ops.write("y", 1)], {"gen": 1 + at}, {"gen": at % 2}),
                    records.Read(key, [maps.map_get_by_key("m", "c", m.MAP_RETURN_VALUE)]),
                    records.Read(key, [maps.map_get_by_key("m", "c", m.MAP_RETURN_INDEX)]),
                    records.Read(key, [lists.list_get_range("l", -2, 2), ops.read("n")]),
                ]
            )
            seen.append(rows(d, c.batch_write(batch)))
    policy = {"exists": m.POLICY_EXISTS_CREATE}
    first, second = (records.Write(d.key("same"), [ops.write("n", 1)], None, policy) for _ in "ab")
    seen.append(rows(d, c.batch_write(records.BatchRecords([first]))))
    policy["exists"] = m.POLICY_EXISTS_UPDATE
    seen.append(rows(d, c.batch_write(records.BatchRecords([second]))))
    return seen


@program
def choices_that_are_wrong_behind_right_ones(d: Driver) -> Any:
    """Remembered choices do not make up for what is missing or wrong."""
    c, m = d.client, d.module
    maps, lists = d.helper("operations.map_operations"), d.helper("operations.list_operations")
    key = d.key(1)
    c.put(key, {"m": {"a": 1}, "l": [3, 1, 2]})
    operation = maps.map_get_by_key("m", "a", m.MAP_RETURN_VALUE)
    put = maps.map_put("m", "b", 1, {"map_order": 1, "persist_index": False})
    popped = lists.list_get("l", 0)
    calls = [
        operation, operation | {"return_type": "x"}, operation | {"return_type": []},
        {name: value for name, value in operation.items() if name != "key"},
        put, put | {"map_policy": {"map_order": 1, "persist_index": 0}},
        put | {"map_policy": 7}, {name: value for name, value in put.items() if name != "val"},
        popped, popped | {"index": "x"},
        {name: value for name, value in popped.items() if name != "index"},
    ]  # fmt: skip
    return [d.fails(c.operate, key, [each])[:1] for each in [*calls, *calls]]
