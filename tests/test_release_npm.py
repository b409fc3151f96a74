"""What `make release-check ONLY='npm crates'` is made of, without building packages."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ("npm", "crates", "sbom", "release_steps", "names", "notices", "wheels", "source")
MAIN: dict[str, Any] = {
    "name": "spikewire",
    "version": "1.0.0",
    "description": "...",
    "license": "Apache-2.0",
    "publishConfig": {"access": "public", "provenance": True},
    "scripts": {"install": "node dist/install.js"},
    "optionalDependencies": {"@spikewire/linux-x64-gnu": "1.0.0"},
}
PLATFORM: dict[str, Any] = {
    **{key: MAIN[key] for key in ("version", "description", "license", "publishConfig")},
    "name": "@spikewire/linux-x64-gnu",
    "os": ["linux"],
    "cpu": ["x64"],
    "libc": ["glibc"],
    "main": "spikewire.linux-x64-gnu.node",
}
FILES = {"LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt", "package.json"}


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of tools/release, which are programs, not a package."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools" / "release"), *sys.path])
    yield importlib.import_module
    for name in PARTS:
        sys.modules.pop(name, None)


# --- npm ------------------------------------------------------------------------------------------


def test_packages_as_they_should_be_have_no_faults(tool: Any) -> None:
    npm = tool("npm")
    files = FILES | {"spikewire.linux-x64-gnu.node", "sbom.cdx.json"}
    assert npm.faults_of_manifest(MAIN, FILES) == []
    assert npm.faults_of_main(MAIN, [PLATFORM]) == []
    assert npm.faults_of_manifest(PLATFORM, files) == []
    assert npm.faults_of_platform(PLATFORM, files) == []


def test_native_parts_of_the_checkout_are_not_packed_as_a_release(
    tool: Any, tmp_path: Path
) -> None:
    """They need this system's C library, and may lack the options of a release."""
    npm, this = tool("npm"), tool("wheels").this_platform()
    context = SimpleNamespace(root=tmp_path)
    for name in ("Cargo.toml", "Cargo.lock"):
        (tmp_path / name).touch()
    assert npm.stale(context, this)
    file = npm.native(context, this)
    file.parent.mkdir(parents=True)
    file.touch()
    assert not npm.stale(context, this)
    (file.parent / ".built-release").touch()
    assert npm.stale(context, this)
    (file.parent / ".built-release").unlink()
    os.utime(file, (0, 0))
    assert npm.stale(context, this)


@pytest.mark.parametrize(
    ("manifest", "files", "fault"),
    [
        (MAIN, FILES - {"LICENSE"}, "there is no LICENSE"),
        (MAIN, FILES - {"THIRD-PARTY-NOTICES.txt"}, "there is no THIRD-PARTY-NOTICES.txt"),
        (MAIN, FILES | {"dist/a.test.js"}, "dist/a.test.js should not be in it"),
        (MAIN, FILES | {"dist/.built"}, "dist/.built should not be in it"),
        (MAIN, FILES | {"rust/target/x"}, "rust/target/x should not be in it"),
        ({**MAIN, "publishConfig": {"access": "public"}}, FILES, "`publishConfig` must have"),
        ({**MAIN, "scripts": {"postinstall": "sh x"}}, FILES, "`scripts` has more than it should"),
        ({**PLATFORM, "scripts": MAIN["scripts"]}, FILES, "`scripts` has more than it should"),
        ({**MAIN, "dependencies": {"a": "1"}}, FILES, "it must not have `dependencies`"),
        ({**MAIN, "description": ""}, FILES, "there is no `description`"),
    ],
)
def test_what_is_wrong_in_a_package_is_found(
    tool: Any, manifest: dict[str, Any], files: set[str], fault: str
) -> None:
    faults = tool("npm").faults_of_manifest(manifest, files)
    assert len(faults) == 1
    assert faults[0].startswith(fault)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"os": ["darwin"]}, "`os` must be ['linux']"),
        ({"libc": ["musl"]}, "`libc` must be ['glibc']"),
        ({"main": "index.js"}, "`main` must be spikewire.linux-x64-gnu.node"),
    ],
)
def test_a_platform_package_is_for_its_platform(
    tool: Any, change: dict[str, Any], fault: str
) -> None:
    files = {"spikewire.linux-x64-gnu.node", "sbom.cdx.json"}
    faults = tool("npm").faults_of_platform({**PLATFORM, **change}, files)
    assert len(faults) == 1
    assert faults[0].startswith(fault)


def test_the_main_package_names_what_was_packed(tool: Any) -> None:
    npm = tool("npm")
    other = {"name": "@spikewire/linux-arm64-musl", "version": "1.0.0"}
    assert npm.faults_of_main(MAIN, []) == [
        "@spikewire/linux-x64-gnu is not packed, and an optional dependency"
    ]
    assert npm.faults_of_main(MAIN, [PLATFORM, other]) == [
        "@spikewire/linux-arm64-musl is packed, and no optional dependency"
    ]
    assert npm.faults_of_main(MAIN, [{**PLATFORM, "version": "1.0.1"}]) == [
        "@spikewire/linux-x64-gnu has version 1.0.1, not 1.0.0"
    ]


