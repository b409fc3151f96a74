"""Transactions, as the official client has them."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import os
import threading
from typing import Any

from spikewire._native import TransactionCore

__all__ = ["Transaction"]

_STATES = {"open": 0, "verified": 1, "committed": 2, "aborted": 3, "in_doubt": 4}


class Transaction:
    """A transaction, for the ``txn`` of policies, ``Client.commit`` and ``Client.abort``. The first
    client that it is used with is its own."""

    def __init__(self, reads_capacity: int = 128, writes_capacity: int = 128) -> None:
        for value in (reads_capacity, writes_capacity):
            if not isinstance(value, int):
                message = f"an integer is required, not {type(value).__name__}"
                raise TypeError(message)
            if not 0 <= value < 1 << 32:
                message = f"{value} exceeds {(1 << 32) - 1}"
                raise ValueError(message)
        self._id = int.from_bytes(os.urandom(8), "big") >> 1 or 1
        #: Seconds; 0 for the server's own setting. Counts from the first write.
        self.timeout = 0
        self._lock = threading.Lock()
        #: The engine's transaction, once it is used, and the verbs in it.
        self._core: TransactionCore | None = None
        self._verbs: Any = None

    @property
    def id(self) -> int:
        """A random number."""
        return self._id

    @property
    def in_doubt(self) -> bool:
        """Whether it may have been committed although the commit failed."""
        return self._core is not None and self._core.state == "in_doubt"

    @property
    def state(self) -> int:
        """One of the constants ``TXN_STATE_*``."""
        return 0 if self._core is None else _STATES[self._core.state]

    def begun(self, client: Any) -> TransactionCore:
        """The engine's transaction."""
        with self._lock:
            if self._core is None:
                self._core = TransactionCore(client, self.timeout, self._id)
            return self._core

    def verbs_of(self, client: Any) -> Any:
        """The verbs of the client, in this transaction."""
        if self._verbs is None:
            core = self.begun(client)
            self._verbs = client.within(core)
        return self._verbs
