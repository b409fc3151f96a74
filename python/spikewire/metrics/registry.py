"""Statistics for a registry of ``prometheus_client``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spikewire.metrics.families import families

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client import Metric

    from spikewire.metrics.exposition import HasStats


class Collector:
    """Collects the statistics of a client: ``REGISTRY.register(Collector(client))``.

    ``labels`` are added to every sample. Raises ``ImportError`` where ``prometheus_client`` is not
    installed (``pip install 'spikewire[prometheus]'``).
    """

    __slots__ = ("_client", "_labels", "_metric")

    def __init__(self, client: HasStats, *, labels: Mapping[str, str] | None = None) -> None:
        try:
            from prometheus_client import Metric
        except ImportError as error:
            raise ImportError(
                "spikewire.metrics.Collector needs prometheus_client: "
                "pip install 'spikewire[prometheus]'"
            ) from error
        self._metric = Metric
        self._client = client
        self._labels = dict(labels or {})

    def collect(self) -> Iterator[Metric]:
        """What a registry asks for."""
        for family in families(self._client.stats()):
            metric = self._metric(family.name, family.help, family.kind)
            if family.kind == "histogram":
                for (labels, total), buckets in zip(family.samples, family.buckets, strict=True):
                    whole = {**self._labels, **labels}
                    for bound, count in buckets:
                        le = "+Inf" if bound == math.inf else repr(bound)
                        metric.add_sample(f"{family.name}_bucket", {**whole, "le": le}, count)
                    metric.add_sample(f"{family.name}_sum", whole, total)
                    metric.add_sample(f"{family.name}_count", whole, buckets[-1][1])
            else:
                name = f"{family.name}_total" if family.kind == "counter" else family.name
                for labels, value in family.samples:
                    metric.add_sample(name, {**self._labels, **labels}, value)
            yield metric

    def describe(self) -> Iterator[Metric]:
        """Nothing: a registry need not ask before there is something to collect."""
        return iter(())
