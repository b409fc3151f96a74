"""Steps without bins: delete, touch and exists."""

from __future__ import annotations

from typing import Any

from spikewire._native import PlainBase
from spikewire.aerospike import op
from spikewire.aerospike.builder.rows import Rows
from spikewire.aerospike.builder.step import Expiring, Reading, Writing

__all__ = ["Delete", "Exists", "Touch"]


class Delete(PlainBase, Rows, Writing):
    """Deletes records."""

    __slots__ = ()

    _row_options = ("durable", "send_key")

    def _call(self) -> tuple[Any, ...]:
        return "delete" if self._single else "delete_many", self._keys

    def _run_batch(self, verbs: Any, keys: Any) -> Any:
        return verbs.delete_many(keys, **self._keywords())


class Touch(PlainBase, Rows, Expiring, Writing):
    """Renews the time to live of records."""

    __slots__ = ()

    _row_options = ("ttl", "durable", "send_key")

    def _call(self) -> tuple[Any, ...]:
        if self._single:
            return "touch", self._keys
        return "operate_many", self._keys, [op.touch()]

    def _run_batch(self, verbs: Any, keys: Any) -> Any:
        return verbs.operate_many(keys, [op.touch()], **self._keywords())


class Exists(PlainBase, Rows, Reading):
    """Checks which records exist."""

    __slots__ = ()

    _row_options = ("read_mode", "read_touch")

    def _call(self) -> tuple[Any, ...]:
        return "exists" if self._single else "exists_many", self._keys

    def _run_batch(self, verbs: Any, keys: Any) -> Any:
        return verbs.exists_many(keys, **self._keywords())
