"""Differences from the official client: the messages of errors and of ``compat check``."""

from __future__ import annotations

from spikewire.compat.difference_table import Differences, Differs, Entry, Missing

__all__ = ["CONFIG_NO_EFFECT", "DIFFERENCES", "POLICY_NO_EFFECT"]

#: Settings of policies that have no effect here.
POLICY_NO_EFFECT = frozenset(
    {"connect_timeout", "timeout_delay",
     "deserialize", "respond_all_ops", "allow_inline", "allow_inline_ssd",
     "concurrent", "async_heap_rec",
     "send_set_name", "expected_duration", "short_query"}
)  # fmt: skip
#: Settings of configurations that have no effect here.
CONFIG_NO_EFFECT = frozenset(
    {"shm", "use_shared_connection", "thread_pool_size", "max_threads",
     "rack_aware", "connect_timeout"}
)  # fmt: skip

_NO_EFFECT = Differs("has no effect; a value other than the default causes a CompatWarning")
_OF_CALL = Differs(
    "in the policy of one call, it limits the duration of the call and lets a read try another "
    "replica; a write is not resent because a node does not answer"
)
_OF_SCANS = Differs("has no effect on queries, scans and jobs, whose replies are not compressed")
_OF_WRITES = Differs("a write that may have been applied is never retried")
_NO_LOG = Differs("the only message is written at LOG_LEVEL_TRACE when a client is created")
_REVOKED = Missing("leave it out and use short-lived certificates")

_CLIENT_SIDE = Missing("read the bin, change it in Python, and write it with POLICY_GEN_EQ")


def _gone(instead: str) -> Missing:
    """For features of older versions of the official client."""
    return Missing(f"{instead}; the official client 19 has no such method either")


_ENTRIES: dict[str, Entry] = {
    "Transaction": Differs("belongs to the client that it is first used with"),
    "operation code": Missing("use an expression of spikewire.exp"),
    "bitwise_operations.bit_b64_encode with ctx": _CLIENT_SIDE,
    "Client.get_many": _gone("use batch_read"),
    "Client.select_many": _gone("use batch_read with the names of bins"),
    "Client.exists_many": _gone("use batch_read with an empty list of bins"),
    "Client.batch_get_ops": _gone("use batch_operate"),
    "Client.get_key_digest": _gone("use aerospike.calc_digest"),
    "Client.info": _gone("use info_all"),
    "Client.info_node": _gone("use info_single_node"),
    "Client.list_*": _gone("use operate with list_operations"),
    "Client.map_*": _gone("use operate with map_operations"),
    "config.tls.cipher_suite": Missing("leave it out; only secure cipher suites are offered"),
    "config.tls.protocols": Missing("leave it out; TLS 1.2 and 1.3 are used"),
    "config.tls.keyfile_pw": Differs("needs a key in the format PKCS #8"),
    "config.tls.cert_blacklist": _REVOKED,
    "config.tls.for_login_only": Missing("leave it out; all connections are encrypted"),
    "config.tls.log_session_info": _NO_EFFECT,
    "policy.txn": Missing(
        "leave it out of policies of queries, scans, background jobs and rows of a batch, which "
        "are no part of transactions; the policies of other calls have it"
    ),
    "policy.socket_timeout": _OF_CALL,
    "policy.max_retries": _OF_WRITES,
    "policy.compress": _OF_SCANS,
    "policy.error_detail_verbosity": Differs(
        "0 in the policy of one call is that of the client; a message is added to the exception's, "
        "in brackets, instead of replacing it; has no effect on background jobs and aggregations"
    ),
    "policy.respond_all_keys": Differs(
        "a row that writes and has no reply is in doubt: the node has run it nevertheless"
    ),
    "policy.compression_threshold": Differs(
        "in the policy of one call, it switches compression on, from the client's threshold on"
    ),
    "Client.get_stats": Differs("counts commands only while metrics are enabled"),
    "Client.enable_metrics": Differs("bytes of requests that are tried again count once"),
    "config.max_conns_per_node": Differs(
        "connections are shared by many commands, so there are at most 16 per node"
    ),
    "KeyOrderedDict": Differs(
        "once a client of this module exists, spikewire.Client reads ordered maps as this, too"
    ),
    "set_log_level": _NO_LOG,
    "set_log_handler": _NO_LOG,
    "Client.job_info": Differs(
        "knows only the jobs of this client; all others are reported as completed"
    ),
}
_ENTRIES.update({f"policy.{name}": _NO_EFFECT for name in sorted(POLICY_NO_EFFECT)})
_ENTRIES.update({f"config.{name}": _NO_EFFECT for name in sorted(CONFIG_NO_EFFECT)})

DIFFERENCES = Differences("spikewire.compat.aerospike", _ENTRIES)
