"""A class of the official client that is not supported here."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import os

__all__ = ["Transaction"]


class Transaction:
    """A transaction, which no command supports: passing it to one raises
    ``NotImplementedError``."""

    def __init__(self, reads_capacity: int = 128, writes_capacity: int = 128) -> None:
        for value in (reads_capacity, writes_capacity):
            if not isinstance(value, int):
                message = f"an integer is required, not {type(value).__name__}"
                raise TypeError(message)
            if not 0 <= value < 1 << 32:
                message = f"{value} exceeds {(1 << 32) - 1}"
                raise ValueError(message)
        self._id = int.from_bytes(os.urandom(8), "big") >> 1
        self.timeout = 0

    @property
    def id(self) -> int:
        """A random number."""
        return self._id

    @property
    def in_doubt(self) -> bool:
        """``False``."""
        return False

    @property
    def state(self) -> int:
        """``TXN_STATE_OPEN``."""
        return 0
