"""Runs the tests of the official Aerospike client with it and with its drop-in, and compares.

    tools/official_tests.py ../aerospike-client-python/test [test_append.py ...]

The folder is ``test`` of a copy of github.com/aerospike/aerospike-client-python. Without file names
all files run, which takes half an hour. Each file has an embedded cluster and a process of its own
for each client. The exit code is 0 if every test that passes with the original passes with the
drop-in. Needs the clients in ``requirements/peers.txt``.

This file is also the pytest plugin that those processes load.
"""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

HOSTS, OUT, DROP_IN = "OFFICIAL_TESTS_HOSTS", "OFFICIAL_TESTS_OUT", "OFFICIAL_TESTS_DROP_IN"
#: Set where the cluster has users, as the tests of users and roles need.
LOGS_IN = "OFFICIAL_TESTS_LOGS_IN"
USER, PASSWORD = "superuser", "superuser"
#: Seconds for one file.
LONGEST = 600
_HERE = Path(__file__).resolve().parent
_seen: dict[str, tuple[str, str]] = {}


def main(arguments: list[str]) -> int:
    """Runs the tests; returns the exit code."""
    if not arguments or not (folder := Path(arguments[0]) / "new_tests").is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    worse = 0
    for file in arguments[1:] or sorted(each.name for each in folder.glob("test_*.py")):
        original, ours = (_outcomes(folder / file, drop_in) for drop_in in ("", "1"))
        for counted, found in zip(counts, (original, ours), strict=True):
            counted.update(outcome for outcome, _ in found.values())
        print(f"{file}: {len(original)} tests", flush=True)
        for name in sorted(original | ours):
            before, now = original.get(name, ("none", "")), ours.get(name, ("none", ""))
            if before[0] != now[0]:
                print(f"  {name.rpartition('::')[2]}: {before[0]} -> {now[0]} {now[1]}", flush=True)
                worse += before[0] == "passed"
    for what, counted in zip(("original", "drop-in"), counts, strict=True):
        print(f"{what}: {', '.join(f'{n} {outcome}' for outcome, n in sorted(counted.items()))}")
    return int(worse > 0)


def _outcomes(file: Path, drop_in: str) -> dict[str, tuple[str, str]]:
    """The outcome of each test of a file, and the reasons of failures."""
    from spikewire.testing import Cluster

    admin = file.name.startswith("test_admin_")
    secured: Any = {"users": {USER: PASSWORD}, "quotas": True} if admin else {}
    with Cluster(**secured) as cluster, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "outcomes.json"
        environment = {
            **os.environ,
            HOSTS: ";".join(cluster.addresses),
            OUT: str(out),
            DROP_IN: drop_in,
            LOGS_IN: "1" if admin else "",
            "PYTHONPATH": os.pathsep.join([str(_HERE), os.environ.get("PYTHONPATH", "")]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        options = ("-q", "-W", "ignore", "-p", Path(__file__).stem, "-p", "no:cacheprovider")
        command = [sys.executable, "-m", "pytest", *options, f"new_tests/{file.name}"]
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
        found: dict[str, list[str]] = json.loads(out.read_text())
        return {name: (outcome, why) for name, (outcome, why) in found.items()}


def _prepare() -> None:
    """In the plugin, before collection: installs the drop-in, and puts the cluster into the tests'
    configuration."""
    if os.environ[DROP_IN]:
        import spikewire.compat.aerospike

        spikewire.compat.aerospike.install()
    read = configparser.ConfigParser.read

    def reading(self: configparser.ConfigParser, names: Any, *given: Any, **named: Any) -> Any:
        if names != "config.conf":
            return read(self, names, *given, **named)
        edition = "enterprise-edition" if os.environ[LOGS_IN] else "community-edition"
        login = f"user: {USER}\npassword: {PASSWORD}\n" if os.environ[LOGS_IN] else ""
        self.read_string(
            "[input-validation]\nvalidate_keys: true\n"
            f"[{edition}]\nhosts: {os.environ[HOSTS]}\n{login}"
        )
        return [names]

    setattr(configparser.ConfigParser, "read", reading)  # noqa: B010 (it has overloads)


def pytest_runtest_logreport(report: Any) -> None:
    """In the plugin: records the outcome of a test."""
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


def pytest_sessionfinish() -> None:
    """In the plugin: writes the outcomes."""
    if OUT in os.environ:
        Path(os.environ[OUT]).write_text(json.dumps(_seen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
elif HOSTS in os.environ:
    _prepare()
