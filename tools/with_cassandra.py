"""Runs a command with a real Cassandra node, for tests that are not in Python.

    tools/with_cassandra.py cargo test

The command finds the node's address in ``SPIKEWIRE_CASSANDRA_AT``, as ``host:port``. If that is
already set, nothing is started. The node also takes encrypted connections if trustme is installed:
``SPIKEWIRE_CASSANDRA_AUTHORITY`` is then the file of the authority to trust. Without Java or Maven
the command still runs, with the reason in ``SPIKEWIRE_NO_CASSANDRA``, unless
``SPIKEWIRE_CASSANDRA`` is ``required``: then it does not run, and that is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

PYTHON = Path(__file__).parent.parent / "python"
AT, NONE, REQUIRED = "SPIKEWIRE_CASSANDRA_AT", "SPIKEWIRE_NO_CASSANDRA", "SPIKEWIRE_CASSANDRA"
AUTHORITY = "SPIKEWIRE_CASSANDRA_AUTHORITY"


def main(command: list[str]) -> int:
    """Runs the command; returns its exit code."""
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    environment = dict(os.environ)
    with ExitStack() as running:
        if AT not in environment:
            environment |= _start(running)
        try:
            return subprocess.run(command, env=environment, check=False).returncode
        except KeyboardInterrupt:
            return 130


def _start(running: ExitStack) -> dict[str, str]:
    skip_native()
    from spikewire.testing.cassandra.cluster import CassandraCluster
    from spikewire.testing.cassandra.errors import CassandraUnavailable
    from spikewire.testing.cassandra.options import UNHURRIED

    try:
        cluster = running.enter_context(
            CassandraCluster(
                host=None,
                port=0,
                heap=256,
                quick_start=True,
                tls="optional" if find_spec("trustme") else False,
                yaml=UNHURRIED,
                progress=_say,
            )
        )
    except CassandraUnavailable as error:
        if os.environ.get(REQUIRED) == "required":
            raise
        _say(f"no Cassandra: {error}")
        return {NONE: str(error)}
    variables = {AT: ",".join(cluster.addresses)}
    if cluster.certificates:
        variables[AUTHORITY] = str(cluster.certificates.ca)
    return variables


def skip_native() -> None:
    """Skips packages whose own code would load the native module, which need not be built for
    this."""
    for name in ("spikewire", "spikewire.testing", "spikewire.testing.cassandra"):
        package = ModuleType(name)
        package.__path__ = [str(PYTHON.joinpath(*name.split(".")))]
        sys.modules[name] = package


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
