"""The two clients: the same verbs, blocking and on asyncio.

The verbs themselves are native and generated. This module opens and closes clients, and gives
access to datasets, chains, views with a profile, indexes and statistics.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

from spikewire._imports import importing
from spikewire._native import Admin
from spikewire._native import AsyncClient as NativeAsyncClient
from spikewire._native import Client as NativeClient
from spikewire.aerospike.admin import soon
from spikewire.aerospike.builder.asynchronous import AsyncBuilder
from spikewire.aerospike.builder.blocking import Builder
from spikewire.aerospike.in_flight import gather_results, gather_results_async
from spikewire.aerospike.indexes import AsyncIndexes, Indexes
from spikewire.aerospike.modules import AsyncModules, Modules
from spikewire.aerospike.roles import AsyncRoles, Roles
from spikewire.aerospike.users import AsyncUsers, Users
from spikewire.aerospike.views import view
from spikewire.opening import read_for, require_namespace
from spikewire.opening.default_seeds import FROM_ENVIRONMENT, naming, seeds_origin
from spikewire.opening.in_thread import open_unless_cancelled
from spikewire.tasks import accept_awaitables

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
    from functools import partial
    from os import PathLike
    from types import TracebackType
    from typing import Literal, TypeAlias

    from typing_extensions import Never, Self, TypeVar, Unpack

    from spikewire._native import AsyncDataset, Dataset
    from spikewire.aerospike.profiles.explain import Explanation
    from spikewire.aerospike.profiles.profile import Profile
    from spikewire.aerospike.recording import AsyncRecording, Recording
    from spikewire.aerospike.transaction import AsyncTransaction, Transaction
    from spikewire.aerospike.views import AsyncClientView, ClientView
    from spikewire.options import AsyncOptions, BlockingOptions
    from spikewire.statistics.control import Metrics
    from spikewire.statistics.stats import Stats
    from spikewire.types import Bins, Seconds, Seeds

    _T = TypeVar("_T")
    #: The type of a dataset's records. Without one, its records are bins.
    _V = TypeVar("_V", default=Bins)
    _Verb: TypeAlias = Callable[..., _T]
    _Call: TypeAlias = tuple[_Verb[_T], Unpack[tuple[object, ...]]] | partial[_T]

__all__ = ["AsyncClient", "Client", "Node"]


class Node(NamedTuple):
    """A node of the cluster."""

    name: str
    """The server's node id."""
    address: str
    """``host:port`` where commands go."""
    build: str
    """The version of its server."""
    features: tuple[str, ...]
    """What not every server can do, and this one can: "paths" and "path_keys" (path expressions),
    "strings", "text_filters", "error_details", "compression", "transactions"."""


class _CommonClient:
    """What the two clients have in common."""

    __slots__ = ()

    if TYPE_CHECKING:  # Of the native classes.

        @property
        def _holds_connections(self) -> bool: ...

        def _nodes(self) -> list[tuple[str, str, str, tuple[str, ...]]]: ...

    @property
    def namespace(self) -> str | None:
        """The namespace of the URL that the client was opened with."""
        return getattr(self, "_namespace", None)

    def explain(self, verb: str, /, *arguments: Any, **options: Any) -> Explanation:
        """What a call would use, and the source of each option: the call, this client, or the
        default. Nothing is sent.

        For ``operate`` and ``operate_many`` the operations matter: pass them as in the call. Raises
        ``ValueError`` for an unknown verb, and the call's errors about options.
        """
        with importing:
            from spikewire.aerospike.profiles.explain import explained

        return explained(cast("Client | AsyncClient", self), None, verb, arguments, options)

    def nodes(self) -> list[Node]:
        """The nodes of the cluster, as of the last refresh."""
        return [Node(*node) for node in self._nodes()]

    def stats(self) -> Stats:
        """What this client has counted since the last reset, and its current state: nodes,
        connections, circuit breakers, cluster refreshes. Plain data.

        Commands are counted after ``client.metrics.enable()``.
        """
        with importing:
            from spikewire.statistics.control import stats

        return stats(cast("Client | AsyncClient", self))

    @property
    def metrics(self) -> Metrics:
        """Switches the counting of commands on and off, and reports events."""
        with importing:
            from spikewire.statistics.control import Metrics

        return Metrics(cast("Client | AsyncClient", self))

    # The default argument keeps the function alive until the interpreter ends.
    def __del__(self, _warn: Callable[..., None] = warnings.warn) -> None:
        if self._holds_connections:
            _warn(f"unclosed client {self!r}", ResourceWarning, source=self)


