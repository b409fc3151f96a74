"""Cassandra: sessions, statements and rows, on the engine that the rest of the package has.

A session is opened with contact points and closed at the end; its verbs are the same on threads
and on asyncio::

    with cql.Session("127.0.0.1:9042", keyspace="shop") as session:
        insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?)")
        session.execute(insert, (1, "pear"))
        session.execute("SELECT name FROM items WHERE id = %s", (1,)).one().name
"""

from spikewire._native import cql as _native
from spikewire.cql import errors
from spikewire.cql.session import AsyncSession, Session, connect
from spikewire.cql.types import Date, Duration, Time, Timestamp

Prepared = _native.Prepared
Row = _native.Row
Rows = _native.Rows
EMPTY = _native.Mark.EMPTY
UNSET = _native.Mark.UNSET

__all__ = [
    "EMPTY",
    "UNSET",
    "AsyncSession",
    "Date",
    "Duration",
    "Prepared",
    "Row",
    "Rows",
    "Session",
    "Time",
    "Timestamp",
    "connect",
    "errors",
]
