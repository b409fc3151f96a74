"""Source code of each client for the two operations that the study defines in its own way:
`operate` reads one bin and adds to another, and `remove` fails if the record does not exist."""

from __future__ import annotations

import importlib
from typing import Any, cast

from ..clients import OURS
from ..clients.base import ASYNC, SYNC, Verbs
from ..queries import readers
from .cells import OFFICIAL, PEER

Foreign = Any

# In `Verbs` of these classes, `read` is the operation and `write` the removal.


class Ours(readers.Ours):
    def changes(self) -> Verbs:
        return _ours(self._dataset)


class OursAsync(readers.OursAsync):
    def changes(self) -> Verbs:
        return _ours(self._dataset, "await ")


def _ours(dataset: Foreign, wait: str = "") -> Verbs:
    op = importlib.import_module("spikewire").op
    names = {"operate": dataset.operate, "delete": dataset.delete, "op": op}
    return Verbs(
        read=f'{wait}operate(k, [op.get("b0"), op.add("b1", 1)])',
        write=f"{wait}delete(k)",
        names=names,
    )


class C(readers.C):
    def changes(self) -> Verbs:
        client = cast("Foreign", self._client)
        operations = importlib.import_module(f"{self.helpers}.operations.operations")
        key = f"({self._prefix}, k)"
        return Verbs(
            read=f'operate({key}, [op.read("b0"), op.increment("b1", 1)])',
            write=f"remove({key})",
            names={"operate": client.operate, "remove": client.remove, "op": operations},
        )


class Py(readers.Py):
    def changes(self) -> Verbs:
        return _py(self._client, self._key)


class PyAsync(readers.PyAsync):
    def changes(self) -> Verbs:
        return _py(self._client, self._key, "await ")


def _py(client: Foreign, key: str, wait: str = "") -> Verbs:
    module = vars(importlib.import_module("aerospike_py"))
    reads = '{"op": READ, "bin": "b0"}'
    adds = '{"op": INCR, "bin": "b1", "val": 1}'
    return Verbs(
        read=f"{wait}operate({key}, [{reads}, {adds}])",
        write=f"{wait}remove({key})",
        names={
            "operate": client.operate,
            "remove": client.remove,
            "READ": module["OPERATOR_READ"],
            "INCR": module["OPERATOR_INCR"],
        },
    )


Blocking = Ours | C | Py
Asyncio = OursAsync | PyAsync

BLOCKING: dict[str, type[Blocking]] = {OURS: Ours, OFFICIAL: C, PEER: Py}
ASYNCIO: dict[str, type[Asyncio]] = {OURS: OursAsync, PEER: PyAsync}
SCANS = {
    (OURS, SYNC): "objects",
    (OURS, ASYNC): "objects",
    (OFFICIAL, SYNC): "results",
    (PEER, SYNC): "results",
    (PEER, ASYNC): "results",
}
"""How each client reads a whole set: a list of all records, as in the study."""
