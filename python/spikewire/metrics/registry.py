"""Statistics for a registry of ``prometheus_client``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spikewire.metrics.sources import Sources
from spikewire.statistics.closed_errors import closed_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client import Metric

    from spikewire.metrics.sources import Clients


class Collector:
    """Collects the statistics of a client: ``REGISTRY.register(Collector(client))``.

    For several clients, pass a dict of names to clients, as for ``prometheus``; a registry accepts
    one collector of this kind. ``labels`` are added to every sample. Yields nothing while all
    clients are closed, so the registry's other metrics are still served.

    Raises ``ImportError`` if ``prometheus_client`` is not installed
    (``pip install prometheus-client``).
    """

    __slots__ = ("_metric", "_sources")

    def __init__(self, client: Clients, *, labels: Mapping[str, str] | None = None) -> None:
        try:
            from prometheus_client import Metric
        except ImportError as error:
            raise ImportError(
                "spikewire.metrics.Collector needs prometheus_client: pip install prometheus-client"
            ) from error
        self._metric = Metric
        self._sources = Sources(client, labels)

    def collect(self) -> Iterator[Metric]:
        """Yields the metrics to a registry."""
        try:
            families = self._sources.families()
        except closed_errors():
            return
        for family in families:
            metric = self._metric(family.name, family.help, family.kind)
            if family.kind == "histogram":
                for (labels, total), buckets in zip(family.samples, family.buckets, strict=True):
                    for bound, count in buckets:
                        le = "+Inf" if bound == math.inf else repr(bound)
                        metric.add_sample(f"{family.name}_bucket", {**labels, "le": le}, count)
                    metric.add_sample(f"{family.name}_sum", labels, total)
                    metric.add_sample(f"{family.name}_count", labels, buckets[-1][1])
            else:
                name = f"{family.name}_total" if family.kind == "counter" else family.name
                for labels, value in family.samples:
                    metric.add_sample(name, labels, value)
            yield metric

    def describe(self) -> Iterator[Metric]:
        """The same, for a registry that checks for duplicate names."""
        return self.collect()
