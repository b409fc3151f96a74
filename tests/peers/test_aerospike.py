"""The C client, by its Python binding `aerospike`."""

from __future__ import annotations

import socket
import struct
from typing import Any

import pytest
from box import addresses, c_client
from contract import BIN_NAME, NAMESPACE, PARAMETER, Adapter, Contract, Key, Step

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
from aerospike import exception  # noqa: E402

# The binding announces removals of calls; this server is as old as they are.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

#: The result code for a key that is not the stored one.
KEY_MISMATCH = 19
#: The bits of the second info byte of a request.
WRITE, DELETE = 1, 2


class Client:
    errors = (exception.AerospikeError,)
    can_append_bytes = True
    can_add_float = True

    def __init__(self, seeds: str) -> None:
        self._exists = {
            "create": aerospike.POLICY_EXISTS_CREATE,
            "update": aerospike.POLICY_EXISTS_UPDATE,
            "replace": aerospike.POLICY_EXISTS_REPLACE,
        }
        policy = {"total_timeout": 20_000, "max_retries": 4}
        policies = dict.fromkeys(("read", "write", "operate", "remove"), policy)
        self.raw = c_client(seeds, **policies)

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
            policy["gen"] = aerospike.POLICY_GEN_EQ
        if exists is not None:
            policy["exists"] = self._exists[exists]
        if send_key:
            policy["key"] = aerospike.POLICY_KEY_SEND
        written = {n: aerospike.null() if v is None else v for n, v in bins.items()}
        self.raw.put(key_of(key), written, meta, policy)

    def get(self, key: Key, bins: list[str] | None = None) -> tuple[dict[str, Any], int, int]:
        got = self.raw.get(key_of(key)) if bins is None else self.raw.select(key_of(key), bins)
        return got[2], got[1]["gen"], got[1]["ttl"]

    def exists(self, key: Key) -> bool:
        return self.raw.exists(key_of(key))[1] is not None

    def delete(self, key: Key) -> bool:
        try:
            self.raw.remove(key_of(key))
        except exception.RecordNotFound:
            return False
        return True

    def touch(self, key: Key, ttl: int) -> None:
        self.raw.touch(key_of(key), ttl)

    def append(self, key: Key, name: str, value: str | bytes) -> None:
        self.raw.append(key_of(key), name, value_of(value))

    def prepend(self, key: Key, name: str, value: str | bytes) -> None:
        self.raw.prepend(key_of(key), name, value_of(value))

    def add(self, key: Key, name: str, value: float) -> None:
        self.raw.increment(key_of(key), name, value)

    def operate(self, key: Key, steps: list[Step]) -> dict[str, Any]:
        from aerospike_helpers.operations import operations as make

        kinds = {
            "put": make.write, "add": make.increment, "append": make.append,
            "prepend": make.prepend, "get": lambda name, _: make.read(name),
        }  # fmt: skip
        return self.raw.operate(key_of(key), [kinds[k](n, v) for k, n, v in steps])[2]

    def truncate(self, set_name: str) -> None:
        self.raw.truncate("test", set_name, 0)

    def geo(self, text: str) -> Any:
        return aerospike.geojson(text)

    def geo_text(self, value: Any) -> str:
        return value.dumps()

    def code(self, error: BaseException) -> int:
        assert isinstance(error, exception.AerospikeError)
        return error.code


def key_of(key: Key) -> Key:
    """The binding takes keys of bytes as a bytearray."""
    namespace, set_name, user_key = key
    return namespace, set_name, bytearray(user_key) if isinstance(user_key, bytes) else user_key


def value_of(value: str | bytes) -> Any:
    return bytearray(value) if isinstance(value, bytes) else value


