"""An embedded cluster with users or TLS, in a process of its own.

Run as a module, it reads its options as JSON from standard input, since passwords do not belong on
a command line. It prints where the files for clients are, then `ready SEEDS`, and serves until
SIGTERM.
"""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import INTERNAL

if TYPE_CHECKING:
    from . import Access

CERTIFICATES = "certificates "
NAME = "lab.spikewire"
"""The name in the certificates of the nodes: not all clients can verify addresses."""


def options(nodes: int, namespace: str, threads: int, copies: int, access: Access) -> str:
    """The options of the process."""
    fields: dict[str, Any] = {
        "nodes": nodes,
        "port": 0,
        "namespaces": [namespace],
        "threads": threads,
        "replication_factor": copies,
    }
    if access.user:
        user = {"password": access.password.text(), "external": access.auth != INTERNAL}
        fields["users"] = {access.user: user}
    if access.tls is not None:
        fields["tls"] = {"name": NAME}
    return json.dumps(fields)


def with_certificates(access: Access, line: str) -> Access:
    """The settings together with the certificate files that the process reported."""
    assert access.tls is not None
    ca: str = json.loads(line.removeprefix(CERTIFICATES))["ca"]
    return replace(access, tls=replace(access.tls, ca=ca))


def main() -> int:
    """Serves until SIGINT or SIGTERM; further signals have no effect."""
    from spikewire.testing import Cluster

    options: dict[str, Any] = json.load(sys.stdin)
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    context: Any = Cluster(**options)
    with context as cluster:
        if "tls" in options:
            certificates = {"ca": str(cluster.certificates.ca)}
            print(f"{CERTIFICATES}{json.dumps(certificates)}", flush=True)
        print(f"ready {cluster.seeds}", flush=True)
        signal.sigwait(ends)
    return 0


if __name__ == "__main__":
    sys.exit(main())
