"""Statistics, events, logs and Prometheus metrics of clients.

    client.metrics.enable()
    ...
    for command in client.stats().commands:
        print(command.operation, command.result, command.count, command.quantile(0.99))

Counting is off by default, and then costs next to nothing. ``client.metrics`` switches it on and
off; ``client.stats()`` returns plain data; ``prometheus`` formats it as text, ``wsgi_app`` and
``asgi_app`` serve that, and ``Collector`` is for a registry of ``prometheus_client``.
"""

from __future__ import annotations

from spikewire.metrics.exposition import CONTENT_TYPE, asgi_app, prometheus, wsgi_app
from spikewire.metrics.registry import Collector
from spikewire.metrics.sources import Clients, HasStats
from spikewire.statistics.control import Metrics
from spikewire.statistics.events import (
    BreakerClosed,
    BreakerOpened,
    Event,
    EventsLost,
    MapChanged,
    NodeAdded,
    NodeDown,
    NodeRemoved,
    NodeUp,
    SchemaChanged,
    SlowCommand,
)
from spikewire.statistics.stats import (
    BOUNDS,
    CommandStats,
    HotKey,
    NearCacheStats,
    NodeStats,
    StageStats,
    Stats,
)

__all__ = [
    "BOUNDS",
    "CONTENT_TYPE",
    "BreakerClosed",
    "BreakerOpened",
    "Clients",
    "Collector",
    "CommandStats",
    "Event",
    "EventsLost",
    "HasStats",
    "HotKey",
    "MapChanged",
    "Metrics",
    "NearCacheStats",
    "NodeAdded",
    "NodeDown",
    "NodeRemoved",
    "NodeStats",
    "NodeUp",
    "SchemaChanged",
    "SlowCommand",
    "StageStats",
    "Stats",
    "asgi_app",
    "prometheus",
    "wsgi_app",
]
