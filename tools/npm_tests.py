"""Runs the tests of npm aerospike with that package and with its drop-in, and compares.

    tools/npm_tests.py ../aerospike-client-nodejs [get.js ...]
    tools/npm_tests.py ../aerospike-client-nodejs --seed 127.0.0.1:3000
    tools/npm_tests.py ../aerospike-client-nodejs --drop-in-only
    tools/npm_tests.py ../aerospike-client-nodejs --sentences ignore

The folder is a copy of github.com/aerospike/aerospike-client-nodejs in which `npm install` and
`npm run build-test` have run: its tests are in `test`, mocha is in `node_modules`. Without file
names all files run, which takes five minutes for each client. Both run on an embedded cluster of
their own; with `--seed` on that server, whose namespace `test` is emptied before. `--build`,
`--edition` and `--strong-consistency` are those of the embedded cluster; what follows `--` is
passed to the tests, such as `--testMRT`. `--outcomes` writes a table of all tests: file, test,
the outcome with each client, and why it failed. The exit code is 0 if every test that passes with
the original passes with the drop-in. Needs `make node`.

With `--sentences ignore`, a comparison of the words of a message counts as passed if there is a
message; tools/npm_sentences.cjs says which comparisons that are. All others count: that there is an
error, its class, its code. The number of comparisons that were left out is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

DIST = Path(__file__).resolve().parent.parent / "node" / "dist" / "compat" / "aerospike"
#: Files of the package that its tests import: the module that stands for each, and the member of
#: it that they use.
MODULES = {
    "aerospike.js": ("index.js", ""),
    "info.js": ("info.js", ""),
    "utils.js": ("hosts.js", ""),
    "commands/command.js": ("command.js", ".Command"),
}
#: What mocha loads so that tests do not depend on the words of messages.
SENTENCES = Path(__file__).resolve().parent / "npm_sentences.cjs"
#: Seconds for all tests with one client.
LONGEST = 1500
KINDS = {"passes": "passed", "failures": "failed", "pending": "skipped"}

#: The outcomes of tests with the same name, and why they failed, by file and name.
Outcomes = dict[tuple[str, str], list[tuple[str, str]]]


def main(arguments: list[str]) -> int:
    """Runs the tests; returns the exit code."""
    extra: list[str] = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, extra = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("folder", type=Path, help="the folder of the package's repository")
    parser.add_argument("files", nargs="*", help="names of files in test; default: all")
    parser.add_argument("--seed", metavar="HOST:PORT", help="a server to run on")
    parser.add_argument("--build", help="version of the embedded cluster, such as 8.2")
    parser.add_argument("--edition", choices=("community", "enterprise"), default="community")
    parser.add_argument("--strong-consistency", action="store_true")
    parser.add_argument("--drop-in-only", action="store_true", help="do not run the original")
    parser.add_argument(
        "--sentences",
        choices=("compare", "ignore"),
        default="compare",
        help="whether the words of messages count; default: compare",
    )
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="writes a CSV file")
    options = parser.parse_intermixed_args(arguments)
    folder: Path = options.folder.resolve()
    if not (folder / "test" / "test_helper.js").is_file():
        print(__doc__, file=sys.stderr)
        return 2
    ours = _outcomes(folder, options, extra, drop_in=True)
    if options.drop_in_only:
        _print_counts("drop-in", ours)
        for (file, name), results in sorted(ours.items()):
            for outcome, why in results:
                if outcome == "failed":
                    print(f"  {file}: {name}: {why}")
        return int(any(outcome == "failed" for each in ours.values() for outcome, _ in each))
    original = _outcomes(folder, options, extra, drop_in=False)
    worse = 0
    rows: list[tuple[str, ...]] = []
    for file, name in sorted(original.keys() | ours.keys()):
        before, now = _worst(original.get((file, name))), _worst(ours.get((file, name)))
        why = now[1] or before[1]
        rows.append((file, name, before[0], now[0], why))
        if before[0] != now[0]:
            print(f"  {file}: {name}: {before[0]} -> {now[0]} {why}", flush=True)
            worse += before[0] == "passed"
    if options.outcomes:
        with options.outcomes.open("w", newline="") as table:
            csv.writer(table).writerows([("file", "test", "original", "drop-in", "reason"), *rows])
    _print_counts("original", original)
    _print_counts("drop-in", ours)
    return int(worse > 0)


def _worst(results: list[tuple[str, str]] | None) -> tuple[str, str]:
    """The outcome of tests of one name: failed if one did."""
    if not results:
        return "none", ""
    return min(results, key=lambda each: ("failed", "skipped", "passed").index(each[0]))


def _print_counts(what: str, outcomes: Outcomes) -> None:
    counts = Counter(outcome for results in outcomes.values() for outcome, _ in results)
    print(f"{what}: {', '.join(f'{n} {outcome}' for outcome, n in sorted(counts.items()))}")


@contextlib.contextmanager
def _server(options: argparse.Namespace) -> Iterator[str]:
    """The address of an embedded cluster of one node, or of the server, which is emptied."""
    import spikewire
    from spikewire.testing import Cluster

    if options.seed is None:
        build: Any = {"build": options.build} if options.build else {}
        with Cluster(
            edition=options.edition, strong_consistency=options.strong_consistency, **build
        ) as cluster:
            yield cluster.addresses[0]
        return
    with spikewire.Client(options.seed, timeout=10) as client:
        client.info("truncate-namespace:namespace=test")
    yield options.seed


def _outcomes(
    folder: Path, options: argparse.Namespace, extra: list[str], *, drop_in: bool
) -> Outcomes:
    """The outcome of each test with one of the clients."""
    with _server(options) as address, tempfile.TemporaryDirectory() as place:
        run = Path(place)
        for name in ("test", "node_modules", "examples"):
            if (folder / name).exists():
                _copy(folder / name, run / name)
        (run / "package.json").write_bytes((folder / "package.json").read_bytes())
        if drop_in:
            _write_modules(run / "lib")
        else:
            (run / "lib").symlink_to(folder / "lib")
        out = run / "outcomes.json"
        host, _, port = address.rpartition(":")
        # Some tests look for the version of the package that they test.
        package = DIST.parents[2] if drop_in else folder
        version = json.loads((package / "package.json").read_text())["version"]
        left_out = run / "sentences.jsonl"
        command = [
            *("node", "node_modules/mocha/bin/mocha.js", "--exit", "--timeout", "10000"),
            *("--reporter", "json", "--reporter-option", f"output={out}"),
            *(("--require", str(SENTENCES)) if options.sentences == "ignore" else ()),
            # Its first test gives the client of all tests the time to connect.
            *("--file", "test/aerospike_module.js"),
            *(f"test/{file}" for file in options.files or ["*.js"]),  # mocha expands it
            *("--host", host, "--port", port, *extra),
        ]
        try:
            done = subprocess.run(
                command,
                cwd=run,
                env={
                    **os.environ,
                    "npm_package_version": version,
                    "SENTENCES": str(left_out),
                },
                check=False,
                timeout=LONGEST,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return {("all", "all"): [("failed", f"took more than {LONGEST} s")]}
        if not out.exists():
            return {("all", "all"): [("failed", done.stdout[-500:])]}
        if left_out.exists():
            count = len(left_out.read_text().splitlines())
            client = "drop-in" if drop_in else "original"
            print(f"{client}: {count} comparisons of sentences left out")
        return _read(json.loads(out.read_text()))


def _copy(source: Path, target: Path) -> None:
    """A folder of links: tests write files beside themselves, and find `../lib` by their paths."""
    if source.name == "node_modules":
        target.symlink_to(source)
        return
    target.mkdir()
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())


def _write_modules(lib: Path) -> None:
    """The modules of the package that its tests import, as modules of the drop-in."""
    for name, (module, member) in MODULES.items():
        file = lib / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"module.exports = require('{DIST / module}'){member}\n")


def _read(report: dict[str, Any]) -> Outcomes:
    outcomes: Outcomes = defaultdict(list)
    for kind, outcome in KINDS.items():
        for test in report[kind]:
            file = Path(test.get("file") or "").name
            lines = (test["err"].get("message") or "").splitlines()
            outcomes[file, test["fullTitle"]].append((outcome, " ".join(lines)[:300]))
    return dict(outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