def write_with_stored_key(box: Any, key: Key, stored: str) -> None:
    """Replaces the record of a key by one with the bin ``a = 2`` and this stored key."""

    def field(kind: int, value: bytes) -> bytes:
        return struct.pack(">IB", len(value) + 1, kind) + value

    def request(info2: int, *parts: bytes, bins: int = 0) -> bytes:
        header = (22, 0, info2, 0, 0, 0, 0, 0, 0, len(parts) - bins, bins)
        body = struct.pack(">BBBBBBIIIHH", *header) + b"".join(parts)
        return struct.pack(">Q", 2 << 56 | 3 << 48 | len(body)) + body

    namespace, set_name, _ = key
    digest = bytes(aerospike.calc_digest(*key_of(key)))
    address = [field(0, namespace.encode()), field(1, set_name.encode()), field(4, digest)]
    bin_a = struct.pack(">IBBBBcq", 13, 2, 1, 0, 1, b"a", 2)
    host, port = addresses(box.seeds)[0]
    with socket.create_connection((host, port), timeout=20) as connection:
        for frame in (
            request(WRITE | DELETE, *address),
            request(WRITE, *address, field(2, b"\3" + stored.encode()), bin_a, bins=1),
        ):
            connection.sendall(frame)
            reply = connection.recv(30, socket.MSG_WAITALL)
            assert reply[13] == 0, f"result code {reply[13]}"


class TestAerospike(Contract):
    def connect(self, seeds: str) -> Adapter:
        return Client(seeds)

    def test_the_cluster_it_sees(self, client: Client, box: Any) -> None:
        nodes = client.raw.get_node_names()
        seen = sorted((node["address"], node["port"]) for node in nodes)
        assert seen == sorted(addresses(box.seeds))
        assert all(node["node_name"].startswith("BB9") for node in nodes)
        infos = client.raw.info_all("namespaces")
        assert len(infos) == len(nodes)
        assert all(error is None and "test" in text for error, text in infos.values())

    def test_error_codes_match_a_server(self, client: Client, key: Key) -> None:
        self.rejected(client, NAMESPACE, lambda: client.put(("nowhere", "s", 1), {"a": 1}))
        self.rejected(client, BIN_NAME, lambda: client.put(key, {"x" * 16: 1}))
        client.put(key, {"a": 1})
        assert client.raw.select(key, ["none"])[2] == {}

    def test_respond_all_returns_a_result_per_operation(self, client: Client, key: Key) -> None:
        from aerospike_helpers.operations import operations as make

        steps = [make.write("a", 1), make.read("a"), make.increment("a", 2), make.read("a")]
        _, meta, pairs = client.raw.operate_ordered(key, steps)
        assert [pair for pair in pairs if pair[1] is not None] == [("a", 1), ("a", 3)]
        assert meta["gen"] == 1
        steps = [make.touch(300), make.read("a"), make.delete()]
        assert client.raw.operate(key, steps)[2] == {"a": 3}
        assert not client.exists(key)

    def test_stored_keys_are_compared(self, client: Client, box: Any, key: Key) -> None:
        client.put(key, {"a": 1}, send_key=True)
        with_key = {"key": aerospike.POLICY_KEY_SEND}
        assert client.raw.get(key, with_key)[2] == {"a": 1}
        # Two keys with one digest: the binding computes the digest itself, so this one is written
        # without it.
        write_with_stored_key(box, key, "another")
        assert client.get(key)[0] == {"a": 2}
        for call in (
            lambda: client.raw.get(key, with_key),
            lambda: client.put(key, {"a": 3}, send_key=True),
            lambda: client.raw.remove(key, policy=with_key),
        ):
            self.rejected(client, KEY_MISMATCH, call)
        assert client.get(key)[0] == {"a": 2}

    def test_generation_gt_and_special_ttl_values_apply(self, client: Client, key: Key) -> None:
        client.put(key, {"a": 1}, ttl=1000)
        client.raw.put(key, {"a": 2}, {"gen": 5}, {"gen": aerospike.POLICY_GEN_GT})
        client.raw.put(key, {"a": 2}, {"ttl": aerospike.TTL_DONT_UPDATE})
        client.put(key, {"a": 2}, ttl=1000)
        client.put(key, {"a": 3}, ttl=aerospike.TTL_DONT_UPDATE)
        assert 990 <= client.get(key)[2] <= 1000
        client.put(key, {"a": 3}, ttl=aerospike.TTL_NEVER_EXPIRE)
        assert client.get(key)[2] in (aerospike.TTL_NEVER_EXPIRE, 0xFFFFFFFF)
        self.rejected(client, PARAMETER, lambda: client.put(key, {"a": 1}, ttl=400_000_000))
