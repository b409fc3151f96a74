"""The common part of blocking and asynchronous sessions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, cast

from spikewire._imports import importing
from spikewire.cql._native import Batch

if TYPE_CHECKING:
    from spikewire.cql.session import AsyncSession, Session
    from spikewire.statistics.control import Metrics
    from spikewire.statistics.stats import Stats

__all__ = ["CommonSession"]


class CommonSession:
    """The common base of ``Session`` and ``AsyncSession``."""

    __slots__ = ()

    def batch(self, kind: Literal["logged", "unlogged", "counter"] = "logged") -> Batch:
        """A new batch, to be filled with ``add`` and executed with ``execute``."""
        return Batch(kind)

    def stats(self) -> Stats:
        """What this session has counted since the last reset, and its current state: nodes,
        connections, circuit breakers, cluster refreshes. Plain data, as for an Aerospike client.

        Statements are counted after ``session.metrics.enable()``.
        """
        with importing:
            from spikewire.statistics.control import stats

        return stats(cast("Session | AsyncSession", self))

    @property
    def metrics(self) -> Metrics:
        """Switches the counting of statements on and off, and reports events."""
        with importing:
            from spikewire.statistics.control import Metrics

        return Metrics(cast("Session | AsyncSession", self))

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)
