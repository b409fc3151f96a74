"""Our own client, used as its users would."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from ..work.mix import ADD, EXISTS, OPERATE, READ_ONE, REMOVE, REPLACE, TOUCH
from ..work.shape import (
    ARROW,
    BATCH_READ,
    BATCH_WRITE,
    COLUMNS,
    DICT,
    NUMPY,
    NUMPY_PLAIN,
    OPERATIONS,
    PANDAS,
    SINGLES,
    SINGLES_SIZE,
    TABLE_KEY,
    TABLE_WRITE,
)
from .base import (
    FIND,
    SYNC,
    AsyncioClient,
    BlockingClient,
    Dtype,
    ManyVerbs,
    Peer,
    PoolClient,
    TableVerbs,
    Target,
    Verbs,
    Way,
    numpy_table,
)
from .more import ALL, awaited, blocking, held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .base import SubmittedCall
    from .more import Call


class _Methods(Protocol):
    """The methods of a dataset, or of its `submit` view."""

    get: object
    put: object
    get_many: object
    put_many: object
    operate: object
    add: object
    touch: object
    exists: object
    delete: object


class _Dataset(_Methods, Protocol):
    get_numpy: object
    submit: _Methods


class _Client(Protocol):
    batch: object

    def dataset(self, namespace: str, set_name: str) -> _Dataset: ...

    def close(self) -> None: ...


class _AsyncClient(Protocol):
    def dataset(self, namespace: str, set_name: str) -> _Dataset: ...

    async def close(self) -> None: ...


class _Factory(Protocol):
    def connect(self, seeds: str, **options: object) -> _Client: ...


class _AsyncFactory(Protocol):
    async def connect(self, seeds: str, **options: object) -> _AsyncClient: ...


class OpenPool(Protocol):
    client: object

    def open(self) -> OpenPool: ...

    def dataset(self, namespace: str, set_name: str) -> _Dataset: ...

    def run(self, function: Callable[..., object], *args: object) -> SubmittedCall: ...

    def map(
        self,
        handler: Callable[..., object],
        items: Iterable[object],
        *,
        limit: int,
        ordered: bool,
        errors: str,
    ) -> Iterator[object]: ...

    def close(self) -> None: ...


class _PoolFactory(Protocol):
    def __call__(self, seeds: str, *, loops: int, uvloop: bool, **options: object) -> OpenPool: ...


class _Module(Protocol):
    Client: _Factory
    AsyncClient: _AsyncFactory
    Pool: _PoolFactory


def _module() -> _Module:
    return cast("_Module", importlib.import_module("spikewire"))


def single_verbs(dataset: _Methods, call: Call = blocking) -> Verbs:
    """The verbs of single records, called in this way."""
    op = vars(importlib.import_module("spikewire.op"))
    return Verbs(
        read=f"{call('get', 'k')}.bins",
        write=call("put", "k, bins"),
        names={
            "get": dataset.get,
            "put": dataset.put,
            "operate": dataset.operate,
            "add": dataset.add,
            "touch": dataset.touch,
            "exists": dataset.exists,
            "delete": dataset.delete,
            "added": op["add"],
            "read": op["get"],
        },
        more={
            FIND: held(call("get", "k, default=None"), "row.bins"),
            READ_ONE: f"{call('get', 'k, [bins]')}.bins",
            REPLACE: call("put", 'k, bins, exists="replace_only"'),
            OPERATE: f"{call('operate', 'k, [added(counter, bins), read(counter)]')}.bins",
            ADD: call("add", "k, {counter: bins}"),
            TOUCH: call("touch", "k"),
            EXISTS: call("exists", "k"),
            REMOVE: call("delete", "k"),
        },
    )


def _many(dataset: _Dataset, way: str = "", wait: str = "") -> ManyVerbs:
    """Batches, awaited or not."""
    rows = f"bins, key={TABLE_KEY!r}" if way in (NUMPY, ARROW, PANDAS) else "zip(k, bins)"
    read, write = f"{wait}get_many(k)", f"{wait}put_many({rows})"
    return ManyVerbs(
        read=f"[{wait}get(one) for one in k]" if way == SINGLES else read,
        bins="row.bins",
        write=f"({write}).raise_for_errors()" if wait else f"{write}.raise_for_errors()",
        names={"get": dataset.get, "get_many": dataset.get_many, "put_many": dataset.put_many},
    )


def _rows(client: _Client, target: Target) -> ManyVerbs:
    """Batches whose writes are rows of operations."""
    write = vars(importlib.import_module("spikewire"))["Write"]
    put = vars(importlib.import_module("spikewire.op"))["put"]
    key = f"({target.namespace!r}, {target.set_name!r}, key)"
    row = f"Write({key}, [put(name, value) for name, value in one.items()])"
    plain = _many(client.dataset(target.namespace, target.set_name))
    return replace(
        plain,
        write=f"batch([{row} for key, one in zip(k, bins)]).raise_for_errors()",
        names={**plain.names, "batch": client.batch, "Write": write, "put": put},
    )


def _table(
    dataset: _Dataset, way: str, names: tuple[str, ...], dtype: Dtype, wait: str = ""
) -> TableVerbs:
    """Columns, awaited or not."""
    if way == ARROW:
        arrow = cast("object", vars(importlib.import_module("pyarrow"))["table"])
        known = {"get_many": dataset.get_many, "arrow": arrow}
        return TableVerbs(f"({wait}get_many(k)).to_arrow()", "arrow(table).to_pylist()", known)
    plain = ', missing="raise"' if way == NUMPY_PLAIN else ""
    read = f"{wait}get_numpy(k, dtype{plain})"
    return numpy_table(read, "table", names, dtype, get_numpy=dataset.get_numpy)


class Blocking(BlockingClient):
    _client: _Client
    _dataset: _Dataset
    _target: Target

    def open(self, target: Target) -> None:
        self._target = target
        self._client = _module().Client.connect(target.seed_text, **target.options)
        self._dataset = self._client.dataset(target.namespace, target.set_name)

    def verbs(self) -> Verbs:
        return single_verbs(self._dataset)

    def many(self, way: str, /) -> ManyVerbs:
        if way == OPERATIONS:
            return _rows(self._client, self._target)
        return _many(self._dataset, way)

    def table(self, way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        return _table(self._dataset, way, names, dtype)

    def close(self) -> None:
        self._client.close()


class Asyncio(AsyncioClient):
    _client: _AsyncClient
    _dataset: _Dataset

    async def open(self, target: Target) -> None:
        self._client = await _module().AsyncClient.connect(target.seed_text, **target.options)
        self._dataset = self._client.dataset(target.namespace, target.set_name)

    def verbs(self) -> Verbs:
        return single_verbs(self._dataset, awaited)

    def many(self, way: str, /) -> ManyVerbs:
        return _many(self._dataset, way, "await ")

    def table(self, way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        return _table(self._dataset, way, names, dtype, "await ")

    async def close(self) -> None:
        await self._client.close()


class PoolAdapter(PoolClient):
    _pool: OpenPool
    _dataset: _Dataset

    def open(self, target: Target, loops: int, *, uvloop: bool) -> None:
        make = _module().Pool
        self._pool = make(target.seed_text, loops=loops, uvloop=uvloop, **target.options).open()
        self._dataset = self._pool.dataset(target.namespace, target.set_name)

    def verbs(self) -> Verbs:
        return single_verbs(self._dataset, awaited)

    def many(self) -> ManyVerbs:
        return _many(self._dataset, wait="await ")

    def run(self, function: Callable[..., object], *args: object) -> SubmittedCall:
        return self._pool.run(function, *args)

    def map(
        self, handler: Callable[..., object], items: Iterable[object], limit: int
    ) -> Iterator[object]:
        return self._pool.map(handler, items, limit=limit, ordered=False, errors="return")

    def close(self) -> None:
        self._pool.close()


PEER = Peer(
    "spikewire",
    module="spikewire",
    distribution="spikewire",
    blocking=Blocking,
    asyncio=Asyncio,
    pool=PoolAdapter,
    verbs=ALL,
    ways=(
        Way(BATCH_READ),
        Way(BATCH_READ, SINGLES, least=SINGLES_SIZE, most=SINGLES_SIZE),
        Way(BATCH_WRITE),
        Way(BATCH_WRITE, OPERATIONS, (SYNC,), beside="spikewire-compat"),
        Way(COLUMNS, NUMPY, columnar=True, needs="numpy"),
        Way(COLUMNS, NUMPY_PLAIN, columnar=True, needs="numpy"),
        Way(COLUMNS, ARROW, columnar=True, needs="pyarrow"),
        Way(COLUMNS, DICT),
        Way(TABLE_WRITE, NUMPY, columnar=True, needs="numpy"),
        Way(TABLE_WRITE, ARROW, columnar=True, needs="pyarrow"),
        Way(TABLE_WRITE, PANDAS, columnar=True, needs="pandas"),
        Way(TABLE_WRITE, DICT),
    ),
)
