"""The verbs on many records."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire._native import OfficialWrites
from spikewire.compat.aerospike.batch_records import (
    Apply,
    BatchRecord,
    BatchRecords,
    Read,
    Remove,
    Write,
)
from spikewire.compat.aerospike.exception import InvalidRequest
from spikewire.compat.aerospike.failures import missing, reject
from spikewire.compat.aerospike.keys import checked_key
from spikewire.compat.aerospike.operations import WRITES, prepare
from spikewire.compat.aerospike.policies import ttl_of
from spikewire.compat.aerospike.records import FAILURES, Records
from spikewire.compat.aerospike.values import outgoing

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Batches"]

_CALL = ("timeout", "replica", "max_retries", "sleep_between_retries", "compress",
         "error_details", "respond_all_keys")  # fmt: skip
_FAILED = -16
_NO_RESPONSE = -15
_INVALID_REQUEST = 4


def _as_result(call: Callable[..., BatchRecords]) -> Callable[..., BatchRecords]:
    """Turns a server's rejection of a batch because of its expression into a result: no
    exception."""

    @functools.wraps(call)
    def called(self: Any, keys: Any, *args: Any, **named: Any) -> BatchRecords:
        try:
            return call(self, keys, *args, **named)
        except InvalidRequest as error:
            if not hasattr(error, "of_expression"):
                raise
            checked_keys = [checked_key(key) for key in keys]
        rows = []
        # In the official client, one key is a command of its own, whose result is that of its row.
        whole, of_row = (
            (_FAILED, _INVALID_REQUEST)
            if len(checked_keys) == 1
            else (_INVALID_REQUEST, _NO_RESPONSE)
        )
        for key in checked_keys:
            digest = key[3] if len(key) > 3 else spikewire.Key(*key[:3]).digest
            row = BatchRecord((*key[:3], bytearray(digest)))
            row.result = of_row
            rows.append(row)
        batch_records = BatchRecords(rows)
        batch_records.result = whole
        return batch_records

    return called


class Batches(Records):
    """Reads and writes of many records in one call."""

    _known_writes: tuple[Any, OfficialWrites] | None = None

    @_as_result
    def batch_read(self, keys: Any, bins: Any = None, policy: Any = None) -> BatchRecords:
        """Reads records: all bins, those in ``bins``, or none if it is empty."""
        if bins is not None and not isinstance(bins, (list, tuple)):
            reject("Bins argument should be a list.")
        if bins is not None and not all(isinstance(name, str) for name in bins):
            reject("Bin name should be a string or unicode string.")
        call, own = self._batch_options(policy)
        named = None if bins is None else list(bins)
        shape = "none" if named == [] else "bins"
        verb = self._verbs(own).get_many
        return self._run_batch(keys, shape, verb, (named,), call | _only(own, _READ))

    @_as_result
    def batch_operate(
        self,
        keys: Any,
        ops: Any,
        policy_batch: Any = None,
        policy_batch_write: Any = None,
        ttl: Any = None,
    ) -> BatchRecords:
        """Runs several operations on each record."""
        if not isinstance(ops, list) or not ops:
            reject("ops should be a list of op dictionaries")
        plan = prepare(ops, self._rules)
        call, own = self._batch_options(policy_batch)
        verb = self._verbs(own).operate_many
        written = self._policies.keywords("batch_write", policy_batch_write)
        if WRITES.isdisjoint(plan.codes):
            options = _only(own, _READ)
        else:
            own |= written
            row_ttl = None if ttl is None else ttl_of(ttl, own.get("ttl"))
            if row_ttl is not None:
                own["ttl"] = row_ttl
            options = _only(own, _WRITE)
        return self._run_batch(keys, plan, verb, (plan.operations,), call | options)

    @_as_result
    def batch_remove(
        self, keys: Any, policy_batch: Any = None, policy_batch_remove: Any = None
    ) -> BatchRecords:
        """Deletes records."""
        call, own = self._batch_options(policy_batch)
        verb = self._verbs(own).delete_many
        own |= self._policies.keywords("batch_remove", policy_batch_remove)
        return self._run_batch(keys, "empty", verb, (), call | _only(own, _DELETE))

    @_as_result
    def batch_apply(
        self,
        keys: Any,
        module: str,
        function: str,
        args: Any,
        policy_batch: Any = None,
        policy_batch_apply: Any = None,
    ) -> BatchRecords:
        """Runs a function of a registered module on each record."""
        if not isinstance(args, list):
            reject("args should be a list of values for function arguments")
        call, own = self._batch_options(policy_batch)
        verbs = self._verbs(own)
        own |= self._policies.keywords("batch_apply", policy_batch_apply)
        options, sent = _only(own, _APPLY), [outgoing(each, self._serializers) for each in args]

        def verb(keys: list[Any], **call: Any) -> Any:
            rows = [spikewire.Apply(key, module, function, sent, **options) for key in keys]
            return verbs.batch(rows, **call)

        return self._run_batch(keys, "udf", verb, (), call)

    def batch_write(self, batch_records: Any, policy_batch: Any = None) -> BatchRecords:
        """Reads, writes, deletes and function calls in one call. Sets the result of each row."""
        if not isinstance(batch_records, BatchRecords):
            reject("batch_records must be of type aerospike_helpers.batch.records.BatchRecords")
        rows = batch_records.batch_records
        if not isinstance(rows, list):
            reject("batch_records.batch_records must be a list")
        call, own_options = self._batch_options(policy_batch)
        batch_records.result = 0
        if not rows:
            return batch_records
        try:
            own, client = _Rows(self), self._verbs(own_options)
            batch_records.result = self._writes().write(
                client, rows, own.convert, own.options, self._results, **call
            )
        except FAILURES as error:
            raise self._failed(error) from None
        return batch_records

    def _writes(self) -> OfficialWrites:
        """Handles rows without running Python code for each. Reused until the client's policies
        change."""
        plain, known = self._policies.plain, self._known_writes
        if known is None or known[0] is not plain:
            options = _only(self._policies.keywords("batch_write", None), _WRITE)
            known = plain, OfficialWrites(self._rules.plain, options)
            self._known_writes = known
        return known[1]

    def _batch_options(self, policy: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        own = self._policies.keywords("batch", policy)
        if not own:
            return {}, own
        return {name: own.pop(name) for name in _CALL if name in own}, own

    def _run_batch(
        self, keys: Any, shape: Any, verb: Any, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> BatchRecords:
        """Runs one verb on the records of all keys."""
        if not isinstance(keys, list):
            reject("keys should be a list of aerospike key tuples")
        sent: list[Any] = keys if self._results.plain_keys(keys) else list(map(_tuple, keys))
        if not sent:
            return BatchRecords([])
        try:
            batch = verb(sent, *arguments, **options)
        except FAILURES as error:
            if not isinstance(error, spikewire.Error):
                for key in sent:
                    checked_key(key)
            raise self._failed(error) from None
        rows, result = self._results.rows(batch, sent, shape)
        batch_records = BatchRecords(rows)
        batch_records.result = result
        return batch_records


class _Rows:
    """Converts the rows of one call, and their options, where the extension cannot."""

    def __init__(self, of: Batches) -> None:
        self._policies, self._rules = of._policies, of._rules
        self._serializers, self._failed = of._serializers, of._failed
        #: The options of rows by what their policy and metadata say, which many rows have in
        #: common, and those of the row before.
        self._known: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._last: tuple[str | None, Any, Any, dict[str, Any]] = (None, None, None, {})

    def convert(self, row: Any) -> tuple[Any, Any]:
        """A row of the engine, and the shape of its record."""
        try:
            return self._write(row) if isinstance(row, Write) else self._other(row)
        except FAILURES as error:
            raise self._failed(error, row.key) from None

    def options(self, row: Any) -> dict[str, Any]:
        """The keywords of a `Write`, the same object for rows in which they are the same."""
        try:
            return self._options("batch_write", _WRITE, row.policy, row.meta)
        except FAILURES as error:
            raise self._failed(error, row.key) from None

    def _write(self, row: Write) -> tuple[Any, Any]:
        key = checked_key(row.key)
        operations, bins, returns, codes, _, _ = prepare(row.ops, self._rules)
        own = self._options("batch_write", _WRITE, row.policy, row.meta)
        if WRITES.isdisjoint(codes):
            engine_row: Any = spikewire.Read(key, ops=operations, **_only(own, _READ))
        else:
            engine_row = spikewire.Write(key, operations, **own)
        return engine_row, (operations, bins, returns, codes, True)

    def _other(self, row: Any) -> tuple[Any, Any]:
        if not isinstance(row, (Read, Remove, Apply)):
            reject("a row must be a Read, Write, Apply or Remove of batch.records")
        key = checked_key(row.key)
        if isinstance(row, Remove):
            own = self._options("batch_remove", _DELETE, row.policy)
            return spikewire.Delete(key, **own), "empty"
        if isinstance(row, Apply):
            own = self._options("batch_apply", _APPLY, row.policy)
            sent = [outgoing(each, self._serializers) for each in row.args]
            return spikewire.Apply(key, row.module, row.function, sent, **own), "udf"
        own = self._options("batch_read", _READ, row.policy)
        if row.read_all_bins or row.ops is None:
            bins_read: list[str] | None = None if row.read_all_bins else []
            return spikewire.Read(key, bins_read, **own), "bins"
        if not row.ops:
            return spikewire.Read(key, [], **own), "bins"
        plan = prepare(row.ops, self._rules)
        if WRITES.isdisjoint(plan.codes):
            return spikewire.Read(key, ops=plan.operations, **own), plan
        return spikewire.Write(key, plan.operations, **own), plan

    def _options(
        self, kind: str, names: tuple[str, ...], policy: Any, meta: Any = None
    ) -> dict[str, Any]:
        """The keywords of a row."""
        last = self._last
        if last[0] == kind and last[1] is policy and last[2] is meta:
            return last[3]
        by = kind, _content(policy), _content(meta)
        keywords = None if None in by else self._known.get(by)
        if keywords is None:
            keywords = self._policies.keywords(kind, policy, meta)
            if "txn" in keywords:
                missing("policy.txn")
            keywords = _only(keywords, names)
            if None not in by:
                self._known[by] = keywords
        self._last = kind, policy, meta, keywords
        return keywords


_FIXED = frozenset({int, bool, type(None)})


def _content(of: Any) -> tuple[Any, ...] | None:
    """What a policy or metadata says, to recognize it by. ``None`` if that takes more than a
    look."""
    if of is None:
        return ()
    if type(of) is not dict:
        return None
    values = tuple(of.values())
    kinds = tuple(map(type, values))
    return (tuple(of), values, kinds) if _FIXED.issuperset(kinds) else None


def _tuple(key: Any) -> tuple[Any, ...]:
    if not isinstance(key, tuple):
        reject("key should be an aerospike key tuple")
    return checked_key(key)


_READ = ("where", "read_touch", "read_mode")
_WRITE = ("ttl", "generation", "exists", "durable", "send_key", "where", "commit_level",
          "on_locking_only")  # fmt: skip
_DELETE = ("generation", "durable", "send_key", "where", "commit_level")
_APPLY = ("ttl", "durable", "send_key", "where", "commit_level", "on_locking_only")


def _only(options: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: options[name] for name in names if name in options} if options else {}
