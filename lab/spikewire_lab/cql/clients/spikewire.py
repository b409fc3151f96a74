"""Our own client, used as its users would."""

from __future__ import annotations

import importlib
from typing import Any

from ...access import cql_options
from ...access.seeds import seed_text
from ..data import PAGE_SIZE
from .base import ALL, ITEM, Asyncio, Blocking, Peer, Target, Verbs

_MANY = (
    'outcomes = execute_many(statement, rows, concurrency=depth, errors="return")\n'
    "for outcome in outcomes:\n"
)
_WRITES = "    if isinstance(outcome, Exception): failed(outcome)"
_READS = f"{_WRITES}\n    else: {ITEM} = outcome[0]"
_TO = {"page-arrow": "to_arrow()", "page-numpy": "to_numpy()"}


def _module() -> dict[str, Any]:
    return vars(importlib.import_module("spikewire.cql"))


def address(target: Target) -> tuple[str, dict[str, Any]]:
    """The contact point, with login and TLS."""
    return seed_text((target.host, target.port)), cql_options(target.access)


class _Blocking(Blocking):
    _session: Any
    _statement: Any
    _operation: str

    def open(self, target: Target) -> None:
        where, options = address(target)
        self._session = _module()["Session"](where, **options)
        self._statement = self._session.prepare(target.statement)
        self._operation = target.operation

    def verbs(self) -> Verbs:
        session, operation = self._session, self._operation
        names = {
            "execute": session.execute,
            "submit": session.submit.execute,
            "execute_many": session.execute_many,
            "statement": self._statement,
            "page_size": PAGE_SIZE,
        }
        page = "execute(statement, p, page_size=page_size)"
        if operation in _TO:
            return Verbs(f"held = {page}.{_TO[operation]}", names=names)
        if operation == "page":
            return Verbs(f"for {ALL} in {page}: pass", names=names)
        reads = operation == "select"
        return Verbs(
            call=f"{ITEM} = execute(statement, p)[0]" if reads else "execute(statement, p)",
            start="submit(statement, p)",
            finish=f"{ITEM} = future.result()[0]" if reads else "future.result()",
            chain="submit(statement, p).add_done_callback(done)",
            held=f"{ITEM} = value.result()[0]" if reads else "value.result()",
            many=_MANY + (_READS if reads else _WRITES),
            row=f"{ITEM} = execute(statement, p)[0]",
            names=names,
        )

    def protocol(self) -> str:
        return f"v{self._session.protocol_version}"

    def close(self) -> None:
        self._session.close()


class _Asyncio(Asyncio):
    _session: Any
    _statement: Any
    _operation: str

    async def open(self, target: Target) -> None:
        where, options = address(target)
        self._session = await _module()["AsyncSession"].connect(where, **options)
        self._statement = await self._session.prepare(target.statement)
        self._operation = target.operation

    def verbs(self) -> Verbs:
        operation = self._operation
        names = {
            "execute": self._session.execute,
            "statement": self._statement,
            "page_size": PAGE_SIZE,
        }
        page = "(await execute(statement, p, page_size=page_size))"
        if operation in _TO:
            return Verbs(f"held = {page}.{_TO[operation]}", names=names)
        if operation == "page":
            return Verbs(f"for {ALL} in {page}: pass", names=names)
        row = f"{ITEM} = (await execute(statement, p))[0]"
        return Verbs(
            row if operation == "select" else "await execute(statement, p)", row=row, names=names
        )

    def protocol(self) -> str:
        return f"v{self._session.protocol_version}"

    async def close(self) -> None:
        await self._session.close()


PEER = Peer(
    "spikewire",
    module="spikewire.cql",
    distribution="spikewire",
    row_type="cql.Row",
    blocking=_Blocking,
    asyncio=_Asyncio,
    futures=True,
    many=True,
    columns={"page-arrow": "Arrow table", "page-numpy": "NumPy arrays"},
)
