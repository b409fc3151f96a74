"""cassandra-driver, and scylla-driver, which has the same interface."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

from ...access.probe import context
from ..data import PAGE_SIZE
from .base import ALL, ITEM, Asyncio, Blocking, Peer, Target, Verbs

if TYPE_CHECKING:
    from ...access import Access


def _let_in(access: Access) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if access.user:
        plain = vars(importlib.import_module("cassandra.auth"))["PlainTextAuthProvider"]
        options["auth_provider"] = plain(access.user, access.password.text())
    if access.tls is not None:
        options["ssl_context"] = context(access.tls)
        if access.name(0):
            options["ssl_options"] = {"server_hostname": access.name(0)}
    return options


class _PreparedSession:
    """A session and its prepared statement. The drivers' defaults, except that libev is named in
    case another reactor is the default somewhere."""

    def __init__(self) -> None:
        self._cluster: Any = None
        self._session: Any = None
        self._statement: Any = None
        self._operation = ""

    def connect(self, target: Target) -> None:
        cluster = vars(importlib.import_module("cassandra.cluster"))
        libev = vars(importlib.import_module("cassandra.io.libevreactor"))
        self._cluster = cluster["Cluster"](
            [target.host],
            port=target.port,
            connection_class=libev["LibevConnection"],
            **_let_in(target.access),
        )
        self._session = self._cluster.connect()
        self._operation = target.operation
        self._statement = self._session.prepare(target.statement)
        self._statement.fetch_size = PAGE_SIZE

    def protocol(self) -> str:
        return f"v{self._cluster.protocol_version}"

    def shutdown(self) -> None:
        self._cluster.shutdown()


_MANY = (
    "outcomes = execute_concurrent(rows, depth)\n"
    "for succeeded, outcome in outcomes:\n"
    "    if not succeeded: failed(outcome)"
)
_READS = f"\n    else: {ITEM} = outcome.one()"


def _concurrent(session: Any, statement: Any) -> dict[str, object]:
    """`execute_concurrent_with_args` with the session and the statement."""
    module = vars(importlib.import_module("cassandra.concurrent"))
    call = module["execute_concurrent_with_args"]

    def execute_concurrent(rows: object, concurrency: int) -> object:
        return call(session, statement, rows, concurrency, raise_on_first_error=False)

    return {"execute_concurrent": execute_concurrent}


class _Blocking(_PreparedSession, Blocking):
    def open(self, target: Target) -> None:
        self.connect(target)

    def verbs(self) -> Verbs:
        names = {
            "execute": self._session.execute,
            "execute_async": self._session.execute_async,
            "statement": self._statement,
            **_concurrent(self._session, self._statement),
        }
        if self._operation == "page":
            return Verbs(f"for {ALL} in execute(statement, p): pass", names=names)
        reads = self._operation == "select"
        return Verbs(
            call=f"{ITEM} = execute(statement, p).one()" if reads else "execute(statement, p)",
            start="execute_async(statement, p)",
            finish=f"{ITEM} = future.result().one()" if reads else "future.result()",
            chain="execute_async(statement, p).add_callbacks(done, lost)",
            held=f"{ITEM} = value[0]" if reads else "pass",
            many=_MANY + (_READS if reads else ""),
            row=f"{ITEM} = execute(statement, p).one()",
            names=names,
        )

    def close(self) -> None:
        self.shutdown()


def _awaitable(session: Any) -> Any:
    """What people write to await a call: the driver's future completes a future of the loop."""
    execute_async = session.execute_async
    loop = asyncio.get_running_loop()

    def execute(statement: object, parameters: object) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = loop.create_future()

        def settle(how: Any, value: Any) -> None:
            if not future.done():
                how(value)

        def done(rows: Any) -> None:
            loop.call_soon_threadsafe(settle, future.set_result, rows)

        def lost(error: Any) -> None:
            loop.call_soon_threadsafe(settle, future.set_exception, error)

        execute_async(statement, parameters).add_callbacks(done, lost)
        return future

    return execute


class _Asyncio(_PreparedSession, Asyncio):
    async def open(self, target: Target) -> None:
        await asyncio.to_thread(self.connect, target)

    def verbs(self) -> Verbs:
        names = {"execute": _awaitable(self._session), "statement": self._statement}
        if self._operation == "page":
            return Verbs(f"for {ALL} in await execute(statement, p): pass", names=names)
        row = f"{ITEM} = (await execute(statement, p))[0]"
        call = row if self._operation == "select" else "await execute(statement, p)"
        return Verbs(call, row=row, names=names)

    async def close(self) -> None:
        await asyncio.to_thread(self.shutdown)


# Its NumPy handlers returned no rows when this was written: 3.30.0 with NumPy 2.4.
_NOTE = "has no awaitable interface: on event loops its futures are wrapped in asyncio's"

PEER = Peer(
    "cassandra-driver",
    module="cassandra.cluster",
    distribution="cassandra-driver",
    row_type="namedtuple",
    blocking=_Blocking,
    asyncio=_Asyncio,
    futures=True,
    many=True,
    note=_NOTE,
)
SCYLLA = Peer(
    "scylla-driver",
    module="cassandra.cluster",
    distribution="scylla-driver",
    row_type="namedtuple",
    blocking=_Blocking,
    asyncio=_Asyncio,
    futures=True,
    many=True,
    note=_NOTE,
    apart=True,
)
