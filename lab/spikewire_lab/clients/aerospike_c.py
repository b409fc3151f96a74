"""`aerospike`: the vendor's client over its C library. Blocking only."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from ..access import EXTERNAL, EXTERNAL_INSECURE, INTERNAL, PKI
from ..work.shape import BATCH_READ, BATCH_WRITE, COLUMNS, DICT, TABLE_WRITE
from .base import SYNC, BlockingClient, ManyVerbs, Peer, Target, Verbs, Way
from .more import ALL, blocking, expecting, of_client

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .more import Call


class _Client(Protocol):
    def get(self, key: tuple[str, str, int]) -> tuple[object, object, dict[str, object]]: ...

    def put(self, key: tuple[str, str, int], bins: Mapping[str, object]) -> object: ...

    select: object
    operate: object
    increment: object
    touch: object
    exists: object
    remove: object

    def batch_read(self, keys: Sequence[tuple[str, str, int]]) -> object: ...

    def batch_write(self, records: object) -> object: ...

    def close(self) -> None: ...


class _Module(Protocol):
    def client(self, config: Mapping[str, object]) -> _Client: ...


_AUTHS = {
    INTERNAL: "AUTH_INTERNAL",
    EXTERNAL: "AUTH_EXTERNAL",
    EXTERNAL_INSECURE: "AUTH_EXTERNAL_INSECURE",
    PKI: "AUTH_PKI",
}


def config(module: str, target: Target) -> dict[str, object]:
    """The configuration that a user of this client would write for such a cluster."""
    access, hosts = target.access, list(target.seeds)
    options: dict[str, object] = {
        "hosts": hosts,
        "use_services_alternate": target.services_alternate,
    }
    if access.auth:
        number = cast("int", vars(importlib.import_module(module))[_AUTHS[access.auth]])
        options["policies"] = {"auth_mode": number}
    if access.user:
        options |= {"user": access.user, "password": access.password.text()}
    if access.tls is not None:
        tls = access.tls
        files = {"cafile": tls.ca, "certfile": tls.certificate, "keyfile": tls.key}
        options["hosts"] = list(target.tls_seeds)
        options["tls"] = {"enable": True, **{name: path for name, path in files.items() if path}}
    return options


class Blocking(BlockingClient):
    module = "aerospike"
    helpers = "aerospike_helpers"
    _client: _Client
    _prefix: str

    def open(self, target: Target) -> None:
        module = cast("_Module", importlib.import_module(self.module))
        self._client = module.client(config(self.module, target))
        self._prefix = f"{target.namespace!r}, {target.set_name!r}"

    def verbs(self) -> Verbs:
        return self.written(blocking)

    def written(self, call: Call) -> Verbs:
        """The verbs with its methods called in this way."""
        key = f"({self._prefix}, k)"
        return Verbs(
            read=f"{call('get', key)}[2]",
            write=call("put", f"{key}, bins"),
            names={"get": self._client.get, "put": self._client.put, **self._further()},
            more=of_client(
                key,
                call,
                reading="[2]",
                one_bin=("select", f"{key}, [bins]"),
                replacing=f"{key}, bins, None, replace",
                operations="[incremented(counter, bins), reading(counter)]",
                removing=expecting(call("remove", key)),
                adding=("increment", f"{key}, counter, bins"),
            ),
        )

    def _further(self) -> dict[str, object]:
        """The names that verbs other than reads and writes refer to."""
        client, module = self._client, vars(importlib.import_module(self.module))
        operations = vars(importlib.import_module(f"{self.helpers}.operations.operations"))
        return {
            "select": client.select,
            "operate": client.operate,
            "increment": client.increment,
            "touch": client.touch,
            "exists": client.exists,
            "remove": client.remove,
            "incremented": operations["increment"],
            "reading": operations["read"],
            "replace": {"exists": module["POLICY_EXISTS_REPLACE"]},
            "RecordNotFound": vars(module["exception"])["RecordNotFound"],
        }

    def many(self, _way: str, /) -> ManyVerbs:
        records = vars(importlib.import_module(f"{self.helpers}.batch.records"))
        operations = vars(importlib.import_module(f"{self.helpers}.operations.operations"))
        operation = "[write(name, value) for name, value in one.items()]"
        record = f"Write(({self._prefix}, key), {operation})"
        return ManyVerbs(
            read=f"batch_read([({self._prefix}, one) for one in k]).batch_records",
            bins="row.record[2]",
            write=f"check(batch_write(BatchRecords([{record} for key, one in zip(k, bins)])))",
            names={
                "batch_read": self._client.batch_read,
                "batch_write": self._client.batch_write,
                "BatchRecords": records["BatchRecords"],
                "Write": records["Write"],
                "write": operations["write"],
                "check": check,
            },
        )

    def close(self) -> None:
        self._client.close()


class _BatchRecords(Protocol):
    result: int


def check(written: _BatchRecords) -> None:
    """Checks a batch: one code says whether any row failed."""
    if written.result != 0:
        raise RuntimeError(f"batch_write ended with result code {written.result}")


PEER = Peer(
    "aerospike",
    module="aerospike",
    distribution="aerospike",
    blocking=Blocking,
    verbs=ALL,
    ways=(
        Way(BATCH_READ, modes=(SYNC,)),
        Way(BATCH_WRITE, modes=(SYNC,)),
        Way(COLUMNS, DICT, (SYNC,)),
        Way(TABLE_WRITE, DICT, (SYNC,)),
    ),
)
