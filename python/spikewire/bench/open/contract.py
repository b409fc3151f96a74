"""What a job says of an open loop, and what its result says of it."""

from __future__ import annotations

from typing import TypedDict

CONSTANT, POISSON = "constant", "poisson"
ARRIVALS = (CONSTANT, POISSON)
OVERTIME = 1.0
"""A client that cannot keep up may take so many times the planned time more before calls that have
not begun are left."""


PACING_SECONDS = 1.0
"""For so long, or the measured time if that is shorter, calls that do nothing begin at the same
rate before anything else: what the pacing itself takes."""

NO_MAP = "has no open loop: the pool takes its commands as fast as it can"
"""Why handing command after command to a pool cannot be one."""


class Asked(TypedDict):
    """Part of a job: it makes an open loop of it. The job's `concurrency` is then the most calls
    that may be outstanding: worker threads, or tasks of all event loops together."""

    rate: float
    """Calls to begin each second."""
    arrivals: str
    """`constant`: evenly; `poisson`: independently of each other, drawn from the job's seed."""


class Given(TypedDict):
    """Part of a result, beside `latency`, which holds response times. Histograms are of nanoseconds
    (base64 HDR V2); calls that failed are in none of them."""

    rate: float
    arrivals: str
    scheduled: int
    """Calls that were to begin within the window."""
    unsent: int
    """Of those, the ones that had not begun when the run was ended, because the client fell ever
    further behind. `latency` has them with the time that they had waited until then."""
    service: str
    """From when a call began to its reply."""
    service_max_ns: int
    late: str
    """From when a call was to begin to when it began."""
    late_max_ns: int
    outstanding_most: int
    """Calls in progress at the same time; of several processes, in one of them."""
    held: int
    """Calls that were due while as many as may be were outstanding. They began late; none is left
    out."""
    pacing_calls: int
    """Calls that did nothing, begun at the same rate in the same process before the window."""
    pacing_cpu: float
    """Seconds of processor time that they took."""
