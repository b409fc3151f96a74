"""Info, indexes, modules, jobs, and methods for what servers without security lack."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic
from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import spikewire
from spikewire.compat.aerospike.batch import Batches
from spikewire.compat.aerospike.expressions import engine_expression
from spikewire.compat.aerospike.failures import deprecated, missing, of_code, reject
from spikewire.compat.aerospike.keys import key_tuple
from spikewire.compat.aerospike.operations import text_of
from spikewire.compat.aerospike.paths import packed, steps
from spikewire.compat.aerospike.query import Query, QueryBase, Scan
from spikewire.compat.aerospike.records import FAILURES, NO_CONNECTION
from spikewire.compat.aerospike_info import PARTITIONS, odd_in_info

__all__ = ["Admin"]

_KINDS: dict[int, type[Any]] = {0: str, 1: int, 2: spikewire.GeoJSON, 3: bytes, 4: int}
_OF: dict[int, Any] = {0: None, 1: "list", 2: "mapkeys", 3: "mapvalues"}
_LONGEST_PATH = 255


def _texts(of: str, *arguments: tuple[Any, int]) -> None:
    """Rejects anything but a string, with the message of a function written in C."""
    for value, at in arguments:
        if not isinstance(value, str):
            message = f"{of}() argument {at} must be str, not {type(value).__name__}"
            raise TypeError(message)


class Admin(Batches):
    """Administration of the cluster."""

    def query(self, namespace: str | None = None, set: str | None = None) -> Query:
        """Creates a query."""
        return Query(self, namespace, set)

    def scan(self, namespace: str | None = None, set: str | None = None) -> Scan:
        """Creates a scan."""
        return Scan(self, namespace, set)

    def _started(self, job: Any) -> int:
        jobs: dict[int, Any] = self.__dict__.setdefault("_jobs", {})
        if len(jobs) > 1000:
            jobs.pop(next(iter(jobs)))
        jobs[job.id] = job
        return int(job.id)

    def scan_apply(
        self, ns: str, set: Any, module: str, function: str, args: Any = None,
        policy: Any = None, options: Any = None,
    ) -> int:  # fmt: skip
        """Runs a function on every record in the background. Returns the job's id."""
        _texts("scan_apply", (ns, 1))
        if isinstance(options, dict) and not isinstance(options.get("concurrent", False), bool):
            reject("Invalid value for concurrent")
        scan = self.scan(ns, set)
        self._applying(scan, module, function, args)
        return scan.execute_background(policy)

    @staticmethod
    def _applying(scan: QueryBase, module: str, function: str, args: Any) -> None:
        for what, name in (("Module", module), ("Function", function)):
            if not isinstance(name, str):
                reject(f"{what} name should be a string or unicode string.")
        if args is not None and not isinstance(args, list):
            reject("Arguments should be a list")
        scan.apply(module, function, args)

    def query_apply(
        self, ns: str, set: Any, predicate: Any, module: str, function: str, args: Any = None,
        policy: Any = None,
    ) -> int:  # fmt: skip
        """Like ``scan_apply``, on the records that a secondary index finds."""
        _texts("query_apply", (ns, 1))
        query = self.query(ns, set)
        if not isinstance(predicate, tuple):
            reject("Predicate must be a tuple")
        query.where(predicate)
        if not isinstance(args, list):
            reject("Arguments should be a list")
        self._applying(query, module, function, args)
        return query.execute_background(policy)

    def job_info(self, job_id: Any, module: Any = None, policy: Any = None) -> dict[str, int]:
        """The progress of a job."""
        message = ""
        if not isinstance(job_id, int):
            message = f"job_info() argument 1 must be int, not {type(job_id).__name__}"
        elif module is None:
            message = "job_info() missing required argument 'module' (pos 2)"
        elif not isinstance(module, str):
            message = f"job_info() argument 2 must be str, not {type(module).__name__}"
        if message:
            raise TypeError(message)
        self._policies.keywords("info", policy)
        self._nodes()
        if module not in ("scan", "query"):
            reject("Module can have only two values: aerospike.JOB_SCAN or aerospike.JOB_QUERY")
        job = self.__dict__.get("_jobs", {}).get(job_id)
        if job is None:
            return {"progress_pct": 0, "records_read": 0, "status": 2}
        try:
            now = job.progress()
        except FAILURES as error:
            raise self._failed(error) from None
        read = now.succeeded + now.failed + now.filtered
        return {
            "progress_pct": int(now.percent),
            "records_read": read,
            "status": 2 if now.done else 1,
        }

    def get_nodes(self, *_: Any, **__: Any) -> list[tuple[str, int]]:
        """Addresses of the nodes. Arguments are ignored, as in the official client."""
        self._nodes()
        return [(node["address"], node["port"]) for node in self.get_node_names()]

    def get_node_names(self, *_: Any, **__: Any) -> list[dict[str, Any]]:
        """Addresses and names of the nodes. Arguments are ignored, as in the official client."""
        nodes = []
        for name, address in self._nodes("."):
            host, port = address.rsplit(":", 1)
            nodes.append({"address": host.strip("[]"), "port": int(port), "node_name": name})
        return nodes

    def _nodes(self, stop: str = "") -> list[Any]:
        if not self._client._holds_connections:
            raise of_code(11, f"{NO_CONNECTION}{stop}")
        return [(node.name, node.address) for node in self._client.nodes()]

    def _mastered(self, namespace: str, node: str) -> list[int]:
        """The partitions of a namespace of which a node is the master, as reported by that node."""
        if node not in [name for name, _ in self._nodes(".")]:
            reject(f"Invalid node name: {node}")
        for one in self._info("replicas", node).split(";"):
            name, _, of = one.partition(":")
            if name == namespace:  # The regime, the number of replicas, and a bitmap for each.
                bitmap = base64.b64decode(of.split(",")[2])
                return [part for part in range(PARTITIONS) if bitmap[part >> 3] << (part & 7) & 128]
        raise of_code(20, f"Invalid namespace: {namespace}")

    def _info(self, command: Any, node: str | None) -> str:
        if not isinstance(command, str):
            reject("Request must be a string")
        try:
            return self._client.info(command, node)
        except FAILURES as error:
            raise self._failed(error) from None

    def info_all(self, command: str, policy: Any = None) -> dict[str, Any]:
        """The replies of all nodes by name, as pairs of error and reply."""
        self._policies.keywords("info", policy)
        return {name: (None, self._info(command, name) + "\n") for name, _ in self._nodes()}

    def info_random_node(self, command: str, policy: Any = None) -> str:
        """The reply of one node."""
        self._policies.keywords("info", policy)
        self._nodes(".")
        return f"{command}\t{self._info(command, None)}\n"

    def info_single_node(self, command: str, host: str, policy: Any = None) -> str:
        """The reply of the node with this name."""
        self._policies.keywords("info", policy)
        if host not in [name for name, _ in self._nodes(".")]:
            reject(f"Could not get node with name {host}.")
        return f"{command}\t{self._info(command, host)}\n"

    def truncate(self, namespace: str, set: str | None, nanos: int, policy: Any = None) -> int:
        """Deletes the records of a set or namespace."""
        self._policies.keywords("info", policy)
        if not isinstance(namespace, str):
            reject("Namespace should be a string")
        if set is not None and not isinstance(set, str):
            reject("Set should be None, string or unicode string")
        if isinstance(nanos, bool) or not isinstance(nanos, int):
            reject("Nanoseconds must be a long type")
        if set == "":
            raise of_code(4, "a set must have a name")
        _check_names(namespace=namespace, set=set or "")
        if nanos < 0:
            reject("Nanoseconds must be a positive value")
        if nanos >= 1 << 64:
            reject("Nanoseconds value too large")
        command = (
            f"truncate:namespace={namespace}"
            if set
            else f"truncate-namespace:namespace={namespace}"
        )
        self._info(
            command + (f";set={set}" if set else "") + (f";lut={nanos}" if nanos else ""), None
        )
        return 0

    def _index(
        self,
        ns: Any,
        set: Any,
        bin: Any,
        kind: Any,
        of: Any,
        name: Any,
        policy: Any,
        ctx: Any = None,
    ) -> int:
        self._policies.keywords("info", policy)
        if not isinstance(ns, str):
            reject("Namespace should be a string")
        if not isinstance(name, str):
            reject("Index name should be string or unicode")
        if set is not None and not isinstance(set, str):
            reject("Set should be string, unicode or None")
        on = text_of(bin)
        if isinstance(on, (int, float, list, dict, type(None))):
            reject("Bin should be a string")
        if kind not in _KINDS or of not in _OF:
            reject("Index type and datatype must be among the constants")
        try:
            self._client.indexes.create(
                ns,
                set,
                on,
                _KINDS[kind],
                of=_OF[of],
                name=name,
                ctx=steps(ctx),
            )
        except ValueError as error:  # Names that are too long, which a server would reject.
            raise of_code(20 if str(error).startswith("namespace ") else 4, str(error)) from None
        except FAILURES as error:
            raise self._failed(error) from None
        return 0

    def index_single_value_create(
        self, ns: Any, set: Any, bin: Any, index_datatype: Any, name: Any, policy: Any = None,
        ctx: Any = None,
    ) -> int:  # fmt: skip
        """Creates an index on a bin."""
        return self._index(ns, set, bin, index_datatype, 0, name, policy, ctx)

    def index_list_create(
        self, ns: Any, set: Any, bin: Any, index_datatype: Any, name: Any, policy: Any = None,
        ctx: Any = None,
    ) -> int:  # fmt: skip
        """Creates an index on the elements of lists."""
        return self._index(ns, set, bin, index_datatype, 1, name, policy, ctx)

    def index_map_keys_create(
        self, ns: Any, set: Any, bin: Any, index_datatype: Any, name: Any, policy: Any = None,
        ctx: Any = None,
    ) -> int:  # fmt: skip
        """Creates an index on the keys of maps."""
        return self._index(ns, set, bin, index_datatype, 2, name, policy, ctx)

    def index_map_values_create(
        self, ns: Any, set: Any, bin: Any, index_datatype: Any, name: Any, policy: Any = None,
        ctx: Any = None,
    ) -> int:  # fmt: skip
        """Creates an index on the values of maps."""
        return self._index(ns, set, bin, index_datatype, 3, name, policy, ctx)

    def index_cdt_create(
        self, ns: Any, set: Any, bin: Any, index_type: Any, index_datatype: Any, name: Any,
        ctx: Any, policy: Any = None,
    ) -> int:  # fmt: skip
        """Creates an index on a nested value."""
        deprecated(
            "index_cdt_create() is deprecated. Please use one of the other non-deprecated "
            "index_*_create() methods instead"
        )
        if not isinstance(ctx, list):
            reject("ctx must be a list")
        return self._index(ns, set, bin, index_datatype, index_type, name, policy, ctx)

    def index_expr_create(
        self, ns: Any, set: Any, index_type: Any, index_datatype: Any, expressions: Any, name: Any,
        policy: Any = None,
    ) -> int:  # fmt: skip
        """Creates an index on an expression."""
        return self._index(ns, set, expressions, index_datatype, index_type, name, policy)

    def index_set_create(self, ns: Any, set: Any, name: Any, policy: Any = None) -> int:
        """Creates an index of all records of a set."""
        self._policies.keywords("info", policy)
        if not isinstance(ns, str):
            reject("Namespace should be a string")
        if not isinstance(name, str):
            reject("Index name should be string or unicode")
        if set is not None and not isinstance(set, str):
            reject("Set should be string, unicode or None")
        if not set:
            raise of_code(4, "missing 'set'")
        try:
            self._client.indexes.create_on_set(ns, set, name=name)
        except (ValueError, spikewire.NamespaceNotFound) as error:  # A server rejects it.
            raise of_code(4, str(error)) from None
        except FAILURES as error:
            raise self._failed(error) from None
        return 0

    def index_integer_create(
        self, ns: Any, set: Any, bin: Any, name: Any, policy: Any = None
    ) -> int:
        """Creates an index on integers."""
        _deprecated_index("index_integer_create")
        return self._index(ns, set, bin, 1, 0, name, policy)

    def index_string_create(
        self, ns: Any, set: Any, bin: Any, name: Any, policy: Any = None
    ) -> int:
        """Creates an index on text."""
        _deprecated_index("index_string_create")
        return self._index(ns, set, bin, 0, 0, name, policy)

    def index_blob_create(self, ns: Any, set: Any, bin: Any, name: Any, policy: Any = None) -> int:
        """Creates an index on bytes."""
        _deprecated_index("index_blob_create")
        return self._index(ns, set, bin, 3, 0, name, policy)

    def index_geo2dsphere_create(
        self, ns: Any, set: Any, bin: Any, name: Any, policy: Any = None
    ) -> int:
        """Creates an index on GeoJSON."""
        _deprecated_index("index_geo2dsphere_create")
        return self._index(ns, set, bin, 2, 0, name, policy)

    def index_remove(self, ns: Any, name: Any, policy: Any = None) -> int:
        """Removes an index; a missing one counts as removed."""
        self._policies.keywords("info", policy)
        for what, value in (("Namespace", ns), ("Index name", name)):
            if not isinstance(value, str):
                reject(f"{what} should be a string")
        try:
            self._client.indexes.drop(ns, None, name)
        except spikewire.IndexNotFound:
            return 0
        except FAILURES as error:
            raise self._failed(error) from None
        return 0

    def udf_put(self, filename: Any, udf_type: Any = 0, policy: Any = None) -> int:
        """Registers a module from a file."""
        if not isinstance(udf_type, int):
            message = f"udf_put() argument 2 must be int, not {type(udf_type).__name__}"
            raise TypeError(message)
        self._policies.keywords("info", policy)
        if not isinstance(filename, str):
            reject("Filename should be a string")
        if len(filename.encode()) > _LONGEST_PATH:
            reject("Invalid filename")
        if udf_type != 0:
            raise of_code(-1, "Invalid UDF language")
        path = Path(filename)
        if not path.name:
            reject("Empty udf filename")
        try:
            source = path.read_text(encoding="utf-8")
        except OSError:
            raise of_code(1302, "cannot open script file") from None
        if not source:
            raise of_code(1302, "Script file is empty")
        try:
            self._client.modules.register(path.name, source)
        except FAILURES as error:
            raise self._udf(error) from None
        return 0

    def _udf(self, error: BaseException) -> BaseException:
        if isinstance(error, spikewire.ServerError) and error.code in (-1, 1, 4):
            return of_code(100, str(error))
        return self._failed(error)

    def udf_remove(self, filename: Any, policy: Any = None) -> int:
        """Removes a module."""
        module = filename
        self._policies.keywords("info", policy)
        if not isinstance(module, str):
            reject("Filename should be a string")
        self._nodes()
        if not module.endswith(".lua"):
            return 0  # No server has such a module, which is not an error.
        try:
            self._client.modules.remove(module)
        except FAILURES as error:
            raise self._udf(error) from None
        return 0

    def udf_list(self, policy: Any = None) -> list[dict[str, Any]]:
        """The registered modules."""
        self._policies.keywords("info", policy)
        if not self._client._holds_connections:
            raise of_code(11, NO_CONNECTION)
        return [
            {
                "name": each[0],
                "hash": bytearray(each[1].encode()),
                "type": 0,
                "content": bytearray(),
            }
            for each in self._client.modules.list()
        ]

    def udf_get(self, module: Any, language: Any = 0, policy: Any = None) -> str:
        """The source of a module."""
        self._policies.keywords("info", policy)
        if not isinstance(language, int):
            message = f"udf_get() argument 2 must be int, not {type(language).__name__}"
            raise TypeError(message)
        if not isinstance(module, str):
            raise of_code(-1, "Module name should be a string or unicode string.")
        if language != 0:
            raise of_code(-1, "Invalid language")
        self._nodes()
        try:
            return self._client.modules.source(module)
        except FAILURES as error:
            raise of_code(100, str(error)) from None

    def get_key_partition_id(self, ns: Any, set: Any, key: Any) -> int:
        """The partition of a key."""
        if isinstance(key, bytes):
            reject("Key is invalid.")
        self._nodes()
        try:
            return spikewire.Key(*key_tuple((ns, set, key))).partition
        except FAILURES as error:
            raise self._failed(error) from None

    def get_expression_base64(self, expression: Any) -> str:
        """The wire form of an expression, as text."""
        return base64.b64encode(bytes(engine_expression(expression))).decode()

    def get_cdtctx_base64(self, ctx: Any) -> str:
        """The path to a nested list or map as text, for info commands about indexes."""
        if not isinstance(ctx, list):
            reject("parameter is not list type")
        try:
            path = steps(ctx)
        except (TypeError, ValueError, OverflowError) as error:
            reject(str(error))
        if not path:
            reject("cdt ctx list entries are empty")
        return base64.b64encode(packed(path)).decode()

    def set_xdr_filter(
        self, data_center: Any, namespace: Any, expression_filter: Any, policy: Any = None
    ) -> str:
        """Sets the filter of a data center."""
        del policy
        for what, it in (("data_center", data_center), ("namespace", namespace)):
            if not isinstance(it, str):
                reject(f"{what} must be a string")
        _check_names(data_center=data_center, namespace=namespace)
        sent = (
            "null" if expression_filter is None else self.get_expression_base64(expression_filter)
        )
        return self._info(f"xdr-set-filter:dc={data_center};namespace={namespace};exp={sent}", None)


def _check_names(**names: str) -> None:
    for what, name in names.items():
        message = odd_in_info(what, name)
        if message is not None:
            reject(message)


def _deprecated_index(name: str) -> None:
    deprecated(f"{name}() is deprecated. Please use index_single_value_create() instead")
