"""Which build of this package a process has: what decides about speed and no version says."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

NATIVE = "spikewire._native"
SHIPPED = "dist"
"""The profile of Cargo's that wheels are built with."""
_RUSTC = re.compile(rb"/rustc/([0-9a-f]{40})/")
"""Names the compiler's commit in the paths of its own library."""


class Library(TypedDict):
    """The native part: a file, its bytes, and their digest."""

    name: str
    bytes: int
    sha256: str


class Build(TypedDict):
    """What is not known is None."""

    profile: str | None
    """Of Cargo's that the native part was built with; old ones do not say."""
    commit: str | None
    """That the native part was built from where it says so, else of the source tree."""
    modified: bool | None
    """Whether files of that source tree differ from the commit."""
    rustc: str | None
    """The compiler's commit."""
    native: Library | None


def loaded() -> Build | None:
    """Of the package that this process has imported; None if it has not."""
    module = sys.modules.get(NATIVE)
    return None if module is None or module.__file__ is None else _of(Path(module.__file__), module)


def _of(native: Path, module: object) -> Build:
    constants = cast("Mapping[str, Any]", vars(module))
    content = native.read_bytes()
    rustc = _RUSTC.search(content)
    named, _, changes = (constants.get("BUILD_COMMIT") or "").partition("-")
    commit, modified = (named, bool(changes)) if named else _commit(native.parent)
    return {
        "profile": constants.get("BUILD_PROFILE"),
        "commit": commit,
        "modified": modified,
        "rustc": rustc[1].decode() if rustc else None,
        "native": {
            "name": native.name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        },
    }


def _commit(package: Path) -> tuple[str | None, bool | None]:
    """Of the source tree that it belongs to, and whether files differ from that; nothing of either
    for an installed package, wherever that lies."""
    if _git(package, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None, None
    changed = _git(package, "status", "--porcelain", "-uno")
    return _git(package, "rev-parse", "HEAD"), None if changed is None else bool(changed)


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None or not any((parent / ".git").exists() for parent in folder.parents):
        return None
    made = subprocess.run(  # noqa: S603 - no shell, our own arguments
        [git, "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    return made.stdout.strip() if made.returncode == 0 else None


def described(build: Mapping[str, Any] | None) -> str:
    """In words: the profile, and commits and digest as far as they tell one build from another."""
    if not build:
        return ""
    native = cast("Mapping[str, Any]", build.get("native") or {})
    words = [f"profile {build['profile']}"] if build.get("profile") else []
    commit = build.get("commit")
    if commit:
        words.append(f"commit {commit[:12]}" + (" with changes" if build.get("modified") else ""))
    for name, digest in (("library", native.get("sha256")), ("rustc", build.get("rustc"))):
        if digest:
            words.append(f"{name} {str(digest)[:12]}")
    return ", ".join(words)


def of_results(results: Any) -> dict[str, Build]:
    """Of single runs, wherever they are: the build of this package that each client is."""
    found: dict[str, Build] = {}
    if isinstance(results, dict):
        one = cast("dict[str, Any]", results)
        client, build = one.get("client"), one.get("build")
        if isinstance(client, str) and isinstance(build, dict) and "native" in build:
            found[client] = cast("Build", build)
        for value in one.values():
            found |= of_results(value)
    elif isinstance(results, (list, tuple)):
        for value in cast("list[Any]", results):
            found |= of_results(value)
    return found
