"""The engine as Python sees it. The verbs come from one source: see ``tools/generate.py``."""

import os
import pathlib
from array import array
from asyncio import Future
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future as SubmittedCall
from types import GenericAlias, ModuleType
from typing import Any, ClassVar, Generic, Literal, TypeAlias, final, overload

import numpy as np
import numpy.typing as npt
import pandas as pd  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportMissingModuleSource]
import pyarrow as pa  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportMissingModuleSource]
from typing_extensions import CapsuleType, Never, Self, TypeVar, Unpack

from spikewire.aerospike.builder.results import Missing, OnError, Result
from spikewire.aerospike.jobs import AsyncJob, Job
from spikewire.aerospike.profiles.explain import Explanation
from spikewire.aerospike.recording import State
from spikewire.cql._native import AsyncSessionCore, SessionCore
from spikewire.errors import Error
from spikewire.options import AsyncOptions, BlockingOptions, ClientOptions, StreamOptions
from spikewire.statistics.stats import StatsFields
from spikewire.testing.cluster import ClusterOptions, Faults, NodeStats
from spikewire.types import (
    ArrowSchema,
    BinNames,
    Bins,
    BinValue,
    BytesLike,
    ClientRecords,
    Columns,
    CommitLevel,
    DetailLevel,
    Exists,
    Hedge,
    Instance,
    KeyLike,
    Keys,
    Nulls,
    Path,
    PathReturn,
    Priority,
    ReadMode,
    Records,
    RecordsOf,
    Replica,
    Seconds,
    Seeds,
    ShareReads,
    Table,
    Ttl,
    UserKey,
    Value,
    Where,
)

__all__ = [
    "BUILD_COMMIT",
    "BUILD_PROFILE",
    "DEBUG_BUILD",
    "Accounts",
    "Admin",
    "AdminTask",
    "Apply",
    "ArrowTable",
    "AsyncClient",
    "AsyncDataset",
    "AsyncQuery",
    "Batch",
    "CannedCore",
    "Client",
    "ClientSubmit",
    "ClusterCore",
    "Dataset",
    "DatasetSubmit",
    "Delete",
    "Expression",
    "FutureBase",
    "GeoJSON",
    "HyperLogLog",
    "IndexRange",
    "JobCore",
    "Key",
    "Late",
    "Marker",
    "NamedRecords",
    "NamedWrites",
    "Newer",
    "OfficialOperations",
    "OfficialResults",
    "OfficialRow",
    "OfficialWrite",
    "OfficialWrites",
    "Operation",
    "Page",
    "PasswordHash",
    "PlainBase",
    "Query",
    "QueryBatches",
    "QueryPlan",
    "Read",
    "ReadBase",
    "Record",
    "RecordType",
    "RecordingCore",
    "Row",
    "RowsBase",
    "SessionBase",
    "Signals",
    "Step",
    "StepBase",
    "StepKinds",
    "TransactionCore",
    "TransactionRetries",
    "Write",
    "WriteBase",
    "__version__",
    "_after_fork",
    "_at_exit",
    "_make_whole",
    "_ordered_maps",
    "_plain_keys",
    "_plain_steps",
    "_raw_text_digest",
    "_send_chain",
    "cql",
    "read_opening",
    "read_trace",
]

cql: ModuleType

_B = TypeVar("_B")
_D = TypeVar("_D")
#: What the records of a dataset hold: instances of its type, by default their bins.
_V = TypeVar("_V", default=Bins)
#: What a record holds; not known unless it comes from a dataset.
_V_co = TypeVar("_V_co", covariant=True, default=object)
#: What a batch has for late rows: nothing, unless its call has a deadline.
_L_co = TypeVar("_L_co", covariant=True, default=Never)
_IndexFields: TypeAlias = tuple[str, str, str | None, str | None, str, str, bool]
_UserFields: TypeAlias = tuple[str, tuple[str, ...], tuple[int, ...], tuple[int, ...], int]
_Privilege: TypeAlias = tuple[str, str | None, str | None]
_RoleFields: TypeAlias = tuple[str, list[_Privilege], tuple[str, ...], int, int]
_JobFields: TypeAlias = tuple[bool, bool, float, int, int, int]

__version__: str
DEBUG_BUILD: bool
BUILD_PROFILE: str
BUILD_COMMIT: str | None

def _after_fork() -> None:
    """Called in the child after a fork."""

def _at_exit() -> None:
    """Ends the clients that unpickled datasets brought along, and the threads of submitted calls;
    called when the process exits.
    """

def _ordered_maps(class_: type, /) -> None:
    """Names the class, a subclass of dict, of maps that servers keep in the order of their keys;
    the first one counts, for the process.
    """

@final
class OfficialResults:
    """Makes results in the shapes of the vendor's client: key tuples, metadata, bins.

    `incoming` makes a value that was read and is not plain, given its deserializer, and `expected`
    the result of an operation, given its return type too. `serializers` have a `deserializer`, and
    the first that is not `None` counts. `quiet` are the codes of operations whose result says
    nothing.
    """

    def __new__(
        cls,
        incoming: Callable[..., object],
        expected: Callable[..., object],
        serializers: tuple[object, ...],
        quiet: frozenset[int],
    ) -> Self: ...
    @staticmethod
    def sends(bins: dict[Any, Any], bools: bool) -> bool:
        """Whether bins go out as they are: the values are plain, and booleans among them where
        `bools` says so."""
    @staticmethod
    def plain_keys(keys: list[Any]) -> bool:
        """Whether all keys go out as they are."""
    def record(self, key: tuple[Any, ...], record: Record, keeps: bool) -> tuple[Any, Any, Any]:
        """A record: key, metadata and bins. `keeps`: whether the user key is in the former."""
    @staticmethod
    def found(key: tuple[Any, ...], record: Record) -> tuple[Any, Any]:
        """A record without bins: key and metadata."""
    def operate(
        self, client: Client, known: OfficialOperations, key: Any, ops: Any
    ) -> tuple[Any, Any, Any] | None:
        """Makes the call of operations on whole bins with plain values, which `known` takes. Key,
        metadata, and the latest result of each bin; `None` where the key or an operation needs
        more than a look."""
    def operated(
        self, key: tuple[Any, ...], record: Record, plan: tuple[Any, ...]
    ) -> tuple[Any, Any, Any]:
        """A record and the results of operations: the latest of each bin."""
    def operated_in_order(
        self, key: tuple[Any, ...], record: Record, plan: tuple[Any, ...]
    ) -> tuple[Any, Any, Any]:
        """The same, with a list of pairs."""
    def rows(
        self, batch: Batch, keys: list[Any], shape: str | tuple[Any, ...]
    ) -> tuple[list[Any], int]:
        """New rows for a batch of these keys, all of one shape, and the result of the batch."""

@final
class OfficialOperations:
    """Takes the dictionaries of operations on whole bins with plain values as they are.

    `codes` gives the verb of such an operation by its number. `bools`: whether a `bool` is stored
    as one. `collections` describes the operations on lists and maps that rows of batches may have:
    family, kind, required and optional values, the positions of integers among these, the entries
    that decide about other arguments, and the name of the policy. `decide` returns those arguments,
    and whether a list is padded.
    """

    def __new__(
        cls,
        codes: dict[int, str],
        bools: bool,
        collections: dict[int, tuple[Any, ...]] | None = None,
        decide: Callable[[int, dict[str, Any]], tuple[tuple[Any, ...], bool]] | None = None,
    ) -> Self: ...
    def plain(
        self, ops: list[Any]
    ) -> tuple[list[Operation], list[str | None], list[int | None], list[int]] | None:
        """The operations of a list of dictionaries, their bins, return types and numbers; `None`
        where one of them needs more than a look."""

class OfficialRow:
    """A row: `record` and `result` (0, or the code of its failure) are set by the batch."""

    @property
    def key(self) -> tuple[Any, ...]:
        """The record's key."""
    @key.setter
    def key(self, value: tuple[Any, ...]) -> None:
        """The record's key."""
    @property
    def record(self) -> tuple[Any, ...] | None:
        """Key, metadata and bins, once there are such."""
    @record.setter
    def record(self, value: tuple[Any, ...] | None) -> None:
        """Key, metadata and bins, once there are such."""
    @property
    def result(self) -> int:
        """The code of its failure; 0 for none."""
    @result.setter
    def result(self, value: int) -> None:
        """The code of its failure; 0 for none."""
    @property
    def message(self) -> str | None:
        """What the failure says."""
    @message.setter
    def message(self, value: str | None) -> None:
        """What the failure says."""
    @property
    def subcode(self) -> int:
        """What the failure is in detail."""
    @subcode.setter
    def subcode(self, value: int) -> None:
        """What the failure is in detail."""
    @property
    def in_doubt(self) -> bool:
        """Whether it may have been written although it failed."""
    @in_doubt.setter
    def in_doubt(self, value: bool) -> None:
        """Whether it may have been written although it failed."""
    def __init__(self, key: tuple[Any, ...]) -> None: ...

class OfficialWrite(OfficialRow):
    """Operations of which at least one writes."""

    @property
    def ops(self) -> list[dict[str, Any]]:
        """Dictionaries of operations."""
    @ops.setter
    def ops(self, value: list[dict[str, Any]]) -> None:
        """Dictionaries of operations."""
    @property
    def meta(self) -> dict[str, Any] | None:
        """Metadata of its own."""
    @meta.setter
    def meta(self, value: dict[str, Any] | None) -> None:
        """Metadata of its own."""
    @property
    def policy(self) -> dict[str, Any] | None:
        """A policy of its own."""
    @policy.setter
    def policy(self, value: dict[str, Any] | None) -> None:
        """A policy of its own."""
    def __init__(
        self,
        key: tuple[Any, ...],
        ops: list[dict[str, Any]],
        meta: dict[str, Any] | None = None,
        policy: dict[str, Any] | None = None,
    ) -> None: ...

@final
class OfficialWrites:
    """How rows of the official client are taken as they are.

    `operations` takes their operations. `options` are those of writes without options of their own.
    """

    def __new__(cls, operations: OfficialOperations, options: dict[str, Any]) -> Self: ...
    def write(
        self,
        client: Client,
        rows: list[Any],
        make: Callable[[Any], tuple[Any, Any]],
        options: Callable[[Any], dict[str, Any]],
        results: OfficialResults,
        *,
        timeout: Seconds | None = None,
        replica: Replica | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        respond_all_keys: bool | None = None,
    ) -> int:
        """Writes the rows of a batch and notes what became of each; returns its result.

        `make` gives, for a row that cannot be taken as it is, a row of the engine and the shape of
        its record, and `options` the keywords of a row with a policy or metadata. `results` makes
        the records. The keywords are those of `batch`.
        """

def _send_chain(last: StepBase) -> tuple[Any, list[Literal["keep", "error"]]]:
    """Makes the call of the chain that ends with this step. Its batch, or the future of that, and
    how records that are not there are treated, row by row.
    """

