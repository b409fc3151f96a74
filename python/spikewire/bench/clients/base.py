"""What the lab asks of a client: to open, to close, and how its users write a read and a write."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from ..access import AUTHS, OPEN, Access
from ..run.seeds import seed_text
from .registry import Named, build_of, of_build, version_of
from .shape import MAP, POOL

if TYPE_CHECKING:
    from typing_extensions import Self

ASYNC = "async"
ASYNC_UVLOOP = "async-uvloop"
SYNC = "sync"
RUST = "rust"
RUST_SYNC = "rust-sync"
CRATES = (RUST, RUST_SYNC)
"""Modes of crates: tasks on tokio, threads."""
NODE = "node"
Dtype = list[tuple[str, str]]
"""Bin names and NumPy type codes, as `numpy.dtype` takes them."""
MODES = (ASYNC, ASYNC_UVLOOP, SYNC, *CRATES, NODE)


@dataclass(frozen=True)
class Target:
    """The cluster and the place in it."""

    seeds: tuple[tuple[str, int], ...]
    namespace: str
    set_name: str
    callers: int = 1
    """How many calls are in flight at once."""
    services_alternate: bool = False
    """Whether the nodes are asked for their alternate addresses."""
    access: Access = OPEN
    """How clients are let in."""

    @property
    def seed_text(self) -> str:
        """As our own client reads it: TLS names where they are not the hosts."""
        named = enumerate(self.seeds)
        return ",".join(seed_text(seed, self.access.name(at)) for at, seed in named)

    @property
    def tls_seeds(self) -> tuple[tuple[str, int, str], ...]:
        """For clients that verify no certificate without being told its name; those of plain
        connections are empty."""
        tls = self.access.tls is not None
        return tuple(
            (host, port, (self.access.name(at) or host) if tls else "")
            for at, (host, port) in enumerate(self.seeds)
        )

    @property
    def options(self) -> dict[str, Any]:
        """Those of our own client."""
        alternate = {"use_services_alternate": self.services_alternate}
        return {**alternate, **self.access.options()}


@dataclass(frozen=True)
class Verbs:
    """One client's read and write in source form, as its users write them.

    `read` is an expression whose value is the mapping of all bins of the record with the integer
    key `k`; `write` stores the mapping `bins` there. `names` are what the two may mention. The
    loop is written out from these, so no client pays for an adapter's own function call. In
    batches `k` is a list of keys, `bins` a list of mappings, and `read` a statement.
    """

    read: str
    write: str
    names: Mapping[str, object] = field(default_factory=dict[str, object])
    whole: str = ""
    """An expression for all that was read, where `read` is a statement: checks look at it."""
    more: Mapping[str, str] = field(default_factory=dict[str, str])
    """Statements for further verbs, by their names in `work.mix`, and `FIND`: a read for which a
    record that is not there is no failure, but counted by `next(missed)`. `counter` is the name of
    the bin that is added to."""
    steps: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where there is more than reads and writes, the statement for each verb of a stream; `bins` is
    then what the verb is given: bins to write, the name of one, or a number to add."""


FIND = "find"


@dataclass(frozen=True)
class ManyVerbs:
    """How a client's users read and write many records in one call, in source form.

    `read` is an expression over the list `k` of integer keys that gives one row per key, and
    `bins` the mapping of all bins of such a `row`. `write` is a statement that stores the mapping
    `bins[i]` under the key `k[i]` and raises unless every one of them was stored. Where a way takes
    columns, `bins` is a table that has the keys in its column `TABLE_KEY`.
    """

    read: str
    bins: str = "row"
    write: str = ""
    names: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True)
class TableVerbs:
    """How a client's users read many records into columns, in source form.

    `read` is an expression over the list `k` of integer keys whose value has all bins of all
    records in columns; `rows` gives the same as a list of mappings, from what is called `table`.
    """

    read: str
    rows: str
    names: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True)
class Way:
    """One way to do a kind of work with a client, where it can be used."""

    kind: str
    name: str = ""
    """Shown beside the client; empty for the plain way."""
    modes: tuple[str, ...] = (ASYNC, SYNC)
    least: int = 1
    most: int = 1 << 62
    """The sizes of a batch for which this way is meant."""
    columnar: bool = False
    """Whether the caller gets columns rather than records."""
    needs: str = ""
    """A module without which this way cannot be gone."""
    beside: str = ""
    """The face that does the same in other words: this way is measured where that face is."""

    def fits(self, mode: str, rows: int) -> bool:
        return mode in self.modes and self.least <= rows <= self.most


def numpy_table(
    read: str, array: str, names: tuple[str, ...], dtype: Dtype, **more: object
) -> TableVerbs:
    """Columns as a structured array, which `array` is the expression for."""
    numpy = importlib.import_module("numpy")
    made = cast("Callable[[Dtype], object]", vars(numpy)["dtype"])(dtype)
    rows = f"[dict(zip(names, row.tolist())) for row in {array}]"
    return TableVerbs(read, rows, {"dtype": made, "names": names, **more})


