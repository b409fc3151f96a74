"""Batches through every client that has them: the same tests with each client's calls."""

from __future__ import annotations

import contextlib
import importlib
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from box import addresses, c_client
from contract import BIN_TYPE, EXISTS, GENERATION, NOT_FOUND, NOTICE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contract import Key

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

LIMIT = 20_000


class Row(NamedTuple):
    """The result of a batch for one key."""

    code: int
    bins: dict[str, Any] | None
    generation: int | None


class C:
    """The C client, by its Python binding `aerospike`."""

    def __init__(self, seeds: str) -> None:
        self._module = importlib.import_module("aerospike")
        importlib.import_module("aerospike_helpers.batch.records")
        self._client = c_client(seeds, batch={"total_timeout": LIMIT, "max_retries": 4})
        self._records = importlib.import_module("aerospike_helpers.batch.records")
        self._make = importlib.import_module("aerospike_helpers.operations.operations")
        self.errors = (importlib.import_module("aerospike").exception.AerospikeError,)

    def close(self) -> None:
        self._client.close()

    def _rows(self, batch: Any) -> list[Row]:
        def row(record: Any) -> Row:
            if record.result or record.record is None:
                return Row(record.result, None, None)
            _, meta, bins = record.record
            return Row(0, bins, meta and meta["gen"])

        return [row(record) for record in batch.batch_records]

    def read(self, keys: list[Key], bins: list[str] | None = None) -> list[Row]:
        return self._rows(self._client.batch_read(keys, bins))

    def write(
        self,
        rows: list[tuple[Key, dict[str, Any]]],
        *,
        create: bool = False,
        generation: int | None = None,
    ) -> list[Row]:
        policy: dict[str, Any] = {}
        meta: dict[str, int] = {}
        if create:
            policy["exists"] = self._module.POLICY_EXISTS_CREATE
        if generation is not None:
            policy["gen"] = self._module.POLICY_GEN_EQ
            meta["gen"] = generation
        records = [
            self._records.Write(
                key, [self._make.write(n, v) for n, v in bins.items()], meta=meta, policy=policy
            )
            for key, bins in rows
        ]
        batch = self._records.BatchRecords(records)
        self._client.batch_write(batch)
        return self._rows(batch)

    def count(self, keys: list[Key], name: str, more: int) -> list[Row]:
        steps = [self._make.increment(name, more), self._make.read(name)]
        return self._rows(self._client.batch_operate(keys, steps))

    def remove(self, keys: list[Key]) -> list[Row]:
        return self._rows(self._client.batch_remove(keys))


class Py:
    """`aerospike-py`, over the Rust crate `aerospike`."""

    def __init__(self, seeds: str) -> None:
        self._module = module = importlib.import_module("aerospike_py")
        self._client = module.client({"hosts": addresses(seeds)}).connect()
        self._policy = {"total_timeout": LIMIT, "max_retries": 4}
        self.errors = (module.AerospikeError,)

    def close(self) -> None:
        self._client.close()

    def _rows(self, batch: Any) -> list[Row]:
        def row(record: Any) -> Row:
            if record.result or record.record is None:
                return Row(record.result, None, None)
            _, meta, bins = record.record
            # The metadata of reads are a dict, those of writes a named tuple.
            return Row(0, bins, meta["gen"] if isinstance(meta, dict) else meta and meta.gen)

        return [row(record) for record in batch.batch_records]

    def read(self, keys: list[Key], bins: list[str] | None = None) -> list[Row]:
        return self._rows(self._client.batch_read(keys, bins, self._policy))

    def write(
        self,
        rows: list[tuple[Key, dict[str, Any]]],
        *,
        create: bool = False,
        generation: int | None = None,
    ) -> list[Row]:
        policy = dict(self._policy)
        if create:
            policy["exists"] = self._module.POLICY_EXISTS_CREATE_ONLY
        meta = {} if generation is None else {"gen": generation}
        return self._rows(self._client.batch_write([(k, b, meta) for k, b in rows], policy))

    def count(self, keys: list[Key], name: str, more: int) -> list[Row]:
        module = self._module
        steps = [
            {"op": module.OPERATOR_INCR, "bin": name, "val": more},
            {"op": module.OPERATOR_READ, "bin": name},
        ]
        return self._rows(self._client.batch_operate(keys, steps, self._policy))

    def remove(self, keys: list[Key]) -> list[Row]:
        return self._rows(self._client.batch_remove(keys, self._policy))


