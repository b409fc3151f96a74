"""A cluster in a box: real nodes in this process, no server to install.

    with spikewire.testing.Cluster(nodes=3) as cluster:
        client = spikewire.Client(cluster.seeds)

The pytest fixture ``spikewire_cluster`` provides one per test session.
"""

from spikewire.testing.certificates import Certificates
from spikewire.testing.cluster import Cluster, NodeStats, TlsOptions, User

__all__ = ["Certificates", "Cluster", "NodeStats", "TlsOptions", "User"]
