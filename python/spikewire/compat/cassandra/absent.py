"""Errors for names of the other driver that are not here, with what to use instead."""

from __future__ import annotations

from typing import Any

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.known import Missing

__all__ = ["AbsentAttribute", "AbsentImport", "AbsentModule", "absent_attribute", "absent_name"]

_ROOT = "spikewire.compat.cassandra"


class AbsentImport(ImportError, NotImplementedError):
    """A name that its module does not have here. Programs that have an alternative expect
    ``ImportError``."""


class AbsentModule(ModuleNotFoundError, NotImplementedError):
    """A module that is not here."""


class AbsentAttribute(AttributeError, NotImplementedError):
    """An attribute that its object does not have here."""


def absent_name(module: str, name: str) -> Any:
    """Raises the error for a name that a module of this package does not have."""
    place = module.removeprefix(_ROOT).removeprefix(".")
    path = f"{place}.{name}" if place else name
    if not name.startswith("__") and isinstance(DIFFERENCES.find(path), Missing):
        raise AbsentImport(DIFFERENCES.text(path), name=module)
    message = f"module {module!r} has no attribute {name!r}"
    raise AttributeError(message)


def absent_attribute(owner: object, name: str) -> Any:
    """Raises the error for an attribute that an object does not have."""
    for kind in type(owner).__mro__:
        path = f"{kind.__name__}.{name}"
        if not name.startswith("__") and isinstance(DIFFERENCES.find(path), Missing):
            raise AbsentAttribute(DIFFERENCES.text(path))
    message = f"{type(owner).__name__!r} object has no attribute {name!r}"
    raise AttributeError(message)
