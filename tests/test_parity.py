"""The pages on parity: what is read from the sources, and the reasons for what languages lack."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from parity import read  # noqa: E402
from parity.areas import Area  # noqa: E402
from parity.compare import Reasons  # noqa: E402


def area(**names: str) -> Area:
    """An area with these names, each a text of words."""
    python, node, rust = (
        frozenset(names.get(name, "").split()) for name in ("python", "node", "rust")
    )
    return Area("verbs", "Verbs", python, node, rust)


def reasons(**table: Any) -> Reasons:
    """A table with these entries."""
    return Reasons({"spelled": {}, "aside": [], "hole": [], **table})


def hole(names: list[str], missing: list[str], why: str = "because") -> dict[str, Any]:
    return {"area": "verbs", "names": names, "missing": missing, "why": why}


def test_what_every_language_has_needs_no_reason() -> None:
    table = reasons()
    compared = table.compare(area(python="get put", node="get put", rust="put get"))
    assert (compared.common, compared.holes, table.faults) == (["get", "put"], [], [])


def test_a_hole_without_a_reason_is_a_fault() -> None:
    table = reasons(hole=[hole(["put"], ["node"])])
    compared = table.compare(area(python="get put", rust="get put"))
    assert table.faults == ["verbs: node has no get, and no reason why"]
    assert [(row.names, row.missing, row.why) for row in compared.holes] == [
        (("get",), ("node",), ""),
        (("put",), ("node",), "because"),
    ]


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (["get"], "verbs: node has get: remove the reason why it has not"),
        (["got"], "verbs: no language has got, which has a reason"),
    ],
)
def test_a_reason_without_its_hole_is_a_fault(names: list[str], fault: str) -> None:
    table = reasons(hole=[hole(names, ["node"], "not yet")])
    table.compare(area(python="get", node="get", rust="get"))
    assert table.faults == [fault]


def test_names_may_be_spelled_otherwise() -> None:
    spelled = {"verbs": {"rust": {"where": "filter", "limit": "most", "offset": "most"}}}
    table = reasons(spelled=spelled)
    names = "where limit offset"
    compared = table.compare(area(python=names, node=names, rust="filter most"))
    assert (compared.holes, table.faults) == ([], [])
    assert compared.spelled == {"rust": {"where": "filter", "limit": "most", "offset": "most"}}
    table.compare(area(python=names, node=names, rust="most"))
    assert table.faults == ["verbs: rust has no filter, as where"]


def test_names_may_be_set_aside_while_they_exist() -> None:
    aside = {"area": "verbs", "language": "node", "names": ["then"], "why": "a promise"}
    table = reasons(aside=[aside])
    assert table.compare(area(python="get", node="get then", rust="get")).holes == []
    assert table.faults == []
    table.compare(area(python="get", node="get", rust="get"))
    assert table.faults == ["verbs: node has no then, which is set aside"]


def test_a_language_may_lack_a_whole_area() -> None:
    table = reasons(hole=[hole(["*"], ["rust"])])
    compared = table.compare(area(python="get put", node="get put"))
    assert (compared.common, compared.whole, table.faults) == (
        ["get", "put"],
        {"rust": "because"},
        [],
    )
    table.compare(area(python="get put", node="get put", rust="get"))
    assert table.faults == ["verbs: rust has some: give a reason for each other"]


def test_features_have_marks_or_reasons() -> None:
    marks = {"python": ["export Client"], "node": ["package ./none", "export Client"]}
    late = {"python": ["verbs.get"], "node": ["file node/src/index.ts"], "rust": ["text a: b"]}
    table = reasons(
        feature=[
            {"name": "clients", **marks, "why": {"rust": "not yet"}},
            {"name": "late", **late, "why": {"node": "not yet"}},
        ]
    )
    assert table.features("feature", [area(python="get")]) == [
        ("clients", {"python": "yes", "node": "yes", "rust": "not yet"}),
        ("late", {"python": "yes", "node": "yes", "rust": "?"}),
    ]
    assert table.faults == [
        "feature: node has late: remove the reason why it has not",
        "feature: rust has no late, and no reason why",
    ]


def test_names_are_those_of_python() -> None:
    assert [read.snake(name) for name in ("getMany", "toJSON", "get", "RecordNotFound")] == [
        *("get_many", "to_json", "get", "RecordNotFound")
    ]


def test_public_names_are_read_from_the_sources() -> None:
    assert {"get", "put_many", "key"} <= read.python_class("_native.pyi", "Dataset")
    node = read.node_class("aerospike", "Dataset")
    # Of its bases, too; nothing that is internal or private.
    assert {"get", "put_many", "key", "within"} <= node
    assert not {"space_of", "wire_of", "connection", "constructor"} & node
    assert "concurrent" in read.node_class("cql", "Session")
    assert {"RecordNotFound", "SpikewireError"} <= read.node_exports("aerospike/model/errors.ts")
    assert {"list", "delete", "get"} <= read.node_module("aerospike/op/index.ts")
    crate = "spikewire/src/aerospike"
    assert {"get", "batch"} <= read.rust_functions(
        f"{crate}/verbs.rs", f"{crate}/many.rs", after="macro_rules!"
    )
    assert "set_name" in read.rust_functions(f"{crate}/expression/exp.rs")
    assert "Timeout" in read.rust_variants("spikewire-aerospike/src/model/error.rs", "Kind")


def test_pages_are_short() -> None:
    for name in ("parity", "parity-operations", "parity-cassandra"):
        text = (ROOT / f"docs/{name}.md").read_text()
        assert len(text.encode()) < 15_000, name
