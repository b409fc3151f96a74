"""Which build of this package a process has: what decides about speed and no version says."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

NATIVE = "spikewire._native"
SHIPPED = "dist"
"""The profile of Cargo's that wheels are built with."""
_CHANGED = "-dirty"
"""Behind a commit from which files differed."""
_RUSTC = re.compile(rb"/rustc/([0-9a-f]{40})/")
"""Names the compiler's commit in the paths of its own library."""


class Library(TypedDict):
    """The native part: a file, its bytes, and their digest."""

    name: str
    bytes: int
    sha256: str


class Compiled(TypedDict, total=False):
    """How Cargo compiled it, as programs and the addon of Node.js say. Cargo does not tell a crate
    how it is linked: the profile's name says that."""

    opt_level: str
    rustflags: str
    """Of the environment and of Cargo's configuration; empty: none."""
    debug_assertions: bool


class Build(Compiled):
    """What is not known is None."""

    profile: str | None
    """Of Cargo's that the native part was built with; old ones do not say."""
    commit: str | None
    """Of the source tree that is used in place; of what was installed, that it was built from."""
    modified: bool | None
    """Whether files of that source tree differ from the commit."""
    built_from: str | None
    """The commit of the native part, which may be older than the source tree, with `-dirty` behind
    it where files differed; None where it does not say."""
    rustc: str | None
    """The compiler's commit."""
    native: Library | None


def loaded() -> Build | None:
    """Of the package that this process has imported; None if it has not."""
    module = sys.modules.get(NATIVE)
    return None if module is None or module.__file__ is None else _of(Path(module.__file__), module)


def _of(native: Path, module: object) -> Build:
    constants = cast("Mapping[str, Any]", vars(module))
    made = _build(native, native.parent / "__init__.py", constants.get("BUILD_COMMIT"))
    return {**made, "profile": constants.get("BUILD_PROFILE")}


def _build(file: Path, own: Path | None, built_from: str | None) -> Build:
    """Of a native part, without its profile. `own` is a file of the source tree that is used in
    place, if one may be."""
    library, rustc = _library(file)
    commit, modified = (None, None) if own is None else _commit(own)
    if commit is None and built_from:
        commit, modified = built_from.removesuffix(_CHANGED), built_from.endswith(_CHANGED)
    return {
        "profile": None,
        "commit": commit,
        "modified": modified,
        "built_from": built_from or None,
        "rustc": rustc,
        "native": library,
    }


_known = cache(_build)
"""Programs do not change while they are measured."""


def completed(answer: Mapping[str, Any], file: Path, manifest: Path | None) -> Mapping[str, Any]:
    """An answer whose worker says how it was compiled, with the rest of its build.

    `manifest` is a file of the source tree that the program has just been built from; None where it
    is no part of ours, and for an addon, which may be older than the source tree.
    """
    said: Mapping[str, Any] | None = answer.get("build")
    if said is None:
        return answer
    found = _known(file, manifest, said.get("built_from"))
    return {**answer, "build": {**said, **found, "profile": said.get("profile")}}


def _library(file: Path) -> tuple[Library, str | None]:
    """What is loaded, and the commit of the compiler that made it."""
    content = file.read_bytes()
    rustc = _RUSTC.search(content)
    made: Library = {
        "name": file.name,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return made, rustc[1].decode() if rustc else None


def _commit(own: Path) -> tuple[str | None, bool | None]:
    """Of the source tree that this file belongs to, and whether files differ from that; nothing of
    either for an installed package, wherever that lies."""
    package = own.parent
    if _git(package, "ls-files", "--error-unmatch", own.name) is None:
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


_HOW = {"opt_level": "opt-level", "rustflags": "flags"}


def described(build: Mapping[str, Any] | None) -> str:
    """In words: the profile, and commits and digest as far as they tell one build from another."""
    if not build:
        return ""
    native = cast("Mapping[str, Any]", build.get("native") or {})
    how = [f"{name} {build[key]}" for key, name in _HOW.items() if build.get(key)]
    how += ["with debug assertions"] if build.get("debug_assertions") else []
    profile = f"profile {build.get('profile')}" + (f" ({', '.join(how)})" if how else "")
    words = [profile] if build.get("profile") else []
    commit, built_from = _named(build), build.get("built_from")
    words += [f"commit {_short(commit)}"] if commit else []
    words += [f"native part of {_short(built_from)}"] if built_from not in (None, commit) else []
    for name, digest in (("library", native.get("sha256")), ("rustc", build.get("rustc"))):
        if digest:
            words.append(f"{name} {str(digest)[:12]}")
    return ", ".join(words)


def _named(build: Mapping[str, Any]) -> str | None:
    """The commit as a native part names its own."""
    commit: str | None = build.get("commit")
    return commit and commit + (_CHANGED if build.get("modified") else "")


def _short(commit: str) -> str:
    return commit[:12] + (" with changes" if commit.endswith(_CHANGED) else "")


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
