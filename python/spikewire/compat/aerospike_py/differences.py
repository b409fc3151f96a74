"""Differences from aerospike-py: the messages of errors and of ``compat check``."""

from __future__ import annotations

from spikewire.compat.difference_table import Differences, Differs, Entry, Missing

__all__ = ["CONFIG_NO_EFFECT", "DIFFERENCES", "POLICY_NO_EFFECT"]

#: Settings of policies that have no effect here, and their defaults.
POLICY_NO_EFFECT: dict[str, object] = {
    "timeout_delay": 0,
    "allow_inline": True,
    "allow_inline_ssd": False,
    "concurrency": 1,
    "max_concurrent_nodes": 0,
    "record_queue_size": 1024,
    "expected_duration": 0,
}
#: Settings of configurations that have no effect here, and their defaults.
CONFIG_NO_EFFECT: dict[str, object] = {
    "conn_pools_per_node": 1,
}

_NO_EFFECT = Differs("has no effect; a value other than the default causes a CompatWarning")
_STAGES = Differs(
    "reports the stages of the engine: encode, queue, wire, turn, deliver, hand_over, decode"
)
_METRICS = Differs("reports the engine's counts: per process, without sets, a batch once per node")

_ENTRIES: dict[str, Entry] = {
    "set_internal_stage_metrics_enabled": _STAGES,
    "internal_stage_profiling": _STAGES,
    "AUTH_PKI": Missing('use spikewire.Client with auth="pki" and tls'),
    "operation.read": Missing(
        "name the bins to read: reading all bins does not combine with operations that have results"
    ),
    "get_metrics": _METRICS,
    "start_metrics_server": _METRICS,
    "dropped_log_count": Differs("is always 0: log records are never dropped"),
    "RustPanicError": Differs("is never raised"),
    "config.max_conns_per_node": Differs(
        "connections are shared by many commands, so there are at most 16 per node"
    ),
    "config.idle_timeout": Differs(
        "is in seconds, as documented; aerospike-py takes it as milliseconds"
    ),
    "policy.respond_all_keys": Differs(
        "with False, rows after one that failed may have no reply, and have code -15; aerospike-py "
        "sends rows again then, and reports the first one as failed"
    ),
    "policy.filter_expression": Differs(
        "raises TypeError if it is not an expression; aerospike-py ignores it"
    ),
    "Client.operate_ordered": Differs("keeps the order of the operations"),
    "AsyncClient.operate_ordered": Differs("keeps the order of the operations"),
    "Client.batch_operate": Differs("follows the write settings of its policy"),
    "AsyncClient.batch_operate": Differs("follows the write settings of its policy"),
    "predicates.geo_*": Differs("works; with aerospike-py the query raises ClientError"),
}
_ENTRIES.update({f"policy.{name}": _NO_EFFECT for name in POLICY_NO_EFFECT})
_ENTRIES.update({f"config.{name}": _NO_EFFECT for name in CONFIG_NO_EFFECT})

DIFFERENCES = Differences("spikewire.compat.aerospike_py", _ENTRIES)
