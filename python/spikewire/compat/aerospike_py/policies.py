"""Policies, converted to keywords of the engine's verbs.

The tables are those of ``compat.aerospike``: entries are converted to the official client's names
and numbers here, and to keywords there.
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import exception as official
from spikewire.compat.aerospike.policies import Policies
from spikewire.compat.aerospike_py.differences import POLICY_NO_EFFECT
from spikewire.compat.aerospike_py.expressions import filter_of
from spikewire.compat.aerospike_py.failures import reject, without_effect

__all__ = ["META", "POLICY", "PartitionFilter", "batch_options", "query_options", "row_options"]
__all__ += ["single_options"]

_TABLES = Policies({}, strict=False)

#: Entries of the individual policies. Any others are ignored.
_INTEGERS = frozenset(
    {"socket_timeout", "total_timeout", "max_retries", "sleep_between_retries", "replica",
     "read_mode_ap", "read_touch_ttl_percent", "key", "exists", "gen", "ttl", "max_records",
     "records_per_second", "commit_level"}
)  # fmt: skip
_FLAGS = frozenset({"durable_delete", "include_bin_data", "respond_all_keys"})
POLICY = frozenset(
    _INTEGERS | _FLAGS | POLICY_NO_EFFECT.keys() | {"filter_expression", "partition_filter"}
)
META = frozenset({"gen", "ttl", "key", "exists", "commit_level", "durable_delete"})

#: Numbers of aerospike-py, and those of the official client.
_EXISTS = {0: 0, 1: 2, 2: 4, 3: 3, 4: 1}
_REPLICA = {0: 0, 1: 2, 2: 3}
_GENERATION = {0: 0, 1: 1, 2: 2}
_OF_WRITES = ("key", "exists", "ttl", "durable_delete", "commit_level")
_TTL_MAX = 0xFFFFFFFF
_PREFER_RACK = 2


class PartitionFilter:
    """The partitions that a query reads, created by ``partition_filter_all`` and similar
    functions."""

    __slots__ = ("begin", "count")

    def __init__(self, begin: int, count: int) -> None:
        self.begin = begin
        self.count = count

    def __repr__(self) -> str:
        return f"PartitionFilter(begin={self.begin}, count={self.count})"


def _checked(policy: Any, what: str) -> dict[str, Any]:
    if policy is None:
        return {}
    if not isinstance(policy, dict):
        message = f"{what} must be a dict, not {type(policy).__name__}"
        raise TypeError(message)
    for name, value in policy.items():
        if name in _INTEGERS:
            if isinstance(value, bool) or not isinstance(value, int):
                message = f"{what}: {name} must be an int, not {type(value).__name__}"
                raise TypeError(message)
            if name == "ttl" and not -3 <= value <= _TTL_MAX:
                reject(f"ttl out of range: {value}")
            if name == "read_touch_ttl_percent" and not -1 <= value <= 100:
                reject(f"read_touch_ttl_percent out of range: {value}")
        elif name in _FLAGS and not isinstance(value, bool):
            message = f"{what}: {name} must be a bool, not {type(value).__name__}"
            raise TypeError(message)
        elif name in POLICY_NO_EFFECT and value != POLICY_NO_EFFECT[name]:
            without_effect(f"{name!r} in a policy")
    return policy


def _keywords(kind: str, entries: dict[str, Any], meta: dict[str, Any] | None = None) -> Any:
    """The keywords for merged entries, from the tables with the official client's names."""
    official_policy: dict[str, Any] = {}
    for name, value in entries.items():
        if name == "filter_expression":
            official_policy["expressions"] = filter_of(value)
        elif name == "exists":
            official_policy[name] = _number(name, value, _EXISTS)
        elif name == "replica":
            official_policy[name] = _number(name, value, _REPLICA)
            if value == _PREFER_RACK:
                reject("POLICY_REPLICA_PREFER_RACK needs racks, which cannot be configured")
        elif name == "gen":
            official_policy[name] = _number(name, value, _GENERATION)
        elif name in _INTEGERS or name in _FLAGS:
            official_policy[name] = value
    try:
        return _TABLES.keywords(kind, official_policy, meta)
    except official.AerospikeError as error:
        reject(str(error.msg))


