"""The commands ``spikewire compat check`` and ``python -m spikewire.compat check``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from spikewire.compat.check.findings import Finding

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

__all__ = ["add_parser", "main"]

_SAME, _MISSING, _UNREADABLE = 0, 1, 2
_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_DESCRIPTION = "Tools for programs that were written for other clients."
_EPILOGUE = """exit codes: 0 nothing is missing, 1 something is missing, 2 a file could not be read.

Programs are analysed, not run. What a variable holds is inferred from its assignment, its
annotation, or else its name (client, session, cluster, query, scan)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        "python -m spikewire.compat", description=_DESCRIPTION, allow_abbrev=False
    )
    _add_check(parser.add_subparsers(dest="command", required=True, metavar="command"))
    options = parser.parse_args(arguments)
    status: int = options.run(options)
    return status


def add_parser(commands: Commands) -> None:
    """Adds the command ``compat``."""
    compat = commands.add_parser(
        "compat",
        allow_abbrev=False,
        help="check programs that were written for other clients",
        description=_DESCRIPTION,
    )
    _add_check(compat.add_subparsers(title="commands", metavar="COMMAND", required=True))


def _add_check(commands: Commands) -> None:
    checking = commands.add_parser(
        "check",
        allow_abbrev=False,
        help="report what programs use of aerospike, aerospike-py or cassandra-driver that differs",
        description=(
            "Reports which names of aerospike, aerospike_helpers, aerospike_py and cassandra "
            "programs use, which of them behave differently with Spikewire, and what to use "
            "instead of those that are missing."
        ),
        epilog=_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    checking.add_argument(
        "files", nargs="+", metavar="FILE", help="a program, or a folder of programs"
    )
    checking.add_argument("--json", action="store_true", help="print one JSON object")
    checking.add_argument("--all", action="store_true", help="also list names that behave the same")
    checking.add_argument("--plain", action="store_true", help="no colours")
    checking.set_defaults(run=_checked)


def _checked(options: argparse.Namespace) -> int:
    # Imported where it is needed: it loads the drop-ins.
    from spikewire.compat.check.findings import check
    from spikewire.compat.check.peers import NotImportable
    from spikewire.compat.check.report import as_json, show

    findings: list[Finding] = []
    unread: dict[str, str] = {}
    files = 0
    for name in options.files:
        if Path(name).is_dir() and next(_paths([name]), None) is None:
            unread[name] = "contains no Python files"
    for path in _paths(options.files):
        files += 1
        try:
            findings += check(path.read_bytes().decode("utf-8-sig"), str(path))
        except SyntaxError as error:
            unread[str(path)] = f"is not valid Python {_PYTHON}: {error.msg} (line {error.lineno})"
        except NotImportable as error:
            unread[str(path)] = f"cannot be checked: {error}"
        except (OSError, ValueError, RecursionError) as error:
            unread[str(path)] = f"cannot be read: {error}"
    if options.json:
        sys.stdout.write(as_json(findings, unread, files) + "\n")
    else:
        show(findings, unread, files, sys.stdout, everything=options.all, plain=options.plain)
    if unread:
        return _UNREADABLE
    return _MISSING if any(each.verdict == "missing" for each in findings) else _SAME


def _paths(names: list[str]) -> Iterator[Path]:
    """The program files, including those in folders. Environments and hidden folders are
    skipped."""
    for name in names:
        path = Path(name)
        if not path.is_dir():
            yield path
            continue
        for file in sorted(path.rglob("*.py")):
            parts = file.relative_to(path).parts
            if not any(part.startswith(".") or part in _LEFT_OUT for part in parts):
                yield file


_LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})
