"""Summaries of the rounds of a cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....measure import merge
from ....table.figures import ERROR_LIMIT, error_share
from ...report import LESS, MORE, Heading, Median

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ....serving.result import ServingResult
    from ...report import Entry

AVERAGE = Heading("avg", "avg", "ms", LESS)
P50, P90, P95, P99 = (Heading(f"p{at}", f"p{at}", "ms", LESS) for at in (50, 90, 95, 99))
RATE = Heading("tps", "requests", "/s", MORE, 1)
CPU = Heading("cpu", "CPU of the server", "ms/request", LESS)
GENERATOR = Heading("generator", "CPU of the users", "ms/request")
CLUSTER = Heading("cluster", "CPU of the cluster", "ms/request")
RECORDS = Heading("records", "its records", "/request", digits=0)
SERVICE = Heading("service-p95", "p95 from its beginning", "ms", LESS)
HEADINGS = (AVERAGE, P50, P90, P95, P99, RATE, CPU, GENERATOR, CLUSTER, RECORDS)


@dataclass(frozen=True)
class Figures:
    """A cell: percentiles of all rounds' requests together, the rest as medians of rounds."""

    results: Sequence[ServingResult]

    def fields(self) -> dict[str, Entry]:
        """The fields under any of `HEADINGS`."""
        latency = merge(result["latency"] for result in self.results)
        fields: dict[str, Entry] = {
            AVERAGE.key: self._median(lambda one: one["mean"] * 1e3),
            RATE.key: self._median(lambda one: one["requests"] / one["elapsed"]),
            CPU.key: self._median(lambda one: one["cpu"] / one["requests"] * 1e3),
        }
        for at, heading in ((50, P50), (90, P90), (95, P95), (99, P99)):
            fields[heading.key] = latency.get_value_at_percentile(float(at)) / 1e6
        if all(result["generator_cpu"] is not None for result in self.results):
            fields[GENERATOR.key] = self._median(
                lambda one: (one["generator_cpu"] or 0.0) / one["requests"] * 1e3
            )
        if all(result["cluster_cpu"] is not None for result in self.results):
            fields[CLUSTER.key] = self._median(
                lambda one: (one["cluster_cpu"] or 0.0) / one["requests"] * 1e3
            )
        if all("records" in result for result in self.results):
            # Counted for warm-up requests, too.
            fields[RECORDS.key] = self._median(lambda one: one.get("records", 0) / one["asked"])
        services = [result["service"] for result in self.results if result["service"]]
        if services:
            fields[SERVICE.key] = merge(services).get_value_at_percentile(95.0) / 1e6
        return fields

    def _median(self, of: Callable[[ServingResult], float]) -> Median:
        values = [of(result) for result in self.results]
        return Median.of(values)

    def at(self, heading: Heading) -> float:
        """One of the figures as a number."""
        entry = self.fields()[heading.key]
        if isinstance(entry, Median):
            return entry.value
        assert isinstance(entry, (int, float))
        return float(entry)

    def rounds(self, heading: Heading) -> list[float]:
        """One of the figures in each round."""
        return [Figures([result]).at(heading) for result in self.results]

    def flaws(self) -> list[str]:
        """Remarks on these figures."""
        flaws: list[str] = []
        errors = sum(result["errors"] for result in self.results)
        answered = sum(result["requests"] for result in self.results)
        if error_share(errors, answered) > ERROR_LIMIT:
            first = next(result["first_error"] for result in self.results if result["errors"])
            flaws.append(f"{errors:,} requests failed, the first: {first}")
        for result in self.results:
            used = result["generator_cpu"]
            if used is not None and used > result["cpu"]:
                flaws.append("the users took more processor time than the server")
            if result["python"]["free_threaded"] and result["python"]["gil"]:
                flaws.append("the GIL was on: a module has switched it on")
        return list(dict.fromkeys(flaws))
