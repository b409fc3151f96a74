"""The chained builder: a fluent API over the verbs of a client.

    session = client.session()
    session.query(users.key("alice")).bins("age").first()
    session.upsert(users.keys(ids)).set("seen", True).add("visits", 1).ttl(3600).execute()
    session.query(users).where("$.age > ?", 25).limit(100).to_list()

A chain is sent by its last step; until then, nothing leaves the program.
"""

from __future__ import annotations

from spikewire.aerospike.builder.asynchronous import (
    AsyncBuilder,
    AsyncDeleteMany,
    AsyncDeleteOne,
    AsyncExistsMany,
    AsyncExistsOne,
    AsyncReadMany,
    AsyncReadOne,
    AsyncScan,
    AsyncTouchMany,
    AsyncTouchOne,
    AsyncWriteMany,
    AsyncWriteOne,
)
from spikewire.aerospike.builder.blocking import (
    Builder,
    DeleteMany,
    DeleteOne,
    ExistsMany,
    ExistsOne,
    ReadMany,
    ReadOne,
    Scan,
    TouchMany,
    TouchOne,
    WriteMany,
    WriteOne,
)
from spikewire.aerospike.builder.results import Missing, OnError, Result, Results

__all__ = [
    "AsyncBuilder",
    "AsyncDeleteMany",
    "AsyncDeleteOne",
    "AsyncExistsMany",
    "AsyncExistsOne",
    "AsyncReadMany",
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
    "ReadMany",
    "ReadOne",
    "Result",
    "Results",
    "Scan",
    "TouchMany",
    "TouchOne",
    "WriteMany",
    "WriteOne",
]
