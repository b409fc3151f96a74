"""`aerospike-sdk`, the vendor's new Python SDK, by its blocking API."""

from __future__ import annotations

from typing import Any

import pytest
from box import addresses
from contract import Adapter, Contract, Key, Step, last_results

sdk = pytest.importorskip("aerospike_sdk", reason="no wheel of aerospike-sdk for this interpreter")
blocking = pytest.importorskip("aerospike_sdk.sync")
native = pytest.importorskip("aerospike_native")


class Client:
    errors = (sdk.AerospikeError,)
    can_append_bytes = True
    can_add_float = True

    def __init__(self, seeds: str) -> None:
        hosts = [sdk.Host(host, port) for host, port in addresses(seeds)]
        self._cluster = blocking.ClusterDefinition(hosts=hosts).connect()
        self._session = self._cluster.create_session()
        session = self._session
        self._verbs = {
            None: session.upsert, "create": session.insert, "update": session.update,
            "replace": session.replace_if_exists,
        }  # fmt: skip

    def close(self) -> None:
        self._cluster.close()

    def put(
        self,
        key: Key,
        bins: dict[str, Any],
        *,
        ttl: int | None = None,
        generation: int | None = None,
        exists: str | None = None,
        send_key: bool = False,  # noqa: ARG002 - the session's behaviour decides
    ) -> None:
        if ttl is None and generation is None and exists is None:
            return self._session.put(sdk.Key(*key), bins)
        write = self._verbs[exists](sdk.Key(*key))
        for name, value in bins.items():
            write = write.set_to(name, value)
        if ttl is not None:
            write = write.expire_record_after_seconds(ttl)
        if generation is not None:
            write = write.ensure_generation_is(generation)
        return self._run(write)

    def _run(self, builder: Any) -> Any:
        result = builder.execute().first()
        if result is not None:
            result.or_raise()
        return result

    def get(self, key: Key, bins: list[str] | None = None) -> tuple[dict[str, Any], int, int]:
        got = self._session.get(sdk.Key(*key), bins)
        return got.bins, got.generation, got.ttl

    def exists(self, key: Key) -> bool:
        result = self._session.exists(sdk.Key(*key)).execute().first()
        return result is not None and bool(result.as_bool())

    def delete(self, key: Key) -> bool:
        result = self._session.delete(sdk.Key(*key)).execute().first()
        return result is not None and bool(result.as_bool())

    def touch(self, key: Key, ttl: int) -> None:
        self._run(self._session.touch(sdk.Key(*key)).expire_record_after_seconds(ttl))

    def append(self, key: Key, name: str, value: str | bytes) -> None:
        self._run(self._session.upsert(sdk.Key(*key)).append(name, value))

    def prepend(self, key: Key, name: str, value: str | bytes) -> None:
        self._run(self._session.upsert(sdk.Key(*key)).prepend(name, value))

    def add(self, key: Key, name: str, value: float) -> None:
        self._run(self._session.upsert(sdk.Key(*key)).add(name, value))

    def operate(self, key: Key, steps: list[Step]) -> dict[str, Any]:
        if all(kind == "get" for kind, _, _ in steps):
            return self.get(key, [name for _, name, _ in steps])[0]
        builder = self._session.upsert(sdk.Key(*key))
        for kind, name, value in steps:
            verb = getattr(builder, "set_to" if kind == "put" else kind)
            builder = verb(name) if kind == "get" else verb(name, value)
        return last_results(self._run(builder).record.bins)

    def truncate(self, set_name: str) -> None:
        self._session.truncate(sdk.DataSet.of("test", set_name))

    def geo(self, text: str) -> Any:
        return native.GeoJSON(text)

    def geo_text(self, value: Any) -> str:
        return value.value

    def code(self, error: BaseException) -> int:
        return int(getattr(error, "result_code", None) or -1)


class TestAerospikeSdk(Contract):
    def connect(self, seeds: str) -> Adapter:
        return Client(seeds)
