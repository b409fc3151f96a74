"""Detection of the build of this package: profile, commit, native part."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spikewire.build import COMMIT, PROFILE
from spikewire_lab import build

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from spikewire_lab.contract.build import Build


def built(folder: Path, monkeypatch: pytest.MonkeyPatch, **constants: Any) -> Build:
    """The build as seen by a process that has loaded such a package; without constants, one that
    does not report how it was built."""
    package = ModuleType("spikewire")
    package.__file__ = str(folder / "__init__.py")
    (folder / "_native.so").write_bytes(b"code of /rustc/" + b"ab" * 20 + b"/library")
    monkeypatch.setitem(sys.modules, "spikewire", package)
    monkeypatch.delitem(sys.modules, "spikewire.build", raising=False)
    if constants:
        module = ModuleType("spikewire.build")
        vars(module).update({"COMMIT": None, "PROFILE": None, **constants})
        monkeypatch.setitem(sys.modules, "spikewire.build", module)
    build_facts = build.loaded()
    assert build_facts is not None
    return build_facts


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_native_part_reports_its_build_profile() -> None:
    build_facts = build.loaded()
    assert build_facts is not None
    assert build_facts["profile"] == PROFILE
    assert build_facts["built_from"] == COMMIT


def test_a_wheel_knows_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = "12" * 20
    build_facts = built(tmp_path, monkeypatch, PROFILE="dist", COMMIT=commit)
    assert (build_facts["profile"], build_facts["commit"], build_facts["modified"]) == (
        "dist",
        commit,
        False,
    )
    native = tmp_path / "_native.so"
    digest = hashlib.sha256(native.read_bytes()).hexdigest()
    size = native.stat().st_size
    assert build_facts["native"] == {"name": "_native.so", "bytes": size, "sha256": digest}
    assert build_facts["rustc"] == "ab" * 20
    assert "native part" not in build.described(build_facts)
    changed = built(tmp_path, monkeypatch, COMMIT=f"{commit}-dirty")
    assert (changed["commit"], changed["modified"]) == (commit, True)
    assert changed["built_from"] == f"{commit}-dirty"
    assert build.described(changed).startswith("commit 121212121212 with changes, library ")


def test_a_checkout_has_its_commit_and_what_is_installed_within_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q")
    package = tmp_path / "spikewire"
    package.mkdir()
    (package / "__init__.py").write_text("")
    git(package, "add", "__init__.py")
    git(package, "commit", "-qm", "first")
    build_facts = built(package, monkeypatch)
    assert (build_facts["commit"], build_facts["modified"]) == (
        git(tmp_path, "rev-parse", "HEAD"),
        False,
    )
    head = build_facts["commit"]
    (package / "__init__.py").write_text("x = 1")
    assert built(package, monkeypatch)["modified"] is True
    # A native part may be older than the source tree.
    old = built(package, monkeypatch, COMMIT="12" * 20)
    assert (old["commit"], old["modified"], old["built_from"]) == (head, True, "12" * 20)
    assert f"commit {str(head)[:12]} with changes, native part of 121212121212" in (
        build.described(old)
    )
    same = built(package, monkeypatch, COMMIT=f"{head}-dirty")
    assert "native part" not in build.described(same)
    installed = tmp_path / ".venv"
    installed.mkdir()
    (installed / "__init__.py").write_text("")
    build_facts = built(installed, monkeypatch)
    assert (build_facts["profile"], build_facts["commit"], build_facts["modified"]) == (
        None,
        None,
        None,
    )


def test_a_process_without_the_package_has_no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "spikewire")
    assert build.loaded() is None


def test_builds_are_described_from_their_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = built(tmp_path, monkeypatch, PROFILE="release", COMMIT="12" * 20)
    runs: list[Any] = [[{"client": "aerospike"}, {"failed": "no"}], [{"client": "a", "build": one}]]
    assert build.of_results(runs) == {"a": one}
    words = build.described(one)
    assert words.startswith("profile release, commit 121212121212, library ")
    assert words.endswith(", rustc abababababab")
    assert build.described(None) == ""


def test_build_facts_are_completed_from_the_program_file(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    manifest, program = tmp_path / "crate" / "Cargo.toml", tmp_path / "target" / "ours"
    manifest.parent.mkdir()
    manifest.write_text("")
    git(tmp_path, "add", "crate/Cargo.toml")
    git(tmp_path, "commit", "-qm", "first")
    program.parent.mkdir()
    program.write_bytes(b"code of /rustc/" + b"ab" * 20 + b"/library")
    own_facts = {"profile": "release", "opt_level": "3", "rustflags": "", "debug_assertions": False}
    answer = {"client": "spikewire-rust", "build": own_facts}
    build_facts = build.completed(answer, program, manifest)["build"]
    assert {name: build_facts[name] for name in own_facts} == own_facts
    assert (build_facts["commit"], build_facts["modified"]) == (
        git(tmp_path, "rev-parse", "HEAD"),
        False,
    )
    assert build_facts["rustc"] == "ab" * 20
    assert build_facts["native"]["sha256"] == hashlib.sha256(program.read_bytes()).hexdigest()
    assert build.of_results([{**answer, "build": build_facts}]) == {"spikewire-rust": build_facts}
    assert build.described(build_facts).startswith("profile release (opt-level 3), commit ")
    other = build.described(
        {**build_facts, "rustflags": "-C target-cpu=native", "debug_assertions": True}
    )
    how = "opt-level 3, flags -C target-cpu=native, with debug assertions"
    assert other.startswith(f"profile release ({how}), commit ")
    # An addon reports what it was built from, whatever the source tree is at now.
    addon = {"client": "spikewire-node", "build": {**own_facts, "built_from": f"{'34' * 20}-dirty"}}
    addon_facts = build.completed(addon, program, None)["build"]
    assert (addon_facts["commit"], addon_facts["modified"]) == ("34" * 20, True)
    without_commit = {**addon, "build": {**own_facts, "built_from": ""}}
    silent = build.completed(without_commit, program, None)["build"]
    assert (silent["commit"], silent["built_from"]) == (None, None)
    # A foreign program has no commit of ours, and one that reports nothing has no build.
    assert build.completed(answer, program, None)["build"]["commit"] is None
    assert build.completed({"failed": "no"}, program, manifest) == {"failed": "no"}
