"""What a proxy does to bytes, and what it counts."""

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
    """What happens to the bytes of one direction."""

    delay: Seconds
    """They arrive so much later, in order."""
    drip: tuple[int, Seconds]
    """They arrive in pieces of so many bytes, with so many seconds between them."""
    cut: int
    """After so many bytes the connection is cut: 0 with the next byte, before it is passed on."""
    cut_by: Literal["reset", "close"]
    """How it is cut; ``close`` is an end of file in order. Default: "reset"."""
    corrupt: tuple[int, int]
    """The byte at this offset is changed by this exclusive or."""
    times: int
    """How often ``cut`` or ``corrupt`` strikes, on all connections together. Default: always."""
    swallow: bool
    """They are read and dropped."""
    hold: bool
    """They are not read, so that the sender is held up when buffers are full."""


class ProxyStats(TypedDict):
    """What went through a proxy."""

    connections: int
    """Open ones."""
    connections_opened: int
    """Accepted ones, with those that were refused or cut."""
    requests: int
    """Bytes from clients that were passed on."""
    replies: int
    """Bytes from the node that were passed on."""
    swallowed: int
    """Bytes in either direction that were dropped."""
    struck: int
    """How often a cut or a corruption struck."""


@dataclass(eq=False)
class Faults:
    """Checked faults of a direction. They are replaced, never changed, but for ``left``."""

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
        """Whether a cut or corruption may strike once more; if so, it counts."""
        if self.left is None:
            return True
        self.left -= 1
        return self.left >= 0


def faults_of(**faults: Unpack[ProxyFaults]) -> Faults:
    """Checks faults; raises ``TypeError`` or ``ValueError``."""
    unknown = faults.keys() - ProxyFaults.__optional_keys__
    if unknown:
        message = f"a proxy has no such fault: {', '.join(sorted(unknown))}"
        raise TypeError(message)
    made = Faults(
        delay=_at_least("delay", seconds_of(faults.get("delay", 0.0)), 0),
        cut=_at_least("cut", faults["cut"], 0) if "cut" in faults else None,
        cut_by=faults.get("cut_by", "reset"),
        left=_at_least("times", faults["times"], 0) if "times" in faults else None,
        swallow=faults.get("swallow", False),
        hold=faults.get("hold", False),
    )
    if made.cut_by not in ("reset", "close"):
        message = f"cut_by must be 'reset' or 'close', not {made.cut_by!r}"
        raise ValueError(message)
    if "drip" in faults:
        size, pause = faults["drip"]
        made.drip = (_at_least("drip", size, 1), _at_least("drip", seconds_of(pause), 0))
    if "corrupt" in faults:
        offset, change = faults["corrupt"]
        if not 1 <= change <= 255:
            message = f"corrupt must change a byte by 1 to 255, not {change}"
            raise ValueError(message)
        made.corrupt = (_at_least("corrupt", offset, 0), change)
    return made


def _at_least(name: str, number: Number, least: int) -> Number:
    if not number >= least:
        message = f"{name} must be at least {least}, not {number}"
        raise ValueError(message)
    return number
