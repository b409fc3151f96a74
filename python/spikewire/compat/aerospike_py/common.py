"""What both clients have: their state, and what needs no answer of a node."""

# Programs pass anything: what it is is looked at here.
# pyright: basic

from __future__ import annotations

from typing import Any

import spikewire
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import NOT_CONNECTED

__all__ = ["Common", "answer_of", "index_kind"]

_KINDS: dict[str, type[Any]] = {
    "integer": int, "string": str, "geo2dsphere": spikewire.GeoJSON,
}  # fmt: skip


def index_kind(name: str) -> type[Any]:
    """What an index is on."""
    return _KINDS[name]


def answer_of(error: spikewire.ServerError) -> str:
    """An answer that says what went wrong, as a node wrote it."""
    return f"ERROR:{error.code}:{error.message.rpartition(': ')[2]}"


class Common:
    """The state of a client."""

    _engine: Any
    _opening: bool

    def __init__(self, config: Any) -> None:
        if not isinstance(config, dict):
            message = f"a configuration must be a dict, not {type(config).__name__}"
            raise TypeError(message)
        self._config: dict[str, Any] = config
        self._engine = None
        self._opening = False

    def _connected(self) -> Any:
        engine = self._engine
        if engine is None:
            raise ClientError(NOT_CONNECTED)
        return engine

    def _may_open(self) -> None:
        if self._opening or self._engine is not None:
            state = "connecting" if self._opening else "connected"
            raise ClientError(f"the client is already {state}: close it before")

    def _may_close(self) -> Any:
        """The engine's client, which is this one's no longer."""
        if self._opening:
            raise ClientError("the client is currently connecting: it cannot be closed yet")
        engine, self._engine = self._engine, None
        return engine

    def is_connected(self) -> bool:
        """Whether the client is connected."""
        return self._engine is not None and self._engine.is_connected

    def get_node_names(self) -> list[str]:
        """The names of the nodes."""
        return [node.name for node in self._connected().nodes()]
