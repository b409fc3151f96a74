"""Checks in real time. A busy machine can disturb them: they are then retried, which the result
says."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import TYPE_CHECKING

from ...clients.base import ASYNC, SYNC
from .exact import STALL, TOLERANCE
from .fake import Act
from .finding import Finding
from .measure import ScriptedLoad, line, real, slower_than

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRIES = 5
BURNT = 0.002
BURNT_TOLERANCE = 0.05


def burning(mode: str) -> list[Finding]:
    """A client that uses a known processor time for each call."""
    known = ScriptedLoad(mode, lambda _number: Act(burns=BURNT), 1, 0.5)
    summary = line(known, real(known))
    cpu = None if summary.cpu is None else summary.cpu.median
    name = f"closed loop, {mode}, real time"
    allowed = BURNT * 1e6 * BURNT_TOLERANCE
    return [Finding(name, "processor time of a call", BURNT * 1e6, cpu, allowed, "µs")]


def waiting(mode: str) -> list[Finding]:
    """An open loop at a rate that the client can keep up with."""
    rate = 200.0
    known = ScriptedLoad(mode, lambda _number: Act(takes=0.002), 32, 1.0, rate)
    summary = line(known, real(known))
    measured = None if summary.rate is None else summary.rate.median
    name = f"open loop, {mode}, real time"
    return [Finding(name, "throughput", rate, measured, rate * TOLERANCE, "op/s")]


def stalling(mode: str) -> list[Finding]:
    """The same with a call that blocks the loop, or the only thread, for 200 ms."""
    rate, at = 200.0, 60
    known = ScriptedLoad(
        mode,
        lambda number: Act(blocks=STALL if number == at else 0.0),
        1 if mode == SYNC else 256,
        0.8,
        rate,
    )
    result = real(known)
    latency = result["latency"]
    # Calls that were due in the last 10 ms of the stall cannot be told from those that a busy
    # machine delayed.
    spared = 0.01
    charged = slower_than([latency["read"], latency["write"]], round(spared * 1e9))
    name = f"open loop, {mode}, real time, a stall of 200 ms"
    expected = round((STALL - spared) * rate)
    return [Finding(name, "calls delayed by more than 10 ms", expected, charged, 1)]


def again(check: Callable[[str], list[Finding]], mode: str) -> list[Finding]:
    """The findings of a check, from its first try in which all are correct."""
    findings: list[Finding] = []
    for number in range(1, TRIES + 1):
        findings = [replace(one, tries=number) for one in check(mode)]
        gc.unfreeze()
        if all(one.passed for one in findings):
            break
    return findings


def every() -> Iterator[Finding]:
    """Runs all of these checks."""
    for mode in (ASYNC, SYNC):
        for check in (burning, waiting, stalling):
            yield from again(check, mode)
