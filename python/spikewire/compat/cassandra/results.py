"""The rows of a statement."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.factories import (
    dict_factory,
    named_tuple_factory,
    tuple_factory,
)
from spikewire.compat.cassandra.query import BatchStatement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.compat.cassandra.future import ResponseFuture
    from spikewire.compat.cassandra.query import QueryTrace

__all__ = ["ResultSet"]


class ResultSet:
    """Iterates over rows once, page by page. ``[]`` and ``==`` load all of them into memory."""

    def __init__(self, response_future: ResponseFuture, initial_response: Any) -> None:
        self.response_future = response_future
        self.column_names = response_future.column_names
        self.column_types = response_future.column_types
        self._current_rows: Any
        self._set_current_rows(initial_response)
        self._page_iter: Iterator[Any] | None = None
        self._list_mode = False

    def _set_current_rows(self, rows: Any) -> None:
        self._current_rows = _rows_of(rows)

    @property
    def has_more_pages(self) -> bool:
        """Whether there are pages after the current one."""
        return self.response_future.has_more_pages

    @property
    def current_rows(self) -> Any:
        """The rows of the current page."""
        return [] if _is_empty(self._current_rows) else self._current_rows

    @property
    def paging_state(self) -> bytes | None:
        """Where the next page begins; ``None`` on the last one."""
        return self.response_future._paging_state

    def all(self) -> list[Any]:
        """The remaining rows."""
        return list(self)

    def one(self) -> Any:
        """The first row of the current page, or ``None``."""
        for row in self._current_rows:
            return row
        return None

    def __iter__(self) -> Iterator[Any]:
        if self._list_mode:
            return iter(self._current_rows)
        self._page_iter = iter(self._current_rows)
        return self

    def __next__(self) -> Any:
        if self._page_iter is None:
            self._page_iter = iter(self._current_rows)
        while True:
            for row in self._page_iter:
                return row
            if not self.has_more_pages:
                if not self._list_mode:
                    self._current_rows = []
                raise StopIteration
            self.fetch_next_page()
            self._page_iter = iter(self._current_rows)

    next = __next__

    def fetch_next_page(self) -> None:
        """Fetches the next page, which becomes the current one."""
        if self.response_future.has_more_pages:
            self.response_future.start_fetching_next_page()
            self._current_rows = self.response_future.result()._current_rows
        else:
            self._current_rows = []

    def _materialize(self, what: str) -> None:
        if self._list_mode:
            return
        if self._page_iter is not None:
            message = f"Cannot use {what} when results have been iterated."
            raise RuntimeError(message)
        self._current_rows = list(self)
        self._page_iter = None
        self._list_mode = True

    def __eq__(self, other: object) -> bool:
        self._materialize("equality operator")
        return bool(self._current_rows == other)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, i: Any) -> Any:
        if i == 0:
            cluster: Any = sys.modules["spikewire.compat.cassandra.cluster"]
            cluster.warn(
                "ResultSet indexing support will be removed in 4.0; ResultSet.one() gives a single "
                "row without bringing all into memory",
                DeprecationWarning,
                stacklevel=2,
            )
        self._materialize("index operator")
        return self._current_rows[i]

    def __bool__(self) -> bool:
        return not _is_empty(self._current_rows)

    @property
    def was_applied(self) -> bool:
        """Whether a conditional statement was applied."""
        future = self.response_future
        if future.row_factory not in (named_tuple_factory, dict_factory, tuple_factory):
            message = f"Cannot determine LWT result with row factory {future.row_factory}"
            raise RuntimeError(message)
        if isinstance(future.query, BatchStatement):
            if not self.column_names or self.column_names[0] != "[applied]":
                message = "No LWT were present in the BatchStatement"
                raise RuntimeError(message)
        elif len(self.current_rows) != 1:
            count = len(self.current_rows)
            message = f"LWT result should have exactly one row. This has {count}."
            raise RuntimeError(message)
        row: Any = self.current_rows[0]
        applied: Any = row[0 if isinstance(row, tuple) else "[applied]"]
        return bool(applied)

    def get_query_trace(self, max_wait_sec: float | None = None) -> QueryTrace | None:
        """The trace of the last page."""
        return self.response_future.get_query_trace(max_wait_sec)

    def get_all_query_traces(self, max_wait_sec_per: float | None = None) -> list[QueryTrace]:
        """The traces of all pages so far."""
        return self.response_future.get_all_query_traces(max_wait_sec_per)


def _rows_of(value: Any) -> Any:
    """The rows that a row factory returned: anything to iterate over. A mapping, or an object that
    cannot be iterated over, is one row."""
    if not isinstance(value, Mapping) and _is_iterable(value):
        return value
    return [] if value is None or _is_empty(value) else [value]


def _is_iterable(value: Any) -> bool:
    # Also what has only __getitem__.
    try:
        iter(value)
    except TypeError:
        return False
    return True


def _is_empty(rows: Any) -> bool:
    """Whether there are no rows. Frames and arrays have a length, but no truth value."""
    if isinstance(rows, (list, tuple)):
        return not rows
    try:
        return len(rows) == 0
    except TypeError:
        return not rows
