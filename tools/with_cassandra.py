"""Runs a command with a real Cassandra node beside it, for tests that are not Python's.

    tools/with_cassandra.py cargo test

The command finds where the node is in ``SPIKEWIRE_CASSANDRA_AT``, as ``host:port``. Where that is
set already, nothing is started. The node takes encrypted connections as well where trustme is
installed: ``SPIKEWIRE_CASSANDRA_AUTHORITY`` is then the file of the authority to trust. Where there
is no Java or Maven, the command runs all the same, with the reason in ``SPIKEWIRE_NO_CASSANDRA``,
unless ``SPIKEWIRE_CASSANDRA`` is ``required``: then it does not run, and that is an error.
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
    """Runs the command; its exit code."""
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

    try:
        cluster = running.enter_context(
            CassandraCluster(
                host=None,
                port=0,
                heap=256,
                quick_start=True,
                tls="optional" if find_spec("trustme") else False,
                progress=_say,
            )
        )
    except CassandraUnavailable as error:
        if os.environ.get(REQUIRED) == "required":
            raise
        _say(f"no Cassandra: {error}")
        return {NONE: str(error)}
    told = {AT: ",".join(cluster.addresses)}
    if cluster.certificates:
        told[AUTHORITY] = str(cluster.certificates.ca)
    return told


def skip_native() -> None:
    """Packages whose own code would load the native module, which need not be built for this."""
    for name in ("spikewire", "spikewire.testing", "spikewire.testing.cassandra"):
        package = ModuleType(name)
        package.__path__ = [str(PYTHON.joinpath(*name.split(".")))]
        sys.modules[name] = package


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
