"""The build of this package in a process: what determines speed and no version number says."""

from __future__ import annotations

import hashlib
import importlib
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .clients.registry import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .contract.build import Build, Library

NATIVE = "_native"
"""The file of the native part in the package's folder, without its suffix."""
SHIPPED = "dist"
"""The Cargo profile of released wheels."""
_CHANGED = "-dirty"
"""Appended to a commit if files differed from it."""
_RUSTC = re.compile(rb"/rustc/([0-9a-f]{40})/")
"""Matches the compiler's commit in the paths of its own library."""


def loaded() -> Build | None:
    """The build of the package that this process has imported; None if it has not."""
    package = sys.modules.get(PACKAGE)
    if package is None or package.__file__ is None:
        return None
    own = Path(package.__file__)
    files = (own.with_name(NATIVE + suffix) for suffix in EXTENSION_SUFFIXES)
    native = next((file for file in files if file.is_file()), None)
    return None if native is None else _of(native, own)


def _of(native: Path, own: Path) -> Build:
    try:
        module: Any = importlib.import_module(f"{PACKAGE}.build")
    except ImportError:  # An older one, which does not report it.
        return _build(native, own, None)
    return {**_build(native, own, module.COMMIT), "profile": module.PROFILE}


def _build(file: Path, own: Path | None, built_from: str | None) -> Build:
    """The build of a native part, without its profile. `own` is a file of the source tree used in
    place, if there may be one."""
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
"""Cached: programs do not change while they are measured."""


def completed(answer: Mapping[str, Any], file: Path, manifest: Path | None) -> Mapping[str, Any]:
    """Completes the build in an answer whose worker reports how it was compiled.

    `manifest` is a file of the source tree that the program has just been built from; None for
    programs that are not ours, and for an addon, which may be older than the source tree.
    """
    build: Mapping[str, Any] | None = answer.get("build")
    if build is None:
        return answer
    file_facts = _known(file, manifest, build.get("built_from"))
    return {**answer, "build": {**build, **file_facts, "profile": build.get("profile")}}


def _library(file: Path) -> tuple[Library, str | None]:
    """The loaded file, and the commit of the compiler that built it."""
    content = file.read_bytes()
    rustc = _RUSTC.search(content)
    library: Library = {
        "name": file.name,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return library, rustc[1].decode() if rustc else None


def _commit(own: Path) -> tuple[str | None, bool | None]:
    """The commit of the source tree that this file belongs to, and whether files differ from it;
    None for both for an installed package, wherever it is."""
    package = own.parent
    if _git(package, "ls-files", "--error-unmatch", own.name) is None:
        return None, None
    changed = _git(package, "status", "--porcelain", "-uno")
    return _git(package, "rev-parse", "HEAD"), None if changed is None else bool(changed)


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None or not any((parent / ".git").exists() for parent in folder.parents):
        return None
    process = subprocess.run(  # noqa: S603 - no shell, our own arguments
        [git, "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    return process.stdout.strip() if process.returncode == 0 else None


_HOW = {"opt_level": "opt-level", "rustflags": "flags"}


def described(build: Mapping[str, Any] | None) -> str:
    """In words: the profile, and commits and digest as far as needed to tell builds apart."""
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
    """The commit in the form in which a native part reports its own."""
    commit: str | None = build.get("commit")
    return commit and commit + (_CHANGED if build.get("modified") else "")


def _short(commit: str) -> str:
    return commit[:12] + (" with changes" if commit.endswith(_CHANGED) else "")


def of_results(results: Any) -> dict[str, Build]:
    """The build of this package for each client, collected from single runs at any depth."""
    builds: dict[str, Build] = {}
    if isinstance(results, dict):
        one = cast("dict[str, Any]", results)
        client, build = one.get("client"), one.get("build")
        if isinstance(client, str) and isinstance(build, dict) and "native" in build:
            builds[client] = cast("Build", build)
        for value in one.values():
            builds |= of_results(value)
    elif isinstance(results, (list, tuple)):
        for value in cast("list[Any]", results):
            builds |= of_results(value)
    return builds
