"""Cassandra sessions of every API behind one way to call them."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any

from apis import Api
from spikewire import cql

if TYPE_CHECKING:
    from collections.abc import Callable

SUBMITTED = frozenset({"execute", "page", "prepare"})


class Sessions:
    """Opens sessions of one API and runs their calls in this thread."""

    def __init__(self, name: str) -> None:
        self.api = Api(name)
        self.opened: list[Opened] = []

    def open(self, points: Any, **options: Any) -> Opened:
        opened = Opened(self.api, points, options)
        self.opened.append(opened)
        return opened

    def end(self) -> None:
        for opened in self.opened:
            opened.close()
        self.api.end()


class Opened:
    """An open session, whose verbs return their results."""

    def __init__(self, api: Api, points: Any, options: dict[str, Any]) -> None:
        self.api = api
        # The machine may have other work.
        options = {"connect_timeout": 20, "timeout": 60, **options}
        if api.is_blocking:
            self.raw: Any = cql.Session(points, **options)
        else:
            self.raw = api.settle(lambda: cql.AsyncSession.connect(points, **options))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raw, settle = self.raw, self.api.settle

        def call(*args: Any, **options: Any) -> Any:
            if self.api.name == "submit" and name in SUBMITTED:
                return getattr(raw.submit, name)(*args, **options).result(100)
            return settle(lambda: getattr(raw, name)(*args, **options))

        return call

    def query(self, *args: Any, **options: Any) -> Any:
        """A query, which ``some`` and ``pages`` read."""
        return self.raw.query(*args, **options)

    def some(self, query: Any, count: int = sys.maxsize) -> list[Any]:
        """The next rows of a query."""
        return self.api.some(query, count)

    def pages(self, query: Any, count: int = sys.maxsize) -> list[Any]:
        """The next pages of a query."""
        if self.api.is_blocking:
            return list(itertools.islice(query.pages(), count))
        return self.api.some(query.pages(), count)

    def end_query(self, query: Any) -> None:
        self.api.settle(query.close)

    def close(self) -> None:
        self.api.settle(self.raw.close)
