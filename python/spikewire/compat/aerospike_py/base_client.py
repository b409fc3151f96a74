"""What both clients have in common: their state, and everything that needs no reply from a node."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import spikewire
from spikewire.compat.aerospike_py.configuration import limit_of
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import NOT_CONNECTED
from spikewire.compat.aerospike_py.observability import process

if TYPE_CHECKING:
    from typing_extensions import Never

__all__ = ["BaseClient", "answer_of", "index_kind"]

_KINDS: dict[str, type[Any]] = {
    "integer": int, "string": str, "geo2dsphere": spikewire.GeoJSON,
}  # fmt: skip


def index_kind(name: str) -> type[Any]:
    """The type of the values in an index."""
    return _KINDS[name]


def answer_of(error: spikewire.ServerError) -> str:
    """A reply that reports an error, in the form in which a node writes it."""
    return f"ERROR:{error.code}:{error.message.rpartition(': ')[2]}"


def _not_connected(*_: Any) -> Never:
    raise ClientError(NOT_CONNECTED)


class BaseClient:
    """The state of a client."""

    _engine: Any
    """What calls use: the client, with tracing and limits if they are enabled."""
    _opened: Any
    """The client itself."""
    _opening: bool
    _get: Any
    _put: Any
    _operate: Any
    """The engine's verbs that are called most."""

    def __init__(self, config: Any) -> None:
        if not isinstance(config, dict):
            message = f"a configuration must be a dict, not {type(config).__name__}"
            raise TypeError(message)
        self._config: dict[str, Any] = config
        self._opening = False
        self._use(None)

    def _require_engine(self) -> Any:
        engine = self._engine
        if engine is None:
            raise ClientError(NOT_CONNECTED)
        return engine

    def _check_can_open(self) -> None:
        if self._opening or self._engine is not None:
            state = "connecting" if self._opening else "connected"
            raise ClientError(f"the client is already {state}: close it first")

    def _detach(self) -> Any:
        """Returns the client of the engine, which this one no longer uses."""
        if self._opening:
            raise ClientError("the client is currently connecting: it cannot be closed yet")
        opened = self._opened
        self._use(None)
        if opened is not None:
            process.unregister(opened)
        return opened

    def _set_engine(self, opened: Any, limited: Any) -> None:
        """Called when the client was opened."""
        process.register(opened)
        engine = process.with_tracing(opened)
        most, wait = limit_of(self._config)
        self._use(opened, limited(engine, most, wait) if most else engine)

    def _use(self, opened: Any, engine: Any = None) -> None:
        """Uses this engine for calls from now on."""
        self._opened, self._engine = opened, engine
        if engine is None:
            self._get = self._put = self._operate = _not_connected
        else:
            self._get, self._put, self._operate = engine.get, engine.put, engine.operate

    def is_connected(self) -> bool:
        """Whether the client is connected."""
        return self._engine is not None and self._engine.is_connected

    def get_node_names(self) -> list[str]:
        """The names of the nodes."""
        return [node.name for node in self._require_engine().nodes()]