class Native:
    """`aerospike-native`, the vendor's Rust core as a Python extension."""

    def __init__(self, seeds: str) -> None:
        self._module = module = importlib.import_module("aerospike_native")
        self._client = module.new_client_blocking(module.ClientPolicy(), seeds)
        self._policy = module.BatchPolicy()
        self._policy.total_timeout = LIMIT
        self._policy.max_retries = 4
        self.errors = (module.exceptions.AerospikeError, module.ServerError)

    def close(self) -> None:
        self._client.close_blocking()

    def _keys(self, keys: list[Key]) -> list[Any]:
        return [self._module.Key(*key) for key in keys]

    def _rows(self, batch: Any) -> list[Row]:
        def row(record: Any) -> Row:
            code = int(record.result_code or 0)
            got = record.record
            return Row(code, None, None) if got is None else Row(code, got.bins, got.generation)

        return [row(record) for record in batch]

    def read(self, keys: list[Key], bins: list[str] | None = None) -> list[Row]:
        call = self._client.batch_read_blocking
        return self._rows(call(self._keys(keys), bins, batch_policy=self._policy))

    def write(
        self,
        rows: list[tuple[Key, dict[str, Any]]],
        *,
        create: bool = False,
        generation: int | None = None,
    ) -> list[Row]:
        module = self._module
        policy = module.BatchWritePolicy()
        if create:
            policy.record_exists_action = module.RecordExistsAction.CREATE_ONLY
        if generation is not None:
            policy.generation = generation
            policy.generation_policy = module.GenerationPolicy.EXPECT_GEN_EQUAL
        return self._rows(
            self._client.batch_write_blocking(
                self._keys([key for key, _ in rows]),
                [bins for _, bins in rows],
                batch_policy=self._policy,
                write_policy=policy,
            )
        )

    def count(self, keys: list[Key], name: str, more: int) -> list[Row]:
        make = self._module.Operation
        steps = [[make.add(name, more), make.get_bin(name)] for _ in keys]
        call = self._client.batch_operate_blocking
        return self._rows(call(self._keys(keys), steps, batch_policy=self._policy))

    def remove(self, keys: list[Key]) -> list[Row]:
        call = self._client.batch_delete_blocking
        return self._rows(call(self._keys(keys), batch_policy=self._policy))


CLIENTS = {"aerospike": C, "aerospike_py": Py, "aerospike_native": Native}


@pytest.fixture(params=CLIENTS)
def connect(request: pytest.FixtureRequest) -> type[Any]:
    """The function that connects one of the clients."""
    pytest.importorskip(request.param, reason=f"no wheel of {request.param}")
    return CLIENTS[request.param]


@pytest.fixture
def client(connect: type[Any], box: Any) -> Iterator[Any]:
    connected = connect(box.seeds)
    yield connected
    connected.close()


@pytest.fixture
def keys(set_name: str) -> list[Key]:
    return [("test", set_name, i) for i in range(300)]


def codes(rows: list[Row]) -> set[int]:
    return {row.code for row in rows}


def fill(client: Any, keys: list[Key]) -> None:
    rows = client.write([(key, {"i": i, "s": str(i)}) for i, key in enumerate(keys)])
    assert codes(rows) == {0}


