"""Errors for names of the other driver that are not here, with what to use instead."""

from __future__ import annotations

from typing import Any

from spikewire._imports import import_late
from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.difference_table import Missing

__all__ = [
    "MODULES",
    "MissingAttribute",
    "MissingImport",
    "MissingModule",
    "raise_missing_attribute",
    "resolve_name",
]

_ROOT = "spikewire.compat.cassandra"
#: The public modules. Others in this package have the names of none of the other driver's, or
#: are not what programs expect of those.
MODULES = (
    "auth",
    "cluster",
    "concurrent",
    "connection",
    "cqltypes",
    "encoder",
    "marshal",
    "metadata",
    "murmur3",
    "policies",
    "pool",
    "protocol",
    "query",
    "util",
)


class MissingImport(ImportError, NotImplementedError):
    """A name that its module does not have here. Programs that have an alternative expect
    ``ImportError``."""


class MissingModule(ModuleNotFoundError, NotImplementedError):
    """A module that is not here."""


class MissingAttribute(AttributeError, NotImplementedError):
    """An attribute that its object does not have here."""


def resolve_name(module: str, name: str) -> Any:
    """A name that another module of this package has: in the other driver many modules import it,
    and programs import it from any of these. Raises the error for one that none has."""
    if module != _ROOT and not name.startswith("_"):
        for owner in (_ROOT, *(f"{_ROOT}.{each}" for each in MODULES)):
            other = import_late(owner)
            if name in other.__all__:
                return vars(other)[name]
    place = module.removeprefix(_ROOT).removeprefix(".")
    path = f"{place}.{name}" if place else name
    if not name.startswith("__") and isinstance(DIFFERENCES.find(path), Missing):
        raise MissingImport(DIFFERENCES.text(path), name=module)
    message = f"module {module!r} has no attribute {name!r}"
    raise AttributeError(message)


def raise_missing_attribute(owner: object, name: str) -> Any:
    """Raises the error for an attribute that an object does not have."""
    for kind in type(owner).__mro__:
        path = f"{kind.__name__}.{name}"
        if not name.startswith("__") and isinstance(DIFFERENCES.find(path), Missing):
            raise MissingAttribute(DIFFERENCES.text(path))
    message = f"{type(owner).__name__!r} object has no attribute {name!r}"
    raise AttributeError(message)
