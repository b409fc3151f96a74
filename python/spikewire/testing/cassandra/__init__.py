"""A real Cassandra for tests: nodes on this machine, started from the jars of Maven Central.

    with CassandraCluster(nodes=3) as cluster:
        ...  # cluster.addresses: ["127.0.0.1:9042", "127.0.0.2:9042", "127.0.0.3:9042"]

Java 17 and Maven are required; ``CassandraUnavailable`` says what is missing.

| module | holds |
|---|---|
| ``cluster`` | ``CassandraCluster``: nodes as one |
| ``shared_cluster``, ``owner`` | one cluster for several processes, and the process that owns it |
| ``proxy``, ``pump``, ``faults`` | ``CqlProxy``: network faults |
| ``canned_server`` | ``CannedServer``: replies without a database |
| ``options`` | its options |
| ``command`` | ``spikewire cassandra`` |
| ``node`` | one node: its process, its files |
| ``folder`` | the folder for a cluster's files |
| ``guard`` | the process between this one and a JVM, which ends the JVM with this one |
| ``configuration`` | cassandra.yaml, logging, racks, JVM flags |
| ``certificates`` | certificates for TLS |
| ``endpoints`` | free addresses and ports |
| ``readiness`` | asking nodes whether they are ready, over the native protocol |
| ``jars`` | downloading Cassandra, once |
| ``locks`` | locks between processes |
| ``java`` | finding Java 17 |
| ``errors`` | exceptions |
"""

from spikewire.testing.cassandra.canned_server import CannedServer, ShardTraffic
from spikewire.testing.cassandra.cluster import CassandraCluster, need_cassandra
from spikewire.testing.cassandra.errors import CassandraFailed, CassandraUnavailable
from spikewire.testing.cassandra.options import CassandraOptions
from spikewire.testing.cassandra.proxy import CqlProxy
from spikewire.testing.cassandra.shared_cluster import SharedCassandra
from spikewire.testing.certificates import Certificates

__all__ = [
    "CannedServer",
    "CassandraCluster",
    "CassandraFailed",
    "CassandraOptions",
    "CassandraUnavailable",
    "Certificates",
    "CqlProxy",
    "ShardTraffic",
    "SharedCassandra",
    "need_cassandra",
]
