"""acsylla: Scylla's C++ driver for asyncio."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import PAGE_SIZE
from .base import ALL, ITEM, Asyncio, Peer, Target, Verbs

if TYPE_CHECKING:
    from ...access import Access


def _let_in(access: Access) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if access.user:
        options |= {"username": access.user, "password": access.password.text()}
    if access.tls is not None:
        tls = access.tls
        files = {
            "ssl_trusted_cert": tls.ca,
            "ssl_cert": tls.certificate,
            "ssl_private_key": tls.key,
        }
        texts = {name: Path(path).read_text() for name, path in files.items() if path}
        options |= {"ssl_enabled": True, **texts}
    return options


class _Asyncio(Asyncio):
    _session: Any
    _prepared: Any
    _operation: str

    async def open(self, target: Target) -> None:
        create_cluster = vars(importlib.import_module("acsylla"))["create_cluster"]
        # On every connection it logs that a Cassandra is not a Scylla.
        cluster = create_cluster(
            [target.host], port=target.port, log_level="critical", **_let_in(target.access)
        )
        self._session = await cluster.create_session()
        self._prepared = await self._session.create_prepared(target.statement)
        self._operation = target.operation

    def verbs(self) -> Verbs:
        names = {
            "execute": self._session.execute,
            "bind": self._prepared.bind,
            "page_size": PAGE_SIZE,
        }
        bound = "s = bind(); s.bind_list(p); "
        if self._operation == "page":
            bound = "s = bind(page_size=page_size); s.bind_list(p)\n"
            rows = f"for row in (await execute(s)).all(): {ALL} = row.as_tuple()"
            return Verbs(bound + rows, names=names)
        row = f"{bound}{ITEM} = (await execute(s)).first().as_tuple()"
        return Verbs(
            row if self._operation == "select" else f"{bound}await execute(s)", row=row, names=names
        )

    async def close(self) -> None:
        await self._session.close()


PEER = Peer(
    "acsylla",
    module="acsylla",
    distribution="acsylla",
    row_type="row, as_tuple()",
    asyncio=_Asyncio,
    parameters=list,
    system_ca=False,
)
