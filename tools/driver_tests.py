"""Runs the tests of cassandra-driver with it and with its drop-in, and compares.

    tools/driver_tests.py ../cassandra-python-driver [integration/standard/test_query.py ...]

The folder is a copy of github.com/apache/cassandra-python-driver. Without file names: the unit
tests that use nothing but the public API, and the integration tests that one node is enough for,
which takes half an hour. Each file has a process of its own for each of the two; all share a
Cassandra at ``CLUSTER_IP``, which is started unless something answers there (port 9042). The exit
code is 0 if every test that passes with the driver passes with the drop-in.

The suite expects three nodes and a tool that starts them. Here keyspaces have one replica, and
tests of several nodes are skipped. For the drop-in, names that it does not have are replaced by
placeholders that raise when they are used, so that the other tests of their file run.

Needs the clients in ``requirements/peers.txt``. This file is also the pytest plugin of those
processes.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ADDRESS, OUT, DROP_IN = "CLUSTER_IP", "DRIVER_TESTS_OUT", "DRIVER_TESTS_DROP_IN"
FOLDER = "DRIVER_TESTS_FOLDER"
PORT = 9042
#: Makes a node return the custom payload of each request.
_MIRROR = (
    "-Dcassandra.custom_query_handler_class="
    "org.apache.cassandra.cql3.CustomPayloadMirroringQueryHandler"
)
#: Seconds for one file.
LONGEST = 900
UNIT = (
    "exception",
    "orderedmap",
    "sortedset",
    "time_util",
    "util_types",
    "row_factories",
    "resultset",
    "query",
    "auth",
)
INTEGRATION = (
    "client_warnings",
    "cluster",
    "concurrent",
    "control_connection",
    "custom_payload",
    "custom_protocol_handler",
    "metadata",
    "policies",
    "prepared_statements",
    "query",
    "query_paging",
    "routing",
    "row_factories",
    "types",
    "udts",
)
_HERE = Path(__file__).resolve().parent
_seen: dict[str, tuple[str, str]] = {}


def main(arguments: list[str]) -> int:
    """Runs the tests; returns the exit code."""
    if not arguments or not (folder := Path(arguments[0]).resolve() / "tests").is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    files = arguments[1:] or [
        *(f"unit/test_{name}.py" for name in UNIT),
        *(f"integration/standard/test_{name}.py" for name in INTEGRATION),
    ]
    rows: list[tuple[str, int, int, int]] = []
    counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    with ExitStack() as running:
        if any(file.startswith("integration") for file in files):
            _start(running)
        for file in files:
            original, ours = (_outcomes(folder, file, drop_in) for drop_in in ("", "1"))
            for counted, outcomes in zip(counts, (original, ours), strict=True):
                counted.update(outcome for outcome, _ in outcomes.values())
            passing = {name for name, (outcome, _) in original.items() if outcome == "passed"}
            passing_both = {name for name in passing if ours.get(name, ("none",))[0] == "passed"}
            rows.append((file, len(original), len(passing), len(passing_both)))
            print("{}: {} tests, {} pass, {} of these with the drop-in".format(*rows[-1]))
            for name in sorted(original | ours):
                before, now = original.get(name, ("none", "")), ours.get(name, ("none", ""))
                if before[0] != now[0]:
                    print(f"  {name.partition('::')[2]}: {before[0]} -> {now[0]} {now[1]}")
            sys.stdout.flush()
    _print_table(rows)
    for what, counted in zip(("driver", "drop-in"), counts, strict=True):
        print(f"{what}: {', '.join(f'{n} {outcome}' for outcome, n in sorted(counted.items()))}")
    return int(any(passing > passing_both for _, _, passing, passing_both in rows))


def _print_table(rows: Sequence[tuple[str, int, int, int]]) -> None:
    print("\n| file | tests | driver passes | drop-in passes of these |\n|---|---|---|---|")
    for kind in ("unit", "integration"):
        of_kind = [row for row in rows if row[0].startswith(kind)]
        for file, *numbers in of_kind:
            print("| {} | {} | {} | {} |".format(Path(file).stem, *numbers))
        if of_kind:
            sums = (sum(row[at] for row in of_kind) for at in (1, 2, 3))
            print("| **{}** | {} | {} | {} |".format(kind, *sums))


def _start(running: ExitStack) -> None:
    address = os.environ.setdefault(ADDRESS, "127.0.0.1")
    try:
        socket.create_connection((address, PORT), 1).close()
    except OSError:
        from spikewire.testing.cassandra import CassandraCluster

        running.enter_context(
            CassandraCluster(host=address, port=PORT, quick_start=True, jvm=[_MIRROR])
        )


def _clean() -> None:
    """Drops what tests left."""
    from spikewire import cql

    with cql.connect(f"{os.environ[ADDRESS]}:{PORT}", connect_timeout=60) as session:
        for (name,) in session.execute("SELECT keyspace_name FROM system_schema.keyspaces"):
            if not name.startswith("system"):
                doubled = name.replace('"', '""')
                session.execute(f'DROP KEYSPACE "{doubled}"', timeout=60)


def _outcomes(folder: Path, file: str, drop_in: str) -> dict[str, tuple[str, str]]:
    """The outcome of each test of a file, and the reasons of failures."""
    if file.startswith("integration"):
        _clean()
    with tempfile.TemporaryDirectory() as outside:
        out = Path(outside) / "outcomes.json"
        environment = {
            **os.environ,
            OUT: str(out),
            DROP_IN: drop_in,
            FOLDER: str(folder.parent),
            "USE_CASS_EXTERNAL": "1",
            "CASSANDRA_VERSION": "5.0.0",
            "EVENT_LOOP_MANAGER": "libev",
            "PYTHONPATH": os.pathsep.join([str(_HERE), os.environ.get("PYTHONPATH", "")]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        # From another folder, whose copy of the driver would hide the one that is installed.
        options = ("-q", "-p", Path(__file__).stem, "-p", "no:cacheprovider")
        where = ("--rootdir", str(folder.parent), "--import-mode", "importlib")
        command = [sys.executable, "-m", "pytest", *options, *where, str(folder / file)]
        try:
            done = subprocess.run(
                command,
                cwd=outside,
                env=environment,
                check=False,
                timeout=LONGEST,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return {file: ("took too long", "")}
        if os.environ.get("DRIVER_TESTS_OUTPUT"):
            print(done.stdout)
        if not out.exists():
            return {file: ("could not run", done.stdout[-300:])}
        outcomes: dict[str, list[str]] = json.loads(out.read_text())
        return {name: (outcome, why) for name, (outcome, why) in outcomes.items()}


# In the plugin.


class _Placeholder(type):
    """Stands for a name that the drop-in does not have: it may be imported and be a base class, and
    raises when something is done with it."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(f"{cls.__name__}.{name}")

    def __call__(cls, *_args: Any, **_named: Any) -> Any:
        raise NotImplementedError(cls.__name__)


