"""What clients and sessions report to a program's OpenTelemetry, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan


class Telemetry:
    """The spans and metrics of a program."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader])

    def providers(self) -> dict[str, Any]:
        """The keyword arguments of ``instrument``."""
        return {"tracer_provider": self.tracers, "meter_provider": self.meters}

    def spans(self) -> list[ReadableSpan]:
        """The spans that ended since the last call."""
        spans = list(self.exporter.get_finished_spans())
        self.exporter.clear()
        return spans

    def only_span(self) -> tuple[str, dict[str, Any]]:
        """The name and the attributes of the only span since the last call."""
        (span,) = self.spans()
        assert span.kind is SpanKind.CLIENT
        return span.name, dict(span.attributes or {})

    def points(self, name: str) -> list[Any]:
        """The points of a metric."""
        data = self.reader.get_metrics_data()
        assert data is not None
        return [
            point
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]
