"""The steps without bins: delete, touch and exists."""

from __future__ import annotations

from typing import Any

from spikewire import op
from spikewire._native import PlainBase
from spikewire.builder.rows import Rows
from spikewire.builder.step import Expiring, Reading, Writing

__all__ = ["Delete", "Exists", "Touch"]


class Delete(PlainBase, Rows, Writing):
    """Deletes records."""

    __slots__ = ()

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.delete_many(keys, **self._keywords())


class Touch(PlainBase, Rows, Expiring, Writing):
    """Renews the time to live of records."""

    __slots__ = ()

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.operate_many(keys, [op.touch()], **self._keywords())


class Exists(PlainBase, Rows, Reading):
    """Checks which records exist."""

    __slots__ = ()

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.exists_many(keys, **self._keywords())
