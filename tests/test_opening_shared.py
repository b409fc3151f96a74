"""URLs and variables mean the same in every language: cases that all of them run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from spikewire import opening
from spikewire.cql._opening import CASSANDRA

CASES = json.loads(Path(__file__).with_name("opening_cases.json").read_text("utf-8"))
SCHEMES = {"aerospike": opening.AEROSPIKE, "cassandra": CASSANDRA}


def value(of: Any) -> Any:
    """A value of a case, in Python's units and types."""
    if isinstance(of, dict) and "seconds" in of:
        return cast("dict[str, Any]", of)["seconds"]
    if isinstance(of, list):
        items: list[Any] = of
        return tuple(value(it) for it in items)
    return cast("Any", of)


def listed(of: Any) -> Any:
    """Lists instead of tuples."""
    if not isinstance(of, tuple):
        return of
    items: tuple[Any, ...] = of
    return list(items)


@pytest.mark.parametrize("case", [(name, it) for name in SCHEMES for it in CASES[name]], ids=str)
def test_a_case(case: tuple[str, dict[str, Any]]) -> None:
    name, expected = case

    def read() -> opening.Opening:
        variables = expected.get("variables", {})
        return opening.read(expected.get("url"), scheme=SCHEMES[name], environment=variables)

    if "error" in expected:
        with pytest.raises((TypeError, ValueError)) as caught:
            read()
        assert str(caught.value).startswith(expected["error"])
        return
    data = read()
    for part in ("seeds", "namespace"):
        if part in expected:
            assert getattr(data, part) == expected[part]
    plain = {name: listed(it) for name, it in data.options.items()}
    assert plain == {name: listed(value(it)) for name, it in expected["options"].items()}
    sources = expected.get("sources", {})
    assert {name: data.sources[name] for name in sources} == sources
