"""The findings as text and as data."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO, TypeAlias

    from spikewire.compat.check.findings import Finding

    #: Writes a line in a style of rich.
    Writer: TypeAlias = Callable[[str, str | None], None]

__all__ = ["as_json", "show"]

_ORDER = {"missing": 0, "differs": 1, "same": 2}
_STYLES = {"missing": "bold red", "differs": "yellow", "same": "green"}


def as_json(findings: list[Finding], unread: dict[str, str], files: int) -> str:
    """One object with all findings."""
    data: dict[str, Any] = {
        "files": files,
        "counts": _counts(findings),
        "unreadable": unread,
        "findings": [each._asdict() for each in findings],
    }
    return json.dumps(data, indent=2)


def _counts(findings: list[Finding]) -> dict[str, int]:
    """Counts names by verdict. A name that is used often counts once."""
    names = {(each.client, each.name): each.verdict for each in findings}
    counted = Counter(names.values())
    return {verdict: counted[verdict] for verdict in ("same", "differs", "missing")}


def _grouped(findings: list[Finding], *, everything: bool) -> Iterator[tuple[str, list[Finding]]]:
    """Findings grouped by client and name, the most urgent first."""
    groups: dict[tuple[int, str, str], list[Finding]] = {}
    for each in findings:
        if everything or each.verdict != "same":
            groups.setdefault((_ORDER[each.verdict], each.client, each.name), []).append(each)
    for (_, _, name), group in sorted(groups.items()):
        yield name, group


def _places(findings: list[Finding]) -> str:
    """``file:line``, and the other lines of the same file."""
    lines: dict[str, list[int]] = {}
    for each in findings:
        if each.line not in lines.setdefault(each.file, []):
            lines[each.file].append(each.line)
    return ", ".join(
        f"{file}:{','.join(str(line) for line in numbers)}" for file, numbers in lines.items()
    )


def _summary(findings: list[Finding], files: int) -> str:
    counts = _counts(findings)
    clients = sorted({each.client for each in findings})
    if not clients:
        return f"{files} file{'s' * (files != 1)}: no client that has a drop-in."
    return (
        f"{files} file{'s' * (files != 1)}, written for {' and '.join(clients)}: "
        f"{sum(counts.values())} names, {counts['same']} the same, {counts['differs']} different, "
        f"{counts['missing']} missing."
    )


def show(
    findings: list[Finding],
    unread: dict[str, str],
    files: int,
    out: TextIO,
    *,
    everything: bool,
    plain: bool,
) -> None:
    """Writes the findings, in colour if rich is installed and ``out`` is a terminal."""
    write = _plain_writer(out) if plain else _writer(out)
    groups = list(_grouped(findings, everything=everything))
    for file, why in unread.items():
        write(f"{file}: {why}", "bold red")
    for name, group in groups:
        first = group[0]
        write(f"{first.verdict:8} {name}", _STYLES[first.verdict])
        if first.text:
            write(f"         {first.text}", None)
        write(f"         {_places(group)}", "dim")
    if groups or unread:
        write("", None)
    write(_summary(findings, files), "bold")


def _plain_writer(out: TextIO) -> Writer:
    def write(text: str, style: str | None) -> None:
        del style
        out.write(f"{text}\n")

    return write


def _writer(out: TextIO) -> Writer:
    """Writes with styles if it can."""
    if not out.isatty():
        return _plain_writer(out)
    try:
        from rich.console import Console
    except ImportError:
        return _plain_writer(out)
    console = Console(file=out, highlight=False, soft_wrap=True)
    return lambda text, style: console.print(text, style=style, markup=False)
