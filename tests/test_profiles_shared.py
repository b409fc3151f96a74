"""Profiles in files mean the same in every language: cases that all of them run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import ProfileError, Profiles, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = json.loads(Path(__file__).with_name("profile_cases.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("profiles") / "p.toml"
    path.write_text(CASES["file"])
    with Cluster() as cluster, spikewire.Client(cluster.seeds) as client:
        yield client.with_profile(Profiles(path)["all"])


@pytest.mark.parametrize("case", CASES["calls"], ids=str)
def test_a_call(case: dict[str, Any], view: Any) -> None:
    operations = [op.put("a", 1) if case.get("writes") else op.get("a")]
    arguments = (1, operations) if case["verb"].startswith("operate") else ()
    used = view.explain(case["verb"], *arguments)[case["option"]]
    is_time = isinstance(case["value"], dict)
    expected: object = case["value"]["seconds"] if is_time else case["value"]
    assert (used.value, used.source) == (expected, case["source"])


@pytest.mark.parametrize("case", CASES["mistakes"], ids=lambda case: case["error"])
def test_a_mistake(case: dict[str, str], tmp_path: Path) -> None:
    if case["kind"] == "yaml":
        pytest.importorskip("yaml")
    path = tmp_path / f"p.{case['kind']}"
    path.write_bytes(case["text"].encode())
    with pytest.raises(ProfileError) as caught:
        Profiles(path)
    assert str(caught.value).startswith(case["error"])
