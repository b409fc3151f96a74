"""Features of the C client only: mixed batches, a policy per row, several namespaces."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from box import PROGRAM, ROOT, c_client
from contract import BIN_TYPE, EXISTS, GENERATION, NOT_FOUND, PARAMETER, Key

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
from aerospike_helpers.batch.records import (  # noqa: E402
    BatchRecords,
    Read,
    Remove,
    Write,
)
from aerospike_helpers.operations import operations as make  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

FAILED = -16


def connected(seeds: str) -> Any:
    return c_client(seeds)


@pytest.fixture
def client(box: Any) -> Iterator[Any]:
    client = connected(box.seeds)
    yield client
    client.close()


def key(set_name: str, user_key: Any) -> Key:
    return ("test", set_name, user_key)


def run(client: Any, rows: list[Any], policy: dict[str, Any] | None = None) -> list[int]:
    batch = BatchRecords(rows)
    client.batch_write(batch, policy)
    return [row.result for row in rows]


def bins(row: Any) -> Any:
    return row.record[2]


def test_one_batch_has_rows_of_all_kinds(client: Any, set_name: str) -> None:
    keys = [key(set_name, i) for i in range(8)]
    for i in keys[:6]:
        client.put(i, {"a": 1, "b": 2})
    chosen = [make.read("b")]
    rows = [
        Read(keys[0], None, read_all_bins=True),
        Read(keys[1], chosen),
        Write(keys[2], [make.increment("a", 4), make.read("a")]),
        Write(keys[3], [make.append("s", "x"), make.touch(100)]),
        Remove(keys[4]),
        Read(keys[6], chosen),
        Remove(keys[6]),
        Write(keys[7], [make.write("new", 1)]),
        Read(keys[5], [make.read("a"), make.read("none")]),
    ]
    assert run(client, rows) == [0, 0, 0, 0, 0, NOT_FOUND, NOT_FOUND, 0, 0]
    assert bins(rows[0]) == {"a": 1, "b": 2}
    assert bins(rows[1]) == {"b": 2}
    assert bins(rows[2])["a"] == 5
    assert rows[3].record[1]["gen"] == 2
    assert bins(rows[8]) == {"a": 1}
    rows = client.batch_read(keys, []).batch_records
    assert [row.result for row in rows] == [0, 0, 0, 0, NOT_FOUND, 0, NOT_FOUND, 0]
    assert client.get(keys[3])[2] == {"a": 1, "b": 2, "s": "x"}
    assert 40 <= client.get(keys[3])[1]["ttl"] <= 100


def test_each_row_has_its_own_policy(client: Any, set_name: str) -> None:
    keys = [key(set_name, i) for i in range(9)]
    for i in keys[:6]:
        client.put(i, {"a": 1})
    write = [make.write("b", 2)]
    exists = [aerospike.POLICY_EXISTS_CREATE, aerospike.POLICY_EXISTS_UPDATE]
    replace, equal = aerospike.POLICY_EXISTS_REPLACE, aerospike.POLICY_GEN_EQ
    rows = [
        Write(keys[0], write, policy={"exists": exists[0]}),
        Write(keys[6], write, policy={"exists": exists[0]}),
        Write(keys[7], write, policy={"exists": exists[1]}),
        Write(keys[1], write, policy={"exists": replace}),
        Write(keys[2], write, meta={"gen": 9}, policy={"gen": equal}),
        Write(keys[3], write, meta={"gen": 1, "ttl": 500}, policy={"gen": equal}),
        Remove(keys[4], policy={"gen": equal, "generation": 7}),
        Remove(keys[5], policy={"gen": equal, "generation": 1}),
        Write(keys[8], write, policy={"key": aerospike.POLICY_KEY_SEND}),
    ]
    expected = [EXISTS, 0, NOT_FOUND, 0, GENERATION, 0, GENERATION, 0, 0]
    assert run(client, rows) == expected
    assert client.get(keys[1])[2] == {"b": 2}
    assert 440 <= client.get(keys[3])[1]["ttl"] <= 500
    assert client.exists(keys[5])[1] is None
    client.get(keys[8], {"key": aerospike.POLICY_KEY_SEND})


def test_keys_are_sent_with_every_row(client: Any, set_name: str) -> None:
    send = {"key": aerospike.POLICY_KEY_SEND}
    keys = [key(set_name, f"k{i}") for i in range(50)]
    rows = client.batch_operate(keys, [make.write("a", 1)], None, send).batch_records
    assert {row.result for row in rows} == {0}
    rows = client.batch_remove(keys, None, send).batch_records
    assert {row.result for row in rows} == {0}


def test_failing_rows_report_their_codes(client: Any, set_name: str) -> None:
    keys = [key(set_name, i) for i in range(3)]
    client.put(keys[0], {"s": "text"})
    fails = [make.increment("s", 1)]
    steps = [fails, [make.write("a", 1)], [make.read("a"), make.write("a", 2)]]
    rows = [Write(k, s) for k, s in zip(keys, steps, strict=True)]
    batch = BatchRecords(rows)
    client.batch_write(batch)
    assert batch.result == FAILED
    assert [row.result for row in rows] == [BIN_TYPE, 0, 0]
    # Without the option to respond to all rows: a node still runs those after the failing one.
    rows = [Write(keys[0], fails), Write(keys[0], [make.write("a", 3)])]
    run(client, rows, {"respond_all_keys": False})
    assert rows[0].result == BIN_TYPE
    assert client.get(keys[0])[2] == {"s": "text", "a": 3}


def test_batches_run_without_inline(client: Any, set_name: str) -> None:
    keys = [key(set_name, i) for i in range(200)]
    policy = {"allow_inline": False, "concurrent": True}
    rows = [Write(k, [make.write("a", i)]) for i, k in enumerate(keys)]
    assert set(run(client, rows, policy)) == {0}
    rows = client.batch_read(keys, None, policy).batch_records
    assert [bins(row) for row in rows] == [{"a": i} for i in range(200)]


def test_read_touch(client: Any, set_name: str) -> None:
    keys = [key(set_name, i) for i in range(20)]
    client.batch_operate(keys, [make.write("a", 1)], None, {"ttl": 100})
    rows = client.batch_read(keys, None, {"read_touch_ttl_percent": 100}).batch_records
    assert {row.result for row in rows} == {0}
    rows = client.batch_read(keys, None, {"read_touch_ttl_percent": 101}).batch_records
    assert {row.result for row in rows} == {PARAMETER}


@pytest.fixture(params=[1, 3], ids=["one node", "three nodes"])
def two_namespaces(request: pytest.FixtureRequest) -> Iterator[str]:
    """The seeds of a cluster with the namespaces ``test`` and ``more``."""
    names = ["test", "more"]
    program = os.environ.get(PROGRAM)
    if not program:
        try:
            from spikewire.testing import Cluster
        except ImportError:
            built = [
                ROOT / "target" / kind / "spikewire-aerospike-server"
                for kind in ("release", "debug")
            ]
            program = next((str(path) for path in built if path.exists()), None)
        else:
            with Cluster(nodes=request.param, namespaces=names) as cluster:
                yield cluster.seeds
            return
    if not program:
        pytest.skip("neither the extension nor spikewire-aerospike-server is built")
    command = [str(Path(program)), "--nodes", str(request.param), "--port", "0", "--control"]
    command += [word for name in names for word in ("--namespace", name)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip().partition(" ")[2]
        process.stdin.close()
        process.wait(10)


def test_one_batch_spans_namespaces(two_namespaces: str) -> None:
    client = connected(two_namespaces)
    try:
        keys = [(("test", "more")[i % 2], f"set{i % 3}", i // 2) for i in range(120)]
        rows = [Write(k, [make.write("a", i)]) for i, k in enumerate(keys)]
        assert set(run(client, rows)) == {0}
        rows = client.batch_read(keys).batch_records
        assert [bins(row) for row in rows] == [{"a": i} for i in range(120)]
        removed = client.batch_remove(keys[::2]).batch_records
        assert {row.result for row in removed} == {0}
        rows = client.batch_read(keys).batch_records
        assert [row.result for row in rows] == [NOT_FOUND, 0] * 60
    finally:
        client.close()
