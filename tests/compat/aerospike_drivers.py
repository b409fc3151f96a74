"""Two clients under comparison: the observable behaviour of each, in comparable form."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REAL = "aerospike", "aerospike_helpers"
OURS = "spikewire.compat.aerospike", "spikewire.compat.aerospike_helpers"


class Driver:
    """One of the clients, with a set of its own for each program."""

    def __init__(self, packages: tuple[str, str], address: str, name: str) -> None:
        self.module: Any = importlib.import_module(packages[0])
        self.helpers = packages[1]
        self.name = name
        host, port = address.rsplit(":", 1)
        kinds = ("read", "write", "operate", "batch", "apply", "remove")
        self.config: dict[str, Any] = {
            "hosts": [(host, int(port))],
            "policies": {kind: {"total_timeout": 30_000} for kind in kinds},
        }
        self.client = self.module.client(self.config).connect()
        self.set = name

    def close(self) -> None:
        self.client.close()

    def helper(self, name: str) -> Any:
        """A module of the helpers."""
        return importlib.import_module(f"{self.helpers}.{name}")

    def key(self, key: Any) -> tuple[str, str, Any]:
        """A key of this client's own records."""
        return "test", self.set, key

    def fails(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The class, its bases and the code of an exception; or the result."""
        try:
            return "returned", self.typed(call(*args, **kwargs))
        except Exception as error:
            names = [kind.__name__ for kind in type(error).__mro__]
            return names, getattr(error, "code", None), getattr(error, "in_doubt", None)

    def outcome(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The class, code and text of an exception, without the port; or the result."""
        try:
            return "returned", self.typed(call(*args, **kwargs))
        except Exception as error:
            text = getattr(error, "msg", None) or str(error)
            return type(error).__name__, getattr(error, "code", None), re.sub(r":\d+ ", ": ", text)

    def typed(self, value: Any) -> Any:
        """A value with the types of everything in it; digests and sets are those of this client."""
        if isinstance(value, (tuple, list)):
            if isinstance(value, tuple) and len(value) == 4 and isinstance(value[3], bytearray):
                return "key", value[0], self.typed(value[2]), type(value[3]).__name__, len(value[3])
            return type(value).__name__, [self.typed(each) for each in value]
        if isinstance(value, dict):
            return "dict", [(self.typed(name), self.typed(value[name])) for name in value]
        if type(value).__module__ in (*REAL, *OURS, "spikewire.compat.aerospike.values"):
            return type(value).__name__.replace("Geospatial", "GeoJSON"), repr(value)
        return type(value).__name__, value
