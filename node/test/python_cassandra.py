"""Clusters and proxies of `spikewire.testing.cassandra`, and managed ones, for tests in Node.js.

    python_cassandra.py cluster '{"password": true}'
    python_cassandra.py proxy 127.0.0.1:9042
    python_cassandra.py managed '{"ID OF A NODE": "127.0.0.1:9042"}'

Prints a description as one line of JSON. Then executes each line of standard input,
`[method, arguments, keywords]`, and answers with a line, `[true, result]` or `[false, message]`.
Ends with its standard input.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from with_cassandra import skip_native

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def started(kind: str, settings: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Creates what is requested, and its description."""
    from spikewire.testing.cassandra.cluster import CassandraCluster
    from spikewire.testing.cassandra.proxy import CqlProxy

    if kind == "proxy":
        with CqlProxy(settings) as proxy:
            yield proxy, {"address": proxy.address}
        return
    if kind == "managed":
        sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
        from cql.managed import Managed

        with TemporaryDirectory() as folder, Managed(Path(folder), json.loads(settings)) as managed:
            yield managed, {"bundle": str(managed.bundle)}
        return
    with CassandraCluster(quick_start=True, heap=256, **json.loads(settings)) as cluster:
        files, names = cluster.certificates, ("ca", "certificate", "key")
        facts = {
            "addresses": cluster.addresses,
            "credentials": cluster.credentials,
            "certificates": files and {name: str(getattr(files, name)) for name in names},
        }
        yield cluster, facts


def say(what: Any) -> None:
    """Prints one line."""
    print(json.dumps(what, default=str), flush=True)


def answer(target: Any, line: str) -> list[Any]:
    """Executes a request and returns its result."""
    name, arguments, keywords = json.loads(line)
    try:
        return [True, getattr(target, name)(*arguments, **keywords)]
    except Exception as error:  # noqa: BLE001 - it is told
        return [False, f"{type(error).__name__}: {error}"]


def main(kind: str, settings: str) -> None:
    """Serves until the end of standard input."""
    skip_native()
    from spikewire.testing.cassandra.errors import CassandraUnavailable

    try:
        with started(kind, settings) as (target, what):
            say(what)
            for line in sys.stdin:
                say(answer(target, line))
    except (CassandraUnavailable, ModuleNotFoundError) as error:
        say({"unavailable": str(error)})


if __name__ == "__main__":
    main(*sys.argv[1:])