def test_the_newest_glibc_is_compared_by_number(tool: Any) -> None:
    newest = tool("npm").newest_glibc
    assert newest(b"\0GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_2.9\0") == (2, 17)
    assert newest(b"\0pthread_create\0") == (0, 0)


# --- What is linked -------------------------------------------------------------------------------

TREE = """\
0|spikewire-node v0.1.0 (/somewhere/crates/spikewire-node)|Apache-2.0
1|mlua-sys v0.13.0|MIT
1|a v1.0.0|MIT/Apache-2.0
2|mlua-sys v0.13.0|MIT (*)
1|b v2.0.0 (/somewhere/b) (*)|Apache-2.0
"""
LOCK = '[[package]]\nname = "a"\nversion = "1.0.0"\nchecksum = "00ff"\n'


def test_the_list_of_what_is_linked_has_each_crate_once_and_who_uses_it(tool: Any) -> None:
    sbom = tool("sbom")
    lua = {"bom-ref": "pkg:generic/lua@5.4.9", "name": "lua"}
    document = sbom.document("@spikewire/linux-x64-gnu", "0.1.0", TREE, LOCK, lua)
    components = {component["name"]: component for component in document["components"]}
    assert list(components) == ["a", "b", "mlua-sys", "spikewire-node", "lua"]
    assert components["a"]["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert components["a"]["hashes"] == [{"alg": "SHA-256", "content": "00ff"}]
    uses = {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]}
    assert uses["pkg:cargo/a@1.0.0"] == ["pkg:cargo/mlua-sys@0.13.0"]
    assert uses["pkg:cargo/mlua-sys@0.13.0"] == ["pkg:generic/lua@5.4.9"]
    assert uses["pkg:npm/%40spikewire/linux-x64-gnu@0.1.0"] == ["pkg:cargo/spikewire-node@0.1.0"]
    again = sbom.document("@spikewire/linux-x64-gnu", "0.1.0", TREE, LOCK, lua)
    assert json.dumps(document) == json.dumps(again)
    with pytest.raises(ValueError, match="not understood"):
        sbom.linked("warning: something\n")


# --- Crates ---------------------------------------------------------------------------------------


def crate(name: str, *needs: str, publish: list[str] | None = None) -> dict[str, Any]:
    """A crate as `cargo metadata` describes it; names in `needs` with a `?` are for tests."""
    return {
        "name": name,
        "publish": publish,
        "manifest_path": f"/nowhere/{name}/Cargo.toml",
        "dependencies": [
            {
                "name": need.rstrip("?"),
                "path": f"/nowhere/{need.rstrip('?')}",
                "kind": "dev" if need.endswith("?") else None,
                "req": "^0.1.0",
            }
            for need in needs
        ],
    }


def test_crates_are_published_behind_what_they_and_their_tests_need(tool: Any) -> None:
    crates = tool("crates")
    all_crates = [
        crates.Crate(crate("a", "c", "b?")),
        crates.Crate(crate("b", "c")),
        crates.Crate(crate("c")),
        crates.Crate(crate("binding", "a", publish=[])),
    ]
    assert crates.order(all_crates) == ["c", "b", "a"]
    with pytest.raises(ValueError, match="these crates need each other: a, b"):
        crates.order([crates.Crate(crate("a", "b")), crates.Crate(crate("b", "a?"))])


def test_what_a_crate_lacks_is_found(tool: Any) -> None:
    crates = tool("crates")
    bare = crates.Crate(crate("a", "binding"))
    assert crates.faults(bare, {"a"}) == [
        *(
            f"there is no `{key}`"
            for key in (
                "description",
                "license",
                "readme",
                "rust_version",
                "keywords",
                "categories",
            )
        ),
        "[package.metadata.docs.rs] must have `all-features = true`",
        "there is no LICENSE in its folder",
        "it needs binding, which is not published",
    ]
    words = {"keywords": ["a b", *"cdefg"], "categories": ["databases"]}
    faults = crates.faults(crates.Crate({**bare.metadata, **words}), {"a", "binding"})
    assert "the index takes 5 keywords, not 6" in faults
    assert "the index takes no keyword 'a b'" in faults
    assert "unknown category 'databases'" in faults


def test_every_crate_of_the_workspace_could_be_published(tool: Any) -> None:
    crates = tool("crates")
    all_crates = crates.workspace(ROOT)
    order = crates.order(all_crates)
    assert order[-1] == "spikewire"
    for one in all_crates:
        if one.published:
            assert crates.faults(one, set(order)) == [], one.name
