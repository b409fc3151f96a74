"""Imports of modules on first use."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["import_late", "importing"]

_LONGEST_WAIT = 5.0


class _Importing:
    """A lock that is held while a module is imported on first use.

    A fork waits for it, for a few seconds at most: the lock of a module that another thread is
    importing stays locked in the child, where nothing releases it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._forks = threading.local()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def before_fork(self) -> None:
        self._forks.hold_lock = self._lock.acquire(timeout=_LONGEST_WAIT)

    def after_fork_in_parent(self) -> None:
        if self._forks.hold_lock:
            self._lock.release()

    def after_fork_in_child(self) -> None:
        if self._forks.hold_lock:
            self._lock.release()
        else:
            self._lock = threading.RLock()


#: ``with importing:`` around an import statement in a function.
importing = _Importing()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=importing.before_fork,
        after_in_parent=importing.after_fork_in_parent,
        after_in_child=importing.after_fork_in_child,
    )


def import_late(name: str) -> ModuleType:
    """The module with this name, imported now if it is not yet."""
    with importing:
        return import_module(name)
