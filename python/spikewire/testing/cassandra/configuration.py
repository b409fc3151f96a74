"""The configuration of a node: cassandra.yaml, logging, its rack, JVM flags."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spikewire.testing.cassandra.certificates import tls_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire.testing.cassandra.endpoints import Endpoint
    from spikewire.testing.cassandra.options import Settings

__all__ = ["command_of", "tokens_of", "write_configuration"]

MAIN = "org.apache.cassandra.service.CassandraDaemon"

#: Time, level, thread, place, message; errors are found by their level.
LOGBACK = """\
<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
    <encoder>
      <pattern>%d{HH:mm:ss.SSS} %-5level [%thread] %logger{20} %msg%n</pattern>
    </encoder>
  </appender>
  <root level="INFO">
    <appender-ref ref="out"/>
  </root>
</configuration>
"""

# JDK packages that Cassandra uses and that must be opened to it.
EXPORTS = (
    "java.base/jdk.internal.misc",
    "java.base/java.lang.ref",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.sql/java.sql",
    "jdk.attach/sun.tools.attach",
    "jdk.unsupported/sun.misc",
)
OPENS = (
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.module",
    "java.base/java.lang.reflect",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.util.jar",
    "java.base/sun.nio.ch",
    "jdk.management/com.sun.management.internal",
)


def tokens_of(node: int, nodes: int, vnodes: int) -> list[int]:
    """The tokens of a node, evenly distributed over the ring, with owners taking turns.

    Each round starts with another node, so that neighbouring tokens may have the same owner.
    """
    total = nodes * vnodes
    places = (turn * nodes + (node + turn) % nodes for turn in range(vnodes))
    return [(place << 64) // total - (1 << 63) for place in places]


def write_configuration(
    folder: Path, node: int, endpoints: list[Endpoint], settings: Settings, tls: Path
) -> None:
    """Writes the files of a node to its folder; TLS files are elsewhere."""
    conf = folder / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    # JSON is valid YAML.
    yaml = json.dumps(_yaml(node, endpoints, settings, tls), indent=2)
    (conf / "cassandra.yaml").write_text(yaml + "\n")
    (conf / "logback.xml").write_text(LOGBACK)
    rack = f"dc={settings.datacenters[node]}\nrack={settings.racks[node]}\n"
    (conf / "cassandra-rackdc.properties").write_text(rack)


def _yaml(node: int, endpoints: list[Endpoint], settings: Settings, tls: Path) -> dict[str, Any]:
    own = endpoints[node]
    # Every node is a seed, so that all can start at once.
    seeds = ",".join(f"{one.address}:{one.storage_port}" for one in endpoints)
    tokens = tokens_of(node, len(endpoints), settings.vnodes)
    yaml: dict[str, Any] = {
        "cluster_name": settings.cluster_name,
        "num_tokens": settings.vnodes,
        "initial_token": ",".join(map(str, tokens)),
        "partitioner": "org.apache.cassandra.dht.Murmur3Partitioner",
        "endpoint_snitch": "GossipingPropertyFileSnitch",
        "seed_provider": [
            {
                "class_name": "org.apache.cassandra.locator.SimpleSeedProvider",
                "parameters": [{"seeds": seeds}],
            }
        ],
        "listen_address": own.address,
        "rpc_address": own.address,
        "storage_port": own.storage_port,
        "native_transport_port": own.port,
        "auto_bootstrap": False,
        "auto_snapshot": False,
        "commitlog_sync": "periodic",
        "commitlog_sync_period": "10000ms",
        "user_defined_functions_enabled": True,
        "materialized_views_enabled": True,
    }
    if settings.password:
        yaml |= {
            "authenticator": "PasswordAuthenticator",
            "authorizer": "CassandraAuthorizer",
            "role_manager": "CassandraRoleManager",
        }
    if settings.tls:
        yaml["client_encryption_options"] = tls_yaml(
            tls,
            optional=settings.tls == "optional",
            client_certificates=settings.client_certificates,
        )
    yaml.update(settings.yaml)
    return yaml


def command_of(java: Path, jars: Path, folder: Path, settings: Settings) -> list[str]:
    """The command line of a node."""
    conf = folder / "conf"
    jamm = next(jars.glob("jamm-*.jar"))
    heap = f"{settings.heap}M"
    properties = {
        "cassandra.config": f"file://{conf}/cassandra.yaml",
        "cassandra.logdir": folder / "log",
        "cassandra.storagedir": folder / "data",
        "cassandra-foreground": "yes",
        # No other node will join, so there is nothing to wait for.
        "cassandra.ring_delay_ms": 0 if settings.nodes == 1 else 2000,
        "cassandra.skip_wait_for_gossip_to_settle": 0,
        "cassandra.superuser_setup_delay_ms": 0,
        # Replicated, so that users can log in while a node is down.
        "cassandra.system_auth.default_rf": min(settings.nodes, 3),
        "cassandra.system_distributed.default_rf": min(settings.nodes, 3),
        "io.netty.tryReflectionSetAccessible": "true",
        "java.net.preferIPv4Stack": "true",
        "jdk.attach.allowAttachSelf": "true",
        "logback.configurationFile": conf / "logback.xml",
    }
    return [
        str(java),
        f"-Xms{heap}",
        f"-Xmx{heap}",
        "-Xss512k",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:+PerfDisableSharedMem",
        *(["-XX:TieredStopAtLevel=1"] if settings.quick_start else []),
        *(f"--add-exports={name}=ALL-UNNAMED" for name in EXPORTS),
        *(f"--add-opens={name}=ALL-UNNAMED" for name in OPENS),
        f"-javaagent:{jamm}",
        *(f"-D{name}={value}" for name, value in properties.items()),
        *settings.jvm,
        "-cp",
        f"{conf}:{jars}/*",
        MAIN,
    ]
