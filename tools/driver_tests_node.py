"""Runs the tests of npm cassandra-driver with it and with its drop-in, and compares.

    tools/driver_tests_node.py [--sentences ignore] ../nodejs-driver [test/unit/uuid-tests.js ...]

The folder is a copy of github.com/apache/cassandra-nodejs-driver after ``npm install``. Without
file names: the unit tests of the public API, and the integration tests that one node is enough for.
Each file has a process of its own for each of the two; all share a Cassandra, the one at
``SPIKEWIRE_CASSANDRA_AT`` (port 9042) or one that is started. The exit code is 0 if every test that
passes with the driver passes with the drop-in. Tests that fail with the driver, such as those that
need several nodes or logins, are not run with the drop-in.

With ``--sentences ignore``, the texts of errors and of the event ``log`` are not compared if the
drop-in wrote them: its sentences are its own. Classes, codes and fields of errors, levels of log
messages, texts from the server, statements and all values still are.
With ``--protocol 4`` the drop-in uses the version that the driver uses with Cassandra, not 5.

Needs the clients in ``node/peers`` (``npm ci`` there) and the built package (``make node``). What
tests import from the sources of the driver comes from the installed one, or from the drop-in as far
as it is public; see ``driver_tests_node.cjs``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from with_cassandra import skip_native

HERE = Path(__file__).parent
NODE = HERE.parent / "node"
AT = "SPIKEWIRE_CASSANDRA_AT"
LIMIT = 600

UNIT = (
    *("address-resolution", "api", "basic", "big-decimal", "duration-type", "error"),
    *("inet-address", "load-balancing", "default-load-balancing-policy", "result-set"),
    *("retry-policy", "speculative-execution", "timestamp", "tracker", "uuid", "token"),
    *("concurrent/execute-concurrent", "mapping/mapper", "mapping/model-mapper-mutation"),
    *("mapping/model-mapper-select", "mapping/result", "mapping/table-mappings"),
)
INTEGRATION = (
    *("client-batch", "client-each-row", "client-execute-prepared", "client-execute"),
    *("client-pool", "client-stream", "duration-type", "metadata"),
    *("udf", "vector", "concurrent/execute-concurrent", "mapping/mapper"),
    *("mapping/model-mapper", "error"),
)

#: Drops the keyspaces of former tests, which expect a new node.
CLEAN = """
const { connect } = require(process.argv[1])
connect(process.argv[2], { timeout: 60000 }).then(async (session) => {
  for (const name of (await session.schema()).keyspaces.keys()) {
    if (!name.startsWith('system')) await session.execute(`DROP KEYSPACE "${name}"`)
  }
  await session.close()
})
"""

Outcomes = dict[str, str]


def main(arguments: list[str]) -> int:
    """Runs the files; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", choices=("compare", "ignore"), default="compare")
    parser.add_argument("--protocol", choices=("4", "5"), default="5")
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args(arguments)
    with ExitStack() as running:
        if AT not in os.environ:
            os.environ[AT] = _start(running)
        drop_in = {
            "DRIVER_TESTS_DROP_IN": str(NODE / "dist" / "compat" / "cassandra-driver" / "index.js"),
            "DRIVER_TESTS_SENTENCES": options.sentences,
            "DRIVER_TESTS_PROTOCOL": options.protocol,
        }
        return _compare(options.folder.resolve(), options.files, drop_in)


def _start(running: ExitStack) -> str:
    """Starts a node; returns its address. The tests make more tables than a small heap has room
    for."""
    skip_native()
    from spikewire.testing.cassandra.cluster import CassandraCluster
    from spikewire.testing.cassandra.options import UNHURRIED

    options = {"host": None, "heap": 900, "quick_start": True, "yaml": UNHURRIED}
    return running.enter_context(CassandraCluster(**options)).addresses[0]


def _compare(root: Path, files: list[str], drop_in: dict[str, str]) -> int:
    files = files or [
        *(f"test/unit/{name}-tests.js" for name in UNIT),
        "test/unit/reconnection-test.js",
        *(f"test/integration/short/{name}-tests.js" for name in INTEGRATION),
    ]
    kinds: Counter[str] = Counter()
    for file in files:
        with_driver = _run(root, file)
        both = [name for name, result in with_driver.items() if result == "passed"]
        names = {"DRIVER_TESTS_NAMES": json.dumps(both)}
        with_drop_in = _run(root, file, drop_in | names)
        failed = [name for name in both if not with_drop_in.get(name, "").startswith("passed")]
        kinds["passed with the driver"] += len(both)
        kinds["passed with both"] += len(both) - len(failed)
        print(f"{file}: {len(both) - len(failed)} of {len(both)}", flush=True)
        for name in failed:
            why = with_drop_in.get(name, "did not run").replace("\n", " ")[:200]
            print(f"    {name}: {why}", flush=True)
    print(
        f"{kinds['passed with both']} of {kinds['passed with the driver']} tests that pass with "
        "cassandra-driver pass with the drop-in "
        f"(sentences: {drop_in['DRIVER_TESTS_SENTENCES']}, "
        f"protocol: {drop_in['DRIVER_TESTS_PROTOCOL']})"
    )
    return int(kinds["passed with both"] != kinds["passed with the driver"])


def _run(root: Path, file: str, drop_in: dict[str, str] | None = None) -> Outcomes:
    """The outcome of each test of a file with the driver, or with the drop-in as these variables
    say."""
    subprocess.run(["node", "-e", CLEAN, str(NODE / "dist" / "cql.js"), os.environ[AT]], check=True)
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        environment = {
            **os.environ,
            "DRIVER_TESTS_FOLDER": str(root),
            "DRIVER_TESTS_PEER": str(NODE / "peers" / "node_modules" / "cassandra-driver"),
            "DRIVER_TESTS_HOST": os.environ[AT].split(",")[0].rpartition(":")[0],
            "TZ": "UTC",
            **(drop_in or {}),
        }
        command = ["node", "node_modules/.bin/mocha", "--exit", "-t", "10000", "-R", "json"]
        command += ["--reporter-option", f"output={report.name}"]
        command += ["--require", str(HERE / "driver_tests_node.cjs"), file]
        try:
            ran = subprocess.run(
                command,
                cwd=root,
                env=environment,
                timeout=LIMIT,
                check=False,
                capture_output=True,
                text=True,
            )
        except subprocess.TimeoutExpired:
            return {}
        text = Path(report.name).read_text()
        if not text:
            print(f"    {file} did not run: {ran.stderr[-300:]}")
            return {}
    results = json.loads(text)
    outcomes = {test["fullTitle"]: "passed" for test in results["passes"]}
    for test in results["failures"]:
        outcomes[test["fullTitle"]] = f"failed: {test['err'].get('message', '')}"
    return outcomes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
