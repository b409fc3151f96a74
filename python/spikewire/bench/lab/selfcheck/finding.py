"""What a check found: a figure that is known, beside the one that the lab measured."""

from __future__ import annotations

from dataclasses import dataclass

HDR_BITS = 11
"""Three digits in a histogram: values share a step with all that agree in so many leading bits."""


@dataclass(frozen=True)
class Finding:
    """One figure."""

    check: str
    what: str
    known: float
    measured: float | None
    allowed: float = 0.0
    """How far apart they may be."""
    unit: str = ""
    tries: int = 1
    """More than one where real time is measured and the machine was busy."""

    @property
    def passed(self) -> bool:
        return self.measured is not None and abs(self.measured - self.known) <= self.allowed


def step(microseconds: float) -> float:
    """How wide the step of a histogram of nanoseconds is at this latency."""
    nanoseconds = round(microseconds * 1000)
    return float(1 << max(0, nanoseconds.bit_length() - HDR_BITS)) / 1000