def _number(name: str, value: int, of: dict[int, int]) -> int:
    if value not in of:
        reject(f"{name} must be one of the constants, not {value}")
    return of[value]


def _merged(policy: dict[str, Any], meta: dict[str, Any], *, meta_wins: bool) -> Any:
    """The entries of policy and metadata merged, and the remaining metadata."""
    first, second = (policy, meta) if meta_wins else (meta, policy)
    merged = {name: value for name, value in policy.items() if name not in META}
    for source in (first, second):
        merged |= {name: source[name] for name in _OF_WRITES if name in source}
    if "gen" in policy:
        merged["gen"] = policy["gen"]
    if "gen" in meta:
        if meta_wins or "gen" not in policy:
            merged["gen"] = 1
        return merged, {"gen": meta["gen"]}
    return merged, None


def single_options(kind: str, policy: Any, meta: Any = None) -> dict[str, Any]:
    """The keywords of a verb on one record: ``kind`` is that of the official client's policies."""
    if policy is None and meta is None:
        return {}
    merged, left = _merged(_checked(policy, "policy"), _checked(meta, "meta"), meta_wins=False)
    if kind == "read":
        merged = {name: value for name, value in merged.items() if name not in _OF_WRITES}
    elif kind == "remove":
        merged.pop("exists", None)
        merged.pop("ttl", None)
    keywords: dict[str, Any] = _keywords(kind, merged, left)
    if kind not in ("read", "operate"):
        keywords.pop("read_mode", None)
        keywords.pop("read_touch", None)
    return keywords


_OF_CALL = ("total_timeout", "replica", "socket_timeout", "max_retries", "sleep_between_retries",
            "respond_all_keys")  # fmt: skip
_OF_ROWS = {
    "read": ("read_touch_ttl_percent", "read_mode_ap", "filter_expression"),
    "batch_write": (*_OF_WRITES, "gen", "filter_expression"),
    "batch_remove": ("key", "gen", "durable_delete", "commit_level", "filter_expression"),
    "batch_apply": ("key", "ttl", "durable_delete", "commit_level", "filter_expression"),
}


def batch_options(policy: Any) -> dict[str, Any]:
    """The keywords of a batch as a whole."""
    checked = _checked(policy, "policy")
    if not checked:
        return {}
    entries = {name: value for name, value in checked.items() if name in _OF_CALL}
    keywords: dict[str, Any] = _keywords("batch", entries)
    return keywords


def row_options(kind: str, policy: Any, meta: Any = None) -> dict[str, Any]:
    """The keywords of a row. Its own metadata override those of the batch."""
    if not policy and not meta:
        return {}
    shared = {
        name: value for name, value in _checked(policy, "policy").items() if name in _OF_ROWS[kind]
    }
    own = {name: value for name, value in _checked(meta, "meta").items() if name in _OF_ROWS[kind]}
    entries, left = _merged(shared, own, meta_wins=True)
    keywords: dict[str, Any] = _keywords(kind, entries, left)
    return keywords


def query_options(policy: Any) -> dict[str, Any]:
    """The keywords of a query."""
    checked = _checked(policy, "policy")
    names = ("total_timeout", "socket_timeout", "replica", "filter_expression")
    keywords: dict[str, Any] = _keywords(
        "query", {name: value for name, value in checked.items() if name in names}
    )
    if checked.get("max_records"):
        keywords["limit"] = checked["max_records"]
    if checked.get("records_per_second"):
        keywords["records_per_second"] = checked["records_per_second"]
    if not checked.get("include_bin_data", True):
        keywords["include_values"] = False
    partitions = checked.get("partition_filter")
    if partitions is not None:
        if not isinstance(partitions, PartitionFilter):
            message = "partition_filter must come from partition_filter_all, _by_id or _by_range"
            raise TypeError(message)
        if not partitions.count:
            reject("partition_filter has no partitions")
        keywords["partitions"] = range(partitions.begin, partitions.begin + partitions.count)
    return keywords
