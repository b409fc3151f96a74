"""Classes of the official client that are not here: making one says what to use instead."""

from __future__ import annotations

from spikewire.compat.aerospike.failures import missing

__all__ = ["ConfigProvider", "Transaction"]


class Transaction:
    """Is not there."""

    def __init__(self, *given: object, **named: object) -> None:
        del given, named
        missing("Transaction")


class ConfigProvider:
    """Is not there."""

    def __init__(self, *given: object, **named: object) -> None:
        del given, named
        missing("ConfigProvider")
