"""On which processors a measurement ran, and what else the machine did: read before and after it,
by the lab, so that nothing is read while the clock runs."""

from __future__ import annotations

import itertools
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..measure import load_average

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ENOUGH = 4
"""From this number of processors on, clients and a server of the lab's own get halves of them."""


@dataclass(frozen=True)
class Processors:
    """Seconds of each processor since the machine was started."""

    busy: Mapping[str, float]
    steal: float
    """Of all together: what the host took from this machine."""
    low: float
    """Of all together, for programs of low priority, which are not among the busy ones."""
    every: float
    """All seconds of all processors, idle ones too."""

    @staticmethod
    def now(stat: Path = Path("/proc/stat")) -> Processors | None:
        """None where the system does not tell."""
        try:
            lines = stat.read_text().splitlines()
        except OSError:
            return None
        tick = os.sysconf("SC_CLK_TCK")
        busy: dict[str, float] = {}
        steal = low = every = 0.0
        for line in lines:
            name, *numbers = line.split()
            if not name.startswith("cpu") or name == "cpu" or len(numbers) < 8:
                continue
            user, nice, system, idle, waiting, irq, softirq, stolen = map(int, numbers[:8])
            # Processes of the lowest priority only use time that would be idle (`awake`).
            busy[name.removeprefix("cpu")] = (user + system + irq + softirq + stolen) / tick
            steal += stolen / tick
            low += nice / tick
            every += (user + nice + system + idle + waiting + irq + softirq + stolen) / tick
        return Processors(busy, steal, low, every)


class Watch:
    """Everything around one measurement."""

    def __init__(self, server_pids: Sequence[int] = ()) -> None:
        self._load = load_average()
        self._server = affinities(server_pids)
        self._probe = probe()
        self._before = Processors.now()

    def ended(self) -> dict[str, Any]:
        """What a report keeps of it."""
        facts: dict[str, Any] = {"load": self._load}
        after = Processors.now()
        # The slower of before and after: what disturbs a measurement lasts longer than it.
        facts["probe"] = {
            kind: max(microseconds, self._probe[kind]) for kind, microseconds in probe().items()
        }
        if self._server:
            facts["server_cpus"] = self._server
        governor = governors()
        if governor:
            facts["governor"] = governor
        if self._before is None or after is None:
            return facts
        each = (after.every - self._before.every) / max(1, len(after.busy))
        if each > 0:
            facts["busy"] = {
                name: round((seconds - self._before.busy.get(name, seconds)) / each, 3)
                for name, seconds in after.busy.items()
            }
            every = each * len(after.busy)
            facts["steal"] = round((after.steal - self._before.steal) / every, 4)
            facts["low_priority"] = round((after.low - self._before.low) / every, 4)
        return facts


def probe() -> dict[str, float]:
    """How long the same little work takes now, in microseconds: `compute` in the interpreter,
    `system` in the kernel. On a machine that others share it varies, without being stolen time."""
    reader, writer = os.pipe()
    try:
        return {"compute": _shortest(_compute), "system": _shortest(lambda: _calls(reader, writer))}
    finally:
        os.close(reader)
        os.close(writer)


def _shortest(work: Callable[[], object], times: int = 3) -> float:
    took = [time.perf_counter_ns()]
    for _ in range(times):
        work()
        took.append(time.perf_counter_ns())
    return min(after - before for before, after in itertools.pairwise(took)) / 1000


def _compute() -> int:
    total = 0
    for number in range(10_000):
        total += number
    return total


def _calls(reader: int, writer: int) -> None:
    for _ in range(500):
        os.write(writer, b"x")
        os.read(reader, 1)


def affinities(pids: Sequence[int]) -> list[int]:
    """The processors that any of these processes may run on."""
    allowed: set[int] = set()
    for pid in pids if hasattr(os, "sched_getaffinity") else ():
        with suppress(OSError):
            allowed |= os.sched_getaffinity(pid)
    return sorted(allowed)


def governors(root: Path = Path("/sys/devices/system/cpu")) -> list[str]:
    """The frequency governors of the processors, each once; empty where none is set."""
    known = set[str]()
    for path in root.glob("cpu[0-9]*/cpufreq/scaling_governor"):
        with suppress(OSError):
            known.add(path.read_text().strip())
    return sorted(known)


def halves(processors: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Processors for the clients and for the server: the first and the second half; both empty
    where there are fewer than `ENOUGH`, which they then share."""
    ordered = sorted(processors)
    if len(ordered) < ENOUGH:
        return (), ()
    middle = (len(ordered) + 1) // 2
    return tuple(ordered[:middle]), tuple(ordered[middle:])


def allowed() -> list[int]:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
