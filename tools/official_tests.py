"""Runs the tests of the official Aerospike client with it and with its drop-in, and compares.

    tools/official_tests.py ../aerospike-client-python/test [test_append.py ...]
    tools/official_tests.py ../aerospike-client-python/test --seeds 127.0.0.1:3000
    tools/official_tests.py ../aerospike-client-python/test --build 8.2 --edition enterprise

The folder is ``test`` of a copy of github.com/aerospike/aerospike-client-python. Without file names
all files run, which takes half an hour. Each file has an embedded cluster and a process of its own
for each client; with ``--seeds`` they run on those servers, whose namespace ``test`` is emptied
before each. ``--build``, ``--edition`` and ``--strong-consistency`` are those of the embedded
cluster; tests of transactions need the last two. ``--outcomes`` writes a table of all tests: file,
test, the outcome with each client, and why it failed or was skipped. Tests that are skipped are
counted by reason; a file that cannot be imported counts as one failed test. The exit code is 0 if
every test that passes with the original passes with the drop-in. Needs the clients in
``requirements/peers.txt``.

This file is also the pytest plugin that those processes load.
"""

from __future__ import annotations

import argparse
import configparser
import contextlib
import csv
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HOSTS, OUT, DROP_IN = "OFFICIAL_TESTS_HOSTS", "OFFICIAL_TESTS_OUT", "OFFICIAL_TESTS_DROP_IN"
#: The section of the configuration that names the servers.
EDITION = "OFFICIAL_TESTS_EDITION"
#: Set where the cluster has users, as the tests of users and roles need.
LOGS_IN = "OFFICIAL_TESTS_LOGS_IN"
USER, PASSWORD = "superuser", "superuser"
#: Seconds for one file.
LONGEST = 600
#: What clients from 19.3 on call by another name than tests that are older.
RENAMED = {"aerospike_helpers.expressions.base": {"ResultRemove": "RemoveResult"}}
_HERE = Path(__file__).resolve().parent
_seen: dict[str, tuple[str, str]] = {}


