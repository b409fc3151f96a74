"""Opening Cassandra sessions from URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from spikewire.cql import _native
from spikewire.opening import Opening, read
from spikewire.opening.scheme import Scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spikewire.cql.options import SessionOptions

__all__ = ["CASSANDRA", "session_opening"]

#: The scheme of ``from_url`` for sessions.
CASSANDRA = Scheme(
    name="cassandra",
    prefix="SPIKEWIRE_CQL_",
    kind="session",
    port=9042,
    probe=_native.SessionCore,
)


def session_opening(url: str | None, options: Mapping[str, Any]) -> tuple[Opening, SessionOptions]:
    """The seeds and the options of a session."""
    opening = read(url, scheme=CASSANDRA, **options)
    return opening, cast("SessionOptions", opening.options)
