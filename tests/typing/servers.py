"""What type checkers see of what servers gained: paths, transactions, schemas, features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from typing_extensions import assert_type

from spikewire import AsyncClient, AsyncDataset, Client, Dataset, ctx
from spikewire.cql import Schema
from spikewire.errors import Error
from spikewire.transactions import AsyncTransaction, EndStatus, Transaction

if TYPE_CHECKING:
    from spikewire import Apply, Builder, Delete, Key, Write, cql
    from spikewire.error_details import ErrorDetails, ErrorTrace
    from spikewire.errors import CommitFailed
    from spikewire.types import CommitLevel

State = Literal["open", "verified", "committed", "aborted", "in_doubt"]


def steps() -> None:
    assert_type(ctx.all_children(), ctx.Step)
    assert_type(ctx.and_where("@ > 1"), ctx.Step)
    assert_type(ctx.map_keys_in(["a", "b"]), ctx.Step)


def transactions(client: Client, users: Dataset) -> None:
    with client.transaction(timeout=5) as txn:
        assert_type(txn, Transaction)
        assert_type(txn.dataset("test", "users"), Dataset)
        assert_type(users.within(txn), Dataset)
        assert_type(client.within(txn).get(users.key(1)).generation, int)
    assert_type(client.run_in_transaction(lambda txn: txn.id), int)
    assert_type(txn.commit(), EndStatus)
    assert_type(txn.abort(), EndStatus)
    assert_type(txn.state, State)
    assert_type(txn.timeout, int)
    assert_type(txn.namespace, str | None)


async def awaited(client: AsyncClient, users: AsyncDataset) -> None:
    async def transfer(txn: AsyncTransaction) -> int:
        return txn.id

    async with client.transaction() as txn:
        assert_type(txn, AsyncTransaction)
        assert_type(txn.dataset("test", "users"), AsyncDataset)
        assert_type(users.within(txn), AsyncDataset)
        assert_type(client.within(txn).dataset("test", "users"), AsyncDataset)
    assert_type(await client.run_in_transaction(transfer), int)
    assert_type(await txn.commit(), EndStatus)
    assert_type(await txn.abort(), EndStatus)
    assert_type(txn.state, State)
    assert_type(txn.timeout, int)
    assert_type(txn.namespace, str | None)


def details(error: Error, session: Builder, key: Key) -> None:
    assert_type(error.subcode, int | None)
    assert_type(error.subcode_name, str | None)
    assert_type(error.details, ErrorDetails | None)
    if error.details is not None:
        assert_type(error.details.subcode, int | None)
        assert_type(error.details.subcode_name, str | None)
        assert_type(error.details.message, str | None)
        assert_type(error.details.trace, ErrorTrace | None)
    session.query(key).error_details("trace")


def trace(of: ErrorTrace) -> None:
    assert_type(of.phase, Literal["build", "evaluation"] | None)
    assert_type(of.offset, int | None)
    assert_type(of.op, str | None)
    assert_type(of.depth, int | None)
    assert_type(of.path, tuple[str, ...])
    assert_type(of.snippet, str | None)
    assert_type(of.outcome, Literal["fault", "false", "absent"] | None)
    assert_type(of.language, Literal["msgpack", "ael"])
    assert_type(of.text_offset, int | None)
    assert_type(of.text_length, int | None)
    assert_type(of.line, int | None)
    assert_type(of.column, int | None)
    assert_type(of.operands, tuple[str, ...])


def failures(error: CommitFailed) -> None:
    assert_type(error.part, str)
    assert_type(error.records, tuple[Error, ...])


def nodes(client: Client) -> None:
    for node in client.nodes():
        assert_type(node.build, str)
        assert_type(node.features, tuple[str, ...])


def builder_steps(session: Builder, key: Key) -> None:
    session.upsert(key).compress(compress=True).commit_level("master").on_locking_only(only=True)


def rows(write: Write, delete: Delete, apply: Apply) -> None:
    assert_type(write.commit_level, CommitLevel | None)
    assert_type(delete.commit_level, CommitLevel | None)
    assert_type(apply.commit_level, CommitLevel | None)
    assert_type(write.on_locking_only, bool | None)
    assert_type(delete.on_locking_only, bool | None)
    assert_type(apply.on_locking_only, bool | None)


def schema(session: cql.Session) -> None:
    assert_type(session.schema(), Schema)
    table = session.schema().table("shop", "users")
    assert_type(table.partition_key, list[str])
    assert_type(table.clustering, list[str])


async def schema_later(session: cql.AsyncSession) -> None:
    assert_type(await session.schema(), Schema)
