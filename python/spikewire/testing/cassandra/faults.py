"""Faults and counters of a proxy."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict, TypeVar

from spikewire.testing.cassandra.options import seconds_of

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import Unpack

    from spikewire.types import Seconds

__all__ = ["Direction", "Faults", "ProxyFaults", "ProxyStats", "faults_of"]


Number = TypeVar("Number", int, float)
Direction: TypeAlias = Literal["requests", "replies"]


class ProxyFaults(TypedDict, total=False):
    """Faults for the bytes of one direction."""

    delay: Seconds
    """Bytes are delayed by this long, in order."""
    drip: tuple[int, Seconds]
    """Bytes arrive in pieces of this many bytes, with this many seconds between them."""
    cut: int
    """The connection is cut after this many bytes; 0: at the next byte, before it is passed on."""
    cut_by: Literal["reset", "close"]
    """How the connection is cut; ``close`` is an orderly end of file. Default: "reset"."""
    corrupt: tuple[int, int]
    """The byte at this offset is XORed with this value."""
    times: int
    """How often ``cut`` or ``corrupt`` takes effect, on all connections together. Default:
    always.
    """
    swallow: bool
    """Bytes are read and dropped."""
    hold: bool
    """Bytes are not read, so the sender blocks when buffers are full."""


class ProxyStats(TypedDict):
    """Counters of a proxy."""

    connections: int
    """Open connections."""
    connections_opened: int
    """Accepted connections, including refused and cut ones."""
    requests: int
    """Bytes from clients that were passed on."""
    replies: int
    """Bytes from the node that were passed on."""
    swallowed: int
    """Bytes in either direction that were dropped."""
    struck: int
    """How often a cut or corruption took effect."""


@dataclass(eq=False)
class Faults:
    """Validated faults of a direction. Immutable except for ``left``."""

    delay: float = 0.0
    drip: tuple[int, float] | None = None
    cut: int | None = None
    cut_by: Literal["reset", "close"] = "reset"
    corrupt: tuple[int, int] | None = None
    left: int | None = None
    swallow: bool = False
    hold: bool = False
    replaced: asyncio.Event = field(default_factory=asyncio.Event)

    def strikes(self) -> bool:
        """Whether a cut or corruption may happen once more; if so, counts it."""
        if self.left is None:
            return True
        self.left -= 1
        return self.left >= 0


def faults_of(**faults: Unpack[ProxyFaults]) -> Faults:
    """Validates faults; raises ``TypeError`` or ``ValueError``."""
    unknown = faults.keys() - ProxyFaults.__optional_keys__
    if unknown:
        known = ", ".join(sorted(ProxyFaults.__optional_keys__))
        message = f"a proxy has no such fault: {', '.join(sorted(unknown))}; there are: {known}"
        raise TypeError(message)
    result = Faults(
        delay=_at_least("delay", seconds_of(faults.get("delay", 0.0)), 0),
        cut=_at_least("cut", faults["cut"], 0) if "cut" in faults else None,
        cut_by=faults.get("cut_by", "reset"),
        left=_at_least("times", faults["times"], 0) if "times" in faults else None,
        swallow=faults.get("swallow", False),
        hold=faults.get("hold", False),
    )
    if result.cut_by not in ("reset", "close"):
        message = f"cut_by must be 'reset' or 'close', not {result.cut_by!r}"
        raise ValueError(message)
    if "drip" in faults:
        size, pause = faults["drip"]
        result.drip = (_at_least("drip", size, 1), _at_least("drip", seconds_of(pause), 0))
    if "corrupt" in faults:
        offset, change = faults["corrupt"]
        if not 1 <= change <= 255:
            message = f"corrupt must change a byte by 1 to 255, not {change}"
            raise ValueError(message)
        result.corrupt = (_at_least("corrupt", offset, 0), change)
    return result


def _at_least(name: str, number: Number, least: int) -> Number:
    if not number >= least:
        message = f"{name} must be at least {least}, not {number}"
        raise ValueError(message)
    return number
