"""Canned replies, to measure clients without the cost of a real server.

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
    """The traffic of one shard of a ``CannedServer``."""

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

    Keyspaces and tables can be created, statements prepared and executed. Writes are acknowledged.
    A ``SELECT`` that names the full primary key returns one row whose key columns hold the
    requested values; any other returns ``rows`` generated rows, page by page. Conditions,
    functions, passwords, TLS and events are not supported.

    With ``shards`` it is divided into shards like a Scylla server, as far as that is documented,
    and counts the traffic of each shard (``traffic``). ``shard_aware_port`` controls a second port:
    ``"chooses"``: the client's port selects the shard; ``"rewritten"``: it does not, as if the port
    were rewritten on the way; ``None``: there is no second port. Shards in ``refusing`` close
    connections to them over that port. ``says`` overrides options of SUPPORTED. ``extensions`` are
    those of Scylla that it offers, with which it speaks version 4 only: ``"rate_limit"``,
    ``"metadata_id"``, and ``"tablets"`` or ``"tablets_v2"``. With tablets, each table consists of
    16, each of them on one shard.

    It ends with the ``with`` block, with ``stop()``, or with this process. Raises ``OSError`` if it
    cannot listen, ``TypeError`` or ``ValueError`` for invalid arguments.
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
        extensions: Sequence[str] = (),
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
            extensions=list(extensions),
        )

    @property
    def address(self) -> str:
        """``host:port``: the contact point for clients."""
        return self._address()

    @property
    def served(self) -> int:
        """The number of statements on created tables that it has answered; 0 once stopped."""
        return self._served()

    @property
    def traffic(self) -> list[ShardTraffic]:
        """The traffic of each shard; empty if it has none, and once stopped."""
        return [ShardTraffic(*shard) for shard in self._traffic()]

    def move_tablets(self) -> None:
        """Moves each tablet to the next shard."""
        self._move_tablets()

    def limit(self, is_limited: bool = True) -> None:
        """From now on, prepared statements fail because their partition is used too often, or not
        any more: reads are rejected by the coordinator, writes by replicas."""
        self._limit(is_limited)

    def stop(self) -> None:
        """Stops the server and closes its connections."""
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
