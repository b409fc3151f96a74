"""The chained builder: a fluent API over the verbs of a client.

    session = client.session()
    session.query(users.key("alice")).bins("age").first()
    session.upsert(users.keys(ids)).set("seen", True).add("visits", 1).ttl(3600).execute()
    session.query(users).where("$.age > ?", 25).limit(100).to_list()

| module | contents |
|---|---|
| ``start`` | where chains begin |
| ``step`` | keys, options and the chain to which every step belongs |
| ``rows`` | steps on keys: executed at once, or streamed |
| ``streams`` | windows of keys in flight, for streams of steps and ``get_stream`` |
| ``read``, ``write``, ``plain`` | the verbs |
| ``scan`` | scans and index queries |
| ``results`` | results of rows, and error handling |
| ``blocking``, ``asynchronous`` | the classes for users, with the types their methods return |
"""

from __future__ import annotations

from spikewire.builder.asynchronous import (
    AsyncBuilder,
    AsyncDeleteMany,
    AsyncDeleteOne,
    AsyncExistsMany,
    AsyncExistsOne,
    AsyncRead,
    AsyncReadOne,
    AsyncScan,
    AsyncTouchMany,
    AsyncTouchOne,
    AsyncWriteMany,
    AsyncWriteOne,
)
from spikewire.builder.blocking import (
    Builder,
    DeleteMany,
    DeleteOne,
    ExistsMany,
    ExistsOne,
    Read,
    ReadOne,
    Scan,
    TouchMany,
    TouchOne,
    WriteMany,
    WriteOne,
)
from spikewire.builder.results import Missing, OnError, Result, Results

__all__ = [
    "AsyncBuilder",
    "AsyncDeleteMany",
    "AsyncDeleteOne",
    "AsyncExistsMany",
    "AsyncExistsOne",
    "AsyncRead",
    "AsyncReadOne",
    "AsyncScan",
    "AsyncTouchMany",
    "AsyncTouchOne",
    "AsyncWriteMany",
    "AsyncWriteOne",
    "Builder",
    "DeleteMany",
    "DeleteOne",
    "ExistsMany",
    "ExistsOne",
    "Missing",
    "OnError",
    "Read",
    "ReadOne",
    "Result",
    "Results",
    "Scan",
    "TouchMany",
    "TouchOne",
    "WriteMany",
    "WriteOne",
]
