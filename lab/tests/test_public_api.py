"""The lab uses the client as any other program would: only what its reference lists."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import spikewire

LAB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(LAB.parent / "tools"))

from website import reference  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Every module and name that the reference of the client lists.
PUBLIC = {"spikewire", *(name for *_, names in reference.PAGES for name in names)}
PRIVATE = re.compile(r"spikewire\._(?!_)\w*")
FILES = [file for part in ("spikewire_lab", "tools", "rust") for file in (LAB / part).rglob("*.py")]


def imported(source: str) -> Iterator[tuple[str, list[str]]]:
    """The modules of the client that a program imports, and the names that it takes from each."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((one.name, []) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, [one.name for one in node.names]


def private(source: str) -> list[str]:
    """What a program uses of the client that its reference does not list."""
    private_names: list[str] = []
    for module, names in imported(source):
        if module.split(".")[0] != "spikewire":
            continue
        if module not in PUBLIC:
            private_names.append(module)
        private_names += [f"{module}.{name}" for name in names if name.startswith("_")]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            private_names += [word for word in node.value.split() if PRIVATE.match(word)]
        elif isinstance(node, ast.Attribute):
            private_names += [word for word in [ast.unparse(node)] if PRIVATE.fullmatch(word)]
    return private_names


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(LAB)))
def test_only_what_is_public_is_used(file: Path) -> None:
    assert private(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from spikewire import _native", ["spikewire._native"]),
        ("import spikewire._native", ["spikewire._native"]),
        (
            "from spikewire.testing.cassandra.readiness import x",
            ["spikewire.testing.cassandra.readiness"],
        ),
        ("sys.modules['spikewire._native']", ["spikewire._native"]),
        ("spikewire._native.Client", ["spikewire._native"]),
        ("import spikewire; spikewire.__version__", []),
        ("from spikewire.testing import Cluster", []),
    ],
)
def test_private_uses_are_detected(source: str, expected: list[str]) -> None:
    assert private(source) == expected


def test_both_packages_have_one_version() -> None:
    project = (LAB / "pyproject.toml").read_text(encoding="utf-8")
    node = json.loads((LAB / "node" / "package.json").read_text(encoding="utf-8"))
    assert f'\nversion = "{spikewire.__version__}"\n' in project
    assert f'"spikewire=={spikewire.__version__}"' in project
    assert node["version"] == node["peerDependencies"]["spikewire"] == spikewire.__version__


def test_source_files_are_found() -> None:
    assert len(FILES) > 200
