"""Reads come after the writes before them.

Servers may run the requests of one connection at the same time. A read that follows an
``execute_async`` at once would often miss what that writes: other drivers take so long between two
requests that programs rely on the order. So a read of a partition is sent when the session's
earlier writes to it have been answered. Writes do not wait for each other: their timestamps keep
their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from spikewire.compat.cassandra.future import Page
    from spikewire.compat.cassandra.query import PreparedStatement

    #: The prepared statements that a request executes, with parameters in the engine's form.
    About = tuple[tuple[PreparedStatement, tuple[Any, ...]], ...]

__all__ = ["Hold", "Writes"]

#: Writes are found by the hash of their partition, in one of so many places. Places are never
#: removed, so that no lock is needed.
_PLACES = 256
_BUFFERS = (bytearray, memoryview)


class Writes:
    """The writes of a session that nobody has waited for, as far as they are unanswered."""

    __slots__ = ("_places", "unanswered")

    def __init__(self) -> None:
        #: All of them, with their partitions.
        self.unanswered: dict[Page, tuple[Hashable, ...]] = {}
        self._places: tuple[dict[Page, tuple[Hashable, ...]], ...]
        self._places = tuple({} for _ in range(_PLACES))

    def add(self, page: Page, about: About) -> None:
        """A write is about to be sent, or several as a batch."""
        page.held = []
        written = [_partition(statement, values) for statement, values in about]
        partitions = tuple([one for _, one in written if one is not None])
        if partitions:
            places = {at: self._places[at] for at, one in written if one is not None}
            page.places = [self.unanswered, *places.values()]
            for place in page.places:
                place[page] = partitions

    def before(self, about: About) -> list[Page] | None:
        """The unanswered writes that a request has to come after."""
        statement, values = about[0]
        if not statement.reads:
            return None
        at, partition = _partition(statement, values)
        place = self._places[at]
        if not place or partition is None:
            return None
        return [page for page, theirs in place.copy().items() if partition in theirs]


def _partition(statement: PreparedStatement, values: tuple[Any, ...]) -> tuple[int, Hashable]:
    """The place and identity of a partition: its table and key. A collection has no hash: then it
    is the table alone. ``None`` if the parameters do not tell."""
    table = statement.routed_table
    if table is None:
        return 0, None
    key = [values[at] for at in statement.routing_key_indexes or ()]
    one = (table, *key)
    try:
        return hash(one) % _PLACES, one
    except (TypeError, ValueError):
        key = [bytes(part) if isinstance(part, _BUFFERS) else part for part in key]
    one = (table, *key)
    try:
        return hash(one) % _PLACES, one
    except TypeError:
        return hash(table) % _PLACES, table


class Hold:
    """A request that is held until several writes are answered."""

    def __init__(self, writes: list[Page], go_on: Callable[[], None]) -> None:
        self._left: dict[Page, None] = dict.fromkeys(writes)
        self._go_on = go_on
        self._claims: dict[str, object] = {}
        for page in writes:
            page.held.append(self)
            if page.arrived.is_set():
                self.answered(page)

    def answered(self, page: Page) -> None:
        """A write was answered. Called once or more for each."""
        self._left.pop(page, None)
        own = object()
        if not self._left and self._claims.setdefault("goes on", own) is own:
            self._go_on()
