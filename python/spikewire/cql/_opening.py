"""Opening Cassandra sessions from URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from spikewire.cql import _native
from spikewire.cql.options import SessionOptions
from spikewire.opening import Opening, read
from spikewire.opening.url import Scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CASSANDRA", "session_opening"]

#: The scheme of ``from_url`` for sessions.
CASSANDRA = Scheme(
    name="cassandra",
    prefix="SPIKEWIRE_CQL_",
    path="keyspace",
    port=9042,
    options=SessionOptions.__annotations__,
    probe=_native.SessionCore,
    instead=frozenset({"secure_connect_bundle"}),
)


def session_opening(url: str | None, options: Mapping[str, Any]) -> tuple[Opening, SessionOptions]:
    """The seeds and the options of a session."""
    opening = read(url, scheme=CASSANDRA, **options)
    return opening, cast("SessionOptions", opening.options)
