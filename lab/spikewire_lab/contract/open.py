"""The fields of jobs and results that concern open loops."""

from __future__ import annotations

from typing import TypedDict

CONSTANT, POISSON = "constant", "poisson"
ARRIVALS = (CONSTANT, POISSON)
OVERTIME = 1.0
"""How long calls may still begin after the planned time if a client cannot keep up, as a multiple
of that time."""


PACING_SECONDS = 1.0
"""Seconds, at most the measured time, for which calls that do nothing are started at the same rate
before anything else, to measure the cost of pacing."""

NO_MAP = "has no open loop: the pool takes its commands as fast as it can"
"""Why a pool that is given single commands has no open loop."""


class OpenLoad(TypedDict):
    """Part of a job that makes it an open loop. The job's `concurrency` is then the largest number
    of outstanding calls: worker threads, or tasks of all event loops together."""

    rate: float
    """Calls to begin per second."""
    arrivals: str
    """`constant`: evenly spaced; `poisson`: independent of each other, drawn from the job's
    seed."""


class OpenResult(TypedDict):
    """Part of a result, next to `latency`, which holds response times. Histograms are of
    nanoseconds (base64 HDR V2) and exclude failed calls."""

    rate: float
    arrivals: str
    scheduled: int
    """Calls that were due within the window."""
    unsent: int
    """Due calls that had not begun when the run ended, because the client fell ever further behind.
    `latency` includes them with the time that they had waited by then."""
    service: str
    """From when a call began to its reply."""
    service_max_ns: int
    late: str
    """From when a call was due to when it began."""
    late_max_ns: int
    outstanding_most: int
    """The most calls in progress at the same time; for several processes, in any one of them."""
    held: int
    """Calls that were due while the maximum number was outstanding. They began late; none is left
    out."""
    pacing_calls: int
    """Calls that did nothing, started at the same rate in the same process before the window."""
    pacing_cpu: float
    """Seconds of processor time of those calls."""
