"""`aerospike-native`: the vendor's Rust core as a Python extension. Blocking and asyncio.

Importing it installs uvloop for the whole process unless its own environment variable says
otherwise. The driver creates the event loop itself, so each mode runs on the loop that its name
says.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from ..access.seeds import seed_text
from ..work.shape import BATCH_READ, BATCH_WRITE, COLUMNS, DICT, TABLE_WRITE
from .base import ASYNC, AsyncioClient, BlockingClient, ManyVerbs, Peer, Target, Verbs, Way
from .more import ALL, calls, of_client

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

PLAIN_LOOP = {ASYNC: {"AEROSPIKE_NO_UVLOOP": "1"}}


class _Policy(Protocol):
    use_services_alternate: bool
    conn_pools_per_node: int
    tls_config: object

    def set_auth_mode(self, mode: object, user: str | None, password: str | None) -> None: ...


class _WritePolicy(Protocol):
    record_exists_action: object


class _Client(Protocol):
    get: object
    put: object
    get_blocking: object
    put_blocking: object
    batch_read: object
    batch_write: object
    batch_read_blocking: object
    batch_write_blocking: object

    def close(self) -> Awaitable[None]: ...

    def close_blocking(self) -> None: ...


class _Row(Protocol):
    result_code: object


class _Codes(Protocol):
    OK: object


class _Module(Protocol):
    Key: object
    ResultCode: _Codes

    def ClientPolicy(self) -> _Policy: ...  # noqa: N802

    def new_client(self, policy: _Policy, seeds: str) -> Awaitable[_Client]: ...

    def new_client_blocking(self, policy: _Policy, seeds: str) -> _Client: ...


def _module() -> _Module:
    return cast("_Module", importlib.import_module("aerospike_native"))


def client_policy(target: Target) -> _Policy:
    policy = _module().ClientPolicy()
    policy.use_services_alternate = target.services_alternate
    access, module = target.access, vars(_module())
    if access.auth:
        modes = cast("Mapping[str, object]", vars(module["AuthMode"]))
        mode = modes[access.auth.upper().replace("-", "_")]
        policy.set_auth_mode(mode, access.user or None, access.password.text() or None)
    if access.tls is not None:
        tls, config = access.tls, module["TlsConfig"]
        policy.tls_config = (
            config.with_client_auth(tls.ca or None, tls.certificate, tls.key)
            if tls.certificate
            else config(tls.ca or None)
        )
    return policy


def seeds_of(target: Target) -> str:
    """The seeds with their expected certificate names: the client has no other option for these."""
    return ",".join(seed_text((host, port), name) for host, port, name in target.tls_seeds)


def key_source(target: Target) -> str:
    """`Key(...)` with an integer key. `Key.from_int_user_key` would make a text key."""
    return f"Key({target.namespace!r}, {target.set_name!r}, k)"


def keys_source(target: Target) -> str:
    """The keys of a batch, from the list `k` of integers."""
    return f"[Key({target.namespace!r}, {target.set_name!r}, one) for one in k]"


def _checked() -> Callable[[Sequence[_Row]], None]:
    """Checks each row: it has an error code of its own."""
    okay = _module().ResultCode.OK

    def check(rows: Sequence[_Row]) -> None:
        for row in rows:
            if row.result_code != okay:
                raise RuntimeError(f"a row of batch_write ended with {row.result_code}")

    return check


def _many(keys: str, read: object, write: object, wait: str = "") -> ManyVerbs:
    return ManyVerbs(
        read=f"{wait}batch_read({keys})",
        bins="row.record.bins",
        write=f"check({wait}batch_write({keys}, bins))",
        names={
            "Key": _module().Key,
            "batch_read": read,
            "batch_write": write,
            "check": _checked(),
        },
    )


def single_verbs(
    client: object, key: str, suffix: str = "", wait: str = "", lacks: frozenset[str] = frozenset()
) -> Verbs:
    """The verbs of single records; a client without one of the methods lacks the verb of that
    name."""
    module = vars(_module())
    policy = cast("_WritePolicy", module["WritePolicy"]())
    policy.record_exists_action = vars(module["RecordExistsAction"])["REPLACE_ONLY"]
    methods = {"get", "put", "operate", "add", "touch", "exists", "delete"} - lacks
    missing = vars(importlib.import_module("aerospike_native.exceptions"))["RecordNotFound"]
    call = calls(wait)
    more = of_client(
        key,
        call,
        reading=".bins",
        one_bin=("get", f"{key}, [bins]"),
        replacing=f"{key}, bins, policy=replace",
        operations="[Operation.add(counter, bins), Operation.get_bin(counter)]",
        removing=call("delete", key),
        adding=("add", f"{key}, {{counter: bins}}"),
    )
    return Verbs(
        read=f"{call('get', key)}.bins",
        write=call("put", f"{key}, bins"),
        names={
            "Key": _module().Key,
            **{method: getattr(client, method + suffix) for method in methods},
            "Operation": module["Operation"],
            "replace": policy,
            "RecordNotFound": missing,
        },
        more={verb: source for verb, source in more.items() if verb not in lacks},
    )


class Blocking(BlockingClient):
    _client: _Client
    _key: str
    _keys: str

    def open(self, target: Target) -> None:
        self._client = _module().new_client_blocking(client_policy(target), seeds_of(target))
        self._key = key_source(target)
        self._keys = keys_source(target)

    def verbs(self) -> Verbs:
        return single_verbs(self._client, self._key, "_blocking")

    def many(self, _way: str, /) -> ManyVerbs:
        client = self._client
        return _many(self._keys, client.batch_read_blocking, client.batch_write_blocking)

    def close(self) -> None:
        self._client.close_blocking()


class Asyncio(AsyncioClient):
    _client: _Client
    _key: str
    _keys: str

    async def open(self, target: Target) -> None:
        self._client = await _module().new_client(client_policy(target), seeds_of(target))
        self._key = key_source(target)
        self._keys = keys_source(target)

    def verbs(self) -> Verbs:
        return single_verbs(self._client, self._key, wait="await ")

    def many(self, _way: str, /) -> ManyVerbs:
        client = self._client
        return _many(self._keys, client.batch_read, client.batch_write, "await ")

    async def close(self) -> None:
        await self._client.close()


PEER = Peer(
    "aerospike-native",
    module="aerospike_native",
    distribution="aerospike-native",
    blocking=Blocking,
    asyncio=Asyncio,
    environment=PLAIN_LOOP,
    verbs=ALL,
    ways=(Way(BATCH_READ), Way(BATCH_WRITE), Way(COLUMNS, DICT), Way(TABLE_WRITE, DICT)),
)
