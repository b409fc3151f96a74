"""What batches are on the engine, and what became of their rows."""

# Programs pass anything: what it is is looked at here.
# pyright: basic

from __future__ import annotations

from operator import itemgetter
from typing import Any

import spikewire
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import code_of
from spikewire.compat.aerospike_py.lazy import LazyBatchRecords
from spikewire.compat.aerospike_py.operations import Prepared, merged, prepared
from spikewire.compat.aerospike_py.policies import batch_options, row_options
from spikewire.compat.aerospike_py.requests import Request, by_bin
from spikewire.compat.aerospike_py.types import (
    AerospikeKey,
    BatchRecord,
    BatchRetryInfo,
    BatchWriteResult,
    Record,
    RecordMetadata,
)
from spikewire.compat.aerospike_py.values import (
    incoming,
    meta_of,
    named,
    sent_key,
    sent_keys,
)

__all__ = ["batch_apply", "batch_operate", "batch_read", "batch_remove", "batch_write"]

_FIRST, _SECOND, _THIRD = itemgetter(0), itemgetter(1), itemgetter(2)
_NO_RETRIES = BatchRetryInfo()
_FOREVER = 0xFFFFFFFF
_new = tuple.__new__  # What the named tuples' own `__new__` calls.


def _listed(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        message = f"{what} must be a list, not {type(given).__name__}"
        raise TypeError(message)
    return given


def batch_read(keys: Any, bins: Any, policy: Any) -> Request:
    """Reads records: all bins, some, or none where ``bins`` is empty."""
    wanted = _listed(keys, "keys")
    options = {} if policy is None else batch_options(policy) | row_options("read", policy)

    def finish(batch: Any) -> LazyBatchRecords:
        return LazyBatchRecords(wanted, batch)

    if bins is None:
        return Request("get_many", (sent_keys(wanted),), options, finish)
    if not _listed(bins, "bins"):
        return Request("exists_many", (sent_keys(wanted),), options, finish)
    return Request("get_many", (sent_keys(wanted), bins), options, finish)


def _result(keys: list[Any], batch: Any, bins_of: Any) -> BatchWriteResult:
    """What became of each row; ``bins_of`` gives the bins of a record that there is."""
    codes, errors = batch.codes, batch.errors
    if not errors:
        return BatchWriteResult(_found(keys, batch, codes, bins_of), _NO_RETRIES)
    rows: list[BatchRecord] = []
    for at, key in enumerate(batch.keys):
        name = named(keys[at], key.digest)
        failed = errors.get(at)
        if failed is not None:
            code = code_of(failed, codes[at])
            rows.append(BatchRecord(name, code, None, failed.in_doubt))
            continue
        record = batch[at]
        shown = None if record is None else Record(name, meta_of(record), bins_of(at, record))
        rows.append(BatchRecord(name, codes[at], shown, in_doubt=False))
    return BatchWriteResult(rows, _NO_RETRIES)


def _found(keys: list[Any], batch: Any, codes: Any, bins_of: Any) -> list[BatchRecord]:
    """The rows of a batch of which none failed; for many of them, so without detours."""
    rows: list[BatchRecord] = []
    add = rows.append
    for at, (given, key, code, record) in enumerate(
        zip(keys, batch.keys, codes, batch, strict=True)
    ):
        name = _new(AerospikeKey, (given[0], given[1], given[2], key.digest))
        if record is None:
            add(_new(BatchRecord, (name, code, None, False)))
            continue
        ttl = record.ttl
        meta = _new(RecordMetadata, (record.generation, _FOREVER if ttl is None else ttl))
        shown = _new(Record, (name, meta, bins_of(at, record)))
        add(_new(BatchRecord, (name, code, shown, False)))
    return rows


def batch_operate(keys: Any, ops: Any, policy: Any) -> Request:
    """Several operations on each record."""
    plan, wanted = prepared(_listed(ops, "ops")), _listed(keys, "keys")
    options = batch_options(policy)
    if plan.writes:
        options |= row_options("batch_write", policy)
    else:
        options |= row_options("read", policy)
    arguments = sent_keys(wanted), plan.operations
    return Request("operate_many", arguments, options, _operated(wanted, plan))


def _operated(keys: list[Any], plan: Prepared) -> Any:
    def bins_of(_: int, record: Any) -> dict[str, Any]:
        return by_bin(merged(plan, record, silent=plan.writes))

    return lambda batch: _result(keys, batch, bins_of)


def _with_meta(given: list[Any]) -> tuple[list[Any], list[Any]]:
    """Keys, and metadata of their own where rows are pairs of both."""
    keys: list[Any] = []
    metas: list[Any] = []
    for each in given:
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
    wanted, metas = _with_meta(_listed(keys, "keys"))
    call = batch_options(policy)
    shared = row_options("batch_remove", policy)
    rows = [
        spikewire.Delete(
            sent_key(key), **(shared if meta is None else row_options("batch_remove", policy, meta))
        )
        for key, meta in zip(wanted, metas, strict=True)
    ]
    return Request("batch", (rows,), call, lambda batch: _result(wanted, batch, lambda *_: {}))


def batch_apply(keys: Any, module: Any, function: Any, args: Any, policy: Any) -> Request:
    """Runs a function on each record; rows are keys, or pairs of a key and metadata."""
    wanted, metas = _with_meta(_listed(keys, "keys"))
    shared = _listed([] if args is None else args, "args")
    call, own = batch_options(policy), row_options("batch_apply", policy)
    rows = []
    for key, meta in zip(wanted, metas, strict=True):
        if meta is None:
            rows.append(spikewire.Apply(sent_key(key), module, function, shared, **own))
            continue
        given = _listed(meta.get("args", shared), "args")
        rows.append(
            spikewire.Apply(
                sent_key(key),
                meta.get("module", module),
                meta.get("function", function),
                given,
                **row_options("batch_apply", policy, meta),
            )
        )

    def bins_of(_: int, record: Any) -> dict[str, Any]:
        results = record.results
        return {"SUCCESS": incoming(results[0]) if results else None}

    return Request("batch", (rows,), call, lambda batch: _result(wanted, batch, bins_of))


def batch_write(records: Any, policy: Any) -> tuple[Request, list[Any]]:
    """Writes records, and the keys of the rows; rows are keys and bins, and metadata if wanted."""
    call, shared = batch_options(policy), row_options("batch_write", policy)
    if _plain(records):
        keys, bins = list(map(_FIRST, records)), list(map(_SECOND, records))
        finish = _written(keys, bins)
        return Request("put_many", (records,), call | shared, finish), keys
    keys, bins = [], []
    rows: list[Any] = []
    plain = True
    for row in _listed(records, "records"):
        key, values, meta = _row(row)
        keys.append(key)
        bins.append(values)
        if meta is None:
            rows.append((sent_key(key), values, shared))
        else:
            plain = False
            rows.append((sent_key(key), values, row_options("batch_write", policy, meta)))
    if plain:
        pairs = [row[:2] for row in rows]
        return Request("put_many", (pairs,), call | shared, _written(keys, bins)), keys
    made = [spikewire.Write(key, values, **own) for key, values, own in rows]
    return Request("batch", (made,), call, _written(keys, bins)), keys


def _plain(records: Any) -> bool:
    """Whether every row is a key, which is not of bytes, and bins: what the engine takes as it is.
    Without a step of Python's for each row."""
    if type(records) is not list or set(map(type, records)) != {tuple}:
        return False
    if set(map(len, records)) != {2} or set(map(type, map(_SECOND, records))) != {dict}:
        return False
    keys = list(map(_FIRST, records))
    if set(map(type, keys)) != {tuple} or set(map(len, keys)) != {3}:
        return False
    return bytes not in set(map(type, map(_THIRD, keys))) and all(map(_SECOND, records))


def _written(keys: list[Any], bins: list[dict[str, Any]]) -> Any:
    """What is made of the outcomes of rows that write these bins."""

    def finish(batch: Any) -> BatchWriteResult:
        if batch.errors:
            return _result(keys, batch, lambda at, _: dict.fromkeys(bins[at]))
        return BatchWriteResult(
            [
                _new(
                    BatchRecord,
                    (
                        name := _new(AerospikeKey, (*given[:3], key.digest)),
                        0,
                        _new(Record, (name, meta_of(record), dict.fromkeys(values))),
                        False,
                    ),
                )
                if record is not None
                else BatchRecord(named(given, key.digest), code, None)
                for given, key, code, record, values in zip(
                    keys, batch.keys, batch.codes, batch, bins, strict=True
                )
            ],
            _NO_RETRIES,
        )

    return finish


def _row(row: Any) -> tuple[Any, dict[str, Any], Any]:
    if not isinstance(row, tuple):
        message = f"a row must be a tuple of key and bins, not {type(row).__name__}"
        raise TypeError(message)
    if len(row) not in (2, 3):
        if row and not isinstance(row[0], tuple):
            sent_key(row[0])
        message = f"a row has key, bins and maybe metadata, not {len(row)} items"
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
    return key, values, meta
