"""For programs that cannot be edited: registers these modules under the other driver's names."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from typing import Any

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.missing_errors import MODULES, MissingModule

__all__ = ["MODULES", "install"]

_MAPPER = "cassandra.cqlengine"


def install() -> None:
    """Makes ``import cassandra`` find these modules, in the whole process.

    Must be called before anything imports the other driver, or it raises ``RuntimeError``.
    ``cassandra.cqlengine`` is that of cassandra-driver, if it is installed, on top of these
    modules. Other modules raise ``ModuleNotFoundError``, with what to use instead.
    """
    here = sys.modules["spikewire.compat.cassandra"]
    present = sys.modules.get("cassandra")
    if present is here:
        return
    if present is not None:
        message = "cassandra is already imported: call install() first"
        raise RuntimeError(message)
    modules = {name: importlib.import_module(f"{here.__name__}.{name}") for name in MODULES}
    sys.modules["cassandra"] = here
    for name, module in modules.items():
        sys.modules[f"cassandra.{name}"] = module
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the object mapper of the other driver, and none of this package's own modules."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:  # noqa: ARG002
        if not fullname.startswith("cassandra."):
            return None
        if fullname == _MAPPER or fullname.startswith(f"{_MAPPER}."):
            spec = _of_driver(fullname)
            if spec is not None:
                return spec
            message = f"{fullname} belongs to cassandra-driver, which is not installed"
            raise MissingModule(message, name=fullname)
        raise MissingModule(DIFFERENCES.text(fullname.partition(".")[2]), name=fullname)


def _of_driver(fullname: str) -> Any:
    """Where the installed driver has a module."""
    spec = importlib.machinery.PathFinder.find_spec("cassandra")
    folders = None if spec is None else spec.submodule_search_locations
    for parent in fullname.split(".")[1:-1]:
        folders = [f"{folder}/{parent}" for folder in folders or ()]
    return importlib.machinery.PathFinder.find_spec(fullname, folders) if folders else None
