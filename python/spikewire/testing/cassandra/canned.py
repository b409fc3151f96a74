"""Canned replies: what is left of a server when clients are to be measured and not the server.

with CannedServer() as server:
    ...  # server.address: "127.0.0.1:40123"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spikewire._native import CannedCore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Literal

    from typing_extensions import Self

__all__ = ["CannedServer", "ShardTraffic"]


class ShardTraffic(NamedTuple):
    """What has come to a shard of a ``CannedServer``."""

    open: int
    """Connections that are open."""
    opened: int
    """Connections that were opened."""
    own: int
    """Prepared statements about rows of this shard."""
    others: int
    """Prepared statements about rows of other shards."""


class CannedServer(CannedCore):
    """One node that speaks Cassandra's native protocol, versions 4 and 5, and stores nothing.

    Keyspaces and tables can be made, statements prepared and executed. A write is answered as done.
    A ``SELECT`` that names the whole primary key gets one row, in which the columns of the key hold
    what was asked for; any other gets ``rows`` rows that are made up, page by page. There are no
    conditions, functions, passwords, TLS or events.

    With ``shards`` it is divided as Scylla's servers are, as far as that is documented, and counts
    what comes to each shard (``traffic``). ``shard_aware_port`` is a second port, where the port
    that a connection comes from ``"chooses"`` the shard; or where it does not, as if it were
    ``"rewritten"`` on the way; or ``None``, for there is none. Shards in ``refusing`` close what
    comes for them over that port. ``says`` are options of SUPPORTED that it says instead of the
    truth.

    It ends with the ``with`` block, with ``stop()``, or with this process. Raises ``OSError`` where
    it cannot listen, ``TypeError`` or ``ValueError`` for invalid arguments.
    """

    def __new__(
        cls,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        rows: int = 5000,
        shards: int = 0,
        shard_aware_port: Literal["chooses", "rewritten"] | None = "chooses",
        refusing: Sequence[int] = (),
        says: Mapping[str, str] | None = None,
    ) -> Self:
        return super().__new__(
            cls,
            host=host,
            port=port,
            rows=rows,
            shards=shards,
            shard_aware_port=shard_aware_port,
            refusing=refusing,
            says=dict(says or {}),
        )

    @property
    def address(self) -> str:
        """``host:port``: the contact point for clients."""
        return self._address()

    @property
    def served(self) -> int:
        """How many statements about tables that were made it has answered; 0 once it is stopped."""
        return self._served()

    @property
    def traffic(self) -> list[ShardTraffic]:
        """What has come to each shard; empty where it has none, and once it is stopped."""
        return [ShardTraffic(*shard) for shard in self._traffic()]

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
