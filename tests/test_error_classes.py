"""The classes of errors, which the engines name, exist in every language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spikewire import cql, errors

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("engine", "module", "typescript"),
    [
        ("spikewire-aerospike/src/model", errors, "aerospike/model"),
        ("spikewire-cassandra/src", cql.errors, "cql"),
    ],
)
def test_languages_have_the_classes_of_the_engine(
    engine: str, module: ModuleType, typescript: str
) -> None:
    source = (ROOT / "crates" / engine / "error.rs").read_text(encoding="utf-8")
    body = source.split("fn class_name")[1].split("\n    }\n")[0]
    names = set(re.findall(r'"(\w+)"', body))
    assert len(names) > 20
    assert names <= set(module.__all__)
    exports = (ROOT / "node/src" / typescript / "errors.ts").read_text(encoding="utf-8")
    assert names <= set(re.findall(r"^export class (\w+)", exports, re.MULTILINE))