class Client(NativeClient, _CommonClient):
    """A blocking client, for any number of threads.

    ``seeds`` are addresses of nodes of the cluster: ``"host"``, ``"host:port"``, several separated
    by commas, or a list; the default port is 3000. For options and their defaults see
    ``spikewire.options``; unknown options are rejected.

    Without seeds it behaves like ``from_url()``: it uses environment variables, or else
    ``127.0.0.1:3000``.

    Connects when created. Use it in a ``with`` block, or call ``close()``; an open client that is
    garbage collected emits a ``ResourceWarning``. In the child of a fork it connects again on first
    use, and the parent's connections are unaffected. A client cannot be pickled; its datasets can.

    Raises ``ConnectionFailed`` if no seed leads to a cluster, with the reason for each seed. Raises
    ``TypeError`` or ``ValueError`` for invalid seeds and options.
    """

    __slots__ = ("_namespace", "_seeds_origin")

    _namespace: str | None
    _seeds_origin: str

    def __new__(cls, seeds: Seeds = FROM_ENVIRONMENT, **options: Unpack[BlockingOptions]) -> Self:
        """Checks what it is opened with."""
        if seeds is not FROM_ENVIRONMENT:
            return super().__new__(cls, seeds, **options)
        opening = read_for(cls, None, options)
        client = super().__new__(cls, opening.seeds, **cast("BlockingOptions", opening.options))
        client._namespace, client._seeds_origin = opening.namespace, seeds_origin(opening)
        return client

    def __init__(self, seeds: Seeds = FROM_ENVIRONMENT, **options: Unpack[BlockingOptions]) -> None:  # noqa: ARG002
        with naming(getattr(self, "_seeds_origin", None)):
            self._open()

    @classmethod
    def connect(cls, seeds: Seeds = FROM_ENVIRONMENT, **options: Unpack[BlockingOptions]) -> Self:
        """A connected client, for use without a ``with`` block; call ``close()`` at the end."""
        return cls(seeds, **options)

    @classmethod
    def from_url(cls, url: str | None = None, **options: Unpack[BlockingOptions]) -> Self:
        """A connected client, from a URL such as
        ``"aerospike://db1:3000,db2/test?timeout=250ms&send_key=true"``.

        If no URL is given, the environment variable ``SPIKEWIRE_AEROSPIKE_URL`` is used; the
        default host is ``127.0.0.1:3000``. Options come from keywords, the URL, or variables such
        as ``SPIKEWIRE_AEROSPIKE_TIMEOUT``, in this order of precedence. The URL's namespace becomes
        ``client.namespace`` and the default of ``client.dataset(set="users")``.

        Raises ``ValueError`` or ``TypeError`` that names the part of the URL or the variable, and
        the errors of ``Client``.
        """
        opening = read_for(cls, url, options)
        with naming(seeds_origin(opening)):
            client = cls(opening.seeds, **cast("BlockingOptions", opening.options))
        client._namespace = opening.namespace
        return client

    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,  # noqa: A002
        type: type[_V] | None = None,  # noqa: A002
    ) -> Dataset[_V]:
        """A namespace and a set, or with ``None`` the records without a set. The default namespace
        is that of the URL that the client was opened with.

        ``type`` is the class of its records: a ``TypedDict``, a dataclass, a ``msgspec.Struct`` or
        a pydantic model. Reads then ask for its bins only and have instances of it in
        ``record.value``, and writes take instances of it. Default: none.

        Sends nothing; raises ``ValueError`` for invalid names, and ``TypeError`` or ``ValueError``
        for a class that records cannot have.
        """
        return super().dataset(require_namespace(self.namespace, namespace), set, type)

    def transaction(self, *, timeout: Seconds | None = None) -> Transaction:
        """A transaction over records of one strongly consistent namespace, on clusters of the
        Enterprise Edition (8.0 or later)::

            with client.transaction() as txn:
                accounts = txn.dataset("bank", "accounts")
                balance = accounts.get("alice").bins["balance"]
                accounts.put("alice", {"balance": balance - 10})
                accounts.add("bob", {"balance": 10})

        It is committed at the end of the block, and aborted if the block raises. ``timeout`` is its
        lifetime from its first write, in whole seconds up to 120; then the servers drop what it
        wrote. Default: the server's, usually 10. Nothing is sent before its first call.

        Raises ``ValueError`` or ``TypeError`` for an invalid ``timeout``.
        """
        with importing:
            from spikewire.aerospike.transaction import Transaction

        return Transaction(self, timeout)

    def run_in_transaction(
        self,
        function: Callable[[Transaction], _T],
        *,
        timeout: Seconds | None = None,
        attempts: int | None = None,
        limit: Seconds | None = None,
    ) -> _T:
        """Calls ``function`` with a transaction, commits it, and returns the function's result.

        If a record is locked by another transaction or has changed since it was read, the
        transaction is aborted and the function is called again with a new one, up to ``attempts``
        times in all and within ``limit`` seconds (0: no limit). After a lock it pauses first, at
        random and longer each time. Nothing is tried again when the outcome is in doubt. An error
        that the function raises aborts the transaction; so the function should have no other
        effects, or ones that may be repeated.

        ``timeout`` as with ``transaction``.
        """
        with importing:
            from spikewire.aerospike.transaction import run_in_transaction

        return run_in_transaction(self, function, timeout, attempts, limit)

    def with_profile(self, profile: Profile) -> ClientView:
        """The same connections and verbs, with the options of a profile as defaults of each call.

        The view covers this client and its datasets; closing either closes both.
        """
        client_view: ClientView = view(self, profile)
        return client_view

    def info(self, command: str, node: str | None = None) -> str:
        """A node's answer to an info command; without a node's name, that of any node.

        Raises ``ValueError`` if there is no such node, ``ServerError`` if it answers with an error.
        """
        return Admin(self).info(command, node).run()

    def session(self, profile: Profile | None = None) -> Builder:
        """Starts chains of the builder: ``session.query(users.key("alice")).first()``. Cheap to
        create and to keep; any number of threads may use it. With a profile it is the builder of
        ``with_profile(profile)``.
        """
        return Builder(self if profile is None else self.with_profile(profile))

    def record(
        self,
        path: str | PathLike[str],
        *,
        share: float = 0.1,
        max_bytes: int = 64 << 20,
        overwrite: bool = False,
    ) -> Recording:
        """Records a sample of this client's calls into a file until it is stopped, to send the like
        to another cluster with ``spikewire lab rehearse``::

            with client.record("evening.trace"):
                serve()

        Of a call it keeps its kind, when it came and how long it took, how it ended, the sizes of
        request and reply, the number of records, numbers that stand for its set and its record, and
        nothing else: no keys, no values, no names of bins, sets or namespaces. Equal records have
        equal numbers within one recording only. Queries and jobs are not recorded.

        ``share`` is the share of all calls, above 0 and at most 1. The recording ends when the file
        has ``max_bytes`` (at least 65536). An existing file is replaced only with ``overwrite``.
        Calls never wait for the recording: what its thread cannot keep up with is left out and
        counted in ``recording.summary.dropped``.

        Raises ``FileExistsError`` and other ``OSError`` if the file cannot be created;
        ``ValueError`` or ``TypeError`` for invalid options, and if this client is being recorded
        already; ``ClientClosed``.
        """
        with importing:
            from spikewire.aerospike.recording import Recording

        return Recording(self, path, share, max_bytes, overwrite)

    @property
    def indexes(self) -> Indexes:
        """The secondary indexes of the cluster."""
        return Indexes(self)

    @property
    def modules(self) -> Modules:
        """The Lua modules that the cluster runs."""
        return Modules(self)

    @property
    def users(self) -> Users:
        """The users of a cluster with security."""
        return Users(self)

    @property
    def roles(self) -> Roles:
        """The roles of a cluster with security."""
        return Roles(self)

    @overload
    def concurrent(
        self, calls: Iterable[_Call[_T]], *, limit: int = 128, errors: Literal["raise"] = "raise"
    ) -> Generator[_T, None, None]: ...
    @overload
    def concurrent(
        self, calls: Iterable[_Call[_T]], *, limit: int = 128, errors: Literal["return"]
    ) -> Generator[_T | Exception, None, None]: ...
    def concurrent(
        self, calls: Iterable[_Call[Any]], *, limit: int = 128, errors: str = "raise"
    ) -> Generator[Any, None, None]:
        """Makes many calls with up to ``limit`` of them in flight and yields their results in input
        order.

        ``calls`` is an iterable of tuples, each a verb of this client or of one of its datasets and
        the arguments: ``((users.get, key) for key in keys)``. For keywords use
        ``functools.partial(users.get, key, bins=["n"])`` in place of a tuple. The iterable is read
        as results are consumed, so it may be endless.

        ``errors="raise"`` raises the first error in input order; ``errors="return"`` puts every
        error in the place of its result and continues. If the iteration ends early, by an error or
        because the generator is closed, calls that were not sent are withdrawn, and the others are
        awaited.

        Raises ``TypeError`` for a call that is not one of this client.
        """
        return gather_results(self, calls, limit, errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    if not TYPE_CHECKING:  # The type checkers say so by themselves.

        def __aenter__(self) -> Never:
            message = "Client is the blocking client: use `with`, or `async with AsyncClient(...)`"
            raise TypeError(message)

        def __aexit__(self, *error: object) -> Never:
            raise NotImplementedError


class AsyncClient(NativeAsyncClient, _CommonClient):
    """An asyncio client. It works on every event loop that uses it, including several at once.

    ``seeds`` are addresses of nodes of the cluster: ``"host"``, ``"host:port"``, several separated
    by commas, or a list; the default port is 3000. For options and their defaults see
    ``spikewire.options``; unknown options are rejected.

    Without seeds it behaves like ``from_url()``: it uses environment variables, or else
    ``127.0.0.1:3000``.

    Connects on ``async with`` or with ``await AsyncClient.connect(...)``. Close it by leaving the
    block or with ``await close()``; an open client that is garbage collected emits a
    ``ResourceWarning``. In the child of a fork it connects again on first use, inside that call,
    and the parent's connections are unaffected. A client cannot be pickled; its datasets can.

    Verbs, including those of its indexes, modules, jobs and queries, send at once and return an
    ``asyncio.Future`` of the running loop; ``connect``, ``open`` and ``close`` are coroutines.
    Cancelling a future discards the reply; the command may still be applied. The loop that opens
    the client gets a task factory (``spikewire.tasks``), unless it has one, so ``create_task``
    accepts futures, too.

    Raises ``ConnectionFailed`` if no seed leads to a cluster, with the reason for each seed. Raises
    ``TypeError`` or ``ValueError`` for invalid seeds and options. Verbs raise ``RuntimeError``
    without a running event loop.
    """

    __slots__ = ("_namespace", "_seeds_origin")

    _namespace: str | None
    _seeds_origin: str

    def __new__(cls, seeds: Seeds = FROM_ENVIRONMENT, **options: Unpack[AsyncOptions]) -> Self:
        """Checks what it is opened with."""
        if seeds is not FROM_ENVIRONMENT:
            return super().__new__(cls, seeds, **options)
        opening = read_for(cls, None, options)
        client = super().__new__(cls, opening.seeds, **cast("AsyncOptions", opening.options))
        client._namespace, client._seeds_origin = opening.namespace, seeds_origin(opening)
        return client

    def __init__(self, seeds: Seeds = FROM_ENVIRONMENT, **options: Unpack[AsyncOptions]) -> None:
        pass

    @classmethod
    async def connect(
        cls, seeds: Seeds = FROM_ENVIRONMENT, **options: Unpack[AsyncOptions]
    ) -> Self:
        """A connected client, for use without ``async with``; call ``await close()`` at the end."""
        return await cls(seeds, **options).__aenter__()

    @classmethod
    def from_url(cls, url: str | None = None, **options: Unpack[AsyncOptions]) -> Self:
        """A client from a URL, as with ``Client.from_url``. It connects on ``async with``, or with
        ``await client.open()``.
        """
        opening = read_for(cls, url, options)
        client = cls(opening.seeds, **cast("AsyncOptions", opening.options))
        client._namespace, client._seeds_origin = opening.namespace, seeds_origin(opening)
        return client

    def _open(self) -> bool:
        with naming(getattr(self, "_seeds_origin", None)):
            return super()._open()

    async def open(self) -> Self:
        """Connects, for use without ``async with``; call ``await close()`` at the end. Opening an
        open client has no effect. If the call is cancelled, a client that it opened is closed.
        """
        # Makes `create_task` accept the futures of verbs there.
        accept_awaitables()
        # A cancelled call must not close what another call opened.
        await open_unless_cancelled(self._open, self._close)
        return self

    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,  # noqa: A002
        type: type[_V] | None = None,  # noqa: A002
    ) -> AsyncDataset[_V]:
        """A namespace and a set, or with ``None`` the records without a set. The default namespace
        is that of the URL that the client was opened with.

        ``type`` is the class of its records: a ``TypedDict``, a dataclass, a ``msgspec.Struct`` or
        a pydantic model. Reads then ask for its bins only and have instances of it in
        ``record.value``, and writes take instances of it. Default: none.

        Sends nothing; raises ``ValueError`` for invalid names, and ``TypeError`` or ``ValueError``
        for a class that records cannot have.
        """
        return super().dataset(require_namespace(self.namespace, namespace), set, type)

    def transaction(self, *, timeout: Seconds | None = None) -> AsyncTransaction:
        """A transaction, as with ``Client.transaction``, for ``async with``."""
        with importing:
            from spikewire.aerospike.transaction import AsyncTransaction

        return AsyncTransaction(self, timeout)

    async def run_in_transaction(
        self,
        function: Callable[[AsyncTransaction], Awaitable[_T]],
        *,
        timeout: Seconds | None = None,
        attempts: int | None = None,
        limit: Seconds | None = None,
    ) -> _T:
        """Awaits ``function`` with a transaction and commits it, as ``Client.run_in_transaction``
        does.
        """
        with importing:
            from spikewire.aerospike.transaction import run_in_transaction_async

        return await run_in_transaction_async(self, function, timeout, attempts, limit)

    def with_profile(self, profile: Profile) -> AsyncClientView:
        """The same connections and verbs, with the options of a profile as defaults of each call.

        The view covers this client and its datasets; closing either closes both.
        """
        client_view: AsyncClientView = view(self, profile)
        return client_view

    def info(self, command: str, node: str | None = None) -> Future[str]:
        """A node's answer to an info command; without a node's name, that of any node.

        Raises ``ValueError`` if there is no such node, ``ServerError`` if it answers with an error.
        """
        return soon(Admin(self).info(command, node))

    def session(self, profile: Profile | None = None) -> AsyncBuilder:
        """Starts chains of the builder: ``await session.query(users.key("alice")).first()``. Cheap
        to create and to keep. With a profile it is the builder of ``with_profile(profile)``.
        """
        return AsyncBuilder(self if profile is None else self.with_profile(profile))

    def record(
        self,
        path: str | PathLike[str],
        *,
        share: float = 0.1,
        max_bytes: int = 64 << 20,
        overwrite: bool = False,
    ) -> AsyncRecording:
        """Records a sample of this client's calls into a file until it is stopped, as with
        ``Client.record``. It begins at once; leave its ``async with`` block or
        ``await recording.stop()`` at the end.
        """
        with importing:
            from spikewire.aerospike.recording import AsyncRecording

        return AsyncRecording(self, path, share, max_bytes, overwrite)

    @property
    def indexes(self) -> AsyncIndexes:
        """The secondary indexes of the cluster."""
        return AsyncIndexes(self)

    @property
    def modules(self) -> AsyncModules:
        """The Lua modules that the cluster runs."""
        return AsyncModules(self)

    @property
    def users(self) -> AsyncUsers:
        """The users of a cluster with security."""
        return AsyncUsers(self)

    @property
    def roles(self) -> AsyncRoles:
        """The roles of a cluster with security."""
        return AsyncRoles(self)

    @overload
    def concurrent(
        self,
        calls: Iterable[_Call[Future[_T]]],
        *,
        limit: int = 128,
        errors: Literal["raise"] = "raise",
    ) -> AsyncGenerator[_T, None]: ...
    @overload
    def concurrent(
        self, calls: Iterable[_Call[Future[_T]]], *, limit: int = 128, errors: Literal["return"]
    ) -> AsyncGenerator[_T | Exception, None]: ...
    def concurrent(
        self, calls: Iterable[_Call[Future[Any]]], *, limit: int = 128, errors: str = "raise"
    ) -> AsyncGenerator[Any, None]:
        """Makes many calls with up to ``limit`` of them in flight; ``async for`` yields the results
        in input order.

        ``calls`` is an iterable of tuples, each a verb of this client or of one of its datasets and
        the arguments: ``((users.get, key) for key in keys)``. For keywords use
        ``functools.partial(users.get, key, bins=["n"])`` in place of a tuple. The iterable is read
        as results are consumed, so it may be endless.

        ``errors="raise"`` raises the first error in input order; ``errors="return"`` puts every
        error in the place of its result and continues. If the iteration ends early, by an error or
        because the generator is closed, calls in flight are awaited, unless the task is cancelled.

        Raises ``TypeError`` for a call that is not one of this client.
        """
        return gather_results_async(self, calls, limit, errors)

    async def close(self) -> None:
        """Closes every connection. Commands in flight fail with ``ClientClosed``, as do later ones.

        Closing again has no effect.
        """
        self._close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    if not TYPE_CHECKING:  # The type checkers say so by themselves.

        def __enter__(self) -> Never:
            message = "AsyncClient is the asyncio client: use `async with`, or `with Client(...)`"
            raise TypeError(message)

        def __exit__(self, *error: object) -> Never:
            raise NotImplementedError