class Client:
    """A blocking client; `spikewire.Client` is built on it."""

    def __new__(cls, seeds: Seeds, **options: Unpack[BlockingOptions]) -> Self: ...
    @property
    def is_connected(self) -> bool:
        """Whether the client is open and its cluster has a node. Nodes that do not answer leave
        after a few refreshes, and come back by themselves.
        """
    @property
    def _holds_connections(self) -> bool:
        """Whether this process, and not the parent of a fork, made the connections."""
    def _open(self) -> bool:
        """Finds the cluster; blocks. Says whether the client was not connected before."""
    def _nodes(self) -> list[tuple[str, str, str, tuple[str, ...]]]: ...
    def close(self) -> None:
        """Closes every connection. Calls in flight in other threads fail at once with
        `ClientClosed` or `ConnectionFailed`, later ones with `ClientClosed`. Closing again has no
        effect.
        """
    @property
    def submit(self) -> ClientSubmit:
        """The same verbs, each returning a `concurrent.futures.Future` at once."""
    def _is_strong(self, namespace: str) -> bool | None:
        """Whether a namespace is strongly consistent, as far as the client knows; `None` before it
        is connected, and for namespaces that the cluster does not have.
        """
    def within(self, transaction: TransactionCore) -> Client:
        """The same client with the calls of its verbs in a transaction of it, for keys of several
        sets. Queries and background jobs are no part of transactions: they raise
        `TransactionError`. For all else it is the client, which closing it closes.

        Raises `TypeError` for anything but a transaction, `TransactionError` for one of another
        client.
        """
    def _owns(self, of: Any) -> bool:
        """Whether a dataset, or a client that is within a transaction, is one of this client."""
    def dataset(
        self, namespace: str, set: str | None = None, type: type[_V] | None = None
    ) -> Dataset[_V]:
        """A namespace and a set of this client, and the type of its records. Cheap to create and
        to keep.

        Raises `ValueError` for names that the server does not accept, and `TypeError` for a type
        that records cannot have. Whether the namespace exists is checked on first use.
        """
    def get_stream(
        self,
        keys: Iterable[KeyLike],
        bins: BinNames | None = None,
        **options: Unpack[StreamOptions],
    ) -> Generator[Result]:
        """Reads records for an endless supply of keys: an iterator over a `Result` for each key.
        Keys are sent in windows while others are in flight, and memory use does not grow.

        `keys` is any iterable of keys. It is read as results are consumed, at most one window
        ahead of those in flight. `bins` as in `get`.
        `ordered`: True yields results in the order of the keys; False in the order in which
        windows complete, with the position of the key in `Result.row`. Default: True.
        `window`: keys per window. Default: 256. `limit`: windows in flight, including those
        waiting to be consumed. Default: 8.
        `on_error`: what to do about a failed row: "raise", "collect" (its error stays in its
        result), "skip", or a function that is called with the result. Default: "raise".
        `missing`: what to do about a record that does not exist or does not pass `where`:
        "keep" (a result without a record), "skip", or "error". Default: "keep".
        The other keywords are those of `get_many`, and apply to each window.

        If the iteration ends early, by an error or because the iterator is closed, windows
        that were not sent are withdrawn, and the others are awaited.

        Raises `TypeError` or `ValueError` for invalid arguments at once. Exceptions from `keys`,
        and errors about invalid keys, are raised after the results of the windows before them.
        """
    # verbs of Client: tools/generate.py
    @overload
    def get(
        self,
        key: KeyLike,
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Record:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    @overload
    def get(
        self,
        key: KeyLike,
        bins: BinNames | None = None,
        *,
        default: _D,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Record | _D:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    def exists(
        self,
        key: KeyLike,
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> bool:
        """Whether the record exists. Reads no bins.

        `where`: a filter as in `get`; a record that does not pass it is treated as absent.
        Default: no filter.
        The other keywords are those of `get`.
        """
    def put(
        self,
        key: KeyLike,
        bins: Bins,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Writes bins, from a dict of names to values; a bin set to `None` is removed. Other
        bins keep their values, unless `exists` replaces the record.

        A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
        list, tuple or dict of these; map keys are int, str or bytes.

        `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta), the
        expiry time (a timezone-aware datetime, in the future), "default" (the namespace's
        own), "never" or "unchanged". Default: "default".
        `generation`: the write is applied only if the record has this generation (0 to
        65535; 0: the record does not exist), or with `Newer(n)` only if n is greater than it;
        otherwise `GenerationMismatch`. Default: any.
        `exists`: "merge" creates or updates; "create" raises `RecordExists` if the record
        exists; "update" raises `RecordNotFound` if it does not; "replace" drops all other
        bins; "replace_only" does so and raises `RecordNotFound` if the record does not exist.
        Default: "merge".
        `durable`: leaves a tombstone if the write removes the last bin, so that the record
        cannot reappear (Enterprise servers only). Default: False.
        `send_key`: stores the user key with the record. Default: the client's `send_key`.
        `where`: a filter as in `get`; if the record exists and does not pass it, nothing is
        written, and `FilteredOut` is raised. A record that does not exist is still created,
        unless `exists` prevents it. Default: no filter.
        `replica`: as in `get`, for retries; a write always goes to the master first.
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`, `sleep_between_retries`, `sleep_multiplier`,
        `max_sleep_between_retries`, `sleep_jitter`, `priority`, `compress`, `error_details`: as in
        `get`.
        `commit_level`: "all" answers a write once all copies of the record have it, "master"
        once the master has; if that fails then, the write may be lost. Default: the client's,
        "all" unless set.
        `on_locking_only`: in a transaction, fails with code 126 if the transaction has written
        the record already, so that a write which may have been applied can be sent again.
        Default: False.
        `retry_in_doubt`: whether to retry a write that may already have been applied. Default:
        the client's, False unless set.

        Also raises `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
        `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
        Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
        that cannot be stored; nothing is sent then.
        """
    def add(
        self,
        key: KeyLike,
        bins: Mapping[str, float],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
        missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
        `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def append(
        self,
        key: KeyLike,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
        or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def prepend(
        self,
        key: KeyLike,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Prepends text or bytes, from a dict of bin names to str or bytes. A missing
        bin, or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def delete(
        self,
        key: KeyLike,
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> bool:
        """Deletes a record. Returns whether one was deleted.

        `generation`: as in `put`.
        `durable`: leaves a tombstone, so that the record cannot reappear after a cold
        restart (Enterprise servers only). Default: False.
        `send_key`: makes the server compare the user key with the one stored with the
        record, if any. Default: False.
        `where`: a filter as in `get`; a record that does not pass it is kept, and the result
        is False. Default: no filter.
        The other keywords are those of `put`.
        """
    def touch(
        self,
        key: KeyLike,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Renews a record's time to live, without reading or writing bins. Counts as a write:
        the generation increases. Keywords as in `put`.

        Raises `RecordNotFound` if there is no such record, and the errors of `put`.
        """
    def apply(
        self,
        key: KeyLike,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Value:
        """Runs a function of a registered module on one record, on the node that holds it, and
        returns its result. Modules are registered with `client.modules`.

        `module`: the module's name without its extension. `function`: the function's name; it
        receives the record and then the `arguments`, a list or tuple of values as in `put`
        (default: none). It also runs if the record does not exist, and may create it.

        `ttl`: seconds to live as in `put`, if the function stores the record without setting
        one. The other keywords are those of `put`.

        Raises `FunctionFailed` with the function's error, including file and line, or if the
        module or function does not exist; also the errors of `put`.
        """
    def operate(
        self,
        key: KeyLike,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Record:
        """Runs operations from `spikewire.op`, in a list or tuple, on one record: in order and
        atomically. Returns a record with the bins that were read; its `results` has one item
        per operation, `None` if the operation returns nothing.

        Keywords as in `put` and `get`. `ttl`, `generation`, `exists`, `durable` and `send_key`
        need an operation that writes; `read_touch`, `read_mode`, `hedge` and `share_reads` need
        operations that only read. Otherwise they raise `ValueError`.

        Raises `RecordNotFound` if the operations only read and the record does not exist,
        `FilteredOut` if it exists and does not pass `where`, `BinTypeError` if an operation
        does not fit its bin, and the errors of `put`.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[KeyLike],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[KeyLike],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[object, Late]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[KeyLike],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> np.ma.MaskedArray[tuple[int], np.dtype[np.void]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[KeyLike],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[KeyLike],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[KeyLike],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[object, Late]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def put_many(
        self,
        records: Mapping[KeyLike, Bins],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    @overload
    def put_many(
        self,
        records: ClientRecords,
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    def delete_many(
        self,
        keys: Iterable[KeyLike],
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Deletes many records in one call.

        Returns a `Batch`: a `Record` without bins per deleted row, `None` if the record did not
        exist or did not pass `where`. Keywords as in `delete`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[KeyLike],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[KeyLike],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[object, Late]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    def apply_many(
        self,
        keys: Iterable[KeyLike],
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Runs a function of a registered module on many records in one call, each on the node
        that holds it.

        Returns a `Batch` of `Record`s whose `results` hold the function's result. A row whose
        function failed has `FunctionFailed` as its error. Arguments and keywords as in `apply`.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[object, Late]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    def query(
        self,
        namespace: str,
        set: str | None = None,
        *,
        where: Where | None = None,
        bins: BinNames | None = None,
        index: IndexRange | str | None = None,
        require_index: bool = False,
        require_hint: bool = False,
        server_filter: bool = True,
        operations: list[Operation] | tuple[Operation, ...] | None = None,
        include_values: bool = True,
        limit: int | None = None,
        partitions: int | range | None = None,
        after: UserKey | Key | None = None,
        page_size: int | None = None,
        resume: bytes | None = None,
        records_per_second: int | None = None,
        concurrent_nodes: int | None = None,
        replica: Replica | None = None,
        socket_timeout: Seconds | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        error_details: DetailLevel | None = None,
    ) -> Query:
        """A scan of the set, or an index query: an object to iterate over, with `for` or
        `async for`. Nothing is sent until the first record is requested; then all nodes are
        read in parallel, at the consumer's pace. If a node fails, the others take over: no
        record is returned twice, and none is omitted.

        `where`: a filter as in `get`. If it is a text and every node has version 8.2 or later,
        the nodes read it themselves and choose a secondary index for it; otherwise it is
        compiled by the client, and every record is examined. Default: no filter.
        `bins`: the names of the bins to read, in a list or tuple; records that have none of
        them are omitted. An empty list means `include_values=False`. Default: all bins.
        `index`: selects records by a secondary index: `spikewire.between`, `equal`,
        `contains`, `within` or `around`. Or the name of the index that the nodes should prefer
        for a text in `where`, if they can use it. Default: all records, or the nodes' choice.
        `require_index`: True fails with `IndexNotFound` rather than examine every record. It needs
        nodes that choose, so a text in `where` and servers from 8.2 on. Default: False.
        `require_hint`: True fails with `IndexNotFound` unless the index that `index` names can be
        used. It needs the same. Default: False.
        `server_filter`: False compiles a text in the client on every server. Default: True.
        `operations`: read operations from `spikewire.op`, in a list or tuple; each record has
        their `results`. Needs server 8.1.2 or later.
        `include_values`: False omits the bins: only keys, digests, generations and times to
        live are read.
        `limit`: the maximum number of records, from 1 to 4,294,967,295. Default: no limit.
        `partitions`: the number of a partition (0 to 4095), or a range of them. Default:
        all.
        `after`: a key; only records after it in its partition, in digest order.
        `page_size`: the number of records that `page()` returns, from 1 to 1,000,000.
        `resume`: the cursor of a page, or of a query with the same arguments.
        `records_per_second`: the maximum number of records that each node sends per second,
        at least 1. Default: no limit.
        `concurrent_nodes`: how many nodes are read at the same time. Default: all.
        `replica`: as in `get`.
        `socket_timeout`: how long a node may be silent before its partitions are read from
        another one, and how long a node waits for a consumer that takes no records, after
        which the query raises `QueryPaused`; in seconds or as a timedelta; 0: no limit.
        Default: the client's `socket_timeout`, 30 s if it has none.
        `timeout`: total time of the query, in seconds or as a timedelta; 0: no limit.
        Default: no limit; the client's `timeout` does not apply.
        `max_retries`: consecutive failures, without a record in between, after which the query
        fails. Default: the client's, but at least 8 if that is not 0.
        `error_details`: as in `get`.
        `sleep_between_retries` and related options: as in `get`. Default: the client's; if the
        client has no pause, 20 ms, doubled for each further one, up to 1 s.

        Raises `TypeError` or `ValueError` for invalid arguments, and, during iteration,
        `IndexNotFound` if no index fits, `Timeout`, `ConnectionFailed`, `NodeUnavailable`,
        `QueryPaused` and the other errors of `spikewire.errors`. The query's `cursor` then
        says where to resume.
        """
    def operate_all(
        self,
        namespace: str,
        set: str | None,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Applies write operations from `spikewire.op`, in a list or tuple, to every record of
        the set, in the background on the nodes. Returns a `Job` once it runs on every node that
        knows the set; the job reports its progress. Where no node does, it is done at once and
        has changed nothing. A record that disappears or fails in the meantime is counted and
        skipped.

        `where` and `index`: which records, as in `query`. Default: all.
        `ttl`: as in `put`. `durable`: leaves tombstones of deleted records (Enterprise servers
        only). Default: False.
        `records_per_second`: the maximum number of records that each node processes per
        second. Default: the nodes' setting.
        `timeout`: total time for starting the job, in seconds or as a timedelta; 0: no limit.
        Default: the client's `timeout`.

        Raises `ServerError` if a node rejects the job, for example with code 201 if the index
        does not exist, `ConnectionFailed` or `Timeout`; if the job runs on some nodes only,
        the error is `in_doubt` and names them.
        """
    def delete_all(
        self,
        namespace: str,
        set: str | None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Deletes every record of the set, in the background on the nodes. Returns a `Job` once it
        runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def touch_all(
        self,
        namespace: str,
        set: str | None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Renews the time to live of every record of the set, in the background on the nodes.
        Returns a `Job` once it runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def apply_all(
        self,
        namespace: str,
        set: str | None,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Runs a function of a registered module on every record of the set, in the background
        on the nodes. Returns a `Job` once it runs on every node. `module`, `function` and
        `arguments` as in `apply`; the function's results are discarded, and records on which
        it fails are counted.

        Keywords and errors as in `operate_all`.
        """
    # end of Client's verbs
    def __reduce__(self) -> Never: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

@final
class Dataset(Generic[_V]):
    """A namespace and a set of a blocking client, from `Client.dataset`. Any number of threads
    may use it.

    Datasets are equal if client, namespace and set are. A pickled dataset carries its client's
    seeds and options. When unpickled, it uses the client it came from if that exists in the
    process and is open. Otherwise it creates a client like it, which connects on first use, is
    shared by all datasets from the same client, and is closed when the process exits, or when no
    dataset uses it and newer ones exist. Passwords are not pickled: such a client takes its
    password from the environment variable `SPIKEWIRE_AEROSPIKE_PASSWORD`.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    def within(self, transaction: TransactionCore) -> Dataset[_V]:
        """The same set with its calls in a transaction of the same client: reads see what the
        transaction has written, and writes take effect when it is committed. Queries and
        background jobs are no part of transactions: they raise `TransactionError`.

        Raises `TypeError` for anything but a transaction, `TransactionError` for one of another
        client.
        """
    def _is_strong(self) -> bool | None:
        """Whether its namespace is strongly consistent, as far as the client knows; `None` before
        it is connected, and for namespaces that the cluster does not have.
        """
    @property
    def type(self) -> Any:
        """The type of its records; `None` if they have none."""
    @property
    def namespace(self) -> str:
        """The namespace's name."""
    @property
    def set(self) -> str | None:
        """The set's name; `None` for records without a set."""
    def key(self, key: UserKey | Key) -> Key[_V]:
        """The full key of a record of this set, for verbs of the client, for sessions and for
        `batch`.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid user key.
        """
    def keys(self, keys: Iterable[UserKey | Key]) -> list[Key[_V]]:
        """The full keys of records of this set, in a list: from an iterable of user keys.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid user key, naming the row.
        """
    def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation:
        """What a call would use and from where (the call, the client, the default), by option.
        Nothing is sent.

        For `operate` and `operate_many` the operations count: give them as in the call.
        Raises `ValueError` when there is no such verb, and what the call raises for an option.
        """
    @property
    def submit(self) -> DatasetSubmit[_V]:
        """The same verbs, each returning a `concurrent.futures.Future` at once."""
    def get_stream(
        self,
        keys: Iterable[UserKey | Key],
        bins: BinNames | None = None,
        **options: Unpack[StreamOptions],
    ) -> Generator[Result]:
        """Reads records for an endless supply of keys: an iterator over a `Result` for each key.
        Keys are sent in windows while others are in flight, and memory use does not grow.

        `keys` is any iterable of keys. It is read as results are consumed, at most one window
        ahead of those in flight. `bins` as in `get`.
        `ordered`: True yields results in the order of the keys; False in the order in which
        windows complete, with the position of the key in `Result.row`. Default: True.
        `window`: keys per window. Default: 256. `limit`: windows in flight, including those
        waiting to be consumed. Default: 8.
        `on_error`: what to do about a failed row: "raise", "collect" (its error stays in its
        result), "skip", or a function that is called with the result. Default: "raise".
        `missing`: what to do about a record that does not exist or does not pass `where`:
        "keep" (a result without a record), "skip", or "error". Default: "keep".
        The other keywords are those of `get_many`, and apply to each window.

        If the iteration ends early, by an error or because the iterator is closed, windows
        that were not sent are withdrawn, and the others are awaited.

        Raises `TypeError` or `ValueError` for invalid arguments at once. Exceptions from `keys`,
        and errors about invalid keys, are raised after the results of the windows before them.
        """
    # verbs of Dataset: tools/generate.py
    @overload
    def get(
        self,
        key: UserKey | Key,
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Record[_V]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    @overload
    def get(
        self,
        key: UserKey | Key,
        bins: BinNames | None = None,
        *,
        default: _D,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Record[_V] | _D:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    def exists(
        self,
        key: UserKey | Key,
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> bool:
        """Whether the record exists. Reads no bins.

        `where`: a filter as in `get`; a record that does not pass it is treated as absent.
        Default: no filter.
        The other keywords are those of `get`.
        """
    def put(
        self,
        key: UserKey | Key,
        bins: Bins | _V,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Writes bins, from a dict of names to values; a bin set to `None` is removed. Other
        bins keep their values, unless `exists` replaces the record.

        A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
        list, tuple or dict of these; map keys are int, str or bytes.

        `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta), the
        expiry time (a timezone-aware datetime, in the future), "default" (the namespace's
        own), "never" or "unchanged". Default: "default".
        `generation`: the write is applied only if the record has this generation (0 to
        65535; 0: the record does not exist), or with `Newer(n)` only if n is greater than it;
        otherwise `GenerationMismatch`. Default: any.
        `exists`: "merge" creates or updates; "create" raises `RecordExists` if the record
        exists; "update" raises `RecordNotFound` if it does not; "replace" drops all other
        bins; "replace_only" does so and raises `RecordNotFound` if the record does not exist.
        Default: "merge".
        `durable`: leaves a tombstone if the write removes the last bin, so that the record
        cannot reappear (Enterprise servers only). Default: False.
        `send_key`: stores the user key with the record. Default: the client's `send_key`.
        `where`: a filter as in `get`; if the record exists and does not pass it, nothing is
        written, and `FilteredOut` is raised. A record that does not exist is still created,
        unless `exists` prevents it. Default: no filter.
        `replica`: as in `get`, for retries; a write always goes to the master first.
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`, `sleep_between_retries`, `sleep_multiplier`,
        `max_sleep_between_retries`, `sleep_jitter`, `priority`, `compress`, `error_details`: as in
        `get`.
        `commit_level`: "all" answers a write once all copies of the record have it, "master"
        once the master has; if that fails then, the write may be lost. Default: the client's,
        "all" unless set.
        `on_locking_only`: in a transaction, fails with code 126 if the transaction has written
        the record already, so that a write which may have been applied can be sent again.
        Default: False.
        `retry_in_doubt`: whether to retry a write that may already have been applied. Default:
        the client's, False unless set.

        Also raises `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
        `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
        Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
        that cannot be stored; nothing is sent then.
        """
    def add(
        self,
        key: UserKey | Key,
        bins: Mapping[str, float],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
        missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
        `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def append(
        self,
        key: UserKey | Key,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
        or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def prepend(
        self,
        key: UserKey | Key,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Prepends text or bytes, from a dict of bin names to str or bytes. A missing
        bin, or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def delete(
        self,
        key: UserKey | Key,
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> bool:
        """Deletes a record. Returns whether one was deleted.

        `generation`: as in `put`.
        `durable`: leaves a tombstone, so that the record cannot reappear after a cold
        restart (Enterprise servers only). Default: False.
        `send_key`: makes the server compare the user key with the one stored with the
        record, if any. Default: False.
        `where`: a filter as in `get`; a record that does not pass it is kept, and the result
        is False. Default: no filter.
        The other keywords are those of `put`.
        """
    def touch(
        self,
        key: UserKey | Key,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> None:
        """Renews a record's time to live, without reading or writing bins. Counts as a write:
        the generation increases. Keywords as in `put`.

        Raises `RecordNotFound` if there is no such record, and the errors of `put`.
        """
    def apply(
        self,
        key: UserKey | Key,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Value:
        """Runs a function of a registered module on one record, on the node that holds it, and
        returns its result. Modules are registered with `client.modules`.

        `module`: the module's name without its extension. `function`: the function's name; it
        receives the record and then the `arguments`, a list or tuple of values as in `put`
        (default: none). It also runs if the record does not exist, and may create it.

        `ttl`: seconds to live as in `put`, if the function stores the record without setting
        one. The other keywords are those of `put`.

        Raises `FunctionFailed` with the function's error, including file and line, or if the
        module or function does not exist; also the errors of `put`.
        """
    def operate(
        self,
        key: UserKey | Key,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Record[_V]:
        """Runs operations from `spikewire.op`, in a list or tuple, on one record: in order and
        atomically. Returns a record with the bins that were read; its `results` has one item
        per operation, `None` if the operation returns nothing.

        Keywords as in `put` and `get`. `ttl`, `generation`, `exists`, `durable` and `send_key`
        need an operation that writes; `read_touch`, `read_mode`, `hedge` and `share_reads` need
        operations that only read. Otherwise they raise `ValueError`.

        Raises `RecordNotFound` if the operations only read and the record does not exist,
        `FilteredOut` if it exists and does not pass `where`, `BinTypeError` if an operation
        does not fit its bin, and the errors of `put`.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[UserKey | Key],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[UserKey | Key],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V, Late]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[UserKey | Key],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> np.ma.MaskedArray[tuple[int], np.dtype[np.void]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[UserKey | Key],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V, Late]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def put_many(
        self,
        records: Mapping[UserKey | Key, Bins],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    @overload
    def put_many(
        self,
        records: Records | Table | RecordsOf[_V],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    def delete_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Deletes many records in one call.

        Returns a `Batch`: a `Record` without bins per deleted row, `None` if the record did not
        exist or did not pass `where`. Keywords as in `delete`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[UserKey | Key],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[UserKey | Key],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V, Late]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    def apply_many(
        self,
        keys: Iterable[UserKey | Key],
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Runs a function of a registered module on many records in one call, each on the node
        that holds it.

        Returns a `Batch` of `Record`s whose `results` hold the function's result. A row whose
        function failed has `FunctionFailed` as its error. Arguments and keywords as in `apply`.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Batch[_V, Late]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    def query(
        self,
        *,
        where: Where | None = None,
        bins: BinNames | None = None,
        index: IndexRange | str | None = None,
        require_index: bool = False,
        require_hint: bool = False,
        server_filter: bool = True,
        operations: list[Operation] | tuple[Operation, ...] | None = None,
        include_values: bool = True,
        limit: int | None = None,
        partitions: int | range | None = None,
        after: UserKey | Key | None = None,
        page_size: int | None = None,
        resume: bytes | None = None,
        records_per_second: int | None = None,
        concurrent_nodes: int | None = None,
        replica: Replica | None = None,
        socket_timeout: Seconds | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        error_details: DetailLevel | None = None,
    ) -> Query[_V]:
        """A scan of the set, or an index query: an object to iterate over, with `for` or
        `async for`. Nothing is sent until the first record is requested; then all nodes are
        read in parallel, at the consumer's pace. If a node fails, the others take over: no
        record is returned twice, and none is omitted.

        `where`: a filter as in `get`. If it is a text and every node has version 8.2 or later,
        the nodes read it themselves and choose a secondary index for it; otherwise it is
        compiled by the client, and every record is examined. Default: no filter.
        `bins`: the names of the bins to read, in a list or tuple; records that have none of
        them are omitted. An empty list means `include_values=False`. Default: all bins.
        `index`: selects records by a secondary index: `spikewire.between`, `equal`,
        `contains`, `within` or `around`. Or the name of the index that the nodes should prefer
        for a text in `where`, if they can use it. Default: all records, or the nodes' choice.
        `require_index`: True fails with `IndexNotFound` rather than examine every record. It needs
        nodes that choose, so a text in `where` and servers from 8.2 on. Default: False.
        `require_hint`: True fails with `IndexNotFound` unless the index that `index` names can be
        used. It needs the same. Default: False.
        `server_filter`: False compiles a text in the client on every server. Default: True.
        `operations`: read operations from `spikewire.op`, in a list or tuple; each record has
        their `results`. Needs server 8.1.2 or later.
        `include_values`: False omits the bins: only keys, digests, generations and times to
        live are read.
        `limit`: the maximum number of records, from 1 to 4,294,967,295. Default: no limit.
        `partitions`: the number of a partition (0 to 4095), or a range of them. Default:
        all.
        `after`: a key; only records after it in its partition, in digest order.
        `page_size`: the number of records that `page()` returns, from 1 to 1,000,000.
        `resume`: the cursor of a page, or of a query with the same arguments.
        `records_per_second`: the maximum number of records that each node sends per second,
        at least 1. Default: no limit.
        `concurrent_nodes`: how many nodes are read at the same time. Default: all.
        `replica`: as in `get`.
        `socket_timeout`: how long a node may be silent before its partitions are read from
        another one, and how long a node waits for a consumer that takes no records, after
        which the query raises `QueryPaused`; in seconds or as a timedelta; 0: no limit.
        Default: the client's `socket_timeout`, 30 s if it has none.
        `timeout`: total time of the query, in seconds or as a timedelta; 0: no limit.
        Default: no limit; the client's `timeout` does not apply.
        `max_retries`: consecutive failures, without a record in between, after which the query
        fails. Default: the client's, but at least 8 if that is not 0.
        `error_details`: as in `get`.
        `sleep_between_retries` and related options: as in `get`. Default: the client's; if the
        client has no pause, 20 ms, doubled for each further one, up to 1 s.

        Raises `TypeError` or `ValueError` for invalid arguments, and, during iteration,
        `IndexNotFound` if no index fits, `Timeout`, `ConnectionFailed`, `NodeUnavailable`,
        `QueryPaused` and the other errors of `spikewire.errors`. The query's `cursor` then
        says where to resume.
        """
    def operate_all(
        self,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Applies write operations from `spikewire.op`, in a list or tuple, to every record of
        the set, in the background on the nodes. Returns a `Job` once it runs on every node that
        knows the set; the job reports its progress. Where no node does, it is done at once and
        has changed nothing. A record that disappears or fails in the meantime is counted and
        skipped.

        `where` and `index`: which records, as in `query`. Default: all.
        `ttl`: as in `put`. `durable`: leaves tombstones of deleted records (Enterprise servers
        only). Default: False.
        `records_per_second`: the maximum number of records that each node processes per
        second. Default: the nodes' setting.
        `timeout`: total time for starting the job, in seconds or as a timedelta; 0: no limit.
        Default: the client's `timeout`.

        Raises `ServerError` if a node rejects the job, for example with code 201 if the index
        does not exist, `ConnectionFailed` or `Timeout`; if the job runs on some nodes only,
        the error is `in_doubt` and names them.
        """
    def delete_all(
        self,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Deletes every record of the set, in the background on the nodes. Returns a `Job` once it
        runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def touch_all(
        self,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Renews the time to live of every record of the set, in the background on the nodes.
        Returns a `Job` once it runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def apply_all(
        self,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Job:
        """Runs a function of a registered module on every record of the set, in the background
        on the nodes. Returns a `Job` once it runs on every node. `module`, `function` and
        `arguments` as in `apply`; the function's results are discarded, and records on which
        it fails are counted.

        Keywords and errors as in `operate_all`.
        """
    # end of Dataset's verbs
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...
    @staticmethod
    def _rebuild(
        token: bytes,
        seeds: Seeds,
        options: ClientOptions,
        namespace: str,
        set: str | None,
        class_: Any = None,
    ) -> Dataset[Any]:
        """For unpickling: the client with this token, or one like it."""

@final
class ClientSubmit:
    """The verbs of a client, each returning a `concurrent.futures.Future` at once. From
    `Client.submit`.
    """

    # verbs of ClientSubmit: tools/generate.py
    @overload
    def get(
        self,
        key: KeyLike,
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[Record]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    @overload
    def get(
        self,
        key: KeyLike,
        bins: BinNames | None = None,
        *,
        default: _D,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[Record | _D]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    def exists(
        self,
        key: KeyLike,
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[bool]:
        """Whether the record exists. Reads no bins.

        `where`: a filter as in `get`; a record that does not pass it is treated as absent.
        Default: no filter.
        The other keywords are those of `get`.
        """
    def put(
        self,
        key: KeyLike,
        bins: Bins,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Writes bins, from a dict of names to values; a bin set to `None` is removed. Other
        bins keep their values, unless `exists` replaces the record.

        A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
        list, tuple or dict of these; map keys are int, str or bytes.

        `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta), the
        expiry time (a timezone-aware datetime, in the future), "default" (the namespace's
        own), "never" or "unchanged". Default: "default".
        `generation`: the write is applied only if the record has this generation (0 to
        65535; 0: the record does not exist), or with `Newer(n)` only if n is greater than it;
        otherwise `GenerationMismatch`. Default: any.
        `exists`: "merge" creates or updates; "create" raises `RecordExists` if the record
        exists; "update" raises `RecordNotFound` if it does not; "replace" drops all other
        bins; "replace_only" does so and raises `RecordNotFound` if the record does not exist.
        Default: "merge".
        `durable`: leaves a tombstone if the write removes the last bin, so that the record
        cannot reappear (Enterprise servers only). Default: False.
        `send_key`: stores the user key with the record. Default: the client's `send_key`.
        `where`: a filter as in `get`; if the record exists and does not pass it, nothing is
        written, and `FilteredOut` is raised. A record that does not exist is still created,
        unless `exists` prevents it. Default: no filter.
        `replica`: as in `get`, for retries; a write always goes to the master first.
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`, `sleep_between_retries`, `sleep_multiplier`,
        `max_sleep_between_retries`, `sleep_jitter`, `priority`, `compress`, `error_details`: as in
        `get`.
        `commit_level`: "all" answers a write once all copies of the record have it, "master"
        once the master has; if that fails then, the write may be lost. Default: the client's,
        "all" unless set.
        `on_locking_only`: in a transaction, fails with code 126 if the transaction has written
        the record already, so that a write which may have been applied can be sent again.
        Default: False.
        `retry_in_doubt`: whether to retry a write that may already have been applied. Default:
        the client's, False unless set.

        Also raises `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
        `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
        Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
        that cannot be stored; nothing is sent then.
        """
    def add(
        self,
        key: KeyLike,
        bins: Mapping[str, float],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
        missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
        `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def append(
        self,
        key: KeyLike,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
        or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def prepend(
        self,
        key: KeyLike,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Prepends text or bytes, from a dict of bin names to str or bytes. A missing
        bin, or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def delete(
        self,
        key: KeyLike,
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[bool]:
        """Deletes a record. Returns whether one was deleted.

        `generation`: as in `put`.
        `durable`: leaves a tombstone, so that the record cannot reappear after a cold
        restart (Enterprise servers only). Default: False.
        `send_key`: makes the server compare the user key with the one stored with the
        record, if any. Default: False.
        `where`: a filter as in `get`; a record that does not pass it is kept, and the result
        is False. Default: no filter.
        The other keywords are those of `put`.
        """
    def touch(
        self,
        key: KeyLike,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Renews a record's time to live, without reading or writing bins. Counts as a write:
        the generation increases. Keywords as in `put`.

        Raises `RecordNotFound` if there is no such record, and the errors of `put`.
        """
    def apply(
        self,
        key: KeyLike,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[Value]:
        """Runs a function of a registered module on one record, on the node that holds it, and
        returns its result. Modules are registered with `client.modules`.

        `module`: the module's name without its extension. `function`: the function's name; it
        receives the record and then the `arguments`, a list or tuple of values as in `put`
        (default: none). It also runs if the record does not exist, and may create it.

        `ttl`: seconds to live as in `put`, if the function stores the record without setting
        one. The other keywords are those of `put`.

        Raises `FunctionFailed` with the function's error, including file and line, or if the
        module or function does not exist; also the errors of `put`.
        """
    def operate(
        self,
        key: KeyLike,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[Record]:
        """Runs operations from `spikewire.op`, in a list or tuple, on one record: in order and
        atomically. Returns a record with the bins that were read; its `results` has one item
        per operation, `None` if the operation returns nothing.

        Keywords as in `put` and `get`. `ttl`, `generation`, `exists`, `durable` and `send_key`
        need an operation that writes; `read_touch`, `read_mode`, `hedge` and `share_reads` need
        operations that only read. Otherwise they raise `ValueError`.

        Raises `RecordNotFound` if the operations only read and the record does not exist,
        `FilteredOut` if it exists and does not pass `where`, `BinTypeError` if an operation
        does not fit its bin, and the errors of `put`.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[KeyLike],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[KeyLike],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[object, Late]]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[KeyLike],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[KeyLike],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[KeyLike],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[KeyLike],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[object, Late]]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def put_many(
        self,
        records: Mapping[KeyLike, Bins],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    @overload
    def put_many(
        self,
        records: ClientRecords,
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    def delete_many(
        self,
        keys: Iterable[KeyLike],
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Deletes many records in one call.

        Returns a `Batch`: a `Record` without bins per deleted row, `None` if the record did not
        exist or did not pass `where`. Keywords as in `delete`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[KeyLike],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[KeyLike],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[object, Late]]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    def apply_many(
        self,
        keys: Iterable[KeyLike],
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Runs a function of a registered module on many records in one call, each on the node
        that holds it.

        Returns a `Batch` of `Record`s whose `results` hold the function's result. A row whose
        function failed has `FunctionFailed` as its error. Arguments and keywords as in `apply`.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[object, Late]]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    # end of ClientSubmit's verbs

@final
class DatasetSubmit(Generic[_V]):
    """The verbs of a dataset, each returning a `concurrent.futures.Future` at once. From
    `Dataset.submit`.
    """

    # verbs of DatasetSubmit: tools/generate.py
    @overload
    def get(
        self,
        key: UserKey | Key,
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[Record[_V]]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    @overload
    def get(
        self,
        key: UserKey | Key,
        bins: BinNames | None = None,
        *,
        default: _D,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[Record[_V] | _D]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    def exists(
        self,
        key: UserKey | Key,
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[bool]:
        """Whether the record exists. Reads no bins.

        `where`: a filter as in `get`; a record that does not pass it is treated as absent.
        Default: no filter.
        The other keywords are those of `get`.
        """
    def put(
        self,
        key: UserKey | Key,
        bins: Bins | _V,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Writes bins, from a dict of names to values; a bin set to `None` is removed. Other
        bins keep their values, unless `exists` replaces the record.

        A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
        list, tuple or dict of these; map keys are int, str or bytes.

        `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta), the
        expiry time (a timezone-aware datetime, in the future), "default" (the namespace's
        own), "never" or "unchanged". Default: "default".
        `generation`: the write is applied only if the record has this generation (0 to
        65535; 0: the record does not exist), or with `Newer(n)` only if n is greater than it;
        otherwise `GenerationMismatch`. Default: any.
        `exists`: "merge" creates or updates; "create" raises `RecordExists` if the record
        exists; "update" raises `RecordNotFound` if it does not; "replace" drops all other
        bins; "replace_only" does so and raises `RecordNotFound` if the record does not exist.
        Default: "merge".
        `durable`: leaves a tombstone if the write removes the last bin, so that the record
        cannot reappear (Enterprise servers only). Default: False.
        `send_key`: stores the user key with the record. Default: the client's `send_key`.
        `where`: a filter as in `get`; if the record exists and does not pass it, nothing is
        written, and `FilteredOut` is raised. A record that does not exist is still created,
        unless `exists` prevents it. Default: no filter.
        `replica`: as in `get`, for retries; a write always goes to the master first.
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`, `sleep_between_retries`, `sleep_multiplier`,
        `max_sleep_between_retries`, `sleep_jitter`, `priority`, `compress`, `error_details`: as in
        `get`.
        `commit_level`: "all" answers a write once all copies of the record have it, "master"
        once the master has; if that fails then, the write may be lost. Default: the client's,
        "all" unless set.
        `on_locking_only`: in a transaction, fails with code 126 if the transaction has written
        the record already, so that a write which may have been applied can be sent again.
        Default: False.
        `retry_in_doubt`: whether to retry a write that may already have been applied. Default:
        the client's, False unless set.

        Also raises `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
        `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
        Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
        that cannot be stored; nothing is sent then.
        """
    def add(
        self,
        key: UserKey | Key,
        bins: Mapping[str, float],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
        missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
        `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def append(
        self,
        key: UserKey | Key,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
        or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def prepend(
        self,
        key: UserKey | Key,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Prepends text or bytes, from a dict of bin names to str or bytes. A missing
        bin, or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def delete(
        self,
        key: UserKey | Key,
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[bool]:
        """Deletes a record. Returns whether one was deleted.

        `generation`: as in `put`.
        `durable`: leaves a tombstone, so that the record cannot reappear after a cold
        restart (Enterprise servers only). Default: False.
        `send_key`: makes the server compare the user key with the one stored with the
        record, if any. Default: False.
        `where`: a filter as in `get`; a record that does not pass it is kept, and the result
        is False. Default: no filter.
        The other keywords are those of `put`.
        """
    def touch(
        self,
        key: UserKey | Key,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[None]:
        """Renews a record's time to live, without reading or writing bins. Counts as a write:
        the generation increases. Keywords as in `put`.

        Raises `RecordNotFound` if there is no such record, and the errors of `put`.
        """
    def apply(
        self,
        key: UserKey | Key,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> SubmittedCall[Value]:
        """Runs a function of a registered module on one record, on the node that holds it, and
        returns its result. Modules are registered with `client.modules`.

        `module`: the module's name without its extension. `function`: the function's name; it
        receives the record and then the `arguments`, a list or tuple of values as in `put`
        (default: none). It also runs if the record does not exist, and may create it.

        `ttl`: seconds to live as in `put`, if the function stores the record without setting
        one. The other keywords are those of `put`.

        Raises `FunctionFailed` with the function's error, including file and line, or if the
        module or function does not exist; also the errors of `put`.
        """
    def operate(
        self,
        key: UserKey | Key,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> SubmittedCall[Record[_V]]:
        """Runs operations from `spikewire.op`, in a list or tuple, on one record: in order and
        atomically. Returns a record with the bins that were read; its `results` has one item
        per operation, `None` if the operation returns nothing.

        Keywords as in `put` and `get`. `ttl`, `generation`, `exists`, `durable` and `send_key`
        need an operation that writes; `read_touch`, `read_mode`, `hedge` and `share_reads` need
        operations that only read. Otherwise they raise `ValueError`.

        Raises `RecordNotFound` if the operations only read and the record does not exist,
        `FilteredOut` if it exists and does not pass `where`, `BinTypeError` if an operation
        does not fit its bin, and the errors of `put`.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[UserKey | Key],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[UserKey | Key],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V, Late]]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[UserKey | Key],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[UserKey | Key],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V, Late]]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def put_many(
        self,
        records: Mapping[UserKey | Key, Bins],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    @overload
    def put_many(
        self,
        records: Records | Table | RecordsOf[_V],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    def delete_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Deletes many records in one call.

        Returns a `Batch`: a `Record` without bins per deleted row, `None` if the record did not
        exist or did not pass `where`. Keywords as in `delete`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[UserKey | Key],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[UserKey | Key],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V, Late]]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    def apply_many(
        self,
        keys: Iterable[UserKey | Key],
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Runs a function of a registered module on many records in one call, each on the node
        that holds it.

        Returns a `Batch` of `Record`s whose `results` hold the function's result. A row whose
        function failed has `FunctionFailed` as its error. Arguments and keywords as in `apply`.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V]]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> SubmittedCall[Batch[_V, Late]]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    # end of DatasetSubmit's verbs

class FutureBase:
    """What `spikewire.in_flight.Future` is built on, together with `concurrent.futures.Future`."""

    def __new__(cls) -> Self: ...
    def __init__(self) -> None: ...
    def result(self, timeout: float | None = None) -> object:
        """Waits for the call and returns its result, or raises its error.

        `timeout` is how long to wait, in seconds. Default: until the call ends, which its own
        timeout ensures. The call continues when the wait is over.

        Raises `concurrent.futures.TimeoutError` when the wait is over, and
        `concurrent.futures.CancelledError` if the call was cancelled. Raises `RuntimeError` in a
        callback of the same client, where it would wait forever.
        """
    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits for the call and returns its error, or `None`. Waits and raises like `result`."""
    def cancel(self) -> bool:
        """Withdraws the call if it has not been sent. Returns whether it was withdrawn; a call that
        has been sent continues.
        """
    def cancelled(self) -> bool:
        """Whether the call was withdrawn."""
    def running(self) -> bool:
        """Whether the call has been sent and can no longer be withdrawn."""
    def done(self) -> bool:
        """Whether there is a result or an error, or the call was withdrawn."""
    def add_done_callback(self, fn: Callable[[Self], object]) -> None:
        """Calls `fn` with this future when it is done, or at once if it already is. `fn` runs on
        the thread that drives the client, which does nothing else meanwhile, so keep it short.
        It may submit further calls. An exception in it is logged and affects no other call. Raises
        `TypeError` at once if `fn` cannot be called.
        """
    @property
    def _state(self) -> str: ...
    @property
    def _condition(self) -> object: ...
    @property
    def _waiters(self) -> object: ...
    @property
    def _result(self) -> object: ...
    @property
    def _exception(self) -> BaseException | None: ...

class AsyncClient:
    """An asyncio client; `spikewire.AsyncClient` is built on it."""

    def __new__(cls, seeds: Seeds, **options: Unpack[AsyncOptions]) -> Self: ...
    @property
    def is_connected(self) -> bool:
        """Whether the client is open and its cluster has a node. Nodes that do not answer leave
        after a few refreshes, and come back by themselves.
        """
    @property
    def _holds_connections(self) -> bool:
        """Whether this process, and not the parent of a fork, made the connections."""
    def _open(self) -> bool:
        """Finds the cluster; blocks, so the Python half calls it off the loop. Says whether the
        client was not connected before."""
    def _close(self) -> None:
        """Ends every connection: those of the running loop at once, others soon."""
    def _nodes(self) -> list[tuple[str, str, str, tuple[str, ...]]]: ...
    def _is_strong(self, namespace: str) -> bool | None:
        """Whether a namespace is strongly consistent, as far as the client knows; `None` before it
        is connected, and for namespaces that the cluster does not have.
        """
    def within(self, transaction: TransactionCore) -> AsyncClient:
        """The same client with the calls of its verbs in a transaction of it, for keys of several
        sets. Queries and background jobs are no part of transactions: they raise
        `TransactionError`. For all else it is the client, which closing it closes.

        Raises `TypeError` for anything but a transaction, `TransactionError` for one of another
        client.
        """
    def _owns(self, of: Any) -> bool:
        """Whether a dataset, or a client that is within a transaction, is one of this client."""
    def dataset(
        self, namespace: str, set: str | None = None, type: type[_V] | None = None
    ) -> AsyncDataset[_V]:
        """A namespace and a set of this client, and the type of its records. Cheap to create and
        to keep.

        Raises `ValueError` for names that the server does not accept, and `TypeError` for a type
        that records cannot have. Whether the namespace exists is checked on first use.
        """
    def get_stream(
        self,
        keys: Iterable[KeyLike] | AsyncIterable[KeyLike],
        bins: BinNames | None = None,
        **options: Unpack[StreamOptions],
    ) -> AsyncGenerator[Result]:
        """Reads records for an endless supply of keys: an iterator over a `Result` for each key.
        Keys are sent in windows while others are in flight, and memory use does not grow.

        `keys` is any iterable of keys, or an asynchronous one. It is read as results are
        consumed, at most one window ahead of those in flight; while an asynchronous iterable
        has to be awaited, the keys read so far are sent. `bins` as in `get`.
        `ordered`: True yields results in the order of the keys; False in the order in which
        windows complete, with the position of the key in `Result.row`. Default: True.
        `window`: keys per window. Default: 256. `limit`: windows in flight, including those
        waiting to be consumed. Default: 8.
        `on_error`: what to do about a failed row: "raise", "collect" (its error stays in its
        result), "skip", or a function that is called with the result. Default: "raise".
        `missing`: what to do about a record that does not exist or does not pass `where`:
        "keep" (a result without a record), "skip", or "error". Default: "keep".
        The other keywords are those of `get_many`, and apply to each window.

        If the iteration ends early, by an error or because the iterator is closed, windows
        that were not sent are withdrawn, and the others are awaited.

        Raises `TypeError` or `ValueError` for invalid arguments at once. Exceptions from `keys`,
        and errors about invalid keys, are raised after the results of the windows before them.
        """
    # verbs of AsyncClient: tools/generate.py
    @overload
    def get(
        self,
        key: KeyLike,
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[Record]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    @overload
    def get(
        self,
        key: KeyLike,
        bins: BinNames | None = None,
        *,
        default: _D,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[Record | _D]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    def exists(
        self,
        key: KeyLike,
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[bool]:
        """Whether the record exists. Reads no bins.

        `where`: a filter as in `get`; a record that does not pass it is treated as absent.
        Default: no filter.
        The other keywords are those of `get`.
        """
    def put(
        self,
        key: KeyLike,
        bins: Bins,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Writes bins, from a dict of names to values; a bin set to `None` is removed. Other
        bins keep their values, unless `exists` replaces the record.

        A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
        list, tuple or dict of these; map keys are int, str or bytes.

        `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta), the
        expiry time (a timezone-aware datetime, in the future), "default" (the namespace's
        own), "never" or "unchanged". Default: "default".
        `generation`: the write is applied only if the record has this generation (0 to
        65535; 0: the record does not exist), or with `Newer(n)` only if n is greater than it;
        otherwise `GenerationMismatch`. Default: any.
        `exists`: "merge" creates or updates; "create" raises `RecordExists` if the record
        exists; "update" raises `RecordNotFound` if it does not; "replace" drops all other
        bins; "replace_only" does so and raises `RecordNotFound` if the record does not exist.
        Default: "merge".
        `durable`: leaves a tombstone if the write removes the last bin, so that the record
        cannot reappear (Enterprise servers only). Default: False.
        `send_key`: stores the user key with the record. Default: the client's `send_key`.
        `where`: a filter as in `get`; if the record exists and does not pass it, nothing is
        written, and `FilteredOut` is raised. A record that does not exist is still created,
        unless `exists` prevents it. Default: no filter.
        `replica`: as in `get`, for retries; a write always goes to the master first.
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`, `sleep_between_retries`, `sleep_multiplier`,
        `max_sleep_between_retries`, `sleep_jitter`, `priority`, `compress`, `error_details`: as in
        `get`.
        `commit_level`: "all" answers a write once all copies of the record have it, "master"
        once the master has; if that fails then, the write may be lost. Default: the client's,
        "all" unless set.
        `on_locking_only`: in a transaction, fails with code 126 if the transaction has written
        the record already, so that a write which may have been applied can be sent again.
        Default: False.
        `retry_in_doubt`: whether to retry a write that may already have been applied. Default:
        the client's, False unless set.

        Also raises `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
        `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
        Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
        that cannot be stored; nothing is sent then.
        """
    def add(
        self,
        key: KeyLike,
        bins: Mapping[str, float],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
        missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
        `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def append(
        self,
        key: KeyLike,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
        or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def prepend(
        self,
        key: KeyLike,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Prepends text or bytes, from a dict of bin names to str or bytes. A missing
        bin, or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def delete(
        self,
        key: KeyLike,
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[bool]:
        """Deletes a record. Returns whether one was deleted.

        `generation`: as in `put`.
        `durable`: leaves a tombstone, so that the record cannot reappear after a cold
        restart (Enterprise servers only). Default: False.
        `send_key`: makes the server compare the user key with the one stored with the
        record, if any. Default: False.
        `where`: a filter as in `get`; a record that does not pass it is kept, and the result
        is False. Default: no filter.
        The other keywords are those of `put`.
        """
    def touch(
        self,
        key: KeyLike,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Renews a record's time to live, without reading or writing bins. Counts as a write:
        the generation increases. Keywords as in `put`.

        Raises `RecordNotFound` if there is no such record, and the errors of `put`.
        """
    def apply(
        self,
        key: KeyLike,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[Value]:
        """Runs a function of a registered module on one record, on the node that holds it, and
        returns its result. Modules are registered with `client.modules`.

        `module`: the module's name without its extension. `function`: the function's name; it
        receives the record and then the `arguments`, a list or tuple of values as in `put`
        (default: none). It also runs if the record does not exist, and may create it.

        `ttl`: seconds to live as in `put`, if the function stores the record without setting
        one. The other keywords are those of `put`.

        Raises `FunctionFailed` with the function's error, including file and line, or if the
        module or function does not exist; also the errors of `put`.
        """
    def operate(
        self,
        key: KeyLike,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[Record]:
        """Runs operations from `spikewire.op`, in a list or tuple, on one record: in order and
        atomically. Returns a record with the bins that were read; its `results` has one item
        per operation, `None` if the operation returns nothing.

        Keywords as in `put` and `get`. `ttl`, `generation`, `exists`, `durable` and `send_key`
        need an operation that writes; `read_touch`, `read_mode`, `hedge` and `share_reads` need
        operations that only read. Otherwise they raise `ValueError`.

        Raises `RecordNotFound` if the operations only read and the record does not exist,
        `FilteredOut` if it exists and does not pass `where`, `BinTypeError` if an operation
        does not fit its bin, and the errors of `put`.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[KeyLike],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[KeyLike],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[object, Late]]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[KeyLike],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[KeyLike],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[KeyLike],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[KeyLike],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[object, Late]]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def put_many(
        self,
        records: Mapping[KeyLike, Bins],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    @overload
    def put_many(
        self,
        records: ClientRecords,
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    def delete_many(
        self,
        keys: Iterable[KeyLike],
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Deletes many records in one call.

        Returns a `Batch`: a `Record` without bins per deleted row, `None` if the record did not
        exist or did not pass `where`. Keywords as in `delete`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[KeyLike],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[KeyLike],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[object, Late]]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    def apply_many(
        self,
        keys: Iterable[KeyLike],
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Runs a function of a registered module on many records in one call, each on the node
        that holds it.

        Returns a `Batch` of `Record`s whose `results` hold the function's result. A row whose
        function failed has `FunctionFailed` as its error. Arguments and keywords as in `apply`.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[object, Late]]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    def query(
        self,
        namespace: str,
        set: str | None = None,
        *,
        where: Where | None = None,
        bins: BinNames | None = None,
        index: IndexRange | str | None = None,
        require_index: bool = False,
        require_hint: bool = False,
        server_filter: bool = True,
        operations: list[Operation] | tuple[Operation, ...] | None = None,
        include_values: bool = True,
        limit: int | None = None,
        partitions: int | range | None = None,
        after: UserKey | Key | None = None,
        page_size: int | None = None,
        resume: bytes | None = None,
        records_per_second: int | None = None,
        concurrent_nodes: int | None = None,
        replica: Replica | None = None,
        socket_timeout: Seconds | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        error_details: DetailLevel | None = None,
    ) -> AsyncQuery:
        """A scan of the set, or an index query: an object to iterate over, with `for` or
        `async for`. Nothing is sent until the first record is requested; then all nodes are
        read in parallel, at the consumer's pace. If a node fails, the others take over: no
        record is returned twice, and none is omitted.

        `where`: a filter as in `get`. If it is a text and every node has version 8.2 or later,
        the nodes read it themselves and choose a secondary index for it; otherwise it is
        compiled by the client, and every record is examined. Default: no filter.
        `bins`: the names of the bins to read, in a list or tuple; records that have none of
        them are omitted. An empty list means `include_values=False`. Default: all bins.
        `index`: selects records by a secondary index: `spikewire.between`, `equal`,
        `contains`, `within` or `around`. Or the name of the index that the nodes should prefer
        for a text in `where`, if they can use it. Default: all records, or the nodes' choice.
        `require_index`: True fails with `IndexNotFound` rather than examine every record. It needs
        nodes that choose, so a text in `where` and servers from 8.2 on. Default: False.
        `require_hint`: True fails with `IndexNotFound` unless the index that `index` names can be
        used. It needs the same. Default: False.
        `server_filter`: False compiles a text in the client on every server. Default: True.
        `operations`: read operations from `spikewire.op`, in a list or tuple; each record has
        their `results`. Needs server 8.1.2 or later.
        `include_values`: False omits the bins: only keys, digests, generations and times to
        live are read.
        `limit`: the maximum number of records, from 1 to 4,294,967,295. Default: no limit.
        `partitions`: the number of a partition (0 to 4095), or a range of them. Default:
        all.
        `after`: a key; only records after it in its partition, in digest order.
        `page_size`: the number of records that `page()` returns, from 1 to 1,000,000.
        `resume`: the cursor of a page, or of a query with the same arguments.
        `records_per_second`: the maximum number of records that each node sends per second,
        at least 1. Default: no limit.
        `concurrent_nodes`: how many nodes are read at the same time. Default: all.
        `replica`: as in `get`.
        `socket_timeout`: how long a node may be silent before its partitions are read from
        another one, and how long a node waits for a consumer that takes no records, after
        which the query raises `QueryPaused`; in seconds or as a timedelta; 0: no limit.
        Default: the client's `socket_timeout`, 30 s if it has none.
        `timeout`: total time of the query, in seconds or as a timedelta; 0: no limit.
        Default: no limit; the client's `timeout` does not apply.
        `max_retries`: consecutive failures, without a record in between, after which the query
        fails. Default: the client's, but at least 8 if that is not 0.
        `error_details`: as in `get`.
        `sleep_between_retries` and related options: as in `get`. Default: the client's; if the
        client has no pause, 20 ms, doubled for each further one, up to 1 s.

        Raises `TypeError` or `ValueError` for invalid arguments, and, during iteration,
        `IndexNotFound` if no index fits, `Timeout`, `ConnectionFailed`, `NodeUnavailable`,
        `QueryPaused` and the other errors of `spikewire.errors`. The query's `cursor` then
        says where to resume.
        """
    def operate_all(
        self,
        namespace: str,
        set: str | None,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Applies write operations from `spikewire.op`, in a list or tuple, to every record of
        the set, in the background on the nodes. Returns a `Job` once it runs on every node that
        knows the set; the job reports its progress. Where no node does, it is done at once and
        has changed nothing. A record that disappears or fails in the meantime is counted and
        skipped.

        `where` and `index`: which records, as in `query`. Default: all.
        `ttl`: as in `put`. `durable`: leaves tombstones of deleted records (Enterprise servers
        only). Default: False.
        `records_per_second`: the maximum number of records that each node processes per
        second. Default: the nodes' setting.
        `timeout`: total time for starting the job, in seconds or as a timedelta; 0: no limit.
        Default: the client's `timeout`.

        Raises `ServerError` if a node rejects the job, for example with code 201 if the index
        does not exist, `ConnectionFailed` or `Timeout`; if the job runs on some nodes only,
        the error is `in_doubt` and names them.
        """
    def delete_all(
        self,
        namespace: str,
        set: str | None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Deletes every record of the set, in the background on the nodes. Returns a `Job` once it
        runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def touch_all(
        self,
        namespace: str,
        set: str | None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Renews the time to live of every record of the set, in the background on the nodes.
        Returns a `Job` once it runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def apply_all(
        self,
        namespace: str,
        set: str | None,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Runs a function of a registered module on every record of the set, in the background
        on the nodes. Returns a `Job` once it runs on every node. `module`, `function` and
        `arguments` as in `apply`; the function's results are discarded, and records on which
        it fails are counted.

        Keywords and errors as in `operate_all`.
        """
    # end of AsyncClient's verbs
    def __reduce__(self) -> Never: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

@final
class AsyncDataset(Generic[_V]):
    """A namespace and a set of an asyncio client, from `AsyncClient.dataset`. Any event loop may
    use it; verbs return `asyncio.Future` objects of the running one.

    Datasets are equal if client, namespace and set are. A pickled dataset carries its client's
    seeds and options. When unpickled, it uses the client it came from if that exists in the
    process and is open. Otherwise it creates a client like it, which is shared by all datasets
    from the same client and closed when the process exits, or when no dataset uses it and newer
    ones exist. Such a client connects inside the first verb, which blocks the event loop until
    the cluster is found. Passwords are not pickled: such a client takes its password from the
    environment variable `SPIKEWIRE_AEROSPIKE_PASSWORD`.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    def within(self, transaction: TransactionCore) -> AsyncDataset[_V]:
        """The same set with its calls in a transaction of the same client: reads see what the
        transaction has written, and writes take effect when it is committed. Queries and
        background jobs are no part of transactions: they raise `TransactionError`.

        Raises `TypeError` for anything but a transaction, `TransactionError` for one of another
        client.
        """
    def _is_strong(self) -> bool | None:
        """Whether its namespace is strongly consistent, as far as the client knows; `None` before
        it is connected, and for namespaces that the cluster does not have.
        """
    @property
    def type(self) -> Any:
        """The type of its records; `None` if they have none."""
    @property
    def namespace(self) -> str:
        """The namespace's name."""
    @property
    def set(self) -> str | None:
        """The set's name; `None` for records without a set."""
    def key(self, key: UserKey | Key) -> Key[_V]:
        """The full key of a record of this set, for verbs of the client, for sessions and for
        `batch`.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid user key.
        """
    def keys(self, keys: Iterable[UserKey | Key]) -> list[Key[_V]]:
        """The full keys of records of this set, in a list: from an iterable of user keys.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid user key, naming the row.
        """
    def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation:
        """What a call would use and from where (the call, the client, the default), by option.
        Nothing is sent.

        For `operate` and `operate_many` the operations count: give them as in the call.
        Raises `ValueError` when there is no such verb, and what the call raises for an option.
        """
    def get_stream(
        self,
        keys: Iterable[UserKey | Key] | AsyncIterable[UserKey | Key],
        bins: BinNames | None = None,
        **options: Unpack[StreamOptions],
    ) -> AsyncGenerator[Result]:
        """Reads records for an endless supply of keys: an iterator over a `Result` for each key.
        Keys are sent in windows while others are in flight, and memory use does not grow.

        `keys` is any iterable of keys, or an asynchronous one. It is read as results are
        consumed, at most one window ahead of those in flight; while an asynchronous iterable
        has to be awaited, the keys read so far are sent. `bins` as in `get`.
        `ordered`: True yields results in the order of the keys; False in the order in which
        windows complete, with the position of the key in `Result.row`. Default: True.
        `window`: keys per window. Default: 256. `limit`: windows in flight, including those
        waiting to be consumed. Default: 8.
        `on_error`: what to do about a failed row: "raise", "collect" (its error stays in its
        result), "skip", or a function that is called with the result. Default: "raise".
        `missing`: what to do about a record that does not exist or does not pass `where`:
        "keep" (a result without a record), "skip", or "error". Default: "keep".
        The other keywords are those of `get_many`, and apply to each window.

        If the iteration ends early, by an error or because the iterator is closed, windows
        that were not sent are withdrawn, and the others are awaited.

        Raises `TypeError` or `ValueError` for invalid arguments at once. Exceptions from `keys`,
        and errors about invalid keys, are raised after the results of the windows before them.
        """
    # verbs of AsyncDataset: tools/generate.py
    @overload
    def get(
        self,
        key: UserKey | Key,
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[Record[_V]]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    @overload
    def get(
        self,
        key: UserKey | Key,
        bins: BinNames | None = None,
        *,
        default: _D,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[Record[_V] | _D]:
        """Reads a record.

        `bins`: the names of the bins to read, in a list or tuple; if empty, only generation
        and TTL are read. Bins that the record does not have are omitted. Default: all bins.

        `default`: returned instead of raising an error if the record does not exist or does
        not pass `where`. Default: raise.
        `buffers`: True returns bytes in bins (not those inside lists and maps) as read-only
        memoryviews of the reply's memory, without copying. A view keeps the whole reply
        alive. Bins that the client's codec decodes are not affected. Default: False, `bytes`.
        `where`: a filter, evaluated by the server: an expression from `spikewire.exp`, a
        text such as `"$.age > 25"`, or a tuple of a text and its parameters. The record is
        read only if it is true. Avoid dividing by a bin that may hold 0 or -1: servers may
        fail on that. Default: no filter.
        `read_touch`: renews the record's time to live if at most this percentage of it is
        left (1 to 100); 0: the server's setting; -1: never. Default: 0.
        `read_mode`: the consistency of the read. "one" reads one replica; "all" consults all
        replicas while they may differ. In strongly consistent namespaces "session" (never
        older than what this client has seen), "linearize" (nor than what any client has
        seen), "allow_replica" or "allow_unavailable". Default: the client's `read_mode`,
        "one" unless set, which there means "session".
        `replica`: the replica that serves the call: "master", "sequence" (the master, then
        the other replicas on retries), "any" (spread over all replicas) or "prefer-rack".
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`: attempts after the first one, from 0 to 1000. Default: the client's, 2
        unless set.
        `sleep_between_retries`: the pause before a retry on the same node, in seconds or as a
        timedelta. Each further pause is `sleep_multiplier` times as long (1 to 100), up to
        `max_sleep_between_retries` (0: no limit); with `sleep_jitter` each is drawn at random
        between 0 and its full length. Default: the client's; no pauses unless set.
        `priority`: "interactive", or "background" for calls that go behind interactive ones
        where calls wait for a node. Default: "interactive".
        `compress`: whether request and reply are compressed, where nodes are of the Enterprise
        Edition. Default: the client's, False unless set.
        `error_details`: how much the server is asked to say about errors, where its node has
        8.2 or later: "subcode", "message" for that and a message, "trace" for both and where in
        an expression it happened, "off" for nothing. It is in the error's `details`. Default: the
        client's, "off" unless set.
        `hedge`: how long to wait for an answer before sending a second request to another
        replica: a time, or a percentile of that node's recent response times ("p99"). The first
        answer wins. 0: never. Default: the client's, never unless set.
        `share_reads`: whether concurrent reads of the same record and bins, with the same
        options except the timeout, share one request. "unsent" joins a request of which nothing
        was sent yet, so the answer is as recent as that to an own request; "in_flight" also
        joins one on its way, so the answer may be older than the call, at most by one round
        trip. Never one from before a write of the record by this client. "off": no. Default: the
        client's, "off" unless set.

        Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
        errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
        invalid arguments.
        """
    def exists(
        self,
        key: UserKey | Key,
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[bool]:
        """Whether the record exists. Reads no bins.

        `where`: a filter as in `get`; a record that does not pass it is treated as absent.
        Default: no filter.
        The other keywords are those of `get`.
        """
    def put(
        self,
        key: UserKey | Key,
        bins: Bins | _V,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Writes bins, from a dict of names to values; a bin set to `None` is removed. Other
        bins keep their values, unless `exists` replaces the record.

        A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
        list, tuple or dict of these; map keys are int, str or bytes.

        `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta), the
        expiry time (a timezone-aware datetime, in the future), "default" (the namespace's
        own), "never" or "unchanged". Default: "default".
        `generation`: the write is applied only if the record has this generation (0 to
        65535; 0: the record does not exist), or with `Newer(n)` only if n is greater than it;
        otherwise `GenerationMismatch`. Default: any.
        `exists`: "merge" creates or updates; "create" raises `RecordExists` if the record
        exists; "update" raises `RecordNotFound` if it does not; "replace" drops all other
        bins; "replace_only" does so and raises `RecordNotFound` if the record does not exist.
        Default: "merge".
        `durable`: leaves a tombstone if the write removes the last bin, so that the record
        cannot reappear (Enterprise servers only). Default: False.
        `send_key`: stores the user key with the record. Default: the client's `send_key`.
        `where`: a filter as in `get`; if the record exists and does not pass it, nothing is
        written, and `FilteredOut` is raised. A record that does not exist is still created,
        unless `exists` prevents it. Default: no filter.
        `replica`: as in `get`, for retries; a write always goes to the master first.
        Default: the client's `replica`.
        `timeout`: total time of the call including retries, in seconds or as a timedelta;
        0: no limit. Default: the client's `timeout`, 1 s unless set.
        `max_retries`, `sleep_between_retries`, `sleep_multiplier`,
        `max_sleep_between_retries`, `sleep_jitter`, `priority`, `compress`, `error_details`: as in
        `get`.
        `commit_level`: "all" answers a write once all copies of the record have it, "master"
        once the master has; if that fails then, the write may be lost. Default: the client's,
        "all" unless set.
        `on_locking_only`: in a transaction, fails with code 126 if the transaction has written
        the record already, so that a write which may have been applied can be sent again.
        Default: False.
        `retry_in_doubt`: whether to retry a write that may already have been applied. Default:
        the client's, False unless set.

        Also raises `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
        `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
        Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
        that cannot be stored; nothing is sent then.
        """
    def add(
        self,
        key: UserKey | Key,
        bins: Mapping[str, float],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
        missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
        `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def append(
        self,
        key: UserKey | Key,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
        or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def prepend(
        self,
        key: UserKey | Key,
        bins: Mapping[str, str | BytesLike],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Prepends text or bytes, from a dict of bin names to str or bytes. A missing
        bin, or a missing record, counts as empty. Keywords as in `put`.

        Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
        """
    def delete(
        self,
        key: UserKey | Key,
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[bool]:
        """Deletes a record. Returns whether one was deleted.

        `generation`: as in `put`.
        `durable`: leaves a tombstone, so that the record cannot reappear after a cold
        restart (Enterprise servers only). Default: False.
        `send_key`: makes the server compare the user key with the one stored with the
        record, if any. Default: False.
        `where`: a filter as in `get`; a record that does not pass it is kept, and the result
        is False. Default: no filter.
        The other keywords are those of `put`.
        """
    def touch(
        self,
        key: UserKey | Key,
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[None]:
        """Renews a record's time to live, without reading or writing bins. Counts as a write:
        the generation increases. Keywords as in `put`.

        Raises `RecordNotFound` if there is no such record, and the errors of `put`.
        """
    def apply(
        self,
        key: UserKey | Key,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
    ) -> Future[Value]:
        """Runs a function of a registered module on one record, on the node that holds it, and
        returns its result. Modules are registered with `client.modules`.

        `module`: the module's name without its extension. `function`: the function's name; it
        receives the record and then the `arguments`, a list or tuple of values as in `put`
        (default: none). It also runs if the record does not exist, and may create it.

        `ttl`: seconds to live as in `put`, if the function stores the record without setting
        one. The other keywords are those of `put`.

        Raises `FunctionFailed` with the function's error, including file and line, or if the
        module or function does not exist; also the errors of `put`.
        """
    def operate(
        self,
        key: UserKey | Key,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        hedge: Hedge | None = None,
        share_reads: ShareReads | None = None,
    ) -> Future[Record[_V]]:
        """Runs operations from `spikewire.op`, in a list or tuple, on one record: in order and
        atomically. Returns a record with the bins that were read; its `results` has one item
        per operation, `None` if the operation returns nothing.

        Keywords as in `put` and `get`. `ttl`, `generation`, `exists`, `durable` and `send_key`
        need an operation that writes; `read_touch`, `read_mode`, `hedge` and `share_reads` need
        operations that only read. Otherwise they raise `ValueError`.

        Raises `RecordNotFound` if the operations only read and the record does not exist,
        `FilteredOut` if it exists and does not pass `where`, `BinTypeError` if an operation
        does not fit its bin, and the errors of `put`.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[UserKey | Key],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_many(
        self,
        keys: Iterable[UserKey | Key],
        bins: BinNames | None = None,
        *,
        buffers: bool = False,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V, Late]]:
        """Reads many records in one call, in parallel over the nodes.

        `keys` is any iterable of keys; on a client they may belong to several sets. `bins` and
        the keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row,
        `None` if the record does not exist or does not pass `where`. A row that fails does not
        affect the others. With `buffers`, a view keeps the replies of the whole call alive.

        `deadline`: return what has come by this time, in seconds or as a timedelta, at most
        `timeout`. A row whose reply has not come is late: it is `Late`, neither missing nor
        failed, and in `Batch.late`. The rows of a node that takes longer than it usually does
        are sent to another replica before, unless `replica` or `read_mode` only allow the
        master. Default: none; rows without a reply within `timeout` fail.
        `respond_all_keys`: with False, a node runs all rows but its replies end at one that
        fails, other than by a missing or filtered record: those that follow have no reply,
        and fail with code -15. Default: True.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[UserKey | Key],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def get_numpy(
        self,
        keys: Iterable[UserKey | Key],
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
        errors: Literal["raise", "mask"] = "raise",
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """Reads many records straight into a structured NumPy array, one row per key.

        `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl`, `missing` and
        `errors` are those of `Batch.to_numpy`; the bins read are those that `dtype` has fields
        for. Returns a `numpy.ma.MaskedArray` in which missing values are masked, or with
        `missing="raise"` a plain `numpy.ndarray`, which takes less time. The array is filled as
        replies arrive, and replies are not kept, so this takes less memory and time than
        `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.

        `deadline`: as in `get_many`. Late rows are masked like missing ones, so it requires a
        masked array.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def exists_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V, Late]]:
        """Checks which of many records exist, without reading their bins.

        Returns a `Batch`: a `Record` without bins per row, `None` if the record does not exist
        or does not pass `where`. Keywords as in `get`; `deadline` as in `get_many`.
        """
    @overload
    def put_many(
        self,
        records: Mapping[UserKey | Key, Bins],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    @overload
    def put_many(
        self,
        records: Records | Table | RecordsOf[_V],
        *,
        key: str | None = None,
        bins: Columns | None = None,
        nulls: Nulls | None = None,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Writes many records in one call, in parallel over the nodes.

        `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
        also a table: a structured NumPy array, plain or masked, a pandas or polars data
        frame, or any object with the Arrow PyCapsule interface, such as the tables and
        streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
        in windows, so a stream may be larger than memory; `timeout` applies to each window.
        Do not modify an array while it is being written.

        `key`: the column of user keys (integers, text or bytes), required for tables. For a
        pandas frame it may name an index level. Default for pandas frames: the index.
        `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
        to bin names. Default: all except the key column, under their own names.
        `nulls`: for tables, the effect of nulls and masked values: "skip" leaves their bins
        unchanged, "remove" removes them. Default: "skip".

        The other keywords are those of `put` and apply to every row. Returns a `Batch`: a
        `Record` without bins per written row, `None` if the row did not pass `where`; see
        `Batch.errors` and `Batch.raise_for_errors`.

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
        values that cannot be written. Nothing is sent then; after the first window of a
        table, the error says how many rows were sent.
        """
    def delete_many(
        self,
        keys: Iterable[UserKey | Key],
        *,
        generation: int | Newer | None = None,
        durable: bool = False,
        send_key: bool = False,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Deletes many records in one call.

        Returns a `Batch`: a `Record` without bins per deleted row, `None` if the record did not
        exist or did not pass `where`. Keywords as in `delete`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[UserKey | Key],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    @overload
    def operate_many(
        self,
        keys: Iterable[UserKey | Key],
        operations: list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V, Late]]:
        """Applies the same operations to many records in one call.

        Returns a `Batch` of `Record`s as from `operate`, `None` if the record does not exist or
        does not pass `where`. Keywords as in `operate`; `deadline`, for operations that only
        read, as in `get_many`.
        """
    def apply_many(
        self,
        keys: Iterable[UserKey | Key],
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        where: Where | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Runs a function of a registered module on many records in one call, each on the node
        that holds it.

        Returns a `Batch` of `Record`s whose `results` hold the function's result. A row whose
        function failed has `FunctionFailed` as its error. Arguments and keywords as in `apply`.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: None = None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V]]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    @overload
    def batch(
        self,
        rows: Iterable[Row],
        *,
        ttl: Ttl | None = None,
        exists: Exists | None = None,
        durable: bool = False,
        send_key: bool | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
        replica: Replica | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        priority: Priority | None = None,
        compress: bool | None = None,
        error_details: DetailLevel | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
        retry_in_doubt: bool | None = None,
        deadline: Seconds | None,
        respond_all_keys: bool | None = None,
    ) -> Future[Batch[_V, Late]]:
        """Reads, writes and deletes in one call, each row on its own record.

        `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, each with its own
        options. Rows for one node are sent in one request and run in order; those for
        different nodes run in parallel. Returns a `Batch` in input order: a `Record` per row
        (with `results` if the row has operations), `None` if the record does not exist or does
        not pass the row's `where`. A row that fails does not affect the others.

        `read_touch` and `read_mode` (for `Read`), `ttl`, `durable` and `send_key` (for `Write` and
        `Apply`; `durable` also for `Delete`) and `exists` (for `Write`) are defaults for rows that
        do not set them. `deadline`, if all rows are `Read`, as in `get_many`. The other keywords
        are those of `put`, for all rows.

        Raises `TypeError`, `ValueError` or `OverflowError` for an invalid row, with its
        number; nothing is sent then.
        """
    def query(
        self,
        *,
        where: Where | None = None,
        bins: BinNames | None = None,
        index: IndexRange | str | None = None,
        require_index: bool = False,
        require_hint: bool = False,
        server_filter: bool = True,
        operations: list[Operation] | tuple[Operation, ...] | None = None,
        include_values: bool = True,
        limit: int | None = None,
        partitions: int | range | None = None,
        after: UserKey | Key | None = None,
        page_size: int | None = None,
        resume: bytes | None = None,
        records_per_second: int | None = None,
        concurrent_nodes: int | None = None,
        replica: Replica | None = None,
        socket_timeout: Seconds | None = None,
        timeout: Seconds | None = None,
        max_retries: int | None = None,
        sleep_between_retries: Seconds | None = None,
        sleep_multiplier: float | None = None,
        max_sleep_between_retries: Seconds | None = None,
        sleep_jitter: bool | None = None,
        error_details: DetailLevel | None = None,
    ) -> AsyncQuery[_V]:
        """A scan of the set, or an index query: an object to iterate over, with `for` or
        `async for`. Nothing is sent until the first record is requested; then all nodes are
        read in parallel, at the consumer's pace. If a node fails, the others take over: no
        record is returned twice, and none is omitted.

        `where`: a filter as in `get`. If it is a text and every node has version 8.2 or later,
        the nodes read it themselves and choose a secondary index for it; otherwise it is
        compiled by the client, and every record is examined. Default: no filter.
        `bins`: the names of the bins to read, in a list or tuple; records that have none of
        them are omitted. An empty list means `include_values=False`. Default: all bins.
        `index`: selects records by a secondary index: `spikewire.between`, `equal`,
        `contains`, `within` or `around`. Or the name of the index that the nodes should prefer
        for a text in `where`, if they can use it. Default: all records, or the nodes' choice.
        `require_index`: True fails with `IndexNotFound` rather than examine every record. It needs
        nodes that choose, so a text in `where` and servers from 8.2 on. Default: False.
        `require_hint`: True fails with `IndexNotFound` unless the index that `index` names can be
        used. It needs the same. Default: False.
        `server_filter`: False compiles a text in the client on every server. Default: True.
        `operations`: read operations from `spikewire.op`, in a list or tuple; each record has
        their `results`. Needs server 8.1.2 or later.
        `include_values`: False omits the bins: only keys, digests, generations and times to
        live are read.
        `limit`: the maximum number of records, from 1 to 4,294,967,295. Default: no limit.
        `partitions`: the number of a partition (0 to 4095), or a range of them. Default:
        all.
        `after`: a key; only records after it in its partition, in digest order.
        `page_size`: the number of records that `page()` returns, from 1 to 1,000,000.
        `resume`: the cursor of a page, or of a query with the same arguments.
        `records_per_second`: the maximum number of records that each node sends per second,
        at least 1. Default: no limit.
        `concurrent_nodes`: how many nodes are read at the same time. Default: all.
        `replica`: as in `get`.
        `socket_timeout`: how long a node may be silent before its partitions are read from
        another one, and how long a node waits for a consumer that takes no records, after
        which the query raises `QueryPaused`; in seconds or as a timedelta; 0: no limit.
        Default: the client's `socket_timeout`, 30 s if it has none.
        `timeout`: total time of the query, in seconds or as a timedelta; 0: no limit.
        Default: no limit; the client's `timeout` does not apply.
        `max_retries`: consecutive failures, without a record in between, after which the query
        fails. Default: the client's, but at least 8 if that is not 0.
        `error_details`: as in `get`.
        `sleep_between_retries` and related options: as in `get`. Default: the client's; if the
        client has no pause, 20 ms, doubled for each further one, up to 1 s.

        Raises `TypeError` or `ValueError` for invalid arguments, and, during iteration,
        `IndexNotFound` if no index fits, `Timeout`, `ConnectionFailed`, `NodeUnavailable`,
        `QueryPaused` and the other errors of `spikewire.errors`. The query's `cursor` then
        says where to resume.
        """
    def operate_all(
        self,
        operations: list[Operation] | tuple[Operation, ...],
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Applies write operations from `spikewire.op`, in a list or tuple, to every record of
        the set, in the background on the nodes. Returns a `Job` once it runs on every node that
        knows the set; the job reports its progress. Where no node does, it is done at once and
        has changed nothing. A record that disappears or fails in the meantime is counted and
        skipped.

        `where` and `index`: which records, as in `query`. Default: all.
        `ttl`: as in `put`. `durable`: leaves tombstones of deleted records (Enterprise servers
        only). Default: False.
        `records_per_second`: the maximum number of records that each node processes per
        second. Default: the nodes' setting.
        `timeout`: total time for starting the job, in seconds or as a timedelta; 0: no limit.
        Default: the client's `timeout`.

        Raises `ServerError` if a node rejects the job, for example with code 201 if the index
        does not exist, `ConnectionFailed` or `Timeout`; if the job runs on some nodes only,
        the error is `in_doubt` and names them.
        """
    def delete_all(
        self,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        durable: bool = False,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Deletes every record of the set, in the background on the nodes. Returns a `Job` once it
        runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def touch_all(
        self,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        ttl: Ttl | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Renews the time to live of every record of the set, in the background on the nodes.
        Returns a `Job` once it runs on every node.

        Keywords and errors as in `operate_all`.
        """
    def apply_all(
        self,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        where: Where | None = None,
        index: IndexRange | None = None,
        records_per_second: int | None = None,
        timeout: Seconds | None = None,
    ) -> Future[AsyncJob]:
        """Runs a function of a registered module on every record of the set, in the background
        on the nodes. Returns a `Job` once it runs on every node. `module`, `function` and
        `arguments` as in `apply`; the function's results are discarded, and records on which
        it fails are counted.

        Keywords and errors as in `operate_all`.
        """
    # end of AsyncDataset's verbs
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...
    @staticmethod
    def _rebuild(
        token: bytes,
        seeds: Seeds,
        options: ClientOptions,
        namespace: str,
        set: str | None,
        class_: Any = None,
    ) -> AsyncDataset[Any]:
        """For unpickling: the client with this token, or one like it."""

@final
class Key(Generic[_V_co]):
    """A record's address: namespace, set and user key, with the digest computed once. Every verb of
    a client takes one, and so do the verbs of the dataset it belongs to.

    The user key is int (64 bits signed), str or bytes; a bytearray or memoryview is copied to
    bytes. Raises `TypeError` for other types, `ValueError` for names that the server does not
    accept, `OverflowError` for larger integers. Keys are equal if namespace, set and digest are.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    def __new__(cls, namespace: str, set: str | None, key: UserKey) -> Self: ...
    @staticmethod
    def _typed(key: Key, class_: type[Any]) -> Key[Any]:
        """For unpickling: the same key, of a dataset with this type."""
    @staticmethod
    def from_digest(namespace: str, set: str | None, digest: bytes | bytearray) -> Key:
        """The key of a record of which only the 20-byte digest is known; its `key` is `None`."""
    @property
    def namespace(self) -> str:
        """The namespace's name."""
    @property
    def set(self) -> str | None:
        """The set's name; `None` for records without a set."""
    @property
    def key(self) -> UserKey | None:
        """The user key; `None` if only the digest is known."""
    @property
    def digest(self) -> bytes:
        """The 20-byte hash that identifies the record in the cluster."""
    @property
    def partition(self) -> int:
        """The partition that holds the record, 0 to 4095."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

@final
class QueryPlan:
    """How a query would be executed, from its `explain`."""

    @property
    def access(self) -> Literal["index", "scan", "nothing"]:
        """How records are found: `"index"`, by a secondary index; `"scan"`, by examining every
        record of the set or namespace; `"nothing"`: the filter is never true, nothing is read.
        """
    @property
    def on_server(self) -> bool:
        """Whether the nodes read the filter as text, and one of them has chosen the access.
        Otherwise the filter, if there is one, is compiled by the client.
        """
    @property
    def index(self) -> str | None:
        """The name of the index, if the client knows it."""
    @property
    def bin(self) -> str | None:
        """The indexed bin, if the client knows it."""
    @property
    def of(self) -> Literal["list", "mapkeys", "mapvalues"] | None:
        """What of a list or map is indexed: `"list"`, `"mapkeys"` or `"mapvalues"`."""
    @property
    def values(self) -> tuple[int, int] | str | bytes | GeoJSON | None:
        """The values looked up in the index: the least and the greatest integer, or a str, bytes or
        `GeoJSON`.
        """
    @property
    def text(self) -> str | None:
        """The filter as the nodes get it, if they get text."""
    @property
    def node(self) -> str | None:
        """The node that has chosen."""
    @property
    def reason(self) -> str | None:
        """Why no node has chosen; `None` if one has."""

@final
class IndexRange:
    """A range of a secondary index, created by `between`, `equal`, `contains`, `within` and
    `around`. For the `index` of `query`.
    """

    def __new__(
        cls,
        kind: str,
        bin: str | Expression | None,
        values: list[int] | list[str] | list[bytes] | list[int | str | bytes] | list[GeoJSON],
        of: str | None = None,
        name: str | None = None,
        ctx: Path | None = None,
    ) -> Self:
        """`kind` is the name of the function."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Page(Generic[_V_co]):
    """Some records of a query, and the position of the next ones: `records`, a list; `cursor`,
    bytes for the `resume` of `query`, in any process; `done`, whether there are no more.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    @property
    def records(self) -> list[Record[_V_co]]:
        """The records."""
    @property
    def cursor(self) -> bytes:
        """The start of the next page, as bytes to keep or to hand to another process."""
    @property
    def done(self) -> bool:
        """Whether this is the last page. A full page may be followed by an empty one."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Record[_V_co]]: ...
    def __bool__(self) -> bool: ...

@final
class AdminTask(Generic[_B]):
    """An administrative command that was checked and not begun."""

    def run(self) -> _B:
        """Runs to the end on the calling thread, pauses included; gives the result."""
    def start(self) -> Future[None]:
        """Begins it on the running event loop; a future of its end, when there is a result."""
    def result(self) -> _B:
        """The result, once."""

class TransactionCore:
    """A transaction of a client; `spikewire.Transaction` and `AsyncTransaction` are built on it."""

    def __new__(
        cls, client: Any, timeout: Seconds | None = None, id: int | None = None
    ) -> Self: ...
    @property
    def id(self) -> int:
        """The number by which servers know it."""
    @property
    def state(self) -> Literal["open", "verified", "committed", "aborted", "in_doubt"]:
        """How far it has come: "open", "verified", "committed", "aborted" or "in_doubt"."""
    @property
    def namespace(self) -> str | None:
        """Its namespace, which the first call determines; `None` before."""
    @property
    def timeout(self) -> int:
        """Its lifetime in seconds; 0 for the server's default."""
    @property
    def _counts(self) -> tuple[int, int]: ...
    def _commit(self) -> Any: ...
    def _abort(self) -> Any: ...
    def _end_block(self, succeeded: bool) -> Any:
        """The end of a block that did, or did not, succeed."""

@final
class TransactionRetries:
    """How often a function is called again, and after which pauses: the rules of the engine."""

    def __new__(cls, attempts: int | None, limit: Seconds | None) -> Self: ...
    def pause(self, error: Error) -> float | None:
        """Seconds until the next attempt after this `Error`; `None` if there is none."""

@final
class JobCore:
    """A job's number, and the nodes that it runs on; `spikewire.jobs` makes more of it."""

    @property
    def id(self) -> int:
        """Its number on every node."""
    def progress(self) -> AdminTask[_JobFields]:
        """How far it is."""
    def wait(self, timeout: Seconds | None = None) -> AdminTask[_JobFields]:
        """Its end on every node; a timeout of `None` or 0 is no limit."""
    def abort(self) -> AdminTask[None]:
        """Ends it on every node."""

@final
class Signals:
    """The counters, gauges and events of a client or session."""

    def __new__(cls, client: Client | AsyncClient | SessionCore | AsyncSessionCore) -> Self: ...
    def turn(self, on: bool) -> None:
        """Begins to count commands, or stops."""
    def is_on(self) -> bool:
        """Whether commands are counted."""
    def time_stages(self, on: bool) -> None:
        """Begins to time the stages of commands, or stops."""
    def times_stages(self) -> bool:
        """Whether they are timed."""
    def reset(self) -> None:
        """Forgets what was counted."""
    def report_slower_than(self, limit: Seconds | None) -> None:
        """From how long a command takes there is an event of it; `None`: never."""
    def listen(self, listens: bool) -> None:
        """Keeps events for `wait` from here on, or no more."""
    def wait(self, limit: float) -> tuple[list[tuple[Any, ...]], int]:
        """Waits up to so many seconds for events: their names with what belongs to them, and how
        many were lost.
        """
    def route(
        self, key: Key, writes: bool, replica: Replica | None = None
    ) -> tuple[str, str, int] | None:
        """The node that a command on one record goes to first: its name, host and port. `None`
        where that is not decided before it is sent, or no node is known.
        """
    def stats(self) -> StatsFields:
        """What the client counted and holds, as plain values."""
    @staticmethod
    def bounds() -> list[float]:
        """The upper bounds of the buckets of latencies, in seconds."""

@final
class RecordingCore:
    """A recording of a client's calls."""

    def __new__(
        cls,
        client: Client | AsyncClient,
        path: str | os.PathLike[str],
        share: float,
        max_bytes: int,
        overwrite: bool,
    ) -> Self: ...
    def stop(self) -> tuple[State, int, int, int, float]:
        """Ends it, and waits until the file is complete."""
    def summary(self) -> tuple[State, int, int, int, float]:
        """How it stands."""

def read_trace(path: str | os.PathLike[str], partial: bool) -> dict[str, Any]:
    """Reads the file of a recording: what there is about all calls, and their columns in bytes."""

@final
class Admin:
    """The administrative commands of a client, for `spikewire.indexes` and `spikewire.modules`."""

    def __new__(cls, client: Client | AsyncClient) -> Self: ...
    def info(self, command: str, node: str | None = None) -> AdminTask[str]:
        """A node's answer to an info command; without a node's name, that of any node."""
    def create_index(
        self,
        namespace: str,
        set: str | None,
        bin: str | Expression,
        kind: type[int | str | bytes | GeoJSON],
        of: Literal["list", "mapkeys", "mapvalues"] | None,
        name: str | None,
        ctx: Path | None,
        timeout: Seconds | None,
    ) -> AdminTask[str]:
        """Creates an index; its name. A timeout of `None`: does not wait for it; 0: no limit."""
    def create_index_on_set(
        self, namespace: str, set: str, name: str | None, timeout: Seconds | None
    ) -> AdminTask[str]:
        """Creates an index of all records of a set; its name. The timeout as in `create_index`."""
    def wait_for_index(self, namespace: str, name: str, timeout: Seconds) -> AdminTask[None]:
        """Waits until every node has built an index; a timeout of 0 is no limit."""
    def list_indexes(self, namespace: str) -> AdminTask[list[_IndexFields]]:
        """The indexes of a namespace, sorted by name."""
    def drop_index(self, namespace: str, set: str | None, name: str) -> AdminTask[None]:
        """Drops an index."""
    def register_module(self, name: str, source: str, timeout: Seconds) -> AdminTask[None]:
        """Registers a module and waits until every node has it; a timeout of 0 is no limit."""
    def list_modules(self) -> AdminTask[list[tuple[str, str]]]:
        """The registered modules, sorted by name."""
    def module_source(self, name: str) -> AdminTask[str]:
        """The source of a module."""
    def remove_module(self, name: str) -> AdminTask[None]:
        """Removes a module."""

@final
class PasswordHash:
    """The hash of a new password, or of none; shows nothing."""

    def __new__(cls, password: str | None) -> Self:
        """Hashes a password, in some 50 ms; `None`: the user logs in with a certificate."""

@final
class Accounts:
    """The users and roles of a client's cluster, for `spikewire.users` and `spikewire.roles`."""

    def __new__(cls, client: Client | AsyncClient) -> Self: ...
    def create_user(
        self, user: str, password: PasswordHash, roles: Iterable[str], timeout: Seconds
    ) -> AdminTask[None]:
        """Creates a user."""
    def drop_user(self, user: str, timeout: Seconds) -> AdminTask[None]:
        """Drops a user."""
    def set_password(self, user: str, password: PasswordHash, timeout: Seconds) -> AdminTask[None]:
        """Sets the password of any user."""
    def change_password(self, password: PasswordHash, timeout: Seconds) -> AdminTask[None]:
        """Changes the password of the client's own user."""
    def grant_roles(self, user: str, roles: Iterable[str], timeout: Seconds) -> AdminTask[None]:
        """Gives a user more roles."""
    def revoke_roles(self, user: str, roles: Iterable[str], timeout: Seconds) -> AdminTask[None]:
        """Takes roles from a user."""
    def list_users(self, timeout: Seconds) -> AdminTask[list[_UserFields]]:
        """The users, sorted by name."""
    def get_user(self, user: str, timeout: Seconds) -> AdminTask[_UserFields]:
        """The user of this name."""
    def create_role(
        self,
        role: str,
        privileges: Iterable[_Privilege | str],
        allow: Iterable[str],
        read_quota: int,
        write_quota: int,
        timeout: Seconds,
    ) -> AdminTask[None]:
        """Creates a role."""
    def drop_role(self, role: str, timeout: Seconds) -> AdminTask[None]:
        """Drops a role."""
    def grant_privileges(
        self, role: str, privileges: Iterable[_Privilege | str], timeout: Seconds
    ) -> AdminTask[None]:
        """Adds privileges to a role."""
    def revoke_privileges(
        self, role: str, privileges: Iterable[_Privilege | str], timeout: Seconds
    ) -> AdminTask[None]:
        """Takes privileges from a role."""
    def set_allowed(self, role: str, allow: Iterable[str], timeout: Seconds) -> AdminTask[None]:
        """Sets where the users of a role may come from."""
    def set_quotas(
        self, role: str, read_quota: int | None, write_quota: int | None, timeout: Seconds
    ) -> AdminTask[None]:
        """Sets how much the users of a role may do in a second; `None`: as until now."""
    def list_roles(self, timeout: Seconds) -> AdminTask[list[_RoleFields]]:
        """The roles, sorted by name."""
    def get_role(self, role: str, timeout: Seconds) -> AdminTask[_RoleFields]:
        """The role of this name."""

@final
class QueryBatches(Generic[_B]):
    """Goes through the batches of a `Query`."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> _B: ...

@final
class Query(Generic[_V_co]):
    """A scan or an index query, from `Dataset.query` or `Client.query`. Nothing is sent until the
    first record is requested.

    Iterate over it once. Memory use stays small however many records there are, because the
    nodes wait until records are consumed. Use one query per thread. End an unfinished query with
    `close()` or a `with` block; garbage collection ends it, too.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Record[_V_co]: ...
    def page(self) -> Page[_V_co]:
        """The next `page_size` records, with the cursor of the records after them.

        Raises `ValueError` if the query has no `page_size`, and the errors of iteration.
        """
    def arrow_batches(
        self,
        rows: int | None = None,
        *,
        schema: ArrowSchema | None = None,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> Iterator[ArrowTable]:
        """The records as Arrow tables of up to `rows` records (from 1 to 10,000,000; default
        65,536). A table ends at 4 MiB of records, so memory use stays small.

        `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`. Without a schema each table
        has the columns and types of its own records.

        Raises the errors of `Batch.to_arrow`, with the row of the table, and the errors of
        iteration. The records of a table that could not be built are returned again: see
        `cursor`.
        """
    @overload
    def numpy_batches(
        self,
        dtype: npt.DTypeLike,
        rows: int | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
    ) -> Iterator[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]:
        """The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
        default 65,536). An array ends at 4 MiB of records.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
        iteration. The records of an array that could not be built are returned again: see
        `cursor`.
        """
    @overload
    def numpy_batches(
        self,
        dtype: npt.DTypeLike,
        rows: int | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
    ) -> Iterator[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
        default 65,536). An array ends at 4 MiB of records.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
        iteration. The records of an array that could not be built are returned again: see
        `cursor`.
        """
    @overload
    def numpy_batches(
        self,
        dtype: npt.DTypeLike,
        rows: int | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask", "raise"] = "mask",
    ) -> Iterator[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
        default 65,536). An array ends at 4 MiB of records.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
        iteration. The records of an array that could not be built are returned again: see
        `cursor`.
        """
    def first(self) -> Record[_V_co]:
        """The first record that arrives; ends the query. With `limit=1` the nodes send no further
        records.

        Raises `RecordNotFound` if there is none, and the errors of iteration.
        """
    def first_or_none(self) -> Record[_V_co] | None:
        """As `first`, but `None` if there is no record."""
    def to_list(self) -> list[Record[_V_co]]:
        """The remaining records, in a list, in the order in which they arrive. Ends the query.

        Raises the errors of iteration.
        """
    def count(self) -> int:
        """The number of remaining records. Ends the query. Unless it names bins or operations, the
        nodes send no bins.

        Raises the errors of iteration.
        """
    @overload
    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
    ) -> np.ma.MaskedArray[tuple[int], np.dtype[np.void]]:
        """The records in one structured NumPy array. Ends the query.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `numpy_batches`.
        """
    @overload
    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
    ) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """The records in one structured NumPy array. Ends the query.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `numpy_batches`.
        """
    @overload
    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask", "raise"] = "mask",
    ) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """The records in one structured NumPy array. Ends the query.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `numpy_batches`.
        """
    def to_arrow(
        self,
        schema: ArrowSchema | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> pa.Table:  # pyright: ignore[reportUnknownMemberType]
        """The records in one `pyarrow.Table`; missing bins are null. Ends the query.

        `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`.

        Raises the errors of `arrow_batches`, `TypeError` if a bin has values of different types
        and no schema gives its type, and `ImportError` without pyarrow.
        """
    def to_pandas(
        self,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> pd.DataFrame:  # pyright: ignore[reportUnknownMemberType]
        """The records in one `pandas.DataFrame`, with a column of a nullable pandas type for each
        bin. Ends the query.

        `key`, `generation`, `ttl`: names of columns for these values. Default: none.

        Raises the errors of `to_arrow`, and `ImportError` without pandas or pyarrow.
        """
    @property
    def cursor(self) -> bytes:
        """The position of the caller, as bytes: `query(resume=cursor)` with the same arguments
        continues after the last record consumed, in this process or another one. Available even
        after an error or `close()`.
        """
    def aggregate(
        self, module: str, function: str, arguments: Sequence[BinValue] | None = None
    ) -> list[Value]:
        """Runs a stream function of a registered module on the records: each node runs it on its
        own records, and their results are reduced here. Returns the final values in a list: one
        value if the function ends with a `reduce`, none if there are no records.

        `module`, `function`, `arguments`: as in `apply`; the function receives the stream first.
        It runs on all records of the set, or of the query's `index`; other keywords that select
        records are not supported and raise `ValueError`.

        Raises `FunctionFailed` with the function's error, `NodeUnavailable` if records moved
        between nodes in the meantime, `Timeout`, and the other errors of iteration.
        """
    def explain(self) -> QueryPlan:
        """How the query would be executed: whether the nodes read its filter and choose an index,
        and which; see `QueryPlan`. On nodes before 8.2, and for a query that names its index,
        says what the client asks for. Reads no records, and does not start the query.

        Raises the errors of iteration: `IndexNotFound` if `require_index` or `require_hint` cannot
        be met.
        """
    def close(self) -> None:
        """Ends the query: the nodes stop sending. Requesting more records raises `QueryClosed`.
        Closing again has no effect; any thread may close it.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, *_error: object) -> None: ...

@final
class AsyncQuery(Generic[_V_co]):
    """A scan or an index query, from `AsyncDataset.query` or `AsyncClient.query`. Nothing is sent
    until the first record is requested.

    Iterate over it once, with `async for`. Memory use stays small however many records there
    are, because the nodes wait until records are consumed. Use one query per task. End an
    unfinished query with `close()` or an `async with` block; garbage collection ends it, too.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    def __aiter__(self) -> AsyncIterator[Record[_V_co]]: ...
    def __anext__(self) -> Coroutine[Any, Any, Record[_V_co]]: ...
    def page(self) -> Future[Page[_V_co]]:
        """The next `page_size` records, with the cursor of the records after them.

        Raises `ValueError` if the query has no `page_size`, and the errors of iteration.
        """
    def arrow_batches(
        self,
        rows: int | None = None,
        *,
        schema: ArrowSchema | None = None,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> AsyncIterator[ArrowTable]:
        """The records as Arrow tables of up to `rows` records (from 1 to 10,000,000; default
        65,536). A table ends at 4 MiB of records, so memory use stays small.

        `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`. Without a schema each table
        has the columns and types of its own records.

        Raises the errors of `Batch.to_arrow`, with the row of the table, and the errors of
        iteration. The records of a table that could not be built are returned again: see
        `cursor`.
        """
    @overload
    def numpy_batches(
        self,
        dtype: npt.DTypeLike,
        rows: int | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
    ) -> AsyncIterator[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]:
        """The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
        default 65,536). An array ends at 4 MiB of records.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
        iteration. The records of an array that could not be built are returned again: see
        `cursor`.
        """
    @overload
    def numpy_batches(
        self,
        dtype: npt.DTypeLike,
        rows: int | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
    ) -> AsyncIterator[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
        default 65,536). An array ends at 4 MiB of records.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
        iteration. The records of an array that could not be built are returned again: see
        `cursor`.
        """
    @overload
    def numpy_batches(
        self,
        dtype: npt.DTypeLike,
        rows: int | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask", "raise"] = "mask",
    ) -> AsyncIterator[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
        default 65,536). An array ends at 4 MiB of records.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
        iteration. The records of an array that could not be built are returned again: see
        `cursor`.
        """
    def first(self) -> Future[Record[_V_co]]:
        """The first record that arrives; ends the query. With `limit=1` the nodes send no further
        records.

        Raises `RecordNotFound` if there is none, and the errors of iteration.
        """
    def first_or_none(self) -> Future[Record[_V_co] | None]:
        """As `first`, but `None` if there is no record."""
    def to_list(self) -> Future[list[Record[_V_co]]]:
        """The remaining records, in a list, in the order in which they arrive. Ends the query.

        Raises the errors of iteration.
        """
    def count(self) -> Future[int]:
        """The number of remaining records. Ends the query. Unless it names bins or operations, the
        nodes send no bins.

        Raises the errors of iteration.
        """
    @overload
    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
    ) -> Future[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]:
        """The records in one structured NumPy array. Ends the query.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `numpy_batches`.
        """
    @overload
    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
    ) -> Future[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """The records in one structured NumPy array. Ends the query.

        `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.

        Raises the errors of `numpy_batches`.
        """
    def to_arrow(
        self,
        schema: ArrowSchema | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> Future[pa.Table]:  # pyright: ignore[reportUnknownMemberType]
        """The records in one `pyarrow.Table`; missing bins are null. Ends the query.

        `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`.

        Raises the errors of `arrow_batches`, `TypeError` if a bin has values of different types
        and no schema gives its type, and `ImportError` without pyarrow.
        """
    def to_pandas(
        self,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
    ) -> Future[pd.DataFrame]:  # pyright: ignore[reportUnknownMemberType]
        """The records in one `pandas.DataFrame`, with a column of a nullable pandas type for each
        bin. Ends the query.

        `key`, `generation`, `ttl`: names of columns for these values. Default: none.

        Raises the errors of `to_arrow`, and `ImportError` without pandas or pyarrow.
        """
    @property
    def cursor(self) -> bytes:
        """The position of the caller, as bytes: `query(resume=cursor)` with the same arguments
        continues after the last record consumed, in this process or another one. Available even
        after an error or `close()`.
        """
    def aggregate(
        self, module: str, function: str, arguments: Sequence[BinValue] | None = None
    ) -> Future[list[Value]]:
        """Runs a stream function of a registered module on the records: each node runs it on its
        own records, and their results are reduced here. Returns the final values in a list: one
        value if the function ends with a `reduce`, none if there are no records.

        `module`, `function`, `arguments`: as in `apply`; the function receives the stream first.
        It runs on all records of the set, or of the query's `index`; other keywords that select
        records are not supported and raise `ValueError`.

        Raises `FunctionFailed` with the function's error, `NodeUnavailable` if records moved
        between nodes in the meantime, `Timeout`, and the other errors of iteration. Cancelling
        the call also ends it on the nodes.
        """
    def explain(self) -> Future[QueryPlan]:
        """How the query would be executed: whether the nodes read its filter and choose an index,
        and which; see `QueryPlan`. On nodes before 8.2, and for a query that names its index,
        says what the client asks for. Reads no records, and does not start the query.

        Raises the errors of iteration: `IndexNotFound` if `require_index` or `require_hint` cannot
        be met.
        """
    def close(self) -> None:
        """Ends the query: the nodes stop sending. Requesting more records raises `QueryClosed`.
        Closing again has no effect. Needs no `await`.
        """
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_error: object) -> None: ...

@final
class ArrowTable:
    """Columns in Arrow memory, from `Batch.to_arrow`.

    Everything that knows the Arrow PyCapsule interface takes it without a copy: `polars.DataFrame`,
    `pyarrow.table`, `duckdb`, `pandas.DataFrame.from_arrow`, and `schema` of another `to_arrow`.
    It can be taken any number of times.
    """

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> CapsuleType:
        """For the Arrow PyCapsule interface: the schema, as a capsule."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType:
        """For the Arrow PyCapsule interface: the columns, as a capsule. They have the types they
        have: a consumer that asks for others casts them.
        """

@final
class Batch(Generic[_V_co, _L_co]):
    """The outcomes of a batch, one per row, in input order.

    Indexing and iteration return a `Record`, `None` if the record does not exist, or `Late` if the
    call has a `deadline` and the reply did not come by then; accessing a row that failed raises its
    error. `codes`, `errors` and `late` inspect rows without raising.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    @property
    def codes(self) -> array[int]:
        """The result code of every row, as an `array.array`: 0 is success, 2 no such record;
        negative numbers are client-side failures, but -16 is a late row.
        """
    @property
    def errors(self) -> dict[int, Error]:
        """The errors of failed rows, by row number. Missing records are not failures."""
    @property
    def late(self) -> list[int]:
        """The numbers of the rows whose reply did not come by the call's `deadline`. They are
        neither missing nor failed.
        """
    @property
    def in_doubt(self) -> list[int]:
        """The numbers of the rows that failed but may have been written."""
    @property
    def keys(self) -> list[Key]:
        """The keys, in input order."""
    @property
    def found(self) -> int:
        """How many rows found their record."""
    def raise_for_errors(self) -> Self:
        """Raises the error of the first failed row, if any; otherwise returns the batch itself."""
    def to_dict(self) -> dict[int | str | bytes, Record[_V_co]]:
        """The records found, by user key (by digest if the user key is unknown). A failed row
        raises its error; missing and late ones are left out.
        """
    @overload
    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["mask"] = "mask",
        errors: Literal["raise", "mask"] = "raise",
    ) -> np.ma.MaskedArray[tuple[int], np.dtype[np.void]]:
        """The records as a structured NumPy array, one row per key, in input order.

        `dtype` is a structured dtype, or anything `numpy.dtype` converts to one. Each field
        takes the bin of the same name; bins without a field are left out. Fields are integers,
        float32, float64, bool, S (bytes or ASCII text), U (text), V (bytes of exactly that
        size), datetime64 and timedelta64 (integers, counted in their unit), and sub-arrays:
        lists of exactly that shape, or bytes of exactly that size.
        `key`, `generation`, `ttl`: names of fields that take the user key, the record's
        generation and its remaining seconds to live instead of a bin. Default: none.
        `missing`: "mask" returns a `numpy.ma.MaskedArray` that masks missing values field by
        field: no such record, no such bin, no TTL, `None` in a list, a late row. "raise" returns a
        plain `numpy.ndarray` and raises `RecordNotFound`, `ValueError` or `Timeout` instead.
        Default: "mask".
        `errors`: "raise" raises the error of the first failed row, "mask" masks such rows, which
        requires a masked array. Default: "raise".

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, key and field, for a
        value that its field cannot hold; values are never truncated, wrapped or invented. Floats
        are rounded for float32 fields. Raises `ImportError` without NumPy.
        """
    @overload
    def to_numpy(
        self,
        dtype: npt.DTypeLike,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        missing: Literal["raise"],
        errors: Literal["raise", "mask"] = "raise",
    ) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """The records as a structured NumPy array, one row per key, in input order.

        `dtype` is a structured dtype, or anything `numpy.dtype` converts to one. Each field
        takes the bin of the same name; bins without a field are left out. Fields are integers,
        float32, float64, bool, S (bytes or ASCII text), U (text), V (bytes of exactly that
        size), datetime64 and timedelta64 (integers, counted in their unit), and sub-arrays:
        lists of exactly that shape, or bytes of exactly that size.
        `key`, `generation`, `ttl`: names of fields that take the user key, the record's
        generation and its remaining seconds to live instead of a bin. Default: none.
        `missing`: "mask" returns a `numpy.ma.MaskedArray` that masks missing values field by
        field: no such record, no such bin, no TTL, `None` in a list, a late row. "raise" returns a
        plain `numpy.ndarray` and raises `RecordNotFound`, `ValueError` or `Timeout` instead.
        Default: "mask".
        `errors`: "raise" raises the error of the first failed row, "mask" masks such rows, which
        requires a masked array. Default: "raise".

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, key and field, for a
        value that its field cannot hold; values are never truncated, wrapped or invented. Floats
        are rounded for float32 fields. Raises `ImportError` without NumPy.
        """
    def to_arrow(
        self,
        schema: ArrowSchema | None = None,
        *,
        key: str | None = None,
        generation: str | None = None,
        ttl: str | None = None,
        errors: Literal["raise", "mask"] = "raise",
    ) -> ArrowTable:
        """The records as an Arrow table, one row per key, in input order.

        `schema`: an Arrow schema, such as a `pyarrow.Schema`; each field takes the bin of the
        same name, and bins without a field are left out. Default: a column for each bin, of the
        type of its values: int64, double, bool, string (text and GeoJSON), binary (bytes and
        HyperLogLog), list, map; null if no row has a value. Missing values and late rows are null.
        `key`, `generation`, `ttl`: names of columns that take the user key, the record's
        generation and its remaining seconds to live. Default: none.
        `errors`: "raise" raises the error of the first failed row, "mask" makes such rows null.
        Default: "raise".

        Raises `TypeError`, `ValueError` or `OverflowError`, naming row, key and column, for a
        value that does not fit its column, including values of different types in a bin whose
        type no schema gives.
        """
    def to_pandas(
        self,
        *,
        generation: str | None = None,
        ttl: str | None = None,
        errors: Literal["raise", "mask"] = "raise",
    ) -> pd.DataFrame:  # pyright: ignore[reportUnknownMemberType]
        """The records as a `pandas.DataFrame`, one row per key, in input order, with the user keys
        (or digests, if the user key is unknown) as its index.

        Each bin becomes a column of a nullable pandas type: Int64, Float64, boolean, string.
        Bins with bytes, lists, maps or values of different types become columns of Python
        objects. Missing values are `pandas.NA`, or `None` among objects.
        `generation`, `ttl`: names of columns that take the record's generation and its remaining
        seconds to live. Default: none.
        `errors`: "raise" raises the error of the first failed row, "mask" makes such rows
        missing. Default: "raise".

        Raises `ImportError` without pandas.
        """
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Record[_V_co] | _L_co | None: ...
    def __iter__(self) -> Iterator[Record[_V_co] | _L_co | None]: ...

@final
class Late:
    """A row of a batch whose reply did not come by the call's `deadline`.

    The record may exist or not. There is one such object, which is false: `Late()` returns
    it. `isinstance(row, Late)` tells it from a record and from `None`, and `Batch.late` has the
    numbers of these rows.
    """

    def __new__(cls) -> Self: ...
    def __bool__(self) -> Literal[False]: ...

@final
class Record(Generic[_V_co]):
    """A record as read: its bins by name, its generation, its time to live and its key.

    `record["name"]` is a bin's value, `dict(record)` all of them. Records are equal if key,
    generation and bins are.
    """

    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    @property
    def bins(self) -> dict[str, Value]:
        """All bins that were read, by name. A new dict, which may be modified."""
    @property
    def value(self) -> _V_co:
        """The record as an instance of the type that its dataset was opened with. It is made anew
        each time. Without a type: a dict of the bins.

        Raises `ValueError`, naming key and bin, if the bins do not fit the type.
        """
    @property
    def generation(self) -> int:
        """How often the record was written, modulo the server's 16 bits; starts at 1."""
    @property
    def ttl(self) -> int | None:
        """Remaining seconds to live when the record was read; `None` if it never expires."""
    @property
    def key(self) -> Key:
        """The key it was read by."""
    @property
    def results(self) -> tuple[Value, ...]:
        """After `operate`: one result per operation, in order; `None` if an operation returns
        nothing.
        """
    def __getitem__(self, name: str, /) -> Value: ...
    @overload
    def get(self, name: str, default: None = None) -> Value:
        """The value of a bin, or `default`."""
    @overload
    def get(self, name: str, default: _D) -> Value | _D:
        """The value of a bin, or `default`."""
    def keys(self) -> list[str]:
        """The names of the bins that were read."""
    def values(self) -> list[Value]:
        """The values of the bins that were read."""
    def items(self) -> list[tuple[str, Value]]:
        """Name and value of every bin that was read."""
    def __contains__(self, name: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __reduce__(self) -> tuple[object, ...]: ...
    @staticmethod
    def _rebuild(
        key: Key,
        bins: dict[str, Value],
        generation: int,
        ttl: int | None,
        results: tuple[Value, ...] | None,
    ) -> Record:
        """For unpickling."""

@final
class RecordType:
    """The type of records: made by `spikewire.typed`, which knows the kinds of classes."""

    def __new__(
        cls,
        class_: type[Any],
        names: list[str],
        encode: Callable[[Any, bool], dict[str, Any]],
        decode: Callable[[dict[str, Any]], Any],
        check: Callable[[str], object],
    ) -> Self: ...

@final
class StepKinds:
    """The classes of steps of one API: those on one key by itself, and the others."""

    def __new__(cls, one: Sequence[type[Any]], many: Sequence[type[Any]]) -> Self: ...

class SessionBase:
    """The common base of blocking and asynchronous sessions, which start chains."""

    def __new__(cls, verbs: Any) -> Self: ...
    @property
    def _verbs(self) -> Any:
        """The client, or the view of one."""
    def _step(
        self,
        verb: str,
        keys: Any,
        single: bool,
        of: type[Any] | None = None,
    ) -> Any:
        """A step on these keys; `single`: one key by itself. `of`: its class, where that is not the
        usual one.
        """
    def query(self, key: Any, *more: Any) -> Any:
        """Reads records by their keys, or those of a dataset."""
    def insert(self, key: Any, *more: Any) -> Any:
        """Creates records; raises `RecordExists` if one exists."""
    def upsert(self, key: Any, *more: Any) -> Any:
        """Creates records, or updates the given bins."""
    def update(self, key: Any, *more: Any) -> Any:
        """Updates the given bins; raises `RecordNotFound` if the record does not exist."""
    def replace(self, key: Any, *more: Any) -> Any:
        """Creates records, or replaces all their bins."""
    def replace_if_exists(self, key: Any, *more: Any) -> Any:
        """Replaces all bins of records; raises `RecordNotFound` if one does not exist."""
    def delete(self, key: Any, *more: Any) -> Any:
        """Deletes records."""
    def touch(self, key: Any, *more: Any) -> Any:
        """Renews the time to live of records; raises `RecordNotFound` if one does not exist."""
    def exists(self, key: Any, *more: Any) -> Any:
        """Checks which records exist."""

class StepBase:
    """The common base of all builder steps. Started by a session, or by the previous step."""

    def __new__(cls) -> Self: ...
    @property
    def _verbs(self) -> Any:
        """The client, or the view of one."""
    @property
    def _verb(self) -> str:
        """The method that began it."""
    @property
    def _keys(self) -> Any:
        """Its keys, as they were given."""
    @_keys.setter
    def _keys(self, keys: Any) -> None: ...
    @property
    def _single(self) -> bool:
        """Whether it is about one key by itself."""
    @property
    def _before(self) -> StepBase | None:
        """The step before it."""
    @property
    def _options(self) -> dict[str, Any] | None:
        """The options that were given, if any."""
    @property
    def _exists(self) -> str | None:
        """What it does about a record that is there, or is not."""
    @property
    def _treated(self) -> Literal["keep", "error"]:
        """How records that are not there are treated."""
    def _set(self, name: str, value: object) -> Self:
        """Sets an option."""
    def __copy__(self) -> Self: ...

class RowsBase(StepBase):
    """A step on keys, which other steps may follow."""

    def __new__(cls) -> Self: ...
    def _next(self, verb: str, keys: Any, single: bool) -> Any:
        """Goes on with a step on these keys; `single`: one key by itself."""
    def query(self, key: Any, *more: Any) -> Any:
        """Adds a step that reads records."""
    def insert(self, key: Any, *more: Any) -> Any:
        """Adds a step that creates records, and rejects those that exist."""
    def upsert(self, key: Any, *more: Any) -> Any:
        """Adds a step that creates or updates records."""
    def update(self, key: Any, *more: Any) -> Any:
        """Adds a step that updates existing records."""
    def replace(self, key: Any, *more: Any) -> Any:
        """Adds a step that creates records or replaces all their bins."""
    def replace_if_exists(self, key: Any, *more: Any) -> Any:
        """Adds a step that replaces all bins of existing records."""
    def delete(self, key: Any, *more: Any) -> Any:
        """Adds a step that deletes records."""
    def touch(self, key: Any, *more: Any) -> Any:
        """Adds a step that renews the time to live of records."""
    def exists(self, key: Any, *more: Any) -> Any:
        """Adds a step that checks which records exist."""

class ReadBase(RowsBase):
    """A step that reads records: all bins, the named ones, or the results of operations."""

    def __new__(cls) -> Self: ...
    @property
    def _bins(self) -> tuple[str, ...] | None:
        """The bins that were named, if any."""
    @property
    def _ops(self) -> list[Operation] | None:
        """The operations that were given, if any."""
    def bins(self, *names: str) -> Self:
        """The bins to read; without names, only generation and time to live."""
    def get(self, bin: str) -> Self:
        """Reads a bin, as one of several operations."""
    def op(self, *operations: Operation) -> Self:
        """Adds read operations from `spikewire.op`."""
    def first(self) -> Any:
        """The first record that exists, in input order.

        On one key this is the verb `get`, or `operate` if there are operations, with its errors.
        On several keys it raises `RecordNotFound` or `FilteredOut` if there is none.
        """
    def first_or_none(self) -> Any:
        """The first record that exists, in input order, or `None`."""
    def __copy__(self) -> Self: ...

class WriteBase(RowsBase):
    """A step that writes bins. Each method adds an operation; operations are applied in order and
    atomically.
    """

    def __new__(cls) -> Self: ...
    @property
    def _ops(self) -> list[Operation] | None:
        """The operations, where there are others than those that set bins."""
    @property
    def _ttl(self) -> Ttl | None:
        """The time to live that was given, if any."""
    def _operations(self) -> list[Operation]:
        """What is written, as operations."""
    def ttl(self, ttl: Ttl | None) -> Self:
        """Time to live, as in `put`."""
    def set(self, bin: str, value: BinValue) -> Self:
        """Writes a bin; `None` removes it."""
    def put(self, bins: Bins | Instance) -> Self:
        """Writes several bins, from a dict of names to values, or from an instance of a class that
        records can have.
        """
    def remove(self, *bins: str) -> Self:
        """Removes bins."""
    def add(self, bin: str, value: float) -> Self:
        """Adds to a number; a missing bin counts as 0."""
    def append(self, bin: str, value: str | bytes) -> Self:
        """Appends to text or bytes; a missing bin counts as empty."""
    def prepend(self, bin: str, value: str | bytes) -> Self:
        """Prepends to text or bytes; a missing bin counts as empty."""
    def get(self, bin: str | None = None) -> Self:
        """Reads a bin, or all bins, as they are at this point."""
    def op(self, *operations: Operation) -> Self:
        """Adds operations from `spikewire.op`, of any kind."""
    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call.

        On one key and without a strategy this is one verb: `put`, which returns `None`, if bins
        are only set, otherwise `operate`, which returns the `Record` that was read. Its errors
        are those of the verb.
        """
    def first(self) -> Any:
        """Makes the call and returns the first record, with the results of the operations."""
    def __copy__(self) -> Self: ...

class PlainBase(RowsBase):
    """A step that deletes records, renews their time to live, or checks which exist."""

    def __new__(cls) -> Self: ...
    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call. On one key and without a strategy this is the verb, with its result and
        errors.
        """

class Row:
    """What `batch` takes: a `Read`, a `Write`, a `Delete` or an `Apply`."""

@final
class Read(Row):
    """Reads a record in a batch: all bins, the named ones, or the results of operations.

    `bins`, `where`, `read_touch` and `read_mode` as in `get`; `ops` are read-only operations
    from `spikewire.op`, instead of `bins`.
    """

    def __new__(
        cls,
        key: UserKey | KeyLike,
        bins: BinNames | None = None,
        *,
        ops: list[Operation] | tuple[Operation, ...] | None = None,
        where: Where | None = None,
        read_touch: int | None = None,
        read_mode: ReadMode | None = None,
    ) -> Self: ...
    @property
    def key(self) -> UserKey | KeyLike:
        """The record's key."""
    @property
    def bins(self) -> BinNames | None:
        """The names of the bins to read; `None` for all."""
    @property
    def ops(self) -> list[Operation] | tuple[Operation, ...] | None:
        """Read-only operations."""
    @property
    def where(self) -> Where | None:
        """The filter."""
    @property
    def read_touch(self) -> int | None:
        """The percentage of the time to live below which it is renewed."""
    @property
    def read_mode(self) -> ReadMode | None:
        """The consistency of the read."""
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Write(Row):
    """Writes a record in a batch: bins from a dict of names to values, or operations from
    `spikewire.op` of which at least one writes. Keywords as in `put`.
    """

    def __new__(
        cls,
        key: UserKey | KeyLike,
        what: Bins | Instance | list[Operation] | tuple[Operation, ...],
        *,
        ttl: Ttl | None = None,
        generation: int | Newer | None = None,
        exists: Exists | None = None,
        durable: bool | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
    ) -> Self: ...
    @property
    def key(self) -> UserKey | KeyLike:
        """The record's key."""
    @property
    def what(self) -> Bins | Instance | list[Operation] | tuple[Operation, ...]:
        """A dict of bins, or operations in a list or tuple."""
    @property
    def ttl(self) -> Ttl | None:
        """The time to live; `None`: the batch's."""
    @property
    def generation(self) -> int | Newer | None:
        """The rule about the generation."""
    @property
    def exists(self) -> Exists | None:
        """The rule about records that exist."""
    @property
    def durable(self) -> bool | None:
        """Whether removing the last bin leaves a tombstone; `None`: the batch's setting."""
    @property
    def send_key(self) -> bool | None:
        """Whether the user key is stored; `None`: the client's `send_key`."""
    @property
    def where(self) -> Where | None:
        """The filter."""
    @property
    def commit_level(self) -> CommitLevel | None:
        """When it is answered; `None`: the batch's setting."""
    @property
    def on_locking_only(self) -> bool | None:
        """Whether it fails if its transaction has written the record already; `None`: the batch's
        setting.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Apply(Row):
    """Runs a function of a registered module on a record in a batch. The `results` of its row hold
    the function's result. Arguments and keywords as in `apply`.
    """

    def __new__(
        cls,
        key: UserKey | KeyLike,
        module: str,
        function: str,
        arguments: Sequence[BinValue] | None = None,
        *,
        ttl: Ttl | None = None,
        durable: bool | None = None,
        send_key: bool | None = None,
        where: Where | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
    ) -> Self: ...
    @property
    def key(self) -> UserKey | KeyLike:
        """The record's key."""
    @property
    def module(self) -> str:
        """The module's name, without its extension."""
    @property
    def function(self) -> str:
        """The function's name."""
    @property
    def arguments(self) -> Sequence[BinValue] | None:
        """The arguments, in a list or tuple; `None` for none."""
    @property
    def ttl(self) -> Ttl | None:
        """The time to live; `None`: the batch's."""
    @property
    def durable(self) -> bool | None:
        """Whether removing the last bin leaves a tombstone; `None`: the batch's setting."""
    @property
    def send_key(self) -> bool | None:
        """Whether the user key is stored; `None`: the client's `send_key`."""
    @property
    def where(self) -> Where | None:
        """The filter."""
    @property
    def commit_level(self) -> CommitLevel | None:
        """When it is answered; `None`: the batch's setting."""
    @property
    def on_locking_only(self) -> bool | None:
        """Whether it fails if its transaction has written the record already; `None`: the batch's
        setting.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Delete(Row):
    """Deletes a record in a batch. Keywords as in `delete`."""

    def __new__(
        cls,
        key: UserKey | KeyLike,
        *,
        generation: int | Newer | None = None,
        durable: bool | None = None,
        send_key: bool = False,
        where: Where | None = None,
        commit_level: CommitLevel | None = None,
        on_locking_only: bool | None = None,
    ) -> Self: ...
    @property
    def key(self) -> UserKey | KeyLike:
        """The record's key."""
    @property
    def generation(self) -> int | Newer | None:
        """The rule about the generation."""
    @property
    def durable(self) -> bool | None:
        """Whether it leaves a tombstone; `None`: the batch's setting."""
    @property
    def send_key(self) -> bool:
        """Whether the user key is compared with the stored one."""
    @property
    def where(self) -> Where | None:
        """The filter."""
    @property
    def commit_level(self) -> CommitLevel | None:
        """When it is answered; `None`: the batch's setting."""
    @property
    def on_locking_only(self) -> bool | None:
        """Whether it fails if its transaction has written the record already; `None`: the batch's
        setting.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Newer:
    """A rule for `generation`: write only if this is greater than the record's own generation.

    For copies of records that carry their generation along: an older copy does not overwrite a
    newer record. `generation` is from 1 to 65535. A record that does not exist yet is written.
    The write that uses it raises `GenerationMismatch` otherwise.
    """

    def __new__(cls, generation: int) -> Self: ...
    @property
    def generation(self) -> int:
        """The record's generation must be less than this."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Newer], tuple[int]]: ...

@final
class Operation:
    """One step of `operate`, created by the functions of `spikewire.op`."""

    def __new__(cls, kind: str, bin: str | None = None, value: BinValue = None) -> Self: ...
    @staticmethod
    def list(
        kind: str,
        bin: str,
        arguments: tuple[object, ...],
        ctx: Path | None = None,
        *,
        pad: bool = False,
    ) -> Operation:
        """A list operation of `spikewire.op.list`."""

    @staticmethod
    def map(
        kind: str, bin: str, arguments: tuple[object, ...], ctx: Path | None = None
    ) -> Operation:
        """A map operation of `spikewire.op.map`."""

    @staticmethod
    def bit(kind: str, bin: str, arguments: tuple[object, ...]) -> Operation:
        """A bit operation of `spikewire.op.bit`."""

    @staticmethod
    def hll(kind: str, bin: str, arguments: tuple[object, ...]) -> Operation:
        """A sketch operation of `spikewire.op.hll`."""

    @staticmethod
    def path(
        kind: str,
        bin: str,
        path: Path,
        returning: PathReturn | None = None,
        value: Where | None = None,
        *,
        no_fail: bool = False,
    ) -> Operation:
        """A path operation of `spikewire.op.path`: `returning` is what `select` returns, `value`
        the expression that `modify` replaces elements by."""
    @staticmethod
    def string(
        kind: str, bin: str, arguments: tuple[object, ...], ctx: Path | None = None
    ) -> Operation:
        """A string operation of `spikewire.op.string`."""

    @staticmethod
    def read(name: str, expression: Where, *, no_fail: bool = False) -> Operation:
        """Reads the value of an expression."""

    @staticmethod
    def write(
        bin: str,
        expression: Where,
        *,
        create_only: bool = False,
        update_only: bool = False,
        allow_delete: bool = False,
        no_fail: bool = False,
    ) -> Operation:
        """Writes the value of an expression."""
    @property
    def writes(self) -> bool:
        """Whether it writes, which makes its call a write."""

@final
class Step:
    """A step of the path to a nested list or map, created by the functions of `spikewire.ctx`."""

    def __new__(
        cls,
        kind: str,
        at: object,
        create: str | None = None,
        pad: bool = False,
        persist_index: bool = False,
    ) -> Self: ...
    @staticmethod
    def several(kind: str, keys: Keys | None = None) -> Step:
        """A step that names several elements, for path operations."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Expression:
    """An expression, created by functions of `spikewire.exp` and operators on expressions."""

    @staticmethod
    def bin(name: str, kind: type[object] | None = None) -> Expression:
        """A bin; its type is inferred from its use, unless `kind` gives it."""

    @staticmethod
    def bin_type(name: str) -> Expression:
        """The particle type of a bin, 0 if it is missing."""

    @staticmethod
    def value(value: object) -> Expression:
        """A constant."""

    @staticmethod
    def unknown() -> Expression:
        """What is never known."""

    @staticmethod
    def key(kind: type[int | str | bytes]) -> Expression:
        """The stored user key."""

    @staticmethod
    def meta(name: str) -> Expression:
        """Metadata of the record, by its name in text expressions."""

    @staticmethod
    def digest_modulo(divisor: int) -> Expression:
        """The last four bytes of the digest modulo `divisor`."""

    @staticmethod
    def var(name: str) -> Expression:
        """The value of a variable."""

    @staticmethod
    def let_(definitions: dict[str, object], scope: object) -> Expression:
        """Variables and the expression they hold in."""

    @staticmethod
    def apply(operator: str, operands: tuple[object, ...]) -> Expression:
        """An operator, by its name in text expressions, on operands."""

    @staticmethod
    def call(
        family: str,
        name: str,
        on: object,
        arguments: tuple[object, ...],
        ctx: Path | None = None,
        kind: type[object] | None = None,
    ) -> Expression:
        """A list, map, bit or sketch operation of `spikewire.exp`: `family` is its module, `on`
        what it works on, `kind` the type of what it gives where nothing else says that."""

    @staticmethod
    def path(
        name: str,
        on: object,
        path: Path,
        returning: PathReturn | None = None,
        value: Where | None = None,
        *,
        no_fail: bool = False,
    ) -> Expression:
        """A path operation of `spikewire.exp.path` on a list or map."""

    @staticmethod
    def filter_step(kind: str, filter: Where) -> Step:
        """The step of a path that names all elements for which a filter is true, or, with
        `and_where`, those of the step before."""

    @staticmethod
    def loop_var(part: str, kind: type[object] | None = None) -> Expression:
        """A loop variable of a path: `key`, `value` or `index` of its element."""

    @staticmethod
    def text(text: str, parameters: tuple[object, ...]) -> Expression:
        """Parses a text; `?0` is the first of `parameters`, or each `?` the next one."""

    @staticmethod
    def from_bytes(data: bytes) -> Expression:
        """Parses the wire form, as returned by `bytes()`."""

    def matches(
        self,
        pattern: str,
        *,
        ignore_case: bool = False,
        by_lines: bool = False,
        basic: bool = False,
    ) -> Expression:
        """Whether the string matches a POSIX pattern."""

    def is_in(self, list: object) -> Expression:
        """Whether a list holds this value."""

    def to_int(self) -> Expression:
        """The float truncated toward zero."""

    def to_float(self) -> Expression:
        """The integer as a float."""

    def to_text(self) -> Expression:
        """The text of an integer, a float, a string, or of bytes in UTF-8; needs server 8.2."""

    def shift_right(self, count: object) -> Expression:
        """The bits shifted right, filled with zeros. (`>>` keeps the sign.)"""

    def same_as(self, other: Expression) -> bool:
        """Whether the other is the same expression. (`==` creates a comparison.)"""

    @property
    def kind(self) -> str | None:
        """The type of its value, by its name in text expressions; `None` while unknown."""

    def __eq__(self, other: object, /) -> Expression: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __ne__(self, other: object, /) -> Expression: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __lt__(self, other: object, /) -> Expression: ...
    def __le__(self, other: object, /) -> Expression: ...
    def __gt__(self, other: object, /) -> Expression: ...
    def __ge__(self, other: object, /) -> Expression: ...
    def __and__(self, other: object, /) -> Expression: ...
    def __rand__(self, other: object, /) -> Expression: ...
    def __or__(self, other: object, /) -> Expression: ...
    def __ror__(self, other: object, /) -> Expression: ...
    def __xor__(self, other: object, /) -> Expression: ...
    def __rxor__(self, other: object, /) -> Expression: ...
    def __add__(self, other: object, /) -> Expression: ...
    def __radd__(self, other: object, /) -> Expression: ...
    def __sub__(self, other: object, /) -> Expression: ...
    def __rsub__(self, other: object, /) -> Expression: ...
    def __mul__(self, other: object, /) -> Expression: ...
    def __rmul__(self, other: object, /) -> Expression: ...
    def __truediv__(self, other: object, /) -> Expression: ...
    def __rtruediv__(self, other: object, /) -> Expression: ...
    def __mod__(self, other: object, /) -> Expression: ...
    def __rmod__(self, other: object, /) -> Expression: ...
    def __pow__(self, other: object, mod: None = None, /) -> Expression: ...
    def __rpow__(self, other: object, mod: None = None, /) -> Expression: ...
    def __lshift__(self, other: object, /) -> Expression: ...
    def __rlshift__(self, other: object, /) -> Expression: ...
    def __rshift__(self, other: object, /) -> Expression: ...
    def __rrshift__(self, other: object, /) -> Expression: ...
    def __invert__(self) -> Expression: ...
    def __neg__(self) -> Expression: ...
    def __abs__(self) -> Expression: ...
    def __floor__(self) -> Expression: ...
    def __ceil__(self) -> Expression: ...
    def __bool__(self) -> Never: ...
    def __hash__(self) -> int: ...
    def __bytes__(self) -> bytes: ...

@final
class GeoJSON:
    """A GeoJSON value: a point, polygon or circle as JSON text."""

    def __new__(cls, text: str | Mapping[str, object]) -> Self: ...
    @property
    def text(self) -> str:
        """The JSON text."""
    def to_object(self) -> object:
        """The JSON text as Python objects."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class HyperLogLog:
    """A HyperLogLog sketch in the server's opaque format."""

    def __new__(cls, data: bytes) -> Self: ...
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Marker:
    """An operand of list and map operations that is not a value: `op.WILDCARD` or `op.INFINITY`. It
    cannot be stored.
    """

    def __new__(cls, kind: Literal["wildcard", "infinity"]) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

def read_opening(
    kind: Literal["blocking", "asynchronous", "session"],
    url: str | None,
    variables: list[tuple[str, str]],
    options: dict[str, Any],
    /,
) -> tuple[str, str, str | None, dict[str, Any], dict[str, str]]: ...
def _raw_text_digest(set: str | None, text: bytes, /) -> bytes:
    """The digest of a key of text that is no UTF-8."""

def _plain_keys(keys: list[Any], /) -> bool:
    """Whether every key is a tuple of namespace, set, user key and perhaps digest, and none one of
    bytes."""

def _make_whole(row: tuple[Any, ...], /) -> None:
    """Gives a row of a batch of writes its items, if nobody has looked at it before."""

def _plain_steps(
    known: OfficialOperations, ops: list[Any], /
) -> tuple[list[Operation], list[str]] | None:
    """The operations of a list of dictionaries, and their bins; `None` where one of them needs more
    than a look. `known` says which do not."""

@final
class NamedWrites:
    """The keys of rows that are written, and the names of their bins, whatever becomes of the bins
    afterwards. `records` are tuples of key and bins."""

    def __new__(cls, records: list[Any]) -> Self: ...
    @staticmethod
    def plain(records: list[Any]) -> NamedWrites | None:
        """The same, where every row is a tuple of a key, which is not one of bytes, and a dict of
        bins; else `None`."""

@final
class NamedRecords:
    """Makes named tuples of what verbs return: those of `spikewire.compat.aerospike_py`."""

    def __new__(
        cls,
        *,
        key: type,
        meta: type,
        record: type,
        row: type,
        late: type,
        incoming: Callable[[Any], Any],
        code: Callable[[Any, int], int],
    ) -> Self: ...
    def record(self, key: Any, record: Record) -> Any:
        """A record that was asked for by a key tuple."""
    def bins(self, batch: Batch) -> list[dict[str, Any] | None]:
        """The bins of each row of a batch that was read; `None` where there is no record, and where
        the row failed."""
    def bins_by_key(self, keys: list[Any], batch: Batch) -> dict[Any, dict[str, Any]]:
        """The bins of the records that were found, by user key."""
    def stepped(self, key: Any, record: Record, names: list[str]) -> Any:
        """A record that was asked for by a key tuple, with the results of operations: `names` are
        their bins, and the results of a bin with several are a list. `None` is no result."""
    def written(self, records: NamedWrites, batch: Batch) -> list[Any]:
        """What became of each row of a batch of writes. Of those that were written only the code is
        there until more is looked at."""
    def operated(
        self, keys: list[Any], batch: Batch, names: list[str | None], silent: bool
    ) -> list[Any]:
        """What became of each row of a batch of operations: `names` are their bins, and the results
        of a bin with several are a list. Those that are `None` are left out unless `silent` says
        that they are results, too."""
    def outcomes(
        self, keys: list[Any], batch: Batch, bins: Callable[[Any], Any] | None = None
    ) -> list[Any]:
        """What became of each row of a batch: `bins` gives the bins of a record, by what was read
        of it; without it there are none."""

class CannedCore:
    """A running server; `spikewire.testing.cassandra.CannedServer` is built on it."""

    def __new__(
        cls,
        *,
        host: str,
        port: int,
        rows: int,
        shards: int,
        shard_aware_port: str | None,
        refusing: Sequence[int],
        says: dict[str, str],
        extensions: Sequence[str],
    ) -> Self: ...
    def _address(self) -> str:
        """Host and port."""
    def _served(self) -> int:
        """How many statements were answered; 0 once it is stopped."""
    def _traffic(self) -> list[tuple[int, int, int, int]]:
        """What has come to each shard."""
    def _move_tablets(self) -> None:
        """Moves each tablet to the next shard."""
    def _limit(self, is_limited: bool) -> None:
        """From now on, each partition is used too often, or not any more."""
    def _stop(self) -> None:
        """Ends it, and its connections."""

class ClusterCore:
    """A running embedded cluster; `spikewire.testing.Cluster` is built on it."""

    def __new__(cls, *, nodes: int = 1, **options: Unpack[ClusterOptions]) -> Self: ...
    def _is_stopped(self) -> bool:
        """Whether it was stopped, by this process."""
    def _addresses(self) -> list[str]:
        """Host and port of every node, dead ones included. A forked child can read them, too."""
    def _certificates(self) -> tuple[pathlib.Path, pathlib.Path, pathlib.Path] | None:
        """Paths of the authority, the client's certificate and its key, if there is TLS."""
    def _kill(self, node: int) -> None: ...
    def _restart(self, node: int) -> None: ...
    def _is_alive(self, node: int) -> bool: ...
    def _node_name(self, node: int) -> str: ...
    def _truncate(self, namespace: str, set: str | None) -> None: ...
    def _wait_settled(self, limit: Seconds) -> bool:
        """Whether every partition has its owners within `limit` seconds."""
    def _inject(self, node: int, **faults: Unpack[Faults]) -> None: ...
    def _clear_faults(self, node: int) -> None: ...
    def _stats(self, node: int) -> NodeStats:
        """Counters and sizes of a node."""
    def _stop(self) -> None:
        """Stops every node."""
