"""Converts batches to the engine's, and the results of their rows."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from functools import partial
from typing import Any

import spikewire
from spikewire._native import NamedWrites
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import NAMELESS
from spikewire.compat.aerospike_py.operations import PreparedOperations, merge_results, prepare
from spikewire.compat.aerospike_py.policies import batch_options, row_options
from spikewire.compat.aerospike_py.read_results import LazyBatchRecords
from spikewire.compat.aerospike_py.requests import Request, by_bin
from spikewire.compat.aerospike_py.types import BatchRecord, BatchRetryInfo, BatchWriteResult
from spikewire.compat.aerospike_py.values import incoming, sent_key, sent_keys
from spikewire.compat.aerospike_py.values import named_records as _named
from spikewire.compat.aerospike_py.write_results import LazyWriteResult

__all__ = ["batch_apply", "batch_operate", "batch_read", "batch_remove", "batch_write"]

_NO_RETRIES = BatchRetryInfo()


def _list_of(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        message = f"{what} must be a list, not {type(value).__name__}"
        raise TypeError(message)
    return list(value)  # The caller may change it while the call is in progress.


def batch_read(keys: Any, bins: Any, policy: Any) -> Request:
    """Reads records: all bins, some, or none if ``bins`` is empty."""
    rows = _list_of(keys, "keys")
    options = {} if policy is None else batch_options(policy) | row_options("read", policy)

    def finish(batch: Any) -> LazyBatchRecords:
        return LazyBatchRecords(rows, batch)

    if bins is None:
        return Request("get_many", (sent_keys(rows),), options, finish)
    if not _list_of(bins, "bins"):
        return Request("exists_many", (sent_keys(rows),), options, finish)
    return Request("get_many", (sent_keys(rows), bins), options, finish)


def _result(rows: list[BatchRecord]) -> BatchWriteResult:
    return BatchWriteResult(rows, _NO_RETRIES)


def batch_operate(keys: Any, ops: Any, policy: Any) -> Request:
    """Runs several operations on each record."""
    plan, rows = prepare(_list_of(ops, "ops")), _list_of(keys, "keys")
    options = batch_options(policy)
    if plan.writes:
        options |= row_options("batch_write", policy)
    else:
        options |= row_options("read", policy)
    arguments = sent_keys(rows), plan.operations
    return Request("operate_many", arguments, options, _operated(rows, plan))


def _operated(keys: list[Any], plan: PreparedOperations) -> Any:
    if not plan.whole and not any(plan.pairs):
        return lambda batch: _result(_named.operated(keys, batch, plan.bins, plan.writes))

    def bins_of(record: Any) -> dict[str, Any]:
        return by_bin(merge_results(plan, record, silent=plan.writes))

    return lambda batch: _result(_named.outcomes(keys, batch, bins_of))


def _with_meta(rows: list[Any]) -> tuple[list[Any], list[Any]]:
    """Keys, and the rows' own metadata if rows are pairs of both."""
    keys: list[Any] = []
    metas: list[Any] = []
    for each in rows:
        if (
            isinstance(each, tuple)
            and len(each) == 2
            and isinstance(each[0], tuple)
            and isinstance(each[1], dict)
        ):
            keys.append(each[0])
            metas.append(each[1])
        else:
            keys.append(each)
            metas.append(None)
    return keys, metas


def batch_remove(keys: Any, policy: Any) -> Request:
    """Deletes records; rows are keys, or pairs of a key and metadata."""
    row_keys, metas = _with_meta(_list_of(keys, "keys"))
    call, shared = batch_options(policy), row_options("batch_remove", policy)

    def finish(batch: Any) -> BatchWriteResult:
        return _result(_named.outcomes(row_keys, batch))

    if not any(metas):
        return Request("delete_many", (sent_keys(row_keys),), call | shared, finish)
    rows = [
        spikewire.Delete(
            sent_key(key), **(shared if meta is None else row_options("batch_remove", policy, meta))
        )
        for key, meta in zip(row_keys, metas, strict=True)
    ]
    return Request("batch", (rows,), call, finish)


def batch_apply(keys: Any, module: Any, function: Any, args: Any, policy: Any) -> Request:
    """Calls a function on each record; rows are keys, or pairs of a key and metadata."""
    row_keys, metas = _with_meta(_list_of(keys, "keys"))
    shared = _list_of([] if args is None else args, "args")
    call, own = batch_options(policy), row_options("batch_apply", policy)

    def bins_of(record: Any) -> dict[str, Any]:
        results = record.results
        return {"SUCCESS": incoming(results[0]) if results else None}

    def finish(batch: Any) -> BatchWriteResult:
        return _result(_named.outcomes(row_keys, batch, bins_of))

    if not any(metas):
        arguments = sent_keys(row_keys), module, function, shared
        return Request("apply_many", arguments, call | own, finish)
    rows = []
    for key, meta in zip(row_keys, metas, strict=True):
        if meta is None:
            rows.append(spikewire.Apply(sent_key(key), module, function, shared, **own))
            continue
        own_arguments = _list_of(meta.get("args", shared), "args")
        rows.append(
            spikewire.Apply(
                sent_key(key),
                meta.get("module", module),
                meta.get("function", function),
                own_arguments,
                **row_options("batch_apply", policy, meta),
            )
        )
    return Request("batch", (rows,), call, finish)


def batch_write(records: Any, policy: Any) -> Request:
    """Writes records; rows are keys and bins, and optionally metadata."""
    call, shared = batch_options(policy), row_options("batch_write", policy)
    records = _list_of(records, "records")
    if (writes := NamedWrites.plain(records)) is not None:
        for row in records:
            if "" in row[1]:
                raise ValueError(NAMELESS)
        return Request("put_many", (records,), call | shared, _written(writes))
    rows: list[tuple[Any, dict[str, Any]]] = []
    own: list[dict[str, Any]] = []
    plain = True
    for row in records:
        key, values, meta = _row(row)
        rows.append((sent_key(key), values))
        own.append(shared if meta is None else row_options("batch_write", policy, meta))
        plain = plain and meta is None
    if plain:
        return Request("put_many", (rows,), call | shared, _written(NamedWrites(records)))
    requests = [spikewire.Write(*row, **options) for row, options in zip(rows, own, strict=True)]
    return Request("batch", (requests,), call, _written(NamedWrites(records)))


def _written(writes: NamedWrites) -> Any:
    """The result of a batch that writes these rows, as they were when the call began."""
    return lambda batch: LazyWriteResult.of(partial(_named.written, writes, batch), _NO_RETRIES)


def _row(row: Any) -> tuple[Any, dict[str, Any], Any]:
    if not isinstance(row, tuple):
        message = f"a row must be a tuple of key and bins, not {type(row).__name__}"
        raise TypeError(message)
    if len(row) not in (2, 3):
        if row and not isinstance(row[0], tuple):
            sent_key(row[0])
        message = f"a row must have a key, bins and optionally metadata, not {len(row)} items"
        raise ValueError(message)
    key, values = row[0], row[1]
    meta = row[2] if len(row) == 3 else None
    if not isinstance(values, dict):
        message = f"bins must be a dict, not {type(values).__name__}"
        raise TypeError(message)
    if meta is not None and not isinstance(meta, dict):
        message = f"meta must be a dict, not {type(meta).__name__}"
        raise TypeError(message)
    if not values:
        raise ClientError("a row of batch_write has no bins")
    if "" in values:
        raise ValueError(NAMELESS)
    return key, values, meta
