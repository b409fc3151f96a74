"""Loads another build of our package into this process, without anything else from its folder."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from ..clients.registry import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class OneFolder(MetaPathFinder):
    """Finds only the package in one folder; the package finds its own modules."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(fullname, [self._folder]) if fullname == PACKAGE else None


def load_from(folder: str) -> None:
    """Makes imports of the package use that folder; raises `ImportError` if this interpreter
    cannot, or if it has imported another build."""
    if PACKAGE in sys.modules:
        raise ImportError(f"{PACKAGE} has been imported already")
    natives = [file.name for file in (Path(folder) / PACKAGE).glob("_native*")]
    if not any(name.partition(".")[2] in _SUFFIXES for name in natives):
        version = ".".join(map(str, sys.version_info[:2]))
        files = ", ".join(natives) or "none"
        raise ImportError(f"no native part of it is for this Python {version}: {files}")
    sys.meta_path.insert(0, OneFolder(folder))


_SUFFIXES = [suffix.lstrip(".") for suffix in EXTENSION_SUFFIXES]
