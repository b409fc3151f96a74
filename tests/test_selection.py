"""The lists of test files by which runs are ordered and APIs are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

import selection

TESTS = Path(__file__).parent
FILES = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")]


@pytest.mark.parametrize("name", ["ANY_API", "EVERY_API", "LONGEST", "THREADS"])
def test_every_entry_names_a_file(name: str) -> None:
    entries: tuple[str, ...] = getattr(selection, name)
    assert [entry for entry in entries if not any(file.startswith(entry) for file in FILES)] == []
