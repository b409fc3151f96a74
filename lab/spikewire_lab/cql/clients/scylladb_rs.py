"""scylladb-rs-driver: ScyllaDB's own client for Python on its Rust driver; its package is `scylla`.
Its futures are awaited, or waited for in threads."""

from __future__ import annotations

import importlib
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..data import COLUMNS, PAGE_SIZE
from .base import ITEM, Asyncio, Blocking, Peer, Target, Verbs

if TYPE_CHECKING:
    from ...access import Access


def _builder(target: Target) -> Any:
    builder = vars(importlib.import_module("scylla.session_builder"))["SessionBuilder"]()
    builder = builder.contact_points((target.host, target.port))
    access = target.access
    if access.user:
        builder = builder.user(access.user, access.password.text())
    return builder if access.tls is None else builder.tls_context(_encryption(access))


def _encryption(access: Access) -> Any:
    tls = access.tls
    assert tls is not None
    context = vars(importlib.import_module("scylla.tls"))["TlsContext"]()
    context.load_verify_locations(cafile=tls.ca)
    if tls.certificate:
        context.load_cert_chain(tls.certificate, tls.key or None)
    return context


def _names(session: Any, statement: Any) -> dict[str, object]:
    return {
        "execute": session.execute,
        "statement": statement,
        "item": itemgetter("id", "number", "payload"),
        "values": itemgetter(*COLUMNS),
    }


def _rows(result: str) -> str:
    """Takes every value of a page."""
    return f"for row in {result}.iter_current_page(): values(row)"


def _row(result: str) -> str:
    return f"{ITEM} = item(next({result}.iter_current_page()))"


class _Blocking(Blocking):
    _session: Any
    _statement: Any
    _operation: str

    def open(self, target: Target) -> None:
        self._session = _builder(target).connect().result()
        statement = self._session.prepare(target.statement).result()
        self._statement = statement.with_page_size(PAGE_SIZE)
        self._operation = target.operation

    def verbs(self) -> Verbs:
        names, call = _names(self._session, self._statement), "execute(statement, p).result()"
        if self._operation == "page":
            return Verbs(_rows(call), names=names)
        reads = self._operation == "select"
        return Verbs(
            call=_row(call) if reads else call,
            # A future begins when it is awaited or told to.
            start="execute(statement, p).start()",
            finish=_row("future.result()") if reads else "future.result()",
            chain="execute(statement, p).on_done(done)",
            held=_row("value.result()") if reads else "value.result()",
            row=_row(call),
            names=names,
        )

    def close(self) -> None:
        """It has no verb for that: connections end with the session."""
        self._session = self._statement = None


class _Asyncio(Asyncio):
    _session: Any
    _statement: Any
    _operation: str

    async def open(self, target: Target) -> None:
        self._session = await _builder(target).connect()
        statement = await self._session.prepare(target.statement)
        self._statement = statement.with_page_size(PAGE_SIZE)
        self._operation = target.operation

    def verbs(self) -> Verbs:
        names, call = _names(self._session, self._statement), "(await execute(statement, p))"
        if self._operation == "page":
            return Verbs(_rows(call), names=names)
        reads = self._operation == "select"
        return Verbs(_row(call) if reads else call, row=_row(call), names=names)

    async def close(self) -> None:
        self._session = self._statement = None


PEER = Peer(
    "scylladb-rs-driver",
    module="scylla",
    distribution="scylladb-rs-driver",
    row_type="dict",
    blocking=_Blocking,
    asyncio=_Asyncio,
    futures=True,
    parameters=list,
    system_ca=False,
)
