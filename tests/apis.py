"""The blocking, futures and asyncio APIs behind one way to call them."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import sys
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire import _native

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

APIS = ("blocking", "submit", "asyncio", "uvloop")
SUBMITTED = frozenset(name for name in vars(_native.DatasetSubmit) if not name.startswith("_"))


class Caller:
    """A client or dataset whose verbs return their results, on every API."""

    def __init__(self, target: Any, api: Api) -> None:
        self.target = target
        self._settle = api.settle
        self._submits = api.name == "submit"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        target, settle = self.target, self._settle
        submits = self._submits and name in SUBMITTED

        def call(*args: Any, **options: Any) -> Any:
            if submits:
                return getattr(target.submit, name)(*args, **options).result()
            return settle(lambda: getattr(target, name)(*args, **options))

        return call


class Api:
    """Opens clients of one API and runs their calls in this thread."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.loop: asyncio.AbstractEventLoop | None = None
        if name == "asyncio":
            self.loop = asyncio.new_event_loop()
        elif name == "uvloop":
            self.loop = importlib.import_module("uvloop").new_event_loop()

    @property
    def is_blocking(self) -> bool:
        return self.loop is None

    def settle(self, start: Callable[[], Any]) -> Any:
        """The result of ``start``, awaited on the API's loop if necessary."""
        if self.loop is None:
            return start()

        async def run() -> Any:
            result: Awaitable[Any] = start()
            return await result

        return self.loop.run_until_complete(run())

    def rows(self, query: Any) -> list[Any]:
        """Every record of a query."""
        return self.some(query, sys.maxsize)

    def some(self, query: Any, count: int, *, exactly: bool = False) -> list[Any]:
        """The next records of a query, ``count`` or all that are left."""
        if self.loop is None:
            records = list(itertools.islice(query, count))
        else:
            records = self.loop.run_until_complete(_some(query, count))
        assert len(records) == count or not exactly, "there are no more"
        return records

    def rows_of_all(self, queries: list[Any]) -> list[list[Any]]:
        """Every record of each query, read by tasks of the loop."""

        async def run() -> list[list[Any]]:
            return await asyncio.gather(*(_some(query, sys.maxsize) for query in queries))

        assert self.loop is not None
        return self.loop.run_until_complete(run())

    def breathe(self) -> None:
        """Runs pending callbacks of the loop, as a running one does by itself."""
        if self.loop is not None:
            self.loop.run_until_complete(asyncio.sleep(0.01))

    def page(self, query: Any) -> Any:
        """The next page of a query."""
        return self.settle(query.page)

    def open(self, seeds: Any, **options: Any) -> Opened:
        return Opened(self, seeds, options)

    def end(self) -> None:
        if self.loop is not None:
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()


async def _some(query: Any, count: int) -> list[Any]:
    records: list[Any] = []
    if count == 0:
        return records
    async for record in query:
        records.append(record)
        if len(records) == count:
            break
    return records


class Opened:
    """A connected client of one API."""

    def __init__(self, api: Api, seeds: Any, options: dict[str, Any]) -> None:
        self.api = api
        # The default of a second is short for a machine with other work.
        options = {"connect_timeout": 20, **options}
        if api.is_blocking:
            self.raw: Any = spikewire.Client(seeds, **options)
        else:
            self.raw = api.settle(lambda: spikewire.AsyncClient.connect(seeds, **options))

    @property
    def verbs(self) -> Caller:
        """The client's own verbs, which take whole keys."""
        return Caller(self.raw, self.api)

    def dataset(self, namespace: str = "test", set_name: str | None = None) -> Caller:
        return Caller(self.raw.dataset(namespace, set_name), self.api)

    def close(self) -> None:
        self.api.settle(self.raw.close)

    def __enter__(self) -> Opened:  # noqa: PYI034
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
