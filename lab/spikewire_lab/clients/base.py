"""The interface of a client in the lab: open, close, and source code for its reads and writes."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from ..access import AUTHS, OPEN, Access
from ..access.seeds import seed_text
from ..work.shape import MAP, POOL
from .registry import RegistryEntry, build_of, of_build, version_of

if TYPE_CHECKING:
    from typing_extensions import Self

ASYNC = "async"
ASYNC_UVLOOP = "async-uvloop"
SYNC = "sync"
RUST = "rust"
RUST_SYNC = "rust-sync"
CRATES = (RUST, RUST_SYNC)
"""Modes of crates: tasks on tokio, and threads."""
NODE = "node"
Dtype = list[tuple[str, str]]
"""Bin names and NumPy type codes, as `numpy.dtype` takes them."""
MODES = (ASYNC, ASYNC_UVLOOP, SYNC, *CRATES, NODE)


@dataclass(frozen=True)
class Target:
    """The cluster, and the namespace and set in it."""

    seeds: tuple[tuple[str, int], ...]
    namespace: str
    set_name: str
    callers: int = 1
    """Calls in flight at once."""
    services_alternate: bool = False
    """Whether to ask the nodes for their alternate addresses."""
    access: Access = OPEN
    """Login and TLS."""

    @property
    def seed_text(self) -> str:
        """The seeds as our own client parses them, with TLS names that differ from the hosts."""
        named = enumerate(self.seeds)
        return ",".join(seed_text(seed, self.access.name(at)) for at, seed in named)

    @property
    def tls_seeds(self) -> tuple[tuple[str, int, str], ...]:
        """The seeds for clients that verify a certificate only if given its name; names are empty
        for plain connections."""
        tls = self.access.tls is not None
        return tuple(
            (host, port, (self.access.name(at) or host) if tls else "")
            for at, (host, port) in enumerate(self.seeds)
        )

    @property
    def options(self) -> dict[str, Any]:
        """The options of our own client."""
        alternate = {"use_services_alternate": self.services_alternate}
        return {**alternate, **self.access.options()}


@dataclass(frozen=True)
class Verbs:
    """One client's read and write as source code, as its users would write them.

    `read` is an expression whose value is the mapping of all bins of the record with the integer
    key `k`; `write` stores the mapping `bins` there. `names` are the names that both may use. The
    loop is generated from these, so no client pays for a function call of an adapter. In batches
    `k` is a list of keys, `bins` a list of mappings, and `read` a statement.
    """

    read: str
    write: str
    names: Mapping[str, object] = field(default_factory=dict[str, object])
    whole: str = ""
    """An expression for everything read, where `read` is a statement; used by checks."""
    more: Mapping[str, str] = field(default_factory=dict[str, str])
    """Statements for further verbs, by their names in `work.mix`, and `FIND`: a read for which a
    missing record is no failure but counted by `next(missed)`. `counter` is the name of the bin
    that is added to."""
    steps: Mapping[str, str] = field(default_factory=dict[str, str])
    """The statement for each verb of a stream that has more than reads and writes; `bins` is then
    the verb's argument: bins to write, the name of a bin, or a number to add."""


FIND = "find"


@dataclass(frozen=True)
class ManyVerbs:
    """How a client's users read and write many records in one call, as source code.

    `read` is an expression over the list `k` of integer keys that gives one row per key, and `bins`
    the mapping of all bins of such a `row`. `write` is a statement that stores the mapping
    `bins[i]` under the key `k[i]` and raises unless every one of them was stored. For ways that
    take columns, `bins` is a table that has the keys in its column `TABLE_KEY`.
    """

    read: str
    bins: str = "row"
    write: str = ""
    names: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True)
class TableVerbs:
    """How a client's users read many records into columns, as source code.

    `read` is an expression over the list `k` of integer keys whose value has all bins of all
    records in columns; `rows` converts that value, named `table`, to a list of mappings.
    """

    read: str
    rows: str
    names: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True)
class Way:
    """One of the ways in which a client does a kind of work."""

    kind: str
    name: str = ""
    """Shown after the client's name; empty for the default way."""
    modes: tuple[str, ...] = (ASYNC, SYNC)
    least: int = 1
    most: int = 1 << 62
    """The largest batch for which this way is meant."""
    columnar: bool = False
    """Whether the caller gets columns rather than records."""
    needs: str = ""
    """A module that this way requires."""
    beside: str = ""
    """Another API of the client that does the same: this way is measured together with that
    API."""

    def fits(self, mode: str, rows: int) -> bool:
        return mode in self.modes and self.least <= rows <= self.most


