"""Types for annotations: everything a program may need that is not in ``spikewire`` itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

from spikewire._imports import import_late
from spikewire._native import Expression, GeoJSON, HyperLogLog, Key, Marker, Step

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Unpack

    from spikewire._native import ClientSubmit, DatasetSubmit
    from spikewire.aerospike.builder.results import Missing, OnError, Result, Results
    from spikewire.aerospike.indexes import AsyncIndexes, Index, Indexes, Kind
    from spikewire.aerospike.jobs import AsyncJob, Job, JobProgress
    from spikewire.aerospike.modules import AsyncModules, Module, Modules
    from spikewire.aerospike.profiles.explain import Explanation, Used
    from spikewire.aerospike.query import Of
    from spikewire.aerospike.views import AsyncClientView, AsyncDatasetView, ClientView, DatasetView
    from spikewire.metrics import Event, Metrics, Stats
    from spikewire.options import BlockingOptions, ClientOptions, StreamOptions

    _Structured: TypeAlias = np.ndarray[tuple[int], np.dtype[np.void]]
    _Text: TypeAlias = tuple[str, Unpack[tuple[object, ...]]]
else:  # what they are without NumPy, and before Python 3.11
    _Structured = object
    _Text = tuple[str, ...]

__all__ = [
    "ArrowArray",
    "ArrowSchema",
    "ArrowStream",
    "AsyncClientView",
    "AsyncDatasetView",
    "AsyncIndexes",
    "AsyncJob",
    "AsyncModules",
    "Auth",
    "BinNames",
    "BinValue",
    "Bins",
    "BlockingOptions",
    "ByIndex",
    "ByValue",
    "BytesLike",
    "ClientOptions",
    "ClientRecords",
    "ClientSubmit",
    "ClientView",
    "Columns",
    "CommitLevel",
    "DatasetSubmit",
    "DatasetView",
    "DetailLevel",
    "Entries",
    "Event",
    "Exists",
    "Explanation",
    "Hedge",
    "Index",
    "Indexes",
    "Instance",
    "Job",
    "JobProgress",
    "KeyLike",
    "Keys",
    "Kind",
    "ListOrder",
    "ListReturn",
    "MapByIndex",
    "MapByKeys",
    "MapByValue",
    "MapKey",
    "MapOrder",
    "MapReturn",
    "Marker",
    "Metrics",
    "Missing",
    "Module",
    "Modules",
    "Nulls",
    "NumberKind",
    "Of",
    "OnError",
    "Overflow",
    "Path",
    "PathReturn",
    "Priority",
    "ReadMode",
    "Records",
    "RecordsByKey",
    "RecordsOf",
    "Replica",
    "Result",
    "Results",
    "Seconds",
    "Seeds",
    "ShareReads",
    "Sketches",
    "Sought",
    "Stats",
    "Step",
    "StreamOptions",
    "Table",
    "Ttl",
    "Used",
    "UserKey",
    "Value",
    "Values",
    "Where",
]

#: Objects that hold bytes.
BytesLike: TypeAlias = bytes | bytearray | memoryview

#: A user key. Integers have 64 bits, signed.
UserKey: TypeAlias = int | str | BytesLike

#: A full key: a ``Key``, or the usual tuple ``(namespace, set, key[, digest])``. With a digest, the
#: key may be ``None``.
KeyLike: TypeAlias = (
    Key
    | tuple[str, str | None, UserKey]
    | tuple[str, str | None, UserKey | None, bytes | bytearray | None]
)

#: Names of bins to read.
BinNames: TypeAlias = list[str] | tuple[str, ...]

#: What can be written to a bin; ``None`` removes the bin. Sequences are lists and tuples, keys of
#: mappings are ``str``, ``int`` or ``bytes``, and both hold values again: a call checks that before
#: anything is sent. (The type is wider, because type checkers infer ``object`` for a variable with
#: a dict or list of mixed values.)
BinValue: TypeAlias = (
    int
    | float
    | bool
    | str
    | BytesLike
    | GeoJSON
    | HyperLogLog
    | Sequence[object]
    | Mapping[Any, object]
    | None
)

#: Bins to write, by name. Each value is a ``BinValue``, or has a type that the client's codec
#: encodes: that is why type checkers accept any object here. The call checks it.
Bins: TypeAlias = Mapping[str, object]


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


class _Struct(Protocol):
    __struct_fields__: ClassVar[tuple[str, ...]]


class _Model(Protocol):
    __pydantic_fields__: ClassVar[dict[str, Any]]


#: An instance of a class that the records of a dataset can have, whose fields become bins: of a
#: dataclass, a ``msgspec.Struct`` or a pydantic model.
Instance: TypeAlias = _Dataclass | _Struct | _Model

_KeyOf = TypeVar("_KeyOf", covariant=True)


class RecordsByKey(Protocol[_KeyOf]):
    """A mapping of keys to bins. (Type checkers treat keys of mappings as invariant, so a
    ``Mapping`` would have to name every kind of key and every mixture of them.)
    """

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[_KeyOf]: ...

    def items(self) -> Iterable[tuple[_KeyOf, Bins]]: ...


#: Many records to write into a dataset: a mapping of keys to bins, or pairs of them.
Records: TypeAlias = (
    Mapping[UserKey | Key, Bins]
    | RecordsByKey[UserKey | Key]
    | Iterable[tuple[UserKey | Key, Bins]]
)

_Value_co = TypeVar("_Value_co", covariant=True)
_Value = TypeVar("_Value")


class _ValuesByKey(Protocol[_KeyOf, _Value_co]):
    """A mapping of keys to what records hold."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[_KeyOf]: ...

    def items(self) -> Iterable[tuple[_KeyOf, _Value_co]]: ...


