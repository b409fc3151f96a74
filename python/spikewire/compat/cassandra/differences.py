"""Differences from cassandra-driver: the messages of errors and of ``compat check``.

``Cluster(name)`` stands for a parameter, ``Session.name`` for an attribute or method.
"""

from __future__ import annotations

from typing import Any

from spikewire.compat.cassandra.missing_names import MISSING_NAMES
from spikewire.compat.difference_table import Differences, Differs, Entry, Missing

__all__ = ["DIFFERENCES", "TUNING", "UNSUPPORTED"]

#: Internal settings of the other driver, and their defaults. Other values cause a warning.
TUNING: dict[str, Any] = {
    "reconnection_policy": None,
    "conviction_policy_factory": None,
    "connection_class": None,
    "executor_threads": 2,
    "control_connection_timeout": 2.0,
    "idle_heartbeat_timeout": 30,
    "topology_event_refresh_window": 10,
    "status_event_refresh_window": 2,
    "prepare_on_all_hosts": True,
    "reprepare_on_up": True,
    "monitor_reporting_enabled": True,
    "monitor_reporting_interval": 30,
}

#: Settings that would change the effect of statements. They are rejected unless they have this
#: value.
UNSUPPORTED: dict[str, Any] = {
    "metrics_enabled": False,
    "sockopts": None,
    "cql_version": None,
    "allow_beta_protocol_version": False,
    "timestamp_generator": None,
    "no_compact": False,
    "endpoint_factory": None,
    "column_encryption_policy": None,
}
_ENGINE = Missing("leave it out; the engine handles this itself")
_ABSENT = Missing("it is a feature of DataStax Enterprise, not of Cassandra")

_ENTRIES: dict[str, Entry] = {
    "Cluster(metrics_enabled)": Missing("use the server's own metrics"),
    "Cluster(cloud)": Differs(
        "takes secure_connect_bundle and connect_timeout; the archive is read without unpacking it"
    ),
    "Cluster(auth_provider)": Differs(
        "calls authenticators in the thread that opens a connection, which waits for them"
    ),
    "Cluster(compression)": Differs(
        "accepts 'lz4'; True means no compression, and 'snappy' is not supported"
    ),
    "Cluster(protocol_version)": Differs("accepts 4 and 5"),
    "Cluster(ssl_context)": Differs(
        "only its authorities, check_hostname and TLS versions are used; pass a client certificate "
        "in ssl_options as well"
    ),
    "Cluster(load_balancing_policy)": Differs(
        "of the driver's own classes selects the engine's routing; methods are called for classes "
        "of the program, in the thread that delivers answers"
    ),
    "ExecutionProfile(continuous_paging_options)": _ABSENT,
    "Session.execute(execute_as)": _ABSENT,
    "Session.execute_async(execute_as)": _ABSENT,
    "Session.client_protocol_handler": _ENGINE,
    "Session.timestamp_generator": _ENGINE,
    "Session.execute_graph*": _ABSENT,
    "SimpleStatement(routing_key)": Differs(
        "has no effect: statements are routed by their parameters"
    ),
    "Session.encoder": Differs(
        "is for programs that format values themselves; it cannot be replaced"
    ),
    "Encoder.mapping": Missing(
        "leave it unchanged; values are bound by the types of their columns"
    ),
    "Cluster.refresh_nodes": Differs(
        "has no effect: the engine follows changes of the cluster itself"
    ),
    "connection.Connection()": _ENGINE,
    "cqlengine*": Differs(
        "is the one of cassandra-driver, which must be installed, too; works only after install()"
    ),
    "Session.use_client_timestamp": Differs("cannot be turned off"),
    "DowngradingConsistencyRetryPolicy": Missing(
        "use RetryPolicy; results would have a lower consistency than requested"
    ),
    "policies.DowngradingConsistencyRetryPolicy": Missing(
        "use RetryPolicy; results would have a lower consistency than requested"
    ),
    "policies.HostFilterPolicy": Differs("uses the nodes that its predicate accepts in turn"),
    "policies.RetryPolicy": Differs(
        "selects the engine's retries: a write is retried only if it cannot have been applied or "
        "is idempotent, also by a derived class that does not override on_request_error"
    ),
    "policies.ConstantReconnectionPolicy": Differs(
        "sets the delays between attempts, which continue as long as the session is open"
    ),
    "policies.ExponentialReconnectionPolicy": Differs(
        "sets the delays between attempts, which continue as long as the session is open"
    ),
    "datastax*": _ABSENT,
    "graph*": _ABSENT,
    "io*": Missing(
        "leave it out; the engine has its own event loop, and spikewire.cql supports asyncio"
    ),
}
_ENTRIES.update(
    {f"Cluster({name})": _ENGINE for name in UNSUPPORTED if f"Cluster({name})" not in _ENTRIES}
)
_ENTRIES.update(
    {
        f"Cluster({name})": Differs(
            "has no effect: the engine handles this itself; a value other than the default causes "
            "a CompatWarning"
        )
        for name in TUNING
        if name != "reconnection_policy"
    }
)
_ENTRIES.update(
    {
        f"Cluster.{name}": Differs("returns the argument of Cluster(); setting it has no effect")
        for name in [*TUNING, *UNSUPPORTED, "schema_event_refresh_window"]
        if name != "reconnection_policy"
    }
)
_ENTRIES.update(
    {
        f"{owner}{'.' if owner and name != '*' else ''}{name}": Missing(instead)
        for owner, instead, names in MISSING_NAMES
        for name in names.split()
    }
)

DIFFERENCES = Differences("spikewire.compat.cassandra", _ENTRIES)