def numpy_table(
    read: str, array: str, names: tuple[str, ...], dtype: Dtype, **more: object
) -> TableVerbs:
    """Columns as a structured array, given by the expression `array`."""
    numpy = importlib.import_module("numpy")
    numpy_dtype = cast("Callable[[Dtype], object]", vars(numpy)["dtype"])(dtype)
    rows = f"[dict(zip(names, row.tolist())) for row in {array}]"
    return TableVerbs(read, rows, {"dtype": numpy_dtype, "names": names, **more})


class BlockingClient(ABC):
    """A client used from threads."""

    @abstractmethod
    def open(self, target: Target) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs:
        """Called once for each worker, so that bound methods are not shared between threads."""

    def many(self, way: str, /) -> ManyVerbs:
        """Batches, in one of the ways of the peer."""
        raise NotImplementedError(f"{type(self).__module__} reads no batches by {way!r}")

    def table(self, way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        """Columns, in one of the ways of the peer."""
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
        """Batches, in one of the ways of the peer."""
        raise NotImplementedError(f"{type(self).__module__} reads no batches by {way!r}")

    def table(self, way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        """Columns, in one of the ways of the peer."""
        raise NotImplementedError(f"{type(self).__module__} reads no columns by {way!r}")

    @abstractmethod
    async def close(self) -> None: ...


class SubmittedCall(Protocol):
    """A call submitted to a pool."""

    def result(self, timeout: float | None = None) -> object: ...


class PoolClient(ABC):
    """A client with a pool of its own event loops in threads."""

    @abstractmethod
    def open(self, target: Target, loops: int, *, uvloop: bool) -> None: ...

    @abstractmethod
    def verbs(self) -> Verbs:
        """The verbs of asyncio."""

    def many(self) -> ManyVerbs:
        """Batches, the default way."""
        raise NotImplementedError(f"{type(self).__module__} reads no batches in a pool")

    @abstractmethod
    def run(self, function: Callable[..., object], *args: object) -> SubmittedCall:
        """Runs an asynchronous function on one of the loops."""

    @abstractmethod
    def map(
        self, handler: Callable[..., object], items: Iterable[object], limit: int
    ) -> Iterator[object]:
        """Runs it for each item on all loops, with a bounded number in flight on each; yields
        results or exceptions as they complete."""

    @abstractmethod
    def close(self) -> None: ...


@dataclass(frozen=True)
class Peer(RegistryEntry):
    """A client under test: its distribution and its APIs."""

    blocking: type[BlockingClient] | None = None
    asyncio: type[AsyncioClient] | None = None
    pool: type[PoolClient] | None = None
    pool_ways: tuple[str, ...] = (POOL, MAP)
    """What its pool runs: calls, or single commands."""
    usual: bool = True
    """Whether it is compared by default; alternative ways to use a client are not."""
    environment: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, Mapping[str, str]]
    )
    """Environment variables, by mode."""
    ways: tuple[Way, ...] = ()
    """The ways in which it does batches and columns; the default way comes first."""
    api_of: str = ""
    """The client of which this is another API."""
    replaces: str = ""
    """The client whose API this one has."""
    tls: bool = True
    """Whether it can encrypt its connections."""
    auths: tuple[str, ...] = AUTHS
    """The login methods that it supports."""
    verbs: frozenset[str] = frozenset()
    """Verbs of single records that it supports beside reads and writes: the names of
    `Verbs.more`."""

    def lacks(self, mode: str) -> str | None:
        """Why this client lacks the mode, or None."""
        if mode == SYNC:
            return None if self.blocking else "has no blocking interface"
        if mode in (ASYNC, ASYNC_UVLOOP):
            return None if self.asyncio else "has no asyncio interface"
        return "is not a Rust crate" if mode in CRATES else "is not an npm package"

    def ways_of(
        self, kind: str, mode: str, rows: int, clients: Sequence[str] = ()
    ) -> tuple[Way, ...]:
        """The ways in which this client does such a call, given the other clients that are
        compared."""
        ways = (way for way in self.ways if not way.beside or way.beside in clients)
        return tuple(way for way in ways if way.kind == kind and way.fits(mode, rows))

    def way_like(self, kind: str, api: str) -> Way:
        """The way that does the same as this API: the default, unless one names it."""
        known = (way for way in self.ways if (way.kind, way.beside) == (kind, api))
        return next(known, Way(kind))

    def way(self, kind: str, name: str) -> Way:
        """The way of that name; calls without ways, such as single records, have the default
        one."""
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
        """The version of the installed distribution; empty for a client that is part of the lab."""
        return version_of(self) if self.distribution else ""

    def as_build(self, name: str) -> Self:
        """The same client in another build; another API belongs to the same build as its client."""
        api_of = self.api_of and of_build(self.api_of, build_of(name))
        return replace(self, name=name, api_of=api_of)
