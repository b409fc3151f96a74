"""`aerospike-py`, a client over the Rust crate `aerospike`."""

from __future__ import annotations

from typing import Any

import pytest
from box import addresses
from contract import Adapter, Contract, Key, Step

aerospike_py = pytest.importorskip(
    "aerospike_py", reason="no wheel of aerospike-py for this interpreter"
)


class Client:
    errors = (aerospike_py.AerospikeError,)
    can_append_bytes = True
    can_add_float = True

    def __init__(self, seeds: str) -> None:
        self._exists = {
            "create": aerospike_py.POLICY_EXISTS_CREATE_ONLY,
            "update": aerospike_py.POLICY_EXISTS_UPDATE_ONLY,
            "replace": aerospike_py.POLICY_EXISTS_REPLACE_ONLY,
        }
        self.raw = aerospike_py.client({"hosts": addresses(seeds)}).connect()

    def close(self) -> None:
        self.raw.close()

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
        meta: dict[str, int] = {}
        policy: dict[str, Any] = {}
        if ttl is not None:
            meta["ttl"] = ttl
        if generation is not None:
            meta["gen"] = generation
            policy["gen"] = aerospike_py.POLICY_GEN_EQ
        if exists is not None:
            policy["exists"] = self._exists[exists]
        if send_key:
            policy["key"] = aerospike_py.POLICY_KEY_SEND
        self.raw.put(key, bins, meta or None, policy or None)

    def get(self, key: Key, bins: list[str] | None = None) -> tuple[dict[str, Any], int, int]:
        got = self.raw.get(key) if bins is None else self.raw.select(key, bins)
        return got.bins, got.meta.gen, got.meta.ttl

    def exists(self, key: Key) -> bool:
        return self.raw.exists(key).meta is not None

    def delete(self, key: Key) -> bool:
        try:
            self.raw.remove(key)
        except aerospike_py.RecordNotFound:
            return False
        return True

    def touch(self, key: Key, ttl: int) -> None:
        self.raw.touch(key, ttl)

    def append(self, key: Key, name: str, value: str | bytes) -> None:
        self.raw.append(key, name, value)

    def prepend(self, key: Key, name: str, value: str | bytes) -> None:
        self.raw.prepend(key, name, value)

    def add(self, key: Key, name: str, value: float) -> None:
        self.raw.increment(key, name, value)

    def operate(self, key: Key, steps: list[Step]) -> dict[str, Any]:
        kinds = {
            "put": aerospike_py.OPERATOR_WRITE, "add": aerospike_py.OPERATOR_INCR,
            "append": aerospike_py.OPERATOR_APPEND, "prepend": aerospike_py.OPERATOR_PREPEND,
            "get": aerospike_py.OPERATOR_READ,
        }  # fmt: skip
        operations = [{"op": kinds[kind], "bin": name, "val": value} for kind, name, value in steps]
        return self.raw.operate(key, operations).bins

    def truncate(self, set_name: str) -> None:
        self.raw.truncate("test", set_name, 0)

    def geo(self, _text: str) -> Any:
        return pytest.skip("the client has no GeoJSON values")

    def geo_text(self, value: Any) -> str:
        return str(value)

    def code(self, error: BaseException) -> int:
        return getattr(error, "result_code", getattr(error, "code", -1))


class TestAerospikePy(Contract):
    def connect(self, seeds: str) -> Adapter:
        return Client(seeds)

    def test_the_cluster_it_sees(self, client: Client, box: Any) -> None:
        assert len(client.raw.get_node_names()) == len(addresses(box.seeds))
        assert client.raw.is_connected()
