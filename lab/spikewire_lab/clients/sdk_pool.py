"""The SDK's pool of event loops: `AsyncPool`, with a cluster of its own on each loop."""

from __future__ import annotations

import asyncio
import importlib
import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from .aerospike_native import key_source
from .aerospike_sdk import chained, definition, fast, many_verbs
from .base import ManyVerbs, PoolClient, SubmittedCall, Target, Verbs

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator

OPEN_SECONDS = 30.0
_BOUND = re.compile(r"(?<![.\w])(session\.|(?:get|put)\()")
"""Names in the source of a verb that are bound to a session."""


class _Session(Protocol):
    get: object
    put: object
    query: object
    upsert: object


class _Cluster(Protocol):
    def create_session(self) -> _Session: ...


class _Pool(Protocol):
    loop_count: int

    async def start(self) -> None: ...

    async def aclose(self) -> None: ...

    async def run(
        self, fn: Callable[[_Cluster], Coroutine[Any, Any, object]], pick: int | None = None
    ) -> object: ...


class PoolAdapter(PoolClient):
    """The pool, started and called from an event loop of this adapter in a thread. What a call
    needs from its loop's cluster is stored in the thread of that loop."""

    _pool: _Pool
    _target: Target
    _local: threading.local
    _loop: asyncio.AbstractEventLoop
    _thread: threading.Thread
    written = staticmethod(fast)
    """Source for reading and writing single records."""

    def open(self, target: Target, loops: int, *, uvloop: bool) -> None:
        self._target, self._local = target, threading.local()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        make = cast(
            "Callable[..., _Pool]", vars(importlib.import_module("aerospike_sdk"))["AsyncPool"]
        )
        self._pool = make(definition("aerospike_sdk", target), loops, use_uvloop=uvloop)
        self._wait(self._pool.start())
        for number in range(loops):
            self._wait(self._pool.run(self._begin, number))

    async def _begin(self, cluster: _Cluster) -> None:
        """Runs in the thread of one of the loops."""
        session = cluster.create_session()
        self._local.session, self._local.get, self._local.put = session, session.get, session.put

    def verbs(self) -> Verbs:
        verbs = self.written(key_source(self._target), "await ")
        return Verbs(
            _local(verbs.read),
            _local(verbs.write),
            {**verbs.names, "local": self._local},
            more={verb: _local(source) for verb, source in verbs.more.items()},
        )

    def many(self) -> ManyVerbs:
        """Batches are chains with the fast path as well, as on one loop, on the session of the
        loop."""
        verbs = many_verbs(self._target, cast("_Session", None), "await ")
        return in_thread(verbs, self._local)

    def run(self, function: Callable[..., object], *args: object) -> SubmittedCall:
        def called(_cluster: _Cluster) -> Coroutine[Any, Any, object]:
            return cast("Coroutine[Any, Any, object]", function(*args))

        return asyncio.run_coroutine_threadsafe(self._pool.run(called), self._loop)

    def map(
        self, handler: Callable[..., object], items: Iterable[object], limit: int
    ) -> Iterator[object]:
        raise NotImplementedError("AsyncPool.map takes no items without an end")

    def close(self) -> None:
        self._wait(self._pool.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(OPEN_SECONDS)
        self._loop.close()

    def _wait(self, call: Coroutine[Any, Any, object]) -> object:
        return asyncio.run_coroutine_threadsafe(call, self._loop).result(OPEN_SECONDS)


class PooledBuilder(PoolAdapter):
    """The same by chains."""

    written = staticmethod(chained)


def in_thread(verbs: ManyVerbs, local: threading.local) -> ManyVerbs:
    """Batches on the session of the thread in which they run."""
    names = {**verbs.names, "local": local}
    return replace(verbs, read=_local(verbs.read), write=_local(verbs.write), names=names)


def _local(source: str) -> str:
    """The verbs with the session of the thread in which they run."""
    return _BOUND.sub(r"local.\1", source)
