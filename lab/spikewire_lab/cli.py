"""The commands of the lab: `bench`, `compare`, `compare-cql` and `lab`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .commands import bench, compare
from .commands import compare_cql as cql
from .studies import cli as lab

if TYPE_CHECKING:
    import argparse

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def add_parsers(subparsers: Subparsers) -> None:
    """Registers all commands; each sets `run`, which takes the parsed flags."""
    for command in (bench, compare, cql, lab):
        command.add_parser(subparsers)
