"""The lists of test files by which runs are ordered and APIs are chosen."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import selection
from apis import APIS

TESTS = Path(__file__).parent
FILES = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")]


@pytest.mark.parametrize("name", ["ANY_API", "EVERY_API", "LONGEST", "THREADS"])
def test_every_entry_names_a_file(name: str) -> None:
    entries: tuple[str, ...] = getattr(selection, name)
    assert [entry for entry in entries if not any(file.startswith(entry) for file in FILES)] == []


class Item:
    """What selection looks at in a collected test."""

    def __init__(self, case: str, **params: str) -> None:
        self.nodeid = f"{case}[{params}]"
        self.callspec = SimpleNamespace(params=params, indices={})

    def get_closest_marker(self, _name: str) -> None:
        return None


@pytest.mark.parametrize(
    "apis", [APIS, ("blocking", "asyncio"), ("asyncio",), ("uvloop", "submit")]
)
@pytest.mark.parametrize("one", [False, True])
def test_every_case_runs_on_some_api(apis: tuple[str, ...], one: bool) -> None:
    """Half of the cases of files with two APIs ran on none."""
    cases = [f"test_{number}" for number in range(8)]
    items: Any = [Item(case, api=api) for case in cases for api in apis]
    items += [Item("test_without_apis"), Item("test_of_another_kind", api="another")]
    every = len(items)
    select = partial(selection.one_api, everywhere=True) if one else selection.some_apis
    dropped = select(items)
    assert len(items) + len(dropped) == every
    counts = Counter(item.nodeid.partition("[")[0] for item in items)
    kinds = 1 if one else len({api in ("asyncio", "uvloop") for api in apis})
    assert counts == dict.fromkeys(cases, kinds) | {
        "test_without_apis": 1,
        "test_of_another_kind": 1,
    }
    assert {item.callspec.params.get("api") for item in items} >= set(apis)
