"""The documentation site: no warnings, nothing loaded from elsewhere, a complete reference."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import spikewire

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from website import others, reference, tabs  # noqa: E402

#: Modules whose public names are on pages of other modules.
ELSEWHERE = {"spikewire.compat", "spikewire.cli"}
#: A module and a function in it have the same name; the entry is about the function.
CLASHES = {"spikewire.profiles.view": "spikewire.profiles.view.view"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Links, anchors and navigation are checked by building: an error there is a warning."""
    for name in ("mkdocs", "material", "mkdocstrings_handlers.python"):
        pytest.importorskip(name, reason="requirements/docs.txt is not installed")
    folder = tmp_path_factory.mktemp("site")
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    return folder


def public() -> Iterator[str]:
    """Every name that programs may use: those of the modules on the pages, and of their classes."""
    for subjects in (subjects for *_, subjects in reference.PAGES):
        for subject in subjects:
            yield from names(subject)
    for name in spikewire.__all__:
        if not isinstance(getattr(spikewire, name), ModuleType) and name != "__version__":
            yield f"spikewire.{name}"


def names(subject: str) -> Iterator[str]:
    try:
        module = importlib.import_module(subject)
    except ImportError as error:  # a name in a module, or a module that needs an optional package
        if not (error.name or "").startswith("spikewire"):
            return
        module_name, _, name = subject.rpartition(".")
        of = getattr(importlib.import_module(module_name), name)
    else:
        for name in module.__all__:
            if not isinstance(getattr(module, name), ModuleType):
                yield f"{subject}.{name}"
                yield from members(f"{subject}.{name}", getattr(module, name))
        return
    yield subject
    yield from members(subject, of)


def members(path: str, of: object) -> Iterator[str]:
    if inspect.isclass(of) and of.__module__.startswith("spikewire"):
        for name in vars(of):
            if not name.startswith("_"):
                yield f"{path}.{name}"


def entries(site: Path) -> set[str]:
    """The names that have an entry in the reference, according to its inventory."""
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.split(" ", 1)[0] for line in zlib.decompress(inventory).decode().splitlines()}


def test_every_public_name_has_an_entry(site: Path) -> None:
    named = {CLASHES.get(name, name) for name in public()}
    assert sorted(named - entries(site)) == []


def test_every_public_module_has_a_page() -> None:
    pages = {subject for *_, subjects in reference.PAGES for subject in subjects}
    listed = {
        f"spikewire.{name}"
        for name in spikewire.__all__
        if isinstance(getattr(spikewire, name), ModuleType)
    }
    assert listed - pages - ELSEWHERE == set()


def test_the_reference_of_nodejs_has_what_classes_inherit() -> None:
    pages = dict(others.pages(ROOT))
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", pages["api/node.md"], re.M | re.S))
    assert {"Client", "Dataset", "Batch", "RecordNotFound", "Cluster", "Session"} <= {*sections}
    # From three classes in one hierarchy.
    for verb in ("get", "getMany", "query"):
        assert f"| `{verb}` |" in sections["Dataset"]
    assert "@internal" not in pages["api/node.md"]
    assert "| `spikewire-transport` |" in pages["api/rust.md"]


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?(?:https?:)?//")
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        assert loaded.search(page.read_text(encoding="utf-8")) is None, page.name
    styles = "".join(style.read_text(encoding="utf-8") for style in site.rglob("*.css"))
    assert re.search(r"url\(\s*[\"']?(?:https?:)?//|@import", styles) is None


def test_tabs_begin_with_a_title() -> None:
    text = "<!-- tabs -->\n**One**\n\n1\n\n**Two**\n\n```\n2\n```\n\n<!-- end of tabs -->\n"
    assert tabs.with_tabs(text) == '=== "One"\n\n    1\n\n=== "Two"\n\n    ```\n    2\n    ```\n'
    with pytest.raises(ValueError, match="title in bold"):
        tabs.with_tabs("<!-- tabs -->\nno title\n<!-- end of tabs -->\n")
