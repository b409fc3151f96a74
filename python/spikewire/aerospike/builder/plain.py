"""Steps without bins: delete, touch and exists."""

from __future__ import annotations

from typing import Any

from spikewire._native import PlainBase
from spikewire.aerospike import op
from spikewire.aerospike.builder.rows import Rows
from spikewire.aerospike.builder.step import ReadStep, TtlStep, WriteStep

__all__ = ["Delete", "Exists", "Touch"]


class Delete(PlainBase, Rows, WriteStep):
    """Deletes records."""

    __slots__ = ()

    _row_options = ("durable", "send_key")

    def _verb_for(self, *, one: bool) -> tuple[Any, ...]:
        return ("delete" if one else "delete_many",)


class Touch(PlainBase, Rows, TtlStep, WriteStep):
    """Renews the time to live of records."""

    __slots__ = ()

    _row_options = ("ttl", "durable", "send_key")

    def _verb_for(self, *, one: bool) -> tuple[Any, ...]:
        return ("touch",) if one else ("operate_many", [op.touch()])


class Exists(PlainBase, Rows, ReadStep):
    """Checks which records exist."""

    __slots__ = ()

    _row_options = ("read_mode", "read_touch")

    def _verb_for(self, *, one: bool) -> tuple[Any, ...]:
        return ("exists" if one else "exists_many",)