#: Many records to write into a dataset with a type: a mapping of keys to instances, or pairs.
RecordsOf: TypeAlias = _ValuesByKey[UserKey | Key, _Value] | Iterable[tuple[UserKey | Key, _Value]]

#: The same through a client, by whole keys.
ClientRecords: TypeAlias = (
    Mapping[KeyLike, Bins] | RecordsByKey[KeyLike] | Iterable[tuple[KeyLike, Bins]]
)


class ArrowStream(Protocol):
    """A table or stream of tables that offers the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with an ``ArrowArrayStream``."""
        ...


class ArrowArray(Protocol):
    """An array that offers the Arrow PyCapsule interface; an array of structs is a table."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Capsules with an ``ArrowSchema`` and an ``ArrowArray``."""
        ...


#: A table: a structured NumPy array, plain or masked, or any object with the Arrow PyCapsule
#: interface, such as tables of pyarrow, polars, pandas and duckdb.
Table: TypeAlias = ArrowStream | ArrowArray | _Structured

#: Columns to write: their names, or the bins they become by their names.
Columns: TypeAlias = list[str] | tuple[str, ...] | Mapping[str, str]

#: The effect of nulls in a table: their bins are left unchanged, or removed.
Nulls: TypeAlias = Literal["skip", "remove"]

#: A key of a map that was read. Lists, which other clients can write, are returned as tuples.
MapKey: TypeAlias = str | int | float | bytes | tuple["MapKey", ...] | None

#: What operations search for: a value, or ``op.WILDCARD`` or ``op.INFINITY``.
Sought: TypeAlias = BinValue | Marker

#: What is read from a bin: int, float, bool, str, bytes, ``GeoJSON``, ``HyperLogLog``, a list or
#: dict of these, ``None``, a ``memoryview`` with ``buffers=True``, or what the client's codec makes
#: of it. Only the program knows which, so type checkers accept it as anything. A dataset with a
#: type says it: ``client.dataset("test", "users", User)``.
Value: TypeAlias = Any

#: Addresses of the cluster: ``"host"``, ``"host:port"``, several separated by commas, or a list.
Seeds: TypeAlias = str | list[str] | tuple[str, ...]

#: A span of time: seconds, or a ``timedelta``.
Seconds: TypeAlias = float | timedelta

#: When to send a read a second time: seconds or a ``timedelta`` (0: never), or ``"p99"``, a
#: percentile from 50 to 99.9 of recent latencies.
Hedge: TypeAlias = float | timedelta | str

#: What goes first where calls wait for a node.
Priority: TypeAlias = Literal["interactive", "background"]
#: When a write is answered: see ``put``.
CommitLevel: TypeAlias = Literal["all", "master"]
#: How much servers are asked to say about errors: see ``get``.
DetailLevel: TypeAlias = Literal["off", "subcode", "message", "trace"]
#: Which requests concurrent reads of the same record share: see ``get``.
ShareReads: TypeAlias = Literal["off", "unsent", "in_flight"]

#: Which system knows the user, and how the password is sent: see ``ClientOptions.auth``.
Auth: TypeAlias = Literal["internal", "external", "external-insecure", "pki"]

#: Time to live: whole seconds, a ``timedelta``, a ``datetime`` with a time zone, or a word.
Ttl: TypeAlias = int | timedelta | datetime | Literal["default", "never", "unchanged"]

#: How a write treats existing and missing records.
Exists: TypeAlias = Literal["merge", "create", "update", "replace", "replace_only"]

#: The consistency of a read.
ReadMode: TypeAlias = Literal[
    "one", "all", "session", "linearize", "allow_replica", "allow_unavailable"
]

