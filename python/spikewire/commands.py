"""Commands of ``spikewire`` that other packages bring, found by entry points.

An entry point of the group ``spikewire.commands`` has the name of its command and refers to a
function, which takes the subparsers of ``spikewire`` and adds the command's parser. The parser's
default ``run`` takes the parsed flags and returns the exit status.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "add_parsers", "lacking"]

#: The group of the entry points.
GROUP = "spikewire.commands"
#: The commands of the benchmark lab, a package of its own.
LAB = ("bench", "compare", "compare-cql", "lab")


def add_parsers(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],  # pyright: ignore[reportPrivateUsage]
) -> list[str]:
    """Adds all commands found, except those whose names are taken; returns for each one that
    cannot be loaded why."""
    failed: list[str] = []
    for entry in _entries():
        if entry.name in commands.choices:
            continue
        try:
            entry.load()(commands)
        except (ImportError, AttributeError) as error:
            package = "" if entry.dist is None else f" of {entry.dist.name}"
            failed.append(f"the command {entry.name}{package} cannot be loaded: {error}")
    return failed


def _entries() -> Iterator[EntryPoint]:
    """Sorted, so that the order of installation makes no difference."""
    yield from sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))


def lacking(name: str) -> str | None:
    """How to install a command of the lab that was not found; None for other names."""
    if name not in LAB:
        return None
    folder = Path(__file__).resolve().parents[2] / "lab"
    source = str(folder) if (folder / "pyproject.toml").is_file() else "./lab"
    return (
        f"{name} is a command of the benchmark lab, the package spikewire-lab, which is not "
        f"installed here: pip install {source}, in a checkout of Spikewire"
    )
