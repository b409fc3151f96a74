"""Policies: defaults, checks, and their conversion to keywords of the engine's verbs."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import spikewire
from spikewire.compat.aerospike.differences import POLICY_NO_EFFECT
from spikewire.compat.aerospike.exception import ParamError
from spikewire.compat.aerospike.expressions import engine_expression
from spikewire.compat.aerospike.failures import (
    deprecated,
    missing,
    of_code,
    reject,
    without_effect,
)
from spikewire.compat.aerospike.metrics import MetricsPolicy
from spikewire.compat.aerospike.metrics_policy import check_metrics
from spikewire.compat.aerospike.transaction import Transaction
from spikewire.compat.aerospike.valid_keys import CONFIGURATION, POLICIES, check_names

if TYPE_CHECKING:
    from spikewire.compat.aerospike.values import Serializers

__all__ = ["DEFAULTS", "Policies", "resolved", "ttl_of"]

_BASE: dict[str, Any] = {
    "total_timeout": 1000,
    "connect_timeout": 0,
    "socket_timeout": 30000,
    "timeout_delay": 3000,
    "max_retries": 2,
    "sleep_between_retries": 0,
    "compress": False,
    "error_detail_verbosity": 0,
}
_READ = {"replica": 2, "read_mode_ap": 0, "read_mode_sc": 0, "read_touch_ttl_percent": 0}
_WRITE = {"commit_level": 0, "gen": 0, "exists": 0, "ttl": 0, "durable_delete": False}

#: The policies of a client and their defaults.
DEFAULTS: dict[str, dict[str, Any]] = {
    "read": _BASE | {"key": 0, "deserialize": True} | _READ,
    "write": _BASE
    | {
        "max_retries": 0,
        "key": 0,
        "replica": 2,
        "compression_threshold": 0,
        "on_locking_only": False,
    }
    | _WRITE,
    "apply": _BASE
    | {"max_retries": 0, "key": 0, "replica": 2, "commit_level": 0, "ttl": 0}
    | {"durable_delete": False, "on_locking_only": False},
    "remove": _BASE
    | {"max_retries": 0, "key": 0, "replica": 2, "commit_level": 0, "gen": 0, "generation": 0}
    | {"durable_delete": False},
    "operate": _BASE
    | {"max_retries": 0, "key": 0, "deserialize": True, "async_heap_rec": False}
    | {"respond_all_ops": False, "on_locking_only": False}
    | _READ
    | _WRITE,
    "batch": _BASE
    | {"concurrent": False, "allow_inline": True, "allow_inline_ssd": False}
    | {"respond_all_keys": True, "deserialize": True, "send_set_name": True}
    | _READ,
    "batch_write": {"key": 0, "on_locking_only": False} | _WRITE,
    "batch_apply": {"key": 0, "commit_level": 0, "ttl": 0, "durable_delete": False}
    | {"on_locking_only": False},
    "batch_remove": {"key": 0, "commit_level": 0, "gen": 0, "generation": 0}
    | {"durable_delete": False},
    "query": _BASE
    | {"total_timeout": 0, "max_retries": 5, "deserialize": True, "replica": 2}
    | {"short_query": False, "expected_duration": 0},
    "scan": _BASE
    | {"total_timeout": 0, "max_retries": 5, "durable_delete": False, "records_per_second": 0}
    | {"max_records": 0, "replica": 2, "ttl": 0},
    "info": {"timeout": 1000, "send_as_is": True, "check_bounds": True},
    "admin": {"timeout": 1000},
}
#: Policies of single calls that are the same as another one.
_SAME = {"info_write": "write", "info_scan": "scan", "batch_read": "read"}

#: Entries next to the policies of ``read``, ``write`` and so on, and the policies to which they
#: apply.
_KINDS_OF_KEYS = ("read", "write", "apply", "operate", "remove")
_OF_ALL = (*_KINDS_OF_KEYS, "query", "scan", "batch")
_COMMON: dict[str, tuple[str, ...]] = {
    "key": _KINDS_OF_KEYS,
    "socket_timeout": _OF_ALL,
    "total_timeout": _OF_ALL,
    "max_retries": _OF_ALL,
    "exists": ("write",),
    "replica": _OF_ALL,
    "read_mode_ap": ("read", "operate", "batch"),
    "read_mode_sc": ("read", "operate", "batch"),
    "commit_level": ("write", "apply", "operate", "remove"),
}
_METADATA = frozenset({"gen", "ttl"})
_TTL_IN_META = 'meta["ttl"] is deprecated and will be removed in the next client major release.'
#: Entries with 16 bits.
_SHORT = {"generation"}
_BOOLS = {"compress", "durable_delete", "deserialize", "on_locking_only", "respond_all_ops",
          "respond_all_keys", "allow_inline", "allow_inline_ssd", "concurrent", "async_heap_rec",
          "send_set_name", "short_query", "send_as_is", "check_bounds"}  # fmt: skip
_REPLICAS = ("master", "any", "sequence", "prefer-rack", "any")
_EXISTS = (None, "create", "update", "replace_only", "replace")
_COMMITS = (None, "master")
_DETAILS = ("off", "subcode", "message", "trace")
_SC = (None, "linearize", "allow_replica", "allow_unavailable")

#: Entries that verbs accept in policies of any kind.
_ALWAYS = frozenset({"expressions", "txn"})
#: Policies of calls that are no part of transactions, and of rows, whose batch has one.
_NO_TRANSACTION = frozenset({"query", "scan", "batch_write", "batch_apply", "batch_remove"})
#: The engine's limit of retries.
_MOST_RETRIES = 1000
#: The engine's limit for the delay of a second request, in seconds.
_LONGEST_HEDGE = 600.0


def resolved(kind: str, policy: Any, *, strict: bool) -> dict[str, Any]:
    """Checks a policy and merges it with its defaults."""
    if policy is None:
        return {}
    if not isinstance(policy, dict):
        reject("policy must be a dict")
    entries: dict[str, Any] = policy
    known = DEFAULTS.get(kind, {})
    if strict and kind in POLICIES:
        check_names(entries, POLICIES[kind])
    for name, value in entries.items():
        if name not in known or name in ("expressions", "txn", "partition_filter"):
            continue
        if name in _BOOLS:
            fits = isinstance(value, (bool, int))
        elif not isinstance(value, int):
            fits = False
        elif name in _SHORT:
            fits = 0 <= value < 1 << 16
        else:
            fits = value >= 0 or name in ("ttl", "read_touch_ttl_percent")
        if not fits:
            reject(f"{name} is invalid")
    return entries


def ttl_of(value: Any, default: Any = None) -> Any:
    """A time to live, as the engine's ``ttl``."""
    if not isinstance(value, int):
        reject("Ttl should be an int or long")
    if value >= 1 << 63:
        reject("integer value for ttl exceeds sys.maxsize")
    if value in (0xFFFFFFFF, -1):
        return "never"
    if value in (0xFFFFFFFE, -2):
        return "unchanged"
    if value in (0xFFFFFFFD, -3):
        return default
    return int(value) or "default"


