"""Two drivers under comparison: the observable behaviour of each, in comparable form."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REAL = "cassandra"
OURS = "spikewire.compat.cassandra"
#: Options of both: timeouts for connecting. The drivers' own defaults are short for a busy node and
#: machine.
PATIENT = {
    REAL: {"connect_timeout": 60, "control_connection_timeout": 60},
    OURS: {"connect_timeout": 60},
}


class Driver:
    """One of the drivers, with a session in a keyspace of its own."""

    def __init__(self, package: str, address: str, keyspace: str) -> None:
        self.package = package
        self.address, port = address.rsplit(":", 1)
        self.port = int(port)
        self.keyspace = keyspace
        self.root: Any = importlib.import_module(package)
        self.cluster = self.connectable()
        self.session = self.cluster.connect(keyspace)

    def __getattr__(self, name: str) -> Any:
        """A module of the driver."""
        if name.startswith("_"):
            raise AttributeError(name)
        return importlib.import_module(f"{self.package}.{name.removesuffix('_')}")

    def connectable(self, **options: Any) -> Any:
        """A cluster, not connected yet."""
        return self.cluster_.Cluster(
            [self.address], port=self.port, **(PATIENT[self.package] | options)
        )

    def close(self) -> None:
        self.cluster.shutdown()

    def table(self, columns: str) -> str:
        """A new table; its name is the same for both drivers if they create the same tables."""
        self._made = getattr(self, "_made", 0) + 1
        name = f"t{self._made}"
        self.session.execute(f"CREATE TABLE {name} ({columns})")
        return name

    def failure(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The classes of an exception, without those that only the driver itself has."""
        try:
            function(*args, **kwargs)
        except Exception as error:
            return self.shown_error(error)
        return "nothing raised"

    def shown_error(self, error: BaseException) -> Any:
        names = [of.__name__ for of in type(error).__mro__ if of is not object]
        classes = [name for name in names if name[0] != "_" and name != "ErrorMessageSub"]
        within = getattr(error, "errors", None)
        if isinstance(within, dict):
            return classes, sorted(type(one).__name__ for one in within.values())
        return classes


def shown(value: Any) -> Any:
    """A value with its types, by name: what has to be the same."""
    kind = type(value).__name__
    if isinstance(value, uuid.UUID):
        return kind, str(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind, value._fields, [shown(item) for item in value]
    if isinstance(value, Mapping):
        return kind, [(shown(key), shown(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)) or kind == "SortedSet":
        return kind, [shown(item) for item in value]
    return kind, repr(value)
