"""Differences from cassandra-driver: the messages of errors and of ``compat check``.

``Cluster(name)`` stands for a parameter, ``Session.name`` for an attribute or method.
"""

from __future__ import annotations

from typing import Any

from spikewire.compat.cassandra.missing_names import MISSING_NAMES
from spikewire.compat.difference_table import Differences, Differs, Entry, Missing

__all__ = ["DIFFERENCES", "REFUSED", "TUNING"]

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
REFUSED: dict[str, Any] = {
    "metrics_enabled": False,
    "sockopts": None,
    "cql_version": None,
    "allow_beta_protocol_version": False,
    "timestamp_generator": None,
    "no_compact": False,
    "endpoint_factory": None,
    "cloud": None,
    "column_encryption_policy": None,
}
_ENGINE = Missing("the engine has its own way of doing that")
_ABSENT = Missing("Cassandra does not have that")

_ENTRIES: dict[str, Entry] = {
    "Cluster(metrics_enabled)": Missing("the server's own metrics"),
    "Cluster(cloud)": Missing("name the addresses of the nodes"),
    "Cluster(auth_provider)": Differs("takes PlainTextAuthProvider and no other"),
    "Cluster(address_translator)": Differs(
        "takes IdentityTranslator; a spikewire.cql.Session takes address_map"
    ),
    "Cluster(compression)": Differs("takes 'lz4'; True is no compression, 'snappy' is not taken"),
    "Cluster(protocol_version)": Differs("takes 4 and 5"),
    "Cluster(ssl_context)": Differs(
        "is read for authorities, check_hostname and versions; a client's certificate is named in "
        "ssl_options as well"
    ),
    "Cluster(load_balancing_policy)": Differs(
        "says where to go by class: own classes are not taken, for their methods would never be "
        "called"
    ),
    "ExecutionProfile(continuous_paging_options)": _ABSENT,
    "Session.execute(execute_as)": _ABSENT,
    "Session.execute_async(execute_as)": _ABSENT,
    "Session.client_protocol_handler": _ENGINE,
    "Session.timestamp_generator": _ENGINE,
    "Session.execute_graph*": _ABSENT,
    "SimpleStatement(routing_key)": Differs(
        "has no effect: statements with parameters are routed by these"
    ),
    "Session.encoder": Differs(
        "is for programs that write values into text themselves; it cannot be replaced"
    ),
    "Encoder.mapping": Missing("values are bound by the types of their columns"),
    "Cluster.refresh_nodes": Differs("has no effect: the engine follows the cluster by itself"),
    "connection.Connection()": _ENGINE,
    "cqlengine*": Differs(
        "is that of cassandra-driver, which has to be installed beside; only after install()"
    ),
    "Session.use_client_timestamp": Differs("cannot be turned off"),
    "DowngradingConsistencyRetryPolicy": Missing("results would be less than was asked for"),
    "policies.DowngradingConsistencyRetryPolicy": Missing(
        "results would be less than was asked for"
    ),
    "policies.HostFilterPolicy": Differs("uses the nodes that its function takes in turn"),
    "policies.RetryPolicy": Differs(
        "stands for the engine's retries: writes only where they cannot have been applied or are "
        "idempotent"
    ),
    "policies.ConstantReconnectionPolicy": Differs(
        "says the pauses; the engine goes on for as long as the session is open"
    ),
    "policies.ExponentialReconnectionPolicy": Differs(
        "says the pauses; the engine goes on for as long as the session is open"
    ),
    "datastax*": _ABSENT,
    "graph*": _ABSENT,
    "io*": Missing("event loops are the engine's own; spikewire.cql has asyncio"),
}
_ENTRIES.update(
    {f"Cluster({name})": _ENGINE for name in REFUSED if f"Cluster({name})" not in _ENTRIES}
)
_ENTRIES.update(
    {
        f"Cluster({name})": Differs(
            "has no effect: the engine has its own way of doing that; unless it is the default, a "
            "CompatWarning says so"
        )
        for name in TUNING
        if name != "reconnection_policy"
    }
)
_ENTRIES.update(
    {
        f"Cluster.{name}": Differs("is what Cluster() was called with; to set it has no effect")
        for name in [*TUNING, *REFUSED, "schema_event_refresh_window"]
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