#: Which replica a command goes to.
Replica: TypeAlias = Literal["master", "sequence", "any", "prefer-rack"]

#: A filter: an expression from ``spikewire.exp``, a text such as ``"$.age > 25"``, or a tuple of a
#: text and its parameters, such as ``("$.age > ?0", 25)``.
Where: TypeAlias = Expression | str | _Text

#: The order of a list that must be created.
ListOrder: TypeAlias = Literal["unordered", "ordered"]

#: The order of a map that must be created: none, by key, or by key and value.
MapOrder: TypeAlias = Literal["unordered", "key", "key_value"]

#: What an operation returns of the elements of a list that it selects.
ListReturn: TypeAlias = Literal[
    "none", "value", "count", "exists", "index", "reverse_index", "rank", "reverse_rank"
]

#: The same, for a selection by index.
ByIndex: TypeAlias = ListReturn | Literal["index_range", "reverse_index_range"]

#: The same, for a selection by value or rank.
ByValue: TypeAlias = ListReturn | Literal["rank_range", "reverse_rank_range"]

_OfEntries: TypeAlias = Literal["key", "key_value", "ordered_map", "unordered_map"]

#: What an operation returns of the entries of a map that it selects.
MapReturn: TypeAlias = ListReturn | _OfEntries

#: The same, for a selection by key or index.
MapByIndex: TypeAlias = ByIndex | _OfEntries

#: The same, for a selection by value or rank.
MapByValue: TypeAlias = ByValue | _OfEntries

#: The same, for a selection by a list of keys.
MapByKeys: TypeAlias = (
    Literal["none", "value", "count", "exists", "index", "reverse_index"] | _OfEntries
)

#: Which numbers a string may spell.
NumberKind: TypeAlias = Literal["any", "int", "float"]

#: How arithmetic on bits treats a result that does not fit.
Overflow: TypeAlias = Literal["fail", "saturate", "wrap"]

#: The path to a nested list or map: steps from ``spikewire.ctx``.
Path: TypeAlias = list[Step] | tuple[Step, ...]

#: What a path operation returns of the elements at the end of its path.
PathReturn: TypeAlias = Literal["value", "key", "key_value", "tree"]

#: Several values. See ``BinValue`` for why the type is wider.
Values: TypeAlias = list[Any] | tuple[object, ...]

#: Several keys of a map.
Keys: TypeAlias = list[str] | list[int] | list[bytes] | list[MapKey] | tuple[MapKey, ...]

#: Entries of a map.
Entries: TypeAlias = Mapping[Any, object]

#: Sketches to compare with.
Sketches: TypeAlias = list[HyperLogLog] | tuple[HyperLogLog, ...]


class ArrowSchema(Protocol):
    """An object with an Arrow schema: a schema of pyarrow or polars, a table, an ``ArrowTable``."""

    def __arrow_c_schema__(self) -> object:
        """The schema, as a capsule."""


#: Names defined in other modules, imported on access.
_ELSEWHERE = {
    "Of": "spikewire.aerospike.query",
    "ClientSubmit": "spikewire._native",
    "DatasetSubmit": "spikewire._native",
    "Missing": "spikewire.aerospike.builder.results",
    "OnError": "spikewire.aerospike.builder.results",
    "Result": "spikewire.aerospike.builder.results",
    "Results": "spikewire.aerospike.builder.results",
    "AsyncIndexes": "spikewire.aerospike.indexes",
    "Index": "spikewire.aerospike.indexes",
    "Kind": "spikewire.aerospike.indexes",
    "Indexes": "spikewire.aerospike.indexes",
    "AsyncJob": "spikewire.aerospike.jobs",
    "Job": "spikewire.aerospike.jobs",
    "JobProgress": "spikewire.aerospike.jobs",
    "Event": "spikewire.metrics",
    "Metrics": "spikewire.metrics",
    "Stats": "spikewire.metrics",
    "AsyncModules": "spikewire.aerospike.modules",
    "Module": "spikewire.aerospike.modules",
    "Modules": "spikewire.aerospike.modules",
    "BlockingOptions": "spikewire.options",
    "ClientOptions": "spikewire.options",
    "StreamOptions": "spikewire.options",
    "Explanation": "spikewire.aerospike.profiles.explain",
    "Used": "spikewire.aerospike.profiles.explain",
    "AsyncClientView": "spikewire.aerospike.views",
    "AsyncDatasetView": "spikewire.aerospike.views",
    "ClientView": "spikewire.aerospike.views",
    "DatasetView": "spikewire.aerospike.views",
}


def __getattr__(name: str) -> Any:
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_late(_ELSEWHERE[name]), name)
    return value
