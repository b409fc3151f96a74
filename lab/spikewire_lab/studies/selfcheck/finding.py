"""The result of a check: a known figure, and the one that the lab measured."""

from __future__ import annotations

from dataclasses import dataclass

HDR_BITS = 11
"""Leading bits of a value that a histogram with three digits keeps: values that share them share a
step."""


@dataclass(frozen=True)
class Finding:
    """One figure."""

    check: str
    what: str
    known: float
    measured: float | None
    allowed: float = 0.0
    """The allowed difference."""
    unit: str = ""
    tries: int = 1
    """More than one if real time is measured and the machine was busy."""

    @property
    def passed(self) -> bool:
        return self.measured is not None and abs(self.measured - self.known) <= self.allowed


def step(microseconds: float) -> float:
    """The width of the step at this latency in a histogram of nanoseconds."""
    nanoseconds = round(microseconds * 1000)
    return float(1 << max(0, nanoseconds.bit_length() - HDR_BITS)) / 1000
