"""Cassandra: sessions, statements and rows, on the same engine as the rest of the package.

A session is opened with contact points and closed at the end; its verbs are the same for threads
and for asyncio:

    with cql.Session("127.0.0.1:9042", keyspace="shop") as session:
        insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?)")
        session.execute(insert, (1, "pear"))
        session.execute("SELECT name FROM items WHERE id = %s", (1,)).one().name
"""

from spikewire._native import Late
from spikewire.cql import errors, options, types
from spikewire.cql._native import Batch, BoundStatement, Mark, Prepared, Row, Rows, SessionSubmit
from spikewire.cql.query import AsyncQuery, Query
from spikewire.cql.schema import (
    ColumnSchema,
    Index,
    Keyspace,
    Schema,
    Table,
    TableOption,
    UserAggregate,
    UserFunction,
    View,
)
from spikewire.cql.session import AsyncSession, Session, connect
from spikewire.cql.trace import Trace, TraceEvent
from spikewire.cql.types import (
    Date,
    Duration,
    Node,
    Parameters,
    Statement,
    Time,
    Timestamp,
    Value,
)

#: A value of zero bytes, which Cassandra allows besides null for numbers, UUIDs and others.
EMPTY = Mark.EMPTY
#: As a parameter: leaves the column unchanged.
UNSET = Mark.UNSET

__all__ = [
    "EMPTY",
    "UNSET",
    "AsyncQuery",
    "AsyncSession",
    "Batch",
    "BoundStatement",
    "ColumnSchema",
    "Date",
    "Duration",
    "Index",
    "Keyspace",
    "Late",
    "Node",
    "Parameters",
    "Prepared",
    "Query",
    "Row",
    "Rows",
    "Schema",
    "Session",
    "SessionSubmit",
    "Statement",
    "Table",
    "TableOption",
    "Time",
    "Timestamp",
    "Trace",
    "TraceEvent",
    "UserAggregate",
    "UserFunction",
    "Value",
    "View",
    "connect",
    "errors",
    "options",
    "types",
]
