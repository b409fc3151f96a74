"""Finds other builds of this package at paths given by the user, for workers to load."""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..arguments import value
from ..clients.registry import AT, PACKAGE, of_build

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FORM = f"{PACKAGE}{AT}PATH or {PACKAGE}{AT}NAME=PATH"
PLACES = (
    f"a wheel, a folder in which the package {PACKAGE} lies, a source checkout, a virtual"
    " environment, or its python"
)
_ASKED = (
    "import importlib.util as util; found = util.find_spec('spikewire');"
    " print(found.submodule_search_locations[0] if found else '')"
)
SECONDS = 20.0
_GENERIC = re.compile(
    r"\W.*|python[\d.t]*|(site|dist)-packages|lib(64)?|bin|scripts|venv|spikewire"
)
"""Folder names that say nothing about a build."""

_folders: dict[str, Path] = {}
"""The folder of each build's package."""
_unpacked: dict[Path, TemporaryDirectory[str]] = {}
"""Unpacked wheels, kept as long as this process runs."""


def folder_of(build: str) -> str | None:
    """The folder of this build's package; None for an unknown name."""
    folder = _folders.get(build)
    return None if folder is None else str(folder)


def client(known: Sequence[str], ours: Sequence[str]) -> Callable[[str], str]:
    """A parser of one client's name, which for those of `ours` may end in the path of a build."""

    def parsed(text: str) -> str:
        name, at, place = text.strip().partition(AT)
        if name not in known:
            raise ValueError(f"{name!r} is not a client: choose from {', '.join(known)}")
        if not at:
            return name
        if name not in ours:
            raise ValueError(f"{text}: only {', '.join(ours)} can be given with {AT}PATH")
        return of_build(name, add(place))

    return value(parsed)


def clients(known: Sequence[str], ours: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """The same for several, separated by commas."""
    one = client(known, ours)

    def parsed(text: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one(item) for item in text.split(",")))

    return parsed


def add(place: str) -> str:
    """Finds the package at `PATH` or `NAME=PATH` and returns the name of the build. Raises
    `ValueError` if there is none."""
    name, equals, path = place.partition("=")
    if not equals:
        name, path = "", place
    if not path:
        raise ValueError(f"{PACKAGE}{AT}{place} names no path: {FORM}")
    folder = _package_in(Path(path).expanduser())
    name = name or _called(Path(path).expanduser().absolute())
    if _folders.setdefault(name, folder) != folder:
        raise ValueError(f"two builds would be called {name}: give them names, {AT}NAME=PATH")
    return name


def _package_in(path: Path) -> Path:
    if path.suffix == ".whl" and path.is_file():
        folder = _wheel(path.resolve())
    elif path.is_file() and os.access(path, os.X_OK):
        folder = _installed(path)
    elif (path / "pyvenv.cfg").is_file():
        programs = (path / "bin" / "python", path / "Scripts" / "python.exe")
        folder = _installed(next((one for one in programs if one.exists()), programs[0]))
    elif (path / "python" / PACKAGE / "__init__.py").is_file():
        folder = path / "python"
    elif path.is_dir():
        folder = path
    else:
        what = "is no wheel and no program" if path.exists() else "does not exist"
        raise ValueError(f"{path} {what}: {PACKAGE}{AT}PATH takes {PLACES}")
    package = folder.resolve() / PACKAGE
    if not (package / "__init__.py").is_file():
        raise ValueError(f"{path} has no package {PACKAGE}: {PACKAGE}{AT}PATH takes {PLACES}")
    if not any(file for kind in ("so", "pyd") for file in package.glob(f"_native*.{kind}")):
        raise ValueError(f"{path}: the package {PACKAGE} there is not built, it has no _native")
    return package.parent


def _wheel(path: Path) -> Path:
    if path not in _unpacked:
        unpacked = TemporaryDirectory(prefix="spikewire-build-")
        try:
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(unpacked.name)
        except (zipfile.BadZipFile, OSError) as error:
            unpacked.cleanup()
            raise ValueError(f"{path} cannot be unpacked: {error}") from None
        _unpacked[path] = unpacked
    return Path(_unpacked[path].name)


def _installed(python: Path) -> Path:
    """Where an interpreter finds the package."""
    try:
        process = subprocess.run(  # noqa: S603 - the program that the user named
            [str(python), "-I", "-c", _ASKED],
            capture_output=True,
            text=True,
            check=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ValueError(f"{python} cannot be asked where {PACKAGE} is: {error}") from None
    origin = process.stdout.strip()
    if not origin:
        raise ValueError(f"{PACKAGE} is not installed where {python} is")
    return Path(origin).parent


def _called(path: Path) -> str:
    """The name of a build: a wheel's version, otherwise the last meaningful folder name."""
    if path.suffix == ".whl":
        return path.stem.split("-")[1] if "-" in path.stem else path.stem
    for part in reversed(path.parts):
        if not _GENERIC.fullmatch(part.lower()):
            return part
    return path.name
