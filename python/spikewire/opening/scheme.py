"""What the URLs and environment variables of a database look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Scheme"]


@dataclass(frozen=True)
class Scheme:
    """The URL scheme of a kind of client."""

    name: str
    prefix: str
    """What the environment variables begin with."""
    kind: Literal["blocking", "asynchronous", "session"]
    """Whose options there are."""
    port: int
    probe: Callable[..., object]
    """Checks seeds and options and opens nothing."""

    @property
    def seeds(self) -> str:
        """The default seed."""
        return f"127.0.0.1:{self.port}"

    @property
    def encrypted(self) -> str:
        """The scheme of URLs with encrypted connections."""
        return f"{self.name}s"

    def variable(self, option: str) -> str:
        """The environment variable of an option."""
        return f"{self.prefix}{option.upper()}"
