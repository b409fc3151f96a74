"""`aerospike-py`: a Rust core with a blocking and an asyncio API."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from ..access import INTERNAL
from ..work.shape import BATCH_READ, BATCH_WRITE, COLUMNS, DICT, NUMPY, TABLE_KEY, TABLE_WRITE
from .base import (
    AsyncioClient,
    BlockingClient,
    Dtype,
    ManyVerbs,
    Peer,
    TableVerbs,
    Target,
    Verbs,
    Way,
    numpy_table,
)
from .more import ALL, calls, expecting, of_client

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class _Methods(Protocol):
    get: object
    put: object
    batch_read: object
    batch_write: object
    batch_write_numpy: object


class _Client(_Methods, Protocol):
    def connect(self) -> _Client: ...

    def close(self) -> None: ...


class _AsyncClient(_Methods, Protocol):
    async def connect(self) -> _AsyncClient: ...

    async def close(self) -> None: ...


class _Module(Protocol):
    def client(self, config: Mapping[str, object]) -> _Client: ...

    def AsyncClient(self, config: Mapping[str, object]) -> _AsyncClient: ...  # noqa: N802


def _module(name: str) -> _Module:
    return cast("_Module", importlib.import_module(name))


_AUTHS = {INTERNAL: "AUTH_INTERNAL"}
"""No other method: it sends passwords or certificates over TLS, which this client lacks."""


def config(module: str, target: Target) -> dict[str, object]:
    """The configuration that a user of this client would write for such a cluster."""
    access, alternate = target.access, target.services_alternate
    options: dict[str, object] = {"hosts": list(target.seeds), "use_services_alternate": alternate}
    if access.user:
        number = cast("int", vars(_module(module))[_AUTHS[access.auth]])
        options |= {"user": access.user, "password": access.password.text(), "auth_mode": number}
    return options


def _key(target: Target) -> str:
    return f"({target.namespace!r}, {target.set_name!r}, k)"


def _of_one(key: str) -> str:
    return key.replace(", k)", ", one)")


def _verbs(module: str, client: object, key: str, wait: str = "") -> Verbs:
    constants = vars(_module(module))
    increment = f'{{"op": {constants["OPERATOR_INCR"]}, "bin": counter, "val": bins}}'
    reading = f'{{"op": {constants["OPERATOR_READ"]}, "bin": counter}}'
    methods = ("get", "put", "select", "operate", "increment", "touch", "exists", "remove")
    missing = cast("object", vars(_module(f"{module}.exception"))["RecordNotFound"])
    call = calls(wait)
    return Verbs(
        read=f"{call('get', key)}.bins",
        write=call("put", f"{key}, bins"),
        names={
            **{method: getattr(client, method) for method in methods},
            "replace": {"exists": constants["POLICY_EXISTS_REPLACE_ONLY"]},
            "RecordNotFound": missing,
        },
        more=of_client(
            key,
            call,
            reading=".bins",
            one_bin=("select", f"{key}, [bins]"),
            replacing=f"{key}, bins, policy=replace",
            operations=f"[{increment}, {reading}]",
            removing=expecting(call("remove", key)),
            adding=("increment", f"{key}, counter, bins"),
        ),
    )


class _Outcome(Protocol):
    batch_records: Sequence[tuple[object, int, object, bool]]


def check(written: _Outcome) -> None:
    """Checks each row: it has an error code of its own."""
    for _, result, _, _ in written.batch_records:
        if result != 0:
            raise RuntimeError(f"a row of batch_write ended with result code {result}")


def _many(client: _Methods, key: str, way: str, wait: str = "") -> ManyVerbs:
    """Batches. Of its four ways to return rows, `to_list` costs least and keeps the order."""
    one = _of_one(key)
    written = f"batch_write([({one}, row) for one, row in zip(k, bins)])"
    if way == NUMPY:
        place = key[1:].removesuffix(", k)")
        written = f"write_numpy(bins, {place}, bins.dtype, key_field={TABLE_KEY!r})"
    return ManyVerbs(
        read=f"({wait}batch_read([{one} for one in k])).to_list()",
        write=f"check({wait}{written})",
        names={
            "batch_read": client.batch_read,
            "batch_write": client.batch_write,
            "write_numpy": client.batch_write_numpy,
            "check": check,
        },
    )


def _table(
    batch_read: object, key: str, names: tuple[str, ...], dtype: Dtype, wait: str = ""
) -> TableVerbs:
    read = f"({wait}batch_read([{_of_one(key)} for one in k])).to_numpy(dtype)"
    return numpy_table(read, "table.batch_records", names, dtype, batch_read=batch_read)


class Blocking(BlockingClient):
    module = "aerospike_py"
    _client: _Client
    _key: str

    def open(self, target: Target) -> None:
        self._client = _module(self.module).client(config(self.module, target)).connect()
        self._key = _key(target)

    def verbs(self) -> Verbs:
        return _verbs(self.module, self._client, self._key)

    def many(self, way: str, /) -> ManyVerbs:
        return _many(self._client, self._key, way)

    def table(self, _way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        return _table(self._client.batch_read, self._key, names, dtype)

    def close(self) -> None:
        self._client.close()


class Asyncio(AsyncioClient):
    module = "aerospike_py"
    _client: _AsyncClient
    _key: str

    async def open(self, target: Target) -> None:
        options = config(self.module, target)
        self._client = await _module(self.module).AsyncClient(options).connect()
        self._key = _key(target)

    def verbs(self) -> Verbs:
        return _verbs(self.module, self._client, self._key, "await ")

    def many(self, way: str, /) -> ManyVerbs:
        return _many(self._client, self._key, way, "await ")

    def table(self, _way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        return _table(self._client.batch_read, self._key, names, dtype, "await ")

    async def close(self) -> None:
        await self._client.close()


PEER = Peer(
    "aerospike-py",
    module="aerospike_py",
    distribution="aerospike-py",
    blocking=Blocking,
    asyncio=Asyncio,
    tls=False,
    auths=tuple(_AUTHS),
    verbs=ALL,
    ways=(
        Way(BATCH_READ),
        Way(BATCH_WRITE),
        Way(COLUMNS, NUMPY, columnar=True, needs="numpy"),
        Way(COLUMNS, DICT),
        Way(TABLE_WRITE, NUMPY, columnar=True, needs="numpy"),
        Way(TABLE_WRITE, DICT),
    ),
)
