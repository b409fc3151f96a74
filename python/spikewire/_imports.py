"""Imports of modules on first use."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["import_late", "importing"]

#: In seconds.
_LONGEST_WAIT = 5.0


class _ImportCounter:
    """Counts the threads that import a module on first use.

    A fork waits for them, for a few seconds at most: the lock of a module that another thread is
    importing stays locked in the child, where nothing releases it. They wait for the fork only,
    never for each other: modules that import one another must not depend on who begins.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._imports = 0
        self._of_thread = threading.local()

    @property
    def _own(self) -> int:
        """How many of the imports are this thread's."""
        own: int = getattr(self._of_thread, "imports", 0)
        return own

    def __enter__(self) -> None:
        with self._changed:
            self._imports += 1
            self._of_thread.imports = self._own + 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._imports -= 1
            self._of_thread.imports = self._own - 1
            self._changed.notify_all()

    def before_fork(self) -> None:
        self._changed.acquire()
        self._changed.wait_for(lambda: self._imports <= self._own, _LONGEST_WAIT)

    def after_fork_in_parent(self) -> None:
        self._changed.release()

    def after_fork_in_child(self) -> None:
        self._changed = threading.Condition()
        self._imports = self._own


#: ``with importing:`` around an import statement in a function.
importing = _ImportCounter()

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