class Policies:
    """The policies of a client, from its configuration."""

    #: The client's serializers, for constants in expressions.
    serializers: Serializers | None = None

    def __init__(self, policies: dict[str, Any], *, strict: bool) -> None:
        self.strict = strict
        #: The keywords for each kind of policy that follow from the configuration alone.
        self.plain: dict[str, dict[str, Any]] = {}
        self.of: dict[str, dict[str, Any]] = {name: dict(own) for name, own in DEFAULTS.items()}
        self.changed: dict[str, dict[str, Any]] = {name: {} for name in DEFAULTS}
        if strict:
            check_names(policies, CONFIGURATION["policies"], "client config")
        for name, value in policies.items():
            if name in ("max_threads", "thread_pool_size", "login_timeout_ms"):
                without_effect(f"the policy {name!r}")
            elif name in _COMMON and isinstance(value, int):
                for kind in _COMMON[name]:
                    self.of[kind][name] = self.changed[kind][name] = value
        self.metrics = _metrics(policies.get("metrics"))
        auth = policies.get("auth_mode")
        if isinstance(auth, int) and auth not in (0, 1, 2, 3):
            reject("Specify valid auth_mode")
        for name, own in self.of.items():
            if (policy := policies.get(name)) is None:
                continue
            checked = self._configured(name, policy, strict=strict)
            own.update(checked)
            self.changed[name].update(checked)
        for name in ("batch_parent_write", "txn_verify", "txn_roll"):
            self._configured(name, policies.get(name), strict=strict)
        self.follow({})

    def follow(self, fixed: dict[str, dict[str, Any]]) -> None:
        """Sets entries that override all others, including those of single calls."""
        self.fixed = fixed
        self.plain = {}  # Recomputed by calls in between.
        self.plain = {
            name: self.keywords(name, None) if changed or name in fixed else {}
            for name, changed in self.changed.items()
        }

    @staticmethod
    def _configured(kind: str, policy: Any, *, strict: bool) -> dict[str, Any]:
        if strict and isinstance(policy, dict) and kind in POLICIES:
            check_names(policy, POLICIES[kind])
        try:
            return resolved(kind, policy, strict=False)
        except ParamError:
            reject("Invalid Policy setting value")

    def sends_key(self, kind: str, policy: dict[str, Any] | None) -> bool:
        """Whether the user key is sent with the command."""
        fixed = self.fixed.get(kind, {})
        if "key" in fixed:
            return bool(fixed["key"])
        if policy and "key" in policy:
            return bool(policy["key"])
        return bool(self.of[kind].get("key"))

    def keywords(self, kind: str, policy: Any, meta: Any = None) -> dict[str, Any]:
        """The keywords of a verb, without those that have their default."""
        known, kind = kind, _SAME.get(kind, kind)
        if policy is None and meta is None and kind in self.plain:
            return dict(self.plain[kind])
        entries = dict(self.changed[kind])
        if policy is not None:
            if self.strict and known != kind and isinstance(policy, dict):
                check_names(policy, POLICIES[known])
            entries.update(resolved(kind, policy, strict=self.strict and known == kind))
        if kind in self.fixed:
            entries.update(self.fixed[kind])
        keywords: dict[str, Any] = {}
        own = DEFAULTS[kind]
        for name, value in entries.items():
            if name in own or name in _ALWAYS:  # The others belong to other commands.
                self._add(keywords, kind, name, value)
        if "socket_timeout" in entries and "socket_timeout" in own:
            self._bound(keywords, kind, entries)
        if kind in (
            "write",
            "operate",
            "remove",
            "apply",
            "batch_write",
            "batch_remove",
            "batch_apply",
            "scan",
        ):
            self._meta(keywords, kind, entries, meta)
        return keywords

    def _add(self, keywords: dict[str, Any], kind: str, name: str, value: Any) -> None:
        if name == "total_timeout":
            keywords["timeout"] = value / 1000
        elif name == "expressions":
            if value is not None:
                keywords["where"] = engine_expression(value, self.serializers)
        elif name == "txn":
            if value is not None:
                if not isinstance(value, Transaction):
                    reject("txn is not of type aerospike.Transaction")
                if kind in _NO_TRANSACTION:
                    missing("policy.txn")
                keywords["txn"] = value
        elif name == "replica":
            if (choice := _named(_REPLICAS, name, value)) is not None:
                keywords["replica"] = choice
        elif name == "key":
            if kind not in ("read", "query", "scan", "batch"):
                # The policy of a call does not switch off what the client's switches on.
                keywords["send_key"] = bool(value) or bool(self.of[kind].get("key"))
        elif name == "exists":
            if (rule := _named(_EXISTS, name, value)) is not None:
                keywords["exists"] = rule
        elif name == "durable_delete":
            if value:
                keywords["durable"] = True
        elif name == "read_mode_ap":
            if value:
                keywords["read_mode"] = "all"
        elif name == "read_mode_sc":
            if (mode := _named(_SC, name, value)) is not None:
                keywords["read_mode"] = mode
        elif name == "read_touch_ttl_percent":
            if value:
                keywords["read_touch"] = value
        elif name == "compress":
            if kind not in ("query", "scan"):
                keywords["compress"] = bool(value) or keywords.get("compress", False)
            elif value:
                without_effect("the policy 'compress' of a query or scan")
        elif name == "error_detail_verbosity":
            if value:
                keywords["error_details"] = _DETAILS[min(value, len(_DETAILS) - 1)]
        elif name == "commit_level":
            if (level := _named(_COMMITS, name, value)) is not None:
                keywords["commit_level"] = level
        elif name == "on_locking_only":
            if value:
                keywords["on_locking_only"] = True
        elif name == "respond_all_keys":
            if not value:
                keywords["respond_all_keys"] = False
        elif name == "compression_threshold":
            if value:  # Compression is on then, whatever `compress` says.
                keywords["compress"] = True
        elif name in POLICY_NO_EFFECT:
            if value != DEFAULTS[kind].get(name, 0):
                without_effect(f"the policy {name!r}")
        elif name == "socket_timeout":
            if kind in ("query", "scan"):
                keywords["socket_timeout"] = value / 1000
        elif name == "max_retries":
            keywords["max_retries"] = min(value, _MOST_RETRIES)
        elif name == "sleep_between_retries":
            keywords["sleep_between_retries"] = value / 1000

    def _bound(self, keywords: dict[str, Any], kind: str, entries: dict[str, Any]) -> None:
        """How a command on records uses ``socket_timeout``: it bounds the total time by what all
        attempts may take together, and a read tries another replica after that time."""
        silence = entries["socket_timeout"]
        if kind in ("query", "scan") or not silence:
            return
        usual = self.of[kind]
        retries = min(entries.get("max_retries", usual["max_retries"]), _MOST_RETRIES)
        pause = entries.get("sleep_between_retries", usual["sleep_between_retries"])
        longest = (silence * (retries + 1) + pause * retries) / 1000
        total = keywords.get("timeout", usual["total_timeout"] / 1000)
        if not 0 < total <= longest:
            keywords["timeout"] = total = longest
        if kind == "read" and silence / 1000 < total and silence != usual["socket_timeout"]:
            keywords["hedge"] = min(silence / 1000, _LONGEST_HEDGE)

    def _meta(
        self, keywords: dict[str, Any], kind: str, entries: dict[str, Any], meta: Any
    ) -> None:
        ttl = entries.get("ttl")
        default = ttl_of(ttl) if ttl else None
        rule = entries.get("gen", 0)
        generation = entries.get("generation", 0)
        if meta is not None and (kind != "remove" or isinstance(meta, dict)):
            if not isinstance(meta, dict):
                reject("Metadata should be of type dictionary")
            own: dict[str, Any] = meta
            if own.get("ttl") is not None and kind != "remove":
                deprecated(_TTL_IN_META)
                default = ttl_of(own["ttl"], default)
            if own.get("gen") is not None:
                generation = own["gen"]
                if not isinstance(generation, int):
                    reject("Generation should be an int or long")
                generation = int(generation)
            if self.strict and kind != "remove":
                check_names(own, _METADATA, "record metadata")
        if default is not None and kind != "remove":
            keywords["ttl"] = default
        if rule == 2 and generation == 0:  # No record has an older one.
            raise of_code(3, "AEROSPIKE_ERR_RECORD_GENERATION")
        if rule == 1:
            keywords["generation"] = generation
        elif rule == 2:
            keywords["generation"] = spikewire.Newer(generation)
        elif rule:
            _passed_over("gen", rule)


def _metrics(policy: Any) -> MetricsPolicy:
    if policy is None:
        return MetricsPolicy()
    if not isinstance(policy, MetricsPolicy):
        reject(
            "metrics must be an aerospike_helpers.metrics.MetricsPolicy class instance. "
            f"But a {type(policy).__name__} was received instead"
        )
    check_metrics(policy)
    return policy


def _named(names: tuple[str | None, ...], of: str, value: int) -> str | None:
    if not 0 <= value < len(names):
        _passed_over(of, value)
        return None
    return names[value]


def _passed_over(name: str, value: int) -> None:
    """For a number that is not one of the constants, which counts as the default."""
    without_effect(f"the policy {name!r} of {value}")