def test_batches_read_records(client: Any, keys: list[Key]) -> None:
    assert codes(client.read(keys)) == {NOT_FOUND}
    fill(client, keys[::2])
    rows = client.read(keys)
    for i, row in enumerate(rows):
        if i % 2:
            assert row.code == NOT_FOUND
        else:
            assert row == (0, {"i": i // 2, "s": str(i // 2)}, 1)
    assert [row.bins for row in client.read(keys[:3:2], ["s", "none"])] == [{"s": "0"}, {"s": "1"}]


def test_read_one_key_often(client: Any, keys: list[Key]) -> None:
    fill(client, keys[:2])
    rows = client.read([keys[0], keys[1]] * 100)
    assert [row.bins["i"] for row in rows] == [0, 1] * 100


def test_sets_in_one_batch(client: Any, set_name: str) -> None:
    keys = [("test", f"{set_name}-{i % 7}", i) for i in range(70)]
    fill(client, keys)
    assert [row.bins["i"] for row in client.read(keys)] == list(range(70))
    others = [("test", f"{set_name}-x", i) for i in range(70)]
    assert codes(client.read(others)) == {NOT_FOUND}


def test_write_again(client: Any, keys: list[Key]) -> None:
    fill(client, keys)
    assert codes(client.write([(key, {"n": -1}) for key in keys])) == {0}
    assert client.read(keys)[7] == (0, {"i": 7, "s": "7", "n": -1}, 2)


def test_batch_writes_check_existence_and_generation(client: Any, keys: list[Key]) -> None:
    fill(client, keys[:100])
    rows = client.write([(key, {"a": 1}) for key in keys[50:150]], create=True)
    assert [row.code for row in rows] == [EXISTS] * 50 + [0] * 50
    rows = client.write([(keys[0], {"a": 2}), (keys[1], {"a": 2})], generation=1)
    assert codes(rows) == {0}
    rows = client.write([(key, {"a": 3}) for key in keys[:4]], generation=1)
    assert [row.code for row in rows] == [GENERATION, GENERATION, 0, 0]


def test_batches_operate_on_records(client: Any, keys: list[Key]) -> None:
    fill(client, keys[:100])
    rows = client.count(keys[:200], "i", 1000)
    numbers = [row.bins["i"] for row in rows]
    expected = [1000 + i for i in range(100)] + [1000] * 100
    assert [last(value) for value in numbers] == expected
    assert codes(client.count(keys[:100], "s", 1)) == {BIN_TYPE}
    assert client.read(keys[:1]) == [(0, {"i": 1000, "s": "0"}, 2)]


def last(value: Any) -> Any:
    """Clients that request every result return those of a bin as a list."""
    return value[-1] if isinstance(value, list) else value


def test_batches_remove_records(client: Any, keys: list[Key]) -> None:
    fill(client, keys[:200])
    rows = client.remove(keys[100:])
    assert [row.code for row in rows] == [0] * 100 + [NOT_FOUND] * 100
    assert [row.code for row in client.read(keys[:200])] == [0] * 100 + [NOT_FOUND] * 100


def test_replies_of_many_blocks_are_read(client: Any, keys: list[Key]) -> None:
    sizes = [1, 100_000, 140_000, 900_000, 3, 131_000, 131_032, 7]
    written = [(keys[i], {"b": bytes([i]) * sizes[i % 8]}) for i in range(24)]
    assert codes(client.write(written)) == {0}
    assert [row.bins for row in client.read(keys[:24])] == [bins for _, bins in written]


def test_batches_of_ten_thousand_records_succeed(client: Any, set_name: str) -> None:
    keys = [("test", set_name, i) for i in range(10_000)]
    fill(client, keys)
    assert [row.bins["i"] for row in client.read(keys)] == list(range(10_000))


def test_nodes_die_and_return(connect: type[Any], fragile_box: Any, keys: list[Key]) -> None:
    client = connect(fragile_box.seeds)
    try:
        fill(client, keys)
        for node in (1, 0, 2):
            fragile_box.kill(node)
            assert fragile_box.wait_settled()
            until_all_are_read(client, keys)
            fragile_box.restart(node)
            assert fragile_box.wait_settled()
            until_all_are_read(client, keys)
        assert codes(client.write([(key, {"i": -1}) for key in keys])) == {0}
        assert {row.bins["i"] for row in client.read(keys)} == {-1}
    finally:
        client.close()


def until_all_are_read(client: Any, keys: list[Key]) -> None:
    """Every record is read by one batch, once the client has noticed the change."""
    deadline = time.monotonic() + NOTICE
    while True:
        rows = []
        with contextlib.suppress(*client.errors):
            rows = client.read(keys)
        assert NOT_FOUND not in codes(rows), "a record is lost"
        if codes(rows) == {0}:
            assert [row.bins["i"] for row in rows] == list(range(len(keys)))
            return
        assert time.monotonic() < deadline, codes(rows)
        time.sleep(0.1)
