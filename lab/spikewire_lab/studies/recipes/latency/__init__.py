"""Latency of all clients at the same rates: a sweep of rates in open loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recipe import Recipe
from .sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement

__all__ = ["RECIPE"]


class Latency(Recipe):
    name = "latency"
    title = "Latency at the same rate for all clients"
    text = (
        "A closed loop asks less often where a client is slow: its latencies are taken at a"
        " different load for each client, and a stall is seen by as many calls as were in flight."
        " Here calls begin at a rate that is set from outside, and latency counts from when they"
        " were to begin.\n\n"
        "First each client is saturated in a closed loop. The slowest of them sets the rates for"
        " all: 25, 50, 75 and 90 % of what it can do. Service time, which counts from when a call"
        " really began, stands beside response time; a gap between the two is time that calls"
        " waited in the program."
    )

    def parts(self) -> Sequence[Measurement]:
        return (Sweep(),)


RECIPE = Latency()
