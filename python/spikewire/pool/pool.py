"""The pool: opening, running calls, closing."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import os
import sys
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import AsyncIterable, Iterable
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from spikewire._imports import import_late
from spikewire.aerospike.client import AsyncClient
from spikewire.opening import read_for
from spikewire.opening.default_seeds import FROM_ENVIRONMENT, seeds_origin
from spikewire.opening.in_thread import open_unless_cancelled
from spikewire.pool.clients import clients_of
from spikewire.pool.errors import PoolClosed, belongs_to
from spikewire.pool.gate import SIGNALS_EVERY, Gate
from spikewire.pool.job import Job, JobUnit, reject_blocking
from spikewire.pool.results import Results
from spikewire.pool.routed_client import RoutedClient
from spikewire.pool.window import Window
from spikewire.pool.worker import Worker
from spikewire.tasks import accept_awaitables

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    from typing_extensions import ParamSpec, Self, Unpack
    from typing_extensions import TypeVar as TypeVarWithDefault

    from spikewire._native import AsyncDataset
    from spikewire.cql import AsyncSession
    from spikewire.options import AsyncOptions
    from spikewire.statistics.control import Metrics
    from spikewire.statistics.stats import Stats
    from spikewire.types import Bins, Seeds

    _P = ParamSpec("_P")
    _V = TypeVarWithDefault("_V", default=Bins)

__all__ = ["Pool"]

_T = TypeVar("_T")
_R = TypeVar("_R")

#: Pools with threads, which must end before the interpreter does.
_open: weakref.WeakSet[Pool] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for pool in list(_open):
        pool.abandon()


class Pool:
    """Several event loops, each in its own thread, over asyncio clients of one cluster.

    Open it with ``async with`` in a coroutine or ``with`` in any thread; ``open()`` and ``close()``
    do the same. Any number of threads and event loops may then use it. Results of its methods can
    be awaited, or waited for without an event loop.

    ``seeds`` and further options are those of ``AsyncClient``, whose seeds are optional, too.
    Instead of seeds, an open ``AsyncClient`` or an ``AsyncSession`` of ``spikewire.cql`` may be
    given; it stays open when the pool ends. ``loops`` is the number of loops; default: one per
    processor if Python runs without the GIL, otherwise one. uvloop is used if it is installed;
    ``uvloop=False`` disables it, ``uvloop=True`` requires it.

    ``clients="each"`` opens a client per loop, which is faster without the GIL and the default
    there; ``"shared"`` opens one for all. In code that the pool runs, the pool's client and its
    datasets are the loop's own.

    Leaving the block waits up to ``close_timeout`` seconds for running calls, cancels those that
    are left, and waits up to that long again. After an exception they are cancelled at once.

    Threads do not survive a fork: in the child the pool raises ``PoolClosed``. Open it after the
    fork.
    """

    def __init__(
        self,
        seeds: Seeds | AsyncClient | AsyncSession = FROM_ENVIRONMENT,
        *,
        loops: int | None = None,
        clients: Literal["shared", "each"] | None = None,
        uvloop: bool | None = None,
        close_timeout: float = 10.0,
        **options: Unpack[AsyncOptions],
    ) -> None:
        self._workers: list[Worker] = []
        self._count = _default_loops() if loops is None else _at_least_one("loops", loops)
        self._new_loop = _loop_maker(uvloop)
        self._close_timeout = _seconds("close_timeout", close_timeout)
        if options and not isinstance(seeds, (str, Iterable)) and seeds is not FROM_ENVIRONMENT:
            message = f"options are for a client the pool opens itself: {', '.join(options)}"
            raise TypeError(message)
        self._clients = clients_of(
            seeds, clients, self._count, lambda where: AsyncClient(where, **options)
        )
        self._process = os.getpid()
        self._is_open = False
        #: Threads that wait until all loops are idle.
        self._idle: deque[Gate] = deque()

    @classmethod
    def from_url(
        cls,
        url: str | None = None,
        *,
        loops: int | None = None,
        clients: Literal["shared", "each"] | None = None,
        uvloop: bool | None = None,
        close_timeout: float = 10.0,
        **options: Unpack[AsyncOptions],
    ) -> Self:
        """A pool whose clients are opened with ``AsyncClient.from_url``: from a URL, or the
        environment variable ``SPIKEWIRE_AEROSPIKE_URL``.

        ``loops``, ``clients``, ``uvloop`` and ``close_timeout`` are the pool's own options and
        cannot be set by URL or variable.
        """
        opening = read_for(AsyncClient, url, options)
        pool = cls(
            opening.seeds,
            loops=loops,
            clients=clients,
            uvloop=uvloop,
            close_timeout=close_timeout,
            **cast("AsyncOptions", opening.options),
        )
        for client in pool._clients.all:
            client._namespace, client._seeds_origin = opening.namespace, seeds_origin(opening)  # noqa: SLF001
        return pool

    # --- Properties ----------------------------------------------------------------------------

    @property
    def client(self) -> AsyncClient:
        """The client of all loops. Call its verbs in code that the pool runs.

        With a client per loop, it is the loop's own in code that the pool runs. Elsewhere it
        represents all of them: verbs use the client of the calling thread, ``stats()`` and
        ``metrics`` cover all.

        Raises ``TypeError`` if the pool was opened with another kind of session.
        """
        clients = self._clients
        client: Any = clients.here if clients.is_here else clients.api
        if not isinstance(client, (AsyncClient, RoutedClient)):
            message = f"this pool has no client: it was opened with {client!r}"
            raise TypeError(message)
        async_client: AsyncClient = cast("Any", client)
        return async_client

    def stats(self) -> Stats:
        """The counters and state of the clients, as from ``AsyncClient.stats``; summed if each loop
        has a client.
        """
        stats: Stats = self._clients.api.stats()
        return stats

    @property
    def metrics(self) -> Metrics:
        """Switches the counting of all clients on and off, and reports their events, as
        ``AsyncClient.metrics``.
        """
        metrics: Metrics = self._clients.api.metrics
        return metrics

    @property
    def loops(self) -> int:
        """The number of event loops."""
        return self._count

    @property
    def is_open(self) -> bool:
        """Whether it accepts calls."""
        return self._is_open and self._process == os.getpid()

    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,  # noqa: A002
        type: type[_V] | None = None,  # noqa: A002
    ) -> AsyncDataset[_V]:
        """A dataset of the pool's client, for handlers: ``pool.map(users.get, ids)``. The default
        namespace is that of the client's URL; ``type`` is the class of its records, if they have
        one.
        """
        return self.client.dataset(namespace, set, type)

    # --- Running calls -------------------------------------------------------------------------

    def run(
        self, function: Callable[_P, Awaitable[_T]], /, *args: _P.args, **options: _P.kwargs
    ) -> Job[_T]:
        """Calls an asynchronous function on the least busy loop.

        ``await`` the returned job, or call its ``result()`` in a thread. The call starts at once,
        in a copy of the caller's context. Raises ``PoolClosed``.
        """
        if not callable(function):
            if asyncio.iscoroutine(function):
                function.close()
            message = (
                "run takes an asynchronous function and its arguments, not "
                f"{type(function).__name__}; gather takes coroutines"
            )
            raise TypeError(message)
        worker = self._least()
        job: Job[_T] = Job(self._workers)
        context = contextvars.copy_context()
        worker.hand([JobUnit(job, worker, context, (function, args, options))])
        return job

    def gather(self, *calls: Awaitable[Any] | Callable[[], Awaitable[Any]]) -> Results[Any]:
        """Runs coroutines, or functions without arguments that return awaitables, each on the least
        busy loop, and returns their results in the order of the calls.

        The first error is raised, and the other calls are cancelled; when awaited, as soon as it
        happens. Raises ``TypeError`` for a future or task, because it belongs to the loop that
        created it.
        """
        for at, call in enumerate(calls):
            if not asyncio.iscoroutine(call) and (asyncio.isfuture(call) or not callable(call)):
                message = (
                    f"call {at}: a pool gathers coroutines and functions, not {type(call).__name__}"
                )
                raise TypeError(message)
        return self.map(_call, calls, limit=max(1, len(calls)))

    @overload
    def map(
        self,
        handler: Callable[[_T], Awaitable[_R]],
        items: Iterable[_T] | AsyncIterable[_T],
        /,
        *,
        limit: int = 64,
        ordered: bool = True,
        errors: Literal["raise"] = "raise",
        progress: Callable[[int, int | None], object] | None = None,
    ) -> Results[_R]: ...
    @overload
    def map(
        self,
        handler: Callable[[_T], Awaitable[_R]],
        items: Iterable[_T] | AsyncIterable[_T],
        /,
        *,
        limit: int = 64,
        ordered: bool = True,
        errors: Literal["return"],
        progress: Callable[[int, int | None], object] | None = None,
    ) -> Results[_R | Exception]: ...
    def map(
        self,
        handler: Callable[[Any], Awaitable[Any]],
        items: Iterable[Any] | AsyncIterable[Any],
        /,
        *,
        limit: int = 64,
        ordered: bool = True,
        errors: str = "raise",
        progress: Callable[[int, int | None], object] | None = None,
    ) -> Results[Any]:
        """Calls ``handler(item)`` for every item, on all loops, and returns the results in the
        order of the items, or as they complete with ``ordered=False``.

        ``await`` it for a list; ``async for`` and ``for`` yield one result after the other. Each
        loop has up to ``limit`` items in flight. Items are read by the consumer of the results, and
        at most twice as many as may be in flight are held, so they may be endless. They may also
        come from an asynchronous iterable.

        The first error is raised, with its traceback, and cancels the rest: when awaited, as soon
        as it happens, otherwise at its place among the results. ``errors="return"`` puts every
        ``Exception`` in the place of its result. ``progress(done, total)`` is called by the
        consumer whenever results have arrived; the total is ``None`` if the items have no length.

        Every handler runs in a copy of the context in which ``map`` was called. Raises
        ``PoolClosed``.
        """
        self._check()
        limit = _at_least_one("limit", limit)
        if not callable(handler):
            message = f"handler must be an asynchronous function, not {type(handler).__name__}"
            raise TypeError(message)
        if not _is_iterable(items):
            message = f"items must be an iterable of items, not {type(items).__name__}"
            raise TypeError(message)
        if errors not in ("raise", "return"):
            message = f'errors must be "raise" or "return", not {errors!r}'
            raise ValueError(message)
        if progress is not None and not callable(progress):
            message = f"progress must be a function, not {type(progress).__name__}"
            raise TypeError(message)
        context = contextvars.copy_context()

        def make() -> Window:
            self._check()
            return Window(self._workers, handler, context, limit)

        return Results(
            make,
            items,
            workers=self._workers,
            ordered=ordered,
            returns_errors=errors == "return",
            progress=progress,
            close_timeout=self._close_timeout,
        )

    def _least(self) -> Worker:
        self._check()
        living = [worker for worker in self._workers if worker.is_running] or self._workers
        return min(living, key=lambda worker: worker.load)

    def _check(self) -> None:
        belongs_to(self._process)
        if not self._is_open:
            message = "the pool is not open: use it in `async with` or `with`"
            raise PoolClosed(message)

    # --- Opening and closing -------------------------------------------------------------------

    def open(self) -> Self:
        """Connects the clients and starts the loops; blocks until done.

        Raises the errors of ``AsyncClient.connect``, and ``RuntimeError`` if it was opened before.
        """
        if self._workers:
            message = "a pool can only be opened once: create another one"
            raise RuntimeError(message)
        self._clients.open()
        self._process = os.getpid()
        try:
            for number in range(self._count):
                name = f"spikewire-pool-{number}"
                # Not a bound method, with which the thread would keep an unreachable pool alive.
                self._workers.append(Worker(name, self._new_loop, partial(_notify, self._idle)))
                self._workers[-1].thread.start()
                self._clients.assign(number, self._workers[-1].thread)
        except BaseException:
            self._close(0)
            raise
        self._is_open = True
        _open.add(self)
        return self

    def close(self) -> None:
        """Waits for running calls, as leaving the block does. Closing again has no effect."""
        self._close(self._close_timeout)

    def abandon(self) -> None:
        """Cancels running calls and closes, as at interpreter exit."""
        self._close(0)

    def _close(self, patience: float) -> None:
        """Closes the pool; cancels calls that still run after this time."""
        workers = self._workers
        if self._process == os.getpid():
            reject_blocking(workers)
        _open.discard(self)
        self._is_open = False
        if self._process != os.getpid():
            return
        try:
            if not self._wait_idle(patience):
                for worker in workers:
                    worker.cancel_all()
                self._wait_idle(self._close_timeout)
        finally:
            # An interrupt ends the wait, but the pool is closed nevertheless.
            self._end()
        until = time.monotonic() + max(1.0, self._close_timeout)
        for worker in workers:
            if worker.thread.ident is None:  # Its thread was never started.
                worker.loop.close()
            else:
                worker.thread.join(max(0.0, until - time.monotonic()))
        held = [worker.thread.name for worker in workers if worker.thread.is_alive()]
        if held:
            message = f"the pool was closed, but calls still block {', '.join(held)}"
            warnings.warn(message, RuntimeWarning, stacklevel=3)

    def _end(self) -> None:
        self._clients.close()
        for worker in self._workers:
            worker.stop()

    def _wait_idle(self, patience: float) -> bool:
        """Waits; returns whether all calls have ended within this time."""

        def is_idle() -> bool:
            return all(worker.load == 0 for worker in self._workers)

        until = time.monotonic() + patience
        while not is_idle():
            left = until - time.monotonic()
            if left <= 0:
                return False
            gate = Gate()
            self._idle.append(gate)
            if not is_idle():
                gate.wait(min(left, SIGNALS_EVERY))
        return True

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close(self._close_timeout if kind is None else 0)

    async def __aenter__(self) -> Self:
        accept_awaitables()
        return await open_unless_cancelled(self.open, self.abandon)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        patience = self._close_timeout if kind is None else 0
        closing = asyncio.get_running_loop().run_in_executor(None, partial(self._close, patience))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            for worker in self._workers:
                worker.cancel_all()
            await closing
            raise

    def __reduce__(self) -> tuple[Any, ...]:
        message = "a pool has threads, and can be neither copied nor pickled"
        raise TypeError(message)

    def __repr__(self) -> str:
        state = "open" if self.is_open else "not open"
        return f"<Pool of {self._count} loops over {self._clients.api!r}, {state}>"

    def __del__(self, _warn: Callable[..., None] = warnings.warn) -> None:
        if getattr(self, "_process", None) != os.getpid():
            return
        if self._is_open:
            _warn(f"unclosed pool {self!r}", ResourceWarning, source=self)
        # An interrupt may have left it partly opened or closed.
        if any(worker.is_alive for worker in self._workers):
            self._end()


def _notify(idle: deque[Gate]) -> None:
    with contextlib.suppress(IndexError):
        while True:
            idle.popleft().open()


def _is_iterable(items: object) -> bool:
    return isinstance(items, (Iterable, AsyncIterable)) and not isinstance(items, (str, bytes))


def _call(call: Any) -> Any:
    return call if asyncio.iscoroutine(call) else call()


def _default_loops() -> int:
    has_gil: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    if has_gil():
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _loop_maker(uvloop: bool | None) -> Callable[[], asyncio.AbstractEventLoop]:
    if uvloop not in (None, True, False):
        message = f"uvloop must be True, False or None, not {uvloop!r}"
        raise TypeError(message)
    if uvloop is None or uvloop:
        try:
            maker: Callable[[], asyncio.AbstractEventLoop]
            maker = import_late("uvloop").new_event_loop
            return maker
        except ImportError:
            if uvloop:
                message = "uvloop=True needs uvloop: pip install uvloop"
                raise ImportError(message) from None
    return asyncio.new_event_loop


def _at_least_one(name: str, value: int) -> int:
    try:
        number = index(value)
    except TypeError:
        message = f"{name} must be an int, not {type(value).__name__}"
        raise TypeError(message) from None
    if isinstance(value, bool) or number < 1:
        message = f"{name} must be at least 1, not {value}"
        raise ValueError(message)
    return number


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        message = f"{name} must be a number of seconds, not {type(value).__name__}"
        raise TypeError(message)
    if not 0 <= value < threading.TIMEOUT_MAX:
        message = f"{name} must be at least 0 seconds, not {value}"
        raise ValueError(message)
    return float(value)
