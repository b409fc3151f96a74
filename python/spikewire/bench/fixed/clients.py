"""How each client's users write the operations that the lab's other tables do not have, in source
form: `operate`, `remove`, asynchronous reads into NumPy."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from ..clients import OURS
from ..clients.base import ASYNC, SYNC, TableVerbs, Verbs, numpy_table
from ..queries import readers
from .cells import OFFICIAL, PEER

if TYPE_CHECKING:
    from ..clients.base import Dtype

Foreign = Any

# In `Verbs` of these classes, `read` is the operation and `write` the removal.


class Ours(readers.Ours):
    def changes(self) -> Verbs:
        return _ours(self._dataset)


class OursAsync(readers.OursAsync):
    def changes(self) -> Verbs:
        return _ours(self._dataset, "await ")

    def table(self, _way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        read = 'await get_numpy(k, dtype, missing="raise")'
        return numpy_table(read, "table", names, dtype, get_numpy=self._dataset.get_numpy)


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

    def table(self, _way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        one = self._key.replace(", k)", ", one)")
        read = f"(await batch_read([{one} for one in k])).to_numpy(dtype)"
        array, batch_read = "table.batch_records", self._client.batch_read
        return numpy_table(read, array, names, dtype, batch_read=batch_read)


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
"""How each reads a whole set: a list of all records where the study has one."""
