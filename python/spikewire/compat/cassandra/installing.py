"""For programs that cannot be edited: registers these modules under the other driver's names."""

from __future__ import annotations

import importlib
import sys

__all__ = ["install"]

_MODULES = (
    "auth",
    "cluster",
    "concurrent",
    "metadata",
    "policies",
    "pool",
    "protocol",
    "query",
    "util",
)


def install() -> None:
    """Makes ``import cassandra`` find these modules, in the whole process.

    Must be called before anything imports the other driver, or it raises ``RuntimeError``.
    Modules that are not supported (``cassandra.cqlengine`` and others) raise
    ``ModuleNotFoundError``.
    """
    here = sys.modules["spikewire.compat.cassandra"]
    present = sys.modules.get("cassandra")
    if present is here:
        return
    if present is not None:
        message = "cassandra is imported already: call install() before"
        raise RuntimeError(message)
    modules = {name: importlib.import_module(f"{here.__name__}.{name}") for name in _MODULES}
    sys.modules["cassandra"] = here
    for name, module in modules.items():
        sys.modules[f"cassandra.{name}"] = module
