"""The valid entries of configurations, policies and metadata, for ``validate_keys``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire.compat.aerospike.failures import reject

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CONFIGURATION", "POLICIES", "check_names"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BASE = """total_timeout socket_timeout max_retries sleep_between_retries compress txn expressions
    connect_timeout timeout_delay error_detail_verbosity """
_INFO = "timeout send_as_is check_bounds "
_WRITE = """key gen exists commit_level durable_delete replica compression_threshold
    on_locking_only ttl """
_SCAN = "durable_delete records_per_second max_records replica ttl partition_filter "

#: By kind of policy. The last ones are for operations that write into a collection.
POLICIES: dict[str, frozenset[str]] = {
    "read": _names(
        _BASE + "key replica deserialize read_touch_ttl_percent read_mode_ap read_mode_sc"
    ),
    "write": _names(_BASE + _WRITE),
    "apply": _names(_BASE + "key replica commit_level durable_delete ttl on_locking_only"),
    "remove": _names(_BASE + "generation key gen commit_level replica durable_delete"),
    "operate": _names(
        _BASE
        + """key gen commit_level replica durable_delete deserialize exists ttl on_locking_only
        read_touch_ttl_percent read_mode_ap read_mode_sc"""
    ),
    "batch": _names(
        _BASE
        + """concurrent allow_inline deserialize replica read_touch_ttl_percent read_mode_ap
        read_mode_sc allow_inline_ssd respond_all_keys"""
    ),
    "batch_read": _names("read_touch_ttl_percent read_mode_ap read_mode_sc expressions"),
    "batch_write": _names(
        "key gen commit_level durable_delete exists on_locking_only expressions ttl"
    ),
    "batch_apply": _names("key commit_level ttl durable_delete on_locking_only expressions"),
    "batch_remove": _names("key commit_level gen durable_delete generation expressions"),
    "query": _names(_BASE + "deserialize replica short_query expected_duration partition_filter"),
    "scan": _names(_BASE + _SCAN),
    "info": _names(_INFO),
    "info_write": _names(_BASE + _WRITE + _INFO),
    "info_scan": _names(_BASE + _SCAN + _INFO),
    "admin": _names("timeout"),
    "bit": _names("bit_write_flags"),
    "map": _names("map_order map_write_flags persist_index"),
    "list": _names("list_order write_flags"),
    "hll": _names("flags"),
}

POLICIES.update(dict.fromkeys(("batch_parent_write", "txn_verify", "txn_roll"), POLICIES["batch"]))

#: By part of a configuration; ``""`` is the top level.
CONFIGURATION: dict[str, frozenset[str]] = {
    "": _names(
        """lua config_provider tls hosts shm serialization policies thread_pool_size max_threads
        min_conns_per_node max_conns_per_node max_error_rate error_rate_window connect_timeout
        use_shared_connection send_bool_as compression_threshold tend_interval cluster_name
        strict_types rack_aware rack_id rack_ids use_services_alternate max_socket_idle
        fail_if_not_connected user password validate_keys app_id force_single_node"""
    ),
    "shm": _names(
        """shm_max_nodes max_nodes shm_max_namespaces max_namespaces shm_takeover_threshold_sec
        takeover_threshold_sec shm_key"""
    ),
    "lua": _names("system_path user_path"),
    "policies": _names(
        """read write apply operate remove query scan batch batch_remove batch_apply batch_write
        batch_parent_write info admin txn_verify txn_roll total_timeout auth_mode login_timeout_ms
        key exists max_retries replica commit_level metrics read_mode_ap max_threads
        thread_pool_size socket_timeout"""
    ),
    "tls": _names(
        """enable cafile capath protocols cipher_suite keyfile keyfile_pw cert_blacklist certfile
        crl_check crl_check_all log_session_info for_login_only"""
    ),
}


def check_names(names: Iterable[object], known: frozenset[str], of: str = "policy") -> None:
    """Rejects the first unknown entry."""
    for name in names:
        if name not in known:
            reject(f'"{name}" is an invalid {of} dictionary key')
