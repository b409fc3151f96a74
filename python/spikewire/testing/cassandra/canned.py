"""Canned replies: what is left of a server when clients are to be measured and not the server.

with CannedServer() as server:
    ...  # server.address: "127.0.0.1:40123"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import CannedCore

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["CannedServer"]


class CannedServer(CannedCore):
    """One node that speaks Cassandra's native protocol, versions 4 and 5, and stores nothing.

    Keyspaces and tables can be made, statements prepared and executed. A write is answered as done.
    A ``SELECT`` that names the whole primary key gets one row, in which the columns of the key hold
    what was asked for; any other gets ``rows`` rows that are made up, page by page. There are no
    conditions, functions, passwords, TLS or events.

    It ends with the ``with`` block, with ``stop()``, or with this process. Raises ``OSError`` where
    it cannot listen, ``TypeError`` or ``ValueError`` for invalid arguments.
    """

    def __new__(cls, *, host: str = "127.0.0.1", port: int = 0, rows: int = 5000) -> Self:
        return super().__new__(cls, host=host, port=port, rows=rows)

    @property
    def address(self) -> str:
        """``host:port``: the contact point for clients."""
        return self._address()

    @property
    def served(self) -> int:
        """How many statements about tables that were made it has answered; 0 once it is stopped."""
        return self._served()

    def stop(self) -> None:
        """Ends it, and its connections."""
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
