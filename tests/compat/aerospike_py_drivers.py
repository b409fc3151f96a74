"""aerospike-py and the drop-in under comparison: the observable behaviour of each."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REAL = "aerospike_py"
OURS = "spikewire.compat.aerospike_py"
#: Timeouts for a busy machine; aerospike-py has no client-wide policies.
PATIENT = {"total_timeout": 30_000}
_DIGEST = 20


class Driver:
    """One of the two, with a set of its own for each program."""

    def __init__(self, package: str, address: str, name: str) -> None:
        self.module: Any = importlib.import_module(package)
        self.package = package
        self.name = name
        host, port = address.rsplit(":", 1)
        self.config: dict[str, Any] = {"hosts": [(host, int(port))]}
        self.client = self.module.client(self.config).connect()
        self.set = name

    def close(self) -> None:
        self.client.close()

    def part(self, name: str) -> Any:
        """A module of the package."""
        return importlib.import_module(f"{self.package}.{name}")

    def key(self, key: Any) -> tuple[str, str, Any]:
        """A key of this client's own records."""
        return "test", self.set, key

    def put(self, key: Any, bins: Any, meta: Any = None, /, **policy: Any) -> Any:
        return self.client.put(self.key(key), bins, meta, PATIENT | policy)

    def get(self, key: Any, /, **policy: Any) -> Any:
        return self.client.get(self.key(key), PATIENT | policy)

    def operate(self, key: Any, /, *operations: Any, meta: Any = None, **policy: Any) -> Any:
        return self.client.operate(self.key(key), list(operations), meta, PATIENT | policy)

    def fails(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The class, its bases and the code of an exception; or the result."""
        try:
            return "returned", self.typed(call(*args, **kwargs))
        except Exception as error:
            names = [kind.__name__ for kind in type(error).__mro__]
            return names, getattr(error, "result_code", None)

    def typed(self, value: Any) -> Any:
        """A value with the types of everything in it; digests and sets are those of this client."""
        kind = type(value).__name__
        if value == self.set and isinstance(value, str):
            return "set"
        if isinstance(value, bytes) and len(value) == _DIGEST:
            return "digest"
        if kind == "RecordMetadata":  # seconds may have passed
            return kind, value.gen, round(value.ttl / 50)
        if isinstance(value, (tuple, list)):
            return kind, [self.typed(each) for each in value]
        if isinstance(value, dict):
            return kind, {name: self.typed(each) for name, each in value.items()}
        return kind, value

    def rows(self, result: Any) -> Any:
        """The rows of a batch write; the original has no keys in their records."""
        return [
            (
                self.typed(row.key),
                row.result,
                row.in_doubt,
                None if row.record is None else self.typed((row.record[1], row.record[2])),
            )
            for row in result.batch_records
        ]

    def run(self, program: Callable[[Any], Any]) -> Any:
        """Runs an asynchronous program with a client of its own."""

        async def running() -> Any:
            client = await self.module.AsyncClient(self.config).connect()
            try:
                result = program(client)
                return await result if inspect.isawaitable(result) else result
            finally:
                await client.close()

        return asyncio.run(running())
