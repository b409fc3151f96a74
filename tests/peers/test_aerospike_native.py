"""`aerospike-native`, the vendor's Rust core as a Python extension."""

from __future__ import annotations

from typing import Any

import pytest
from box import addresses
from contract import Adapter, Contract, Key, Step, last_results

native = pytest.importorskip(
    "aerospike_native", reason="no wheel of aerospike-native for this interpreter"
)


class Client:
    errors = (native.exceptions.AerospikeError, native.ServerError)
    can_append_bytes = True
    can_add_float = True

    def __init__(self, seeds: str) -> None:
        self._exists = {
            "create": native.RecordExistsAction.CREATE_ONLY,
            "update": native.RecordExistsAction.UPDATE_ONLY,
            "replace": native.RecordExistsAction.REPLACE_ONLY,
        }
        self.raw = native.new_client_blocking(native.ClientPolicy(), seeds)

    def close(self) -> None:
        self.raw.close_blocking()

    def put(
        self,
        key: Key,
        bins: dict[str, Any],
        *,
        ttl: int | None = None,
        generation: int | None = None,
        exists: str | None = None,
        send_key: bool = False,
    ) -> None:
        policy = native.WritePolicy()
        policy.send_key = send_key
        if ttl is not None:
            policy.expiration = native.Expiration.seconds(ttl)
        if generation is not None:
            policy.generation = generation
            policy.generation_policy = native.GenerationPolicy.EXPECT_GEN_EQUAL
        if exists is not None:
            policy.record_exists_action = self._exists[exists]
        self.raw.put_blocking(native.Key(*key), bins, policy=policy)

    def get(self, key: Key, bins: list[str] | None = None) -> tuple[dict[str, Any], int, int]:
        got = self.raw.get_blocking(native.Key(*key), bins)
        return got.bins, got.generation, got.ttl

    def exists(self, key: Key) -> bool:
        return self.raw.exists_blocking(native.Key(*key))

    def delete(self, key: Key) -> bool:
        return self.raw.delete_blocking(native.Key(*key))

    def touch(self, key: Key, ttl: int) -> None:
        policy = native.WritePolicy()
        policy.expiration = native.Expiration.seconds(ttl)
        self.raw.touch_blocking(native.Key(*key), policy=policy)

    def append(self, key: Key, name: str, value: str | bytes) -> None:
        self.raw.append_blocking(native.Key(*key), {name: value})

    def prepend(self, key: Key, name: str, value: str | bytes) -> None:
        self.raw.prepend_blocking(native.Key(*key), {name: value})

    def add(self, key: Key, name: str, value: float) -> None:
        self.raw.add_blocking(native.Key(*key), {name: value})

    def operate(self, key: Key, steps: list[Step]) -> dict[str, Any]:
        make = native.Operation
        kinds = {
            "put": make.put, "add": make.add, "append": make.append, "prepend": make.prepend,
            "get": lambda name, _: make.get_bin(name),
        }  # fmt: skip
        operations = [kinds[kind](name, value) for kind, name, value in steps]
        return last_results(self.raw.operate_blocking(native.Key(*key), operations).bins)

    def truncate(self, set_name: str) -> None:
        self.raw.truncate_blocking("test", set_name)

    def geo(self, text: str) -> Any:
        return native.GeoJSON(text)

    def geo_text(self, value: Any) -> str:
        return value.value

    def code(self, error: BaseException) -> int:
        return int(getattr(error, "result_code", -1))


class TestAerospikeNative(Contract):
    def connect(self, seeds: str) -> Adapter:
        return Client(seeds)

    def test_the_cluster_it_sees(self, client: Client, box: Any) -> None:
        assert len(client.raw.node_names()) == len(addresses(box.seeds))
