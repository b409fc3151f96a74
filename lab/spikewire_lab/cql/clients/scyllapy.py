"""scyllapy: Scylla's Rust driver for asyncio."""

from __future__ import annotations

import importlib
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import COLUMNS
from .base import ITEM, Asyncio, Peer, Target, Verbs

if TYPE_CHECKING:
    from ...access import Access


def _let_in(access: Access) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if access.user:
        options |= {"username": access.user, "password": access.password.text()}
    if access.tls is not None:
        tls = access.tls
        modes = vars(importlib.import_module("scyllapy"))["SSLVerifyMode"]
        # It encrypts only if it has a certificate to present; that of an authority does no harm.
        certificate = Path(tls.certificate or tls.ca).read_text()
        options |= {"ssl_cert": certificate, "ssl_ca_file": tls.ca, "ssl_verify_mode": modes.PEER}
        if tls.key:
            options["ssl_key"] = Path(tls.key).read_text()
    return options


class _Asyncio(Asyncio):
    _session: Any
    _prepared: Any
    _operation: str

    async def open(self, target: Target) -> None:
        scylla = vars(importlib.import_module("scyllapy"))["Scylla"]
        self._session = scylla([f"{target.host}:{target.port}"], **_let_in(target.access))
        await self._session.startup()
        self._prepared = await self._session.prepare(target.statement)
        self._operation = target.operation

    def verbs(self) -> Verbs:
        names = {
            "execute": self._session.execute,
            "statement": self._prepared,
            "item": itemgetter("id", "number", "payload"),
            "values": itemgetter(*COLUMNS),
        }
        if self._operation == "page":
            rows = "for row in (await execute(statement, p)).all(): values(row)"
            return Verbs(rows, names=names)
        row = f"{ITEM} = item((await execute(statement, p)).first())"
        call = row if self._operation == "select" else "await execute(statement, p)"
        return Verbs(call, row=row, names=names)

    async def close(self) -> None:
        await self._session.shutdown()


PEER = Peer(
    "scyllapy",
    module="scyllapy",
    distribution="scyllapy",
    row_type="dict",
    asyncio=_Asyncio,
    parameters=list,
    system_ca=False,
)
