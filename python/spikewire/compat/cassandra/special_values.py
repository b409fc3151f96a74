"""Special values for statements."""

from __future__ import annotations

from typing import Any, Final

from spikewire import cql

__all__ = ["FETCH_SIZE_UNSET", "UNSET_VALUE"]

#: Marks a parameter as unset: the stored value is left unchanged.
UNSET_VALUE: Final[Any] = cql.UNSET
#: Means that the session's page size is used.
FETCH_SIZE_UNSET: Final[Any] = object()
