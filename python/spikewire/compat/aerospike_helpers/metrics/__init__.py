"""Metrics: classes that are not here; making one says what to use instead."""

from __future__ import annotations

from spikewire.compat.aerospike.failures import missing

__all__ = ["MetricsListeners", "MetricsPolicy"]


class MetricsListeners:
    """Is not there."""

    def __init__(self, *given: object, **named: object) -> None:
        del given, named
        missing("metrics.MetricsListeners")


class MetricsPolicy:
    """Is not there."""

    def __init__(self, *given: object, **named: object) -> None:
        del given, named
        missing("metrics.MetricsPolicy")
