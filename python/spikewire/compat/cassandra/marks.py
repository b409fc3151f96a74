"""Marks that statements carry."""

from __future__ import annotations

from typing import Any, Final

from spikewire import cql

__all__ = ["FETCH_SIZE_UNSET", "UNSET_VALUE"]

#: Says that a parameter is not given: what is stored stays as it is.
UNSET_VALUE: Final[Any] = cql.UNSET
#: Says that pages are as large as the session has them.
FETCH_SIZE_UNSET: Final[Any] = object()