def _placeholder(name: str) -> Any:
    return _Placeholder(name, (), {})


class _Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules that are not there, all of whose names are placeholders."""

    def __init__(self, *roots: str) -> None:
        self.roots = roots

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        del path, target
        if name.partition(".")[0] not in self.roots:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        module = ModuleType(spec.name)
        setattr(module, "__getattr__", _of_module)  # noqa: B010
        return module

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to execute."""


def _of_module(name: str) -> Any:
    if name.startswith("__") or name == "pytest_plugins":
        raise AttributeError(name)
    return _placeholder(name)


def _fill(module: ModuleType) -> None:
    """Gives a module of the drop-in placeholders for names that it does not have."""
    own = module.__dict__.get("__getattr__")

    def find(name: str) -> Any:
        if own is not None and not name.startswith("__"):
            try:
                return own(name)
            except (AttributeError, ImportError, NotImplementedError):
                pass
        return _of_module(name)

    setattr(module, "__getattr__", find)  # noqa: B010


def _prepare() -> None:
    """Before collection: installs the drop-in, and takes care of what the suite needs beside one
    node."""
    sys.path.append(os.environ[FOLDER])
    roots = ["ccmlib", "greplin"]
    drop_in = bool(os.environ[DROP_IN])
    if drop_in:
        import spikewire.compat.cassandra

        spikewire.compat.cassandra.install()
        for name in [name for name in sys.modules if name.partition(".")[0] == "cassandra"]:
            _fill(sys.modules[name])
        roots.append("cassandra")
    # Before the finder of the drop-in, which refuses modules that are not there.
    sys.meta_path.insert(0, _Modules(*roots))
    # One needs a package that the driver does not require, the drop-in refuses the other.
    _leave_out(["metrics_enabled", *(["allow_beta_protocol_version"] if drop_in else [])])
    import tests.integration as suite  # type: ignore[import-not-found]

    suite.local = lambda test: test
    run = suite.execute_with_long_wait_retry

    def with_one_replica(session: Any, query: Any, timeout: float = 30) -> Any:
        if isinstance(query, str):
            query = re.sub(r"('replication_factor': '?)[23]", r"\g<1>1", query)
        return run(session, query, timeout)

    suite.execute_with_long_wait_retry = with_one_replica


def _leave_out(settings: Sequence[str]) -> None:
    """Leaves out settings of the suite's clusters that its tests do not depend on."""
    cluster: Any = importlib.import_module("cassandra.cluster").Cluster
    start = cluster.__init__

    def without(self: Any, *args: Any, **named: Any) -> None:
        start(self, *args, **{name: named[name] for name in named if name not in settings})

    cluster.__init__ = without


def pytest_runtest_logreport(report: Any) -> None:
    """Records the outcome of a test."""
    if report.when != "call" and report.outcome == "passed":
        return
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if outcome == "skipped" else "xpassed"
    if report.when == "teardown" and _seen.get(report.nodeid, ("",))[0] == "failed":
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    lines: Iterable[str] = str(getattr(crash, "message", "")).splitlines()
    _seen[report.nodeid] = outcome, next(iter(lines), "")[:200]


def pytest_collectreport(report: Any) -> None:
    """Records what could not be collected."""
    if report.outcome == "failed":
        _seen[f"{report.nodeid}::"] = "could not run", str(report.longrepr)[-300:]


def pytest_sessionfinish() -> None:
    """Writes the outcomes."""
    if OUT in os.environ:
        Path(os.environ[OUT]).write_text(json.dumps(_seen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
elif OUT in os.environ:
    _prepare()
