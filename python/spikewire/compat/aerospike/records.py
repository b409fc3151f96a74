"""The verbs on one record."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

import spikewire
from spikewire import op
from spikewire._native import OfficialResults
from spikewire.compat.aerospike.configuration import Configuration
from spikewire.compat.aerospike.exception import BinExistsError, ParamError
from spikewire.compat.aerospike.failures import deprecated, failure, of_code, reject
from spikewire.compat.aerospike.keys import checked_key, key_tuple
from spikewire.compat.aerospike.opcodes import OPERATOR_TOUCH
from spikewire.compat.aerospike.operations import (
    QUIET,
    WRITES,
    official_result,
    operation_rules,
    prepare,
)
from spikewire.compat.aerospike.policies import resolved, ttl_of
from spikewire.compat.aerospike.values import (
    deserializer_of,
    incoming,
    outgoing,
    outgoing_bins,
    register_ordered_maps,
    serializers,
)
from spikewire.compat.aerospike_info import FOREVER

__all__ = ["FAILURES", "NO_CONNECTION", "Records", "meta_of"]

_META_OF_REMOVE = (
    "meta parameter is deprecated and will be removed in the next client major release"
)
FAILURES = (spikewire.Error, TypeError, ValueError, OverflowError)
NO_CONNECTION = "No connection to aerospike cluster"
#: Keywords of operations that write, as opposed to those that only read.
_OF_WRITES = ("ttl", "generation", "exists", "durable", "send_key")
_OF_READS = ("read_mode", "read_touch")


def meta_of(record: Any) -> dict[str, int]:
    ttl = record.ttl
    return {"ttl": FOREVER if ttl is None else ttl, "gen": record.generation}


class Records:
    """Reads and writes of one record."""

    def __init__(self, config: Any) -> None:
        self._configuration = Configuration(config)
        self._policies = self._configuration.policies
        self._serializers = self._configuration.serializers
        self._keeps_key = self._policies.sends_key("read", None)
        self._read = self._policies.plain["read"]
        self._write = self._policies.plain["write"]
        own = self._serializers
        self._rules = operation_rules(
            strict=self._configuration.strict_types,
            validate_keys=self._configuration.strict,
            serializers=own,
        )
        self._keeps_bools = self._rules.options.bools
        self._results = OfficialResults(
            incoming, official_result, (serializers,) if own is None else (own, serializers), QUIET
        )
        self._record, self._sends = self._results.record, self._results.sends
        register_ordered_maps()
        self._connect()

    def _connect(self) -> None:
        options = self._configuration.options
        try:
            self._client = spikewire.Client(self._configuration.seeds, **options)
        except spikewire.ConnectionFailed as error:
            raise of_code(-10, "Failed to connect") from error
        except FAILURES as error:
            raise failure(error) from None
        self._user = options.get("user")
        self._get = self._client.get
        self._put = self._client.put

    def _verbs(self, options: dict[str, Any]) -> Any:
        """The client's verbs, in the transaction that is among the options."""
        transaction = options.pop("txn", None)
        return self._client if transaction is None else transaction.verbs_of(self._client)

    def _failed(self, error: BaseException, key: Any = None, bin: Any = None) -> BaseException:
        if isinstance(error, spikewire.ClientClosed):
            closed: BaseException = of_code(11, NO_CONNECTION)
            return closed
        if isinstance(error, (TypeError, ValueError, OverflowError)) and key is not None:
            try:
                checked_key(key)
            except Exception as key_error:  # noqa: BLE001
                return key_error
        return failure(error, key, bin)

    def get(self, key: Any, policy: Any = None) -> tuple[Any, Any, Any]:
        """Reads a record: key, metadata and bins."""
        key = key_tuple(key)
        if policy is None:
            options, keeps = self._read, self._keeps_key
        else:
            options = self._policies.keywords("read", policy)
            keeps = self._policies.sends_key("read", policy)
        get = self._get if "txn" not in options else self._verbs(options).get
        try:
            record = get(key, **options)
        except FAILURES as error:
            raise self._failed(error, key) from None
        return self._record(key, record, keeps)

    def select(self, key: Any, bins: Any, policy: Any = None) -> tuple[Any, Any, Any]:
        """Reads some bins of a record."""
        if not isinstance(bins, (list, tuple)):
            reject("not a list or tuple")
        for name in bins:
            if not isinstance(name, str):
                reject("Bin name must be a string")
        if not bins:
            raise of_code(4, "no bins to read")
        key = key_tuple(key)
        options = self._policies.keywords("read", policy)
        try:
            record = self._verbs(options).get(key, list(bins), **options)
        except FAILURES as error:
            raise self._failed(error, key) from None
        return self._record(key, record, keeps=True)

    def exists(self, key: Any, policy: Any = None) -> tuple[Any, Any]:
        """Whether a record exists: key, and metadata or ``None``."""
        key = key_tuple(key)
        options = self._policies.keywords("read", policy)
        try:
            record = self._verbs(options).get(key, [], **options)
        except spikewire.RecordNotFound as error:
            digest = error.key.digest if error.key is not None else b""
            return (key[0], key[1], key[2], bytearray(digest)), None
        except FAILURES as error:
            raise self._failed(error, key) from None
        return self._results.found(key, record)

    def put(
        self, key: Any, bins: Any, meta: Any = None, policy: Any = None, serializer: Any = None
    ) -> int:
        """Writes bins."""
        key = key_tuple(key)
        if meta is None and policy is None:
            options = self._write
        else:
            options = self._policies.keywords("write", policy, meta)
        if serializer is None and type(bins) is dict and self._sends(bins, self._keeps_bools):
            values: Any = bins
        else:
            values = self._outgoing(bins, serializer)
        put = self._put if "txn" not in options else self._verbs(options).put
        try:
            put(key, values, **options)
        except FAILURES as error:
            checked_key(key)
            if not values and isinstance(error, ValueError):
                raise of_code(4, str(error)) from None
            if any(not isinstance(name, str) for name in values):
                raise of_code(-1, "A bin name must be a string or unicode string.") from None
            raise self._failed(error, key, bins) from None
        return 0

    def _outgoing(self, bins: Any, serializer: Any) -> dict[str, Any]:
        if serializer not in (None, 0, 3):
            reject("serializer should be SERIALIZER_NONE or SERIALIZER_USER")
        own = self._serializers
        if serializer == 0:
            own = None
        elif own is None and serializer == 3:
            own = serializers
        return outgoing_bins(bins, own)

    def remove(self, key: Any, meta: Any = None, policy: Any = None) -> int:
        """Deletes a record."""
        key = key_tuple(key)
        if meta is not None:
            deprecated(_META_OF_REMOVE)
        options = self._policies.keywords("remove", policy, meta)
        options.pop("exists", None)
        verbs = self._verbs(options)
        try:
            if not verbs.delete(key, **options):
                if "where" in options:
                    verbs.get(key, [], where=options["where"])
                raise failure(spikewire.RecordNotFound("there is no such record", code=2), key)
        except FAILURES as error:
            raise self._failed(error, key) from None
        return 0

    def touch(self, key: Any, val: Any = 0, meta: Any = None, policy: Any = None) -> int:
        """Resets the time to live."""
        key = key_tuple(key)
        options = self._written(policy, meta)
        if val:
            options["ttl"] = ttl_of(val)
        verbs = self._verbs(options)
        try:
            if options.keys() & {"exists", "durable"}:
                verbs.operate(key, [op.touch()], **options)
            else:
                verbs.touch(key, **options)
        except FAILURES as error:
            raise self._failed(error, key) from None
        return 0

    def _written(self, policy: Any, meta: Any) -> dict[str, Any]:
        options = self._policies.keywords("operate", policy, meta)
        options.pop("read_mode", None)
        options.pop("read_touch", None)
        return options

    def append(self, key: Any, bin: str, val: Any, meta: Any = None, policy: Any = None) -> int:
        """Appends to text or bytes."""
        return self._joined("append", key, bin, val, policy, meta)

    def prepend(self, key: Any, bin: str, val: Any, meta: Any = None, policy: Any = None) -> int:
        """Prepends to text or bytes."""
        return self._joined("prepend", key, bin, val, policy, meta)

    def _joined(
        self,
        verb: str,
        key: Any,
        bin: str,
        val: Any,
        policy: Any,
        meta: Any,
    ) -> int:
        key = key_tuple(key)
        if not isinstance(bin, str):
            reject("Bin name should be of type string")
        if not isinstance(val, (str, bytes, bytearray)):
            reject("Cannot concatenate 'str' and 'non-str' objects")
        options = self._written(policy, meta)
        try:
            write = getattr(self._verbs(options), verb)
            write(key, {bin: outgoing(val, self._serializers)}, **options)
        except FAILURES as error:
            raise self._failed(error, key, bin) from None
        return 0

    def increment(
        self, key: Any, bin: str, offset: Any, meta: Any = None, policy: Any = None
    ) -> int:
        """Adds to a number."""
        key = key_tuple(key)
        if isinstance(offset, bool) or not isinstance(offset, (int, float)):
            reject("Unsupported operand type(s) for +: only 'int' and 'float' allowed")
        options = self._written(policy, meta)
        try:
            self._verbs(options).add(key, {bin: offset}, **options)
        except FAILURES as error:
            raise self._failed(error, key, bin) from None
        return 0

    def remove_bin(self, key: Any, list: Any, meta: Any = None, policy: Any = None) -> int:
        """Removes bins of a record."""
        names: Any = list
        if type(names).__name__ != "list":
            reject("Bins should be a list")
        key = key_tuple(key)
        for name in names:
            if not isinstance(name, str):
                reject("Invalid bin name, bin name should be a string or unicode string")
        if not names:
            raise of_code(4, "no bins to remove")
        try:
            resolved("write", policy, strict=self._policies.strict)
        except ParamError as error:
            raise of_code(-1, str(error.msg)) from None
        options = self._policies.keywords("write", policy, meta)
        options.setdefault("exists", "update")
        try:
            self._verbs(options).put(key, dict.fromkeys(names), **options)
        except FAILURES as error:
            raise self._failed(error, key) from None
        return 0

    def _operated(self, key: Any, operations: Any, meta: Any, policy: Any) -> tuple[Any, Any]:
        plan = prepare(operations, self._rules)
        options = self._policies.keywords("operate", policy, meta)
        if options:
            for name in _OF_WRITES if WRITES.isdisjoint(plan.codes) else _OF_READS:
                options.pop(name, None)
        if OPERATOR_TOUCH in plan.codes:
            touches = (each for each in operations if each["op"] == OPERATOR_TOUCH)
            ttl = next((each["val"] for each in touches if "val" in each), None)
            if ttl is not None:
                options["ttl"] = ttl_of(ttl, options.get("ttl"))
        try:
            return self._verbs(options).operate(key, plan.operations, **options), plan
        except FAILURES as error:
            exception = self._failed(error, key, plan.bins[0] if plan.bins else None)
            if isinstance(exception, BinExistsError) and any(
                "loosely" in each for each in plan.source
            ):
                exception = of_code(12, "AEROSPIKE_ERR_BIN_INCOMPATIBLE_TYPE")
            raise exception from None

    def operate(
        self,
        key: Any,
        list: Any,
        meta: Any = None,
        policy: Any = None,
    ) -> tuple[Any, Any, Any]:
        """Runs several operations on one record. Returns key, metadata, and the latest result of
        each bin."""
        if policy is None and meta is None and not self._policies.plain.get("operate", True):
            try:
                result = self._results.operate(self._client, self._rules.plain, key, list)
            except FAILURES as error:
                raise self._failed(error, key, list[0]["bin"]) from None
            if result is not None:
                return result
        key = key_tuple(key)
        record, plan = self._operated(key, list, meta, policy)
        return self._results.operated(key, record, plan)

    def operate_ordered(
        self,
        key: Any,
        list: Any,
        meta: Any = None,
        policy: Any = None,
    ) -> tuple[Any, Any, Any]:
        """Like ``operate``, with a list of pairs of bin and result."""
        key = key_tuple(key)
        record, plan = self._operated(key, list, meta, policy)
        return self._results.operated_in_order(key, record, plan)

    def apply(self, key: Any, module: str, function: str, args: Any, policy: Any = None) -> Any:
        """Runs a function of a registered module on one record."""
        if type(args).__name__ != "list":
            message = f"apply() argument 4 must be list, not {type(args).__name__}"
            raise TypeError(message)
        for what, name in (("Module", module), ("Function", function)):
            if not isinstance(name, str):
                reject(f"{what} name should be a string or unicode string")
        key = key_tuple(key)
        if not module or not function:
            raise of_code(100, "module and function must have a name")
        options = self._policies.keywords("apply", policy)
        sent = [outgoing(each, self._serializers) for each in args]
        try:
            return incoming(
                self._verbs(options).apply(key, module, function, sent, **options),
                deserializer_of(self._serializers),
            )
        except FAILURES as error:
            raise self._failed(error, key) from None

    def is_connected(self, *_: Any, **__: Any) -> bool:
        """Whether the client is connected. Arguments are ignored, as in the official client."""
        return self._client.is_connected

    def close(self) -> None:
        """Closes all connections; later calls raise ``ClusterError``."""
        self._client.close()
