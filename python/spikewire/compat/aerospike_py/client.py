"""The blocking client."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal

import spikewire
from spikewire.compat.aerospike_py import batches, requests
from spikewire.compat.aerospike_py.base_client import BaseClient, answer_of, index_kind
from spikewire.compat.aerospike_py.configuration import client_arguments
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import FAILURES, NAMELESS, failure, not_opened
from spikewire.compat.aerospike_py.limits import LimitedEngine
from spikewire.compat.aerospike_py.numpy_batch import rows_of
from spikewire.compat.aerospike_py.operations import plain
from spikewire.compat.aerospike_py.query import Query
from spikewire.compat.aerospike_py.steps import batch_write_steps
from spikewire.compat.aerospike_py.types import InfoNodeResult
from spikewire.compat.aerospike_py.users import Users
from spikewire.compat.aerospike_py.values import record_of, stepped

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from spikewire.compat.aerospike_py.read_results import LazyBatchRecords
    from spikewire.compat.aerospike_py.requests import Request
    from spikewire.compat.aerospike_py.types import (
        BatchWriteResult,
        ExistsResult,
        OperateOrderedResult,
        Record,
    )

__all__ = ["Client"]

_NONE: dict[str, Any] = {}


class Client(Users, BaseClient):
    """A blocking client with the API of aerospike-py. It connects with ``connect()``."""

    def connect(self, username: str | None = None, password: str | None = None) -> Client:
        """Connects and returns this client."""
        self._check_can_open()
        seeds, options = client_arguments(self._config, username, password)
        self._user = options.get("user")
        self._opening = True
        try:
            self._set_engine(spikewire.Client(seeds, **options), LimitedEngine)
        except FAILURES as error:
            raise not_opened(error) from None
        finally:
            self._opening = False
        return self

    def close(self) -> None:
        """Closes all connections; closing twice does nothing."""
        opened = self._detach()
        if opened is not None:
            opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> Literal[False]:
        self.close()
        return False

    def _execute(self, request: Request) -> Any:
        try:
            result = getattr(self._require_engine(), request.verb)(
                *request.arguments, **request.options
            )
        except spikewire.RecordNotFound as error:
            if request.absent is not None:
                return request.absent(error)
            raise failure(error) from None
        except FAILURES as error:
            raise failure(error, request.arguments[0]) from None
        return request.finish(result)

    def _run_steps(self, steps: Any) -> Any:
        sent: Any = None
        while True:
            try:
                step = steps.send(sent)
            except StopIteration as end:
                return end.value
            if isinstance(step, float):
                time.sleep(step)
                sent = None
            else:
                sent = self._execute(step)

    def get(self, key: Any, policy: Any = None) -> Record:
        """Reads a record."""
        if policy is None and type(key) is tuple and len(key) == 3 and type(key[2]) is not bytes:
            try:
                return record_of(key, self._get(key))
            except FAILURES as error:
                raise failure(error, key) from None
        return self._execute(requests.get(key, policy))  # type: ignore[no-any-return]

    def put(self, key: Any, bins: Any, meta: Any = None, policy: Any = None) -> None:
        """Writes bins."""
        if (
            policy is not None
            or meta is not None
            or type(bins) is not dict
            or not bins
            or "" in bins
            or type(key) is not tuple
            or len(key) != 3
            or type(key[2]) is bytes
        ):
            return self._execute(requests.put(key, bins, meta, policy))  # type: ignore[no-any-return]
        try:
            return self._put(key, bins)  # type: ignore[no-any-return]
        except FAILURES as error:
            raise failure(error, key) from None

    def select(self, key: Any, bins: Any, policy: Any = None) -> Record:
        """Reads some bins of a record."""
        return self._execute(requests.select(key, bins, policy))  # type: ignore[no-any-return]

    def exists(self, key: Any, policy: Any = None) -> ExistsResult:
        """Whether a record exists."""
        if policy is None and type(key) is tuple and len(key) == 3 and type(key[2]) is not bytes:
            try:
                return requests.exists_result(key, self._get(key, []))
            except spikewire.RecordNotFound as error:
                return requests.absent_result(key, error)
            except FAILURES as error:
                raise failure(error, key) from None
        return self._execute(requests.exists(key, policy))  # type: ignore[no-any-return]

    def remove(self, key: Any, meta: Any = None, policy: Any = None) -> None:
        """Deletes a record."""
        return self._execute(requests.remove(key, meta, policy))  # type: ignore[no-any-return]

    def touch(self, key: Any, val: Any = 0, meta: Any = None, policy: Any = None) -> None:
        """Resets the time to live."""
        return self._execute(requests.touch(key, val, meta, policy))  # type: ignore[no-any-return]

    def append(self, key: Any, bin: Any, val: Any, meta: Any = None, policy: Any = None) -> None:
        """Appends to text or bytes."""
        return self._execute(requests.append(key, bin, val, meta, policy))  # type: ignore[no-any-return]

    def prepend(self, key: Any, bin: Any, val: Any, meta: Any = None, policy: Any = None) -> None:
        """Prepends to text or bytes."""
        return self._execute(requests.prepend(key, bin, val, meta, policy))  # type: ignore[no-any-return]

    def increment(
        self, key: Any, bin: Any, offset: Any, meta: Any = None, policy: Any = None
    ) -> None:
        """Adds to a number."""
        return self._execute(requests.increment(key, bin, offset, meta, policy))  # type: ignore[no-any-return]

    def remove_bin(self, key: Any, bin_names: Any, meta: Any = None, policy: Any = None) -> None:
        """Removes bins of a record."""
        return self._execute(requests.remove_bin(key, bin_names, meta, policy))  # type: ignore[no-any-return]

    def operate(self, key: Any, ops: Any, meta: Any = None, policy: Any = None) -> Record:
        """Runs several operations on one record, results by bin."""
        if (
            policy is None
            and meta is None
            and type(key) is tuple
            and len(key) == 3
            and type(key[2]) is not bytes
        ):
            steps = plain(ops)
            if steps is not None:
                try:
                    return stepped(key, self._operate(key, steps[0]), steps[1])
                except FAILURES as error:
                    raise failure(error, key) from None
        return self._execute(requests.operate(key, ops, meta, policy))  # type: ignore[no-any-return]

    def operate_ordered(
        self, key: Any, ops: Any, meta: Any = None, policy: Any = None
    ) -> OperateOrderedResult:
        """Like ``operate``, with results in the order of the operations."""
        return self._execute(requests.operate_ordered(key, ops, meta, policy))  # type: ignore[no-any-return]

    def batch_read(self, keys: Any, bins: Any = None, policy: Any = None) -> LazyBatchRecords:
        """Reads records: all bins, some, or none if ``bins`` is empty."""
        return self._execute(batches.batch_read(keys, bins, policy))  # type: ignore[no-any-return]

    def batch_write(self, records: Any, policy: Any = None, retry: int = 0) -> BatchWriteResult:
        """Writes records; rows are keys and bins, and optionally metadata."""
        return self._run_steps(batch_write_steps(records, policy, retry))  # type: ignore[no-any-return]

    def batch_write_numpy(
        self,
        data: Any,
        namespace: Any,
        set_name: Any,
        _dtype: Any,
        key_field: str = "_key",
        policy: Any = None,
        retry: int = 0,
    ) -> BatchWriteResult:
        """Writes the rows of a structured array."""
        rows = rows_of(data, namespace, set_name, _dtype, key_field)
        return self._run_steps(batch_write_steps(rows, policy, retry))  # type: ignore[no-any-return]

    def batch_operate(self, keys: Any, ops: Any, policy: Any = None) -> BatchWriteResult:
        """Runs several operations on each record."""
        return self._execute(batches.batch_operate(keys, ops, policy))  # type: ignore[no-any-return]

    def batch_remove(self, keys: Any, policy: Any = None) -> BatchWriteResult:
        """Deletes records; rows are keys, or pairs of a key and metadata."""
        return self._execute(batches.batch_remove(keys, policy))  # type: ignore[no-any-return]

    def batch_apply(
        self, keys: Any, module: Any, function: Any, args: Any = None, policy: Any = None
    ) -> BatchWriteResult:
        """Runs a function of a registered module on each record."""
        return self._execute(batches.batch_apply(keys, module, function, args, policy))  # type: ignore[no-any-return]

    def apply(
        self, key: Any, module: Any, function: Any, args: Any = None, policy: Any = None
    ) -> Any:
        """Runs a function of a registered module on one record."""
        return self._execute(requests.apply(key, module, function, args, policy))

    def query(self, namespace: str, set_name: str) -> Query:
        """Creates a query."""
        return Query(self._require_engine(), namespace, set_name)

    def _index(
        self, kind: str, namespace: str, set_name: str, bin_name: str, index_name: str
    ) -> None:
        if bin_name == "":
            raise ClientError(NAMELESS)
        try:
            self._require_engine().indexes.create(
                namespace, set_name, bin_name, index_kind(kind), name=index_name
            )
        except FAILURES as error:
            raise failure(error) from None

    def index_integer_create(
        self, namespace: Any, set_name: Any, bin_name: Any, index_name: Any, policy: Any = None
    ) -> None:
        """Creates an index on integers."""
        del policy
        self._index("integer", namespace, set_name, bin_name, index_name)

    def index_string_create(
        self, namespace: Any, set_name: Any, bin_name: Any, index_name: Any, policy: Any = None
    ) -> None:
        """Creates an index on text."""
        del policy
        self._index("string", namespace, set_name, bin_name, index_name)

    def index_geo2dsphere_create(
        self, namespace: Any, set_name: Any, bin_name: Any, index_name: Any, policy: Any = None
    ) -> None:
        """Creates an index on GeoJSON."""
        del policy
        self._index("geo2dsphere", namespace, set_name, bin_name, index_name)

    def index_remove(self, namespace: Any, index_name: Any, policy: Any = None) -> None:
        """Removes an index; a missing one counts as removed."""
        del policy
        try:
            self._require_engine().indexes.drop(namespace, None, index_name)
        except spikewire.IndexNotFound:
            return
        except FAILURES as error:
            raise failure(error) from None

    def truncate(self, namespace: Any, set_name: Any, nanos: Any = 0, policy: Any = None) -> None:
        """Deletes the records of a set or namespace."""
        del policy
        command = requests.truncation(namespace, set_name, nanos)
        try:
            self._require_engine().info(command)
        except FAILURES as error:
            raise failure(error) from None

    def udf_put(self, filename: Any, udf_type: Any = 0, policy: Any = None) -> None:
        """Registers a module from a file."""
        del policy
        name, source = requests.udf_put(filename, udf_type)
        try:
            self._require_engine().modules.register(name, source)
        except FAILURES as error:
            raise failure(error) from None

    def udf_remove(self, module: Any, policy: Any = None) -> None:
        """Removes a module; a missing one counts as removed."""
        del policy
        try:
            self._require_engine().modules.remove(requests.module_name(module))
        except FAILURES as error:
            raise failure(error) from None

    def _info(self, command: Any, node: str | None) -> str:
        if not isinstance(command, str):
            message = f"command must be a str, not {type(command).__name__}"
            raise TypeError(message)
        try:
            return self._require_engine().info(command, node)  # type: ignore[no-any-return]
        except spikewire.ServerError as error:
            return answer_of(error)
        except FAILURES as error:
            raise failure(error) from None

    def info_all(self, command: Any, policy: Any = None) -> list[InfoNodeResult]:
        """The replies of all nodes."""
        del policy
        return [
            InfoNodeResult(name, 0, self._info(command, name)) for name in self.get_node_names()
        ]

    def info_random_node(self, command: Any, policy: Any = None) -> str:
        """The reply of one node."""
        del policy
        return self._info(command, None)

    def ping(self) -> bool:
        """Whether a node replies."""
        if self._engine is None:
            return False
        try:
            self._engine.info("build")
        except FAILURES:
            return False
        return True