class BlockingClient(ABC):
    """A client used from threads."""

    @abstractmethod
    def open(self, target: Target) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs:
        """Called once for every worker, so that bound methods are not shared between threads."""

    def many(self, way: str, /) -> ManyVerbs:
        """Batches, in one of the ways that the peer names."""
        raise NotImplementedError(f"{type(self).__module__} reads no batches by {way!r}")

    def table(self, way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        """Columns, in one of the ways that the peer names."""
        raise NotImplementedError(f"{type(self).__module__} reads no columns by {way!r}")

    @abstractmethod
    def close(self) -> None: ...


class AsyncioClient(ABC):
    """A client used from tasks on one event loop."""

    @abstractmethod
    async def open(self, target: Target) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs: ...

    def many(self, way: str, /) -> ManyVerbs:
        """Batches, in one of the ways that the peer names."""
        raise NotImplementedError(f"{type(self).__module__} reads no batches by {way!r}")

    def table(self, way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        """Columns, in one of the ways that the peer names."""
        raise NotImplementedError(f"{type(self).__module__} reads no columns by {way!r}")

    @abstractmethod
    async def close(self) -> None: ...


class Outstanding(Protocol):
    """A call that a pool runs."""

    def result(self, timeout: float | None = None) -> object: ...


class PoolClient(ABC):
    """A client used from event loops in threads, which it runs itself."""

    @abstractmethod
    def open(self, target: Target, loops: int, *, uvloop: bool) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs:
        """Those of asyncio."""

    def many(self) -> ManyVerbs:
        """Batches, the plain way."""
        raise NotImplementedError(f"{type(self).__module__} reads no batches in a pool")

    @abstractmethod
    def run(self, function: Callable[..., object], *args: object) -> Outstanding:
        """Calls an asynchronous function on one of the loops."""

    @abstractmethod
    def map(
        self, handler: Callable[..., object], items: Iterable[object], limit: int
    ) -> Iterator[object]:
        """Calls it for each item, on all loops, so many at once on each; results or exceptions, as
        they come."""

    @abstractmethod
    def close(self) -> None: ...


@dataclass(frozen=True)
class Peer(Named):
    """A client under test: where it comes from and which faces it has."""

    blocking: type[BlockingClient] | None = None
    asyncio: type[AsyncioClient] | None = None
    pool: type[PoolClient] | None = None
    pool_ways: tuple[str, ...] = (POOL, MAP)
    """What that pool takes: calls, command after command."""
    usual: bool = True
    """Whether it is compared unless the user says otherwise; other ways to use a client are not."""
    environment: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, Mapping[str, str]]
    )
    """Environment variables by mode."""
    ways: tuple[Way, ...] = ()
    """How it does batches and columns; the plain way comes first."""
    face_of: str = ""
    """The client that this is another face of."""
    replaces: str = ""
    """The client whose names this face has."""
    tls: bool = True
    """Whether it can encrypt its connections."""
    auths: tuple[str, ...] = AUTHS
    """How its users may be known to the nodes."""
    verbs: frozenset[str] = frozenset()
    """What single records can have done to them beside reads and writes: the names of
    `Verbs.more`."""

    def lacks(self, mode: str) -> str | None:
        """Why this client has no such mode, or None."""
        if mode == SYNC:
            return None if self.blocking else "has no blocking interface"
        if mode in (ASYNC, ASYNC_UVLOOP):
            return None if self.asyncio else "has no asyncio interface"
        return "is not a Rust crate" if mode in CRATES else "is not an npm package"

    def ways_of(
        self, kind: str, mode: str, rows: int, clients: Sequence[str] = ()
    ) -> tuple[Way, ...]:
        """The ways in which this client does such a call, beside these clients."""
        ways = (way for way in self.ways if not way.beside or way.beside in clients)
        return tuple(way for way in ways if way.kind == kind and way.fits(mode, rows))

    def way_beside(self, kind: str, face: str) -> Way:
        """The way that does the same as this face: the plain one, unless one says so."""
        known = (way for way in self.ways if (way.kind, way.beside) == (kind, face))
        return next(known, Way(kind))

    def way(self, kind: str, name: str) -> Way:
        """One of them by its name; what has no ways, as single records, is done the plain way."""
        known = (way for way in self.ways if (way.kind, way.name) == (kind, name))
        return next(known, Way(kind, name))

    def unavailable(self) -> str | None:
        """Why this client cannot be used in this process, or None. Imports it."""
        try:
            importlib.import_module(self.module)
        except Exception as error:  # noqa: BLE001 - any failure to import is a reason
            return f"cannot import {self.module}: {error}"
        return None

    def version(self) -> str:
        """Of the installed distribution; nothing for a client that is part of the lab."""
        return version_of(self) if self.distribution else ""

    def as_build(self, name: str) -> Self:
        """A face is one of the same build."""
        face_of = self.face_of and of_build(self.face_of, build_of(name))
        return replace(self, name=name, face_of=face_of)