def main(arguments: list[str]) -> int:
    """Runs the tests; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("folder", type=Path, help="the folder of the tests")
    parser.add_argument("files", nargs="*", help="names of files in new_tests; default: all")
    parser.add_argument("--seeds", metavar="HOST:PORT,...", help="servers to run on")
    parser.add_argument("--build", help="version of the embedded cluster, such as 8.2")
    parser.add_argument("--edition", choices=("community", "enterprise"), default="community")
    parser.add_argument(
        "--strong-consistency", action="store_true", help="needs --edition enterprise"
    )
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="writes a CSV file")
    options = parser.parse_intermixed_args(arguments)
    if options.strong_consistency and options.edition != "enterprise":
        parser.error("--strong-consistency needs --edition enterprise")
    if options.seeds and (options.build or options.edition != "community"):
        parser.error("--build and --edition are of the embedded cluster, not of --seeds")
    folder: Path = options.folder / "new_tests"
    if not folder.is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    skipped: Counter[str] = Counter()
    worse = 0
    rows: list[tuple[str, ...]] = []
    for file in options.files or sorted(each.name for each in folder.glob("test_*.py")):
        original, ours = (_outcomes(folder / file, drop_in, options) for drop_in in ("", "1"))
        skipped.update(why for outcome, why in original.values() if outcome == "skipped")
        for counted, outcomes in zip(counts, (original, ours), strict=True):
            counted.update(outcome for outcome, _ in outcomes.values())
        print(f"{file}: {len(original)} tests", flush=True)
        for name in sorted(original | ours):
            before, now = original.get(name, ("none", "")), ours.get(name, ("none", ""))
            why = now[1] or before[1]
            rows.append((file, name.partition("::")[2] or name, before[0], now[0], why))
            if before[0] != now[0]:
                print(f"  {name.rpartition('::')[2]}: {before[0]} -> {now[0]} {why}", flush=True)
                worse += before[0] == "passed"
    if options.outcomes:
        with options.outcomes.open("w", newline="") as table:
            csv.writer(table).writerows([("file", "test", "original", "drop-in", "reason"), *rows])
    for what, counted in zip(("original", "drop-in"), counts, strict=True):
        print(f"{what}: {', '.join(f'{n} {outcome}' for outcome, n in sorted(counted.items()))}")
    for why, number in skipped.most_common():
        print(f"skipped with the original: {number} {why}")
    return int(worse > 0)


@contextlib.contextmanager
def _servers(options: argparse.Namespace, secured: bool) -> Iterator[tuple[list[str], str]]:
    """The addresses and the edition of an embedded cluster, or of the servers at ``--seeds``, which
    are emptied."""
    import spikewire
    from spikewire.testing import Cluster

    if options.seeds is None:
        users: Any = {"users": {USER: PASSWORD}, "quotas": True} if secured else {}
        build: Any = {"build": options.build} if options.build else {}
        with Cluster(
            edition=options.edition,
            strong_consistency=options.strong_consistency,
            **build,
            **users,
        ) as cluster:
            yield cluster.addresses, "enterprise" if secured else options.edition
        return
    with spikewire.Client(options.seeds, timeout=10) as client:
        client.info("truncate-namespace:namespace=test")
        is_enterprise = "Enterprise" in client.info("edition")
    yield options.seeds.split(","), "enterprise" if is_enterprise else "community"


def _outcomes(file: Path, drop_in: str, options: argparse.Namespace) -> dict[str, tuple[str, str]]:
    """The outcome of each test of a file, and the reasons of failures and skips."""
    admin = file.name.startswith("test_admin_") and options.seeds is None
    with (
        _servers(options, admin) as (addresses, edition),
        tempfile.TemporaryDirectory() as folder,
    ):
        out = Path(folder) / "outcomes.json"
        environment = {
            **os.environ,
            HOSTS: ";".join(addresses),
            EDITION: f"{edition}-edition",
            OUT: str(out),
            DROP_IN: drop_in,
            LOGS_IN: "1" if admin else "",
            "PYTHONPATH": os.pathsep.join([str(_HERE), os.environ.get("PYTHONPATH", "")]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        settings = ("-q", "-W", "ignore", "-p", Path(__file__).stem, "-p", "no:cacheprovider")
        command = [sys.executable, "-m", "pytest", *settings, f"new_tests/{file.name}"]
        try:
            done = subprocess.run(
                command,
                cwd=file.parent.parent,
                env=environment,
                check=False,
                timeout=LONGEST,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return {file.name: ("took too long", "")}
        if not out.exists():
            return {file.name: ("could not run", done.stdout[-200:])}
        outcomes: dict[str, list[str]] = json.loads(out.read_text())
        return {name: (outcome, why) for name, (outcome, why) in outcomes.items()}


def _prepare() -> None:
    """In the plugin, before collection: installs the drop-in, and puts the cluster into the tests'
    configuration."""
    if os.environ[DROP_IN]:
        import spikewire.compat.aerospike

        spikewire.compat.aerospike.install()
    read = configparser.ConfigParser.read

    def reading(self: configparser.ConfigParser, names: Any, *args: Any, **named: Any) -> Any:
        if names != "config.conf":
            return read(self, names, *args, **named)
        login = f"user: {USER}\npassword: {PASSWORD}\n" if os.environ[LOGS_IN] else ""
        self.read_string(
            "[input-validation]\nvalidate_keys: true\n"
            f"[{os.environ[EDITION]}]\nhosts: {os.environ[HOSTS]}\n{login}"
        )
        return [names]

    setattr(configparser.ConfigParser, "read", reading)  # noqa: B010 (it has overloads)
    for of, names in RENAMED.items():
        with contextlib.suppress(ModuleNotFoundError):
            module = importlib.import_module(of)
            for before, now in names.items():
                if not hasattr(module, before) and hasattr(module, now):
                    setattr(module, before, getattr(module, now))


def pytest_collection() -> None:
    """In the plugin, before test files are imported: some decide by the user whether to skip their
    tests, and only other files read that from the configuration."""
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("new_tests.test_base_class").TestBaseClass.get_hosts()


def pytest_collectreport(report: Any) -> None:
    """In the plugin: records a file that was skipped as a whole, or that cannot be imported."""
    if report.outcome == "skipped":
        _seen[report.nodeid] = "skipped", _reason(report.longrepr)
    elif report.outcome == "failed":
        lines = [line for line in str(report.longrepr).splitlines() if line.startswith("E  ")]
        _seen[report.nodeid] = "failed", lines[-1].removeprefix("E").strip() if lines else ""


def _reason(skip: Any) -> str:
    """Why a test was skipped: pytest gives file, line and text."""
    text = skip[2] if isinstance(skip, tuple) else str(skip)
    return str(text).removeprefix("Skipped: ")[:200]


def pytest_runtest_logreport(report: Any) -> None:
    """In the plugin: records the outcome of a test."""
    if report.when != "call" and report.outcome == "passed":
        return
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if outcome == "skipped" else "xpassed"
    if report.when == "teardown" and _seen.get(report.nodeid, ("",))[0] == "failed":
        return
    if outcome == "skipped":
        _seen[report.nodeid] = outcome, _reason(report.longrepr)
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    lines: Iterable[str] = str(getattr(crash, "message", "")).splitlines()
    _seen[report.nodeid] = outcome, next(iter(lines), "")[:200]


def pytest_sessionfinish() -> None:
    """In the plugin: writes the outcomes."""
    if OUT in os.environ:
        Path(os.environ[OUT]).write_text(json.dumps(_seen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
elif HOSTS in os.environ:
    _prepare()
