"""The recipes by name. Each is a folder with an object `RECIPE`, loaded when it is requested."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ..recipe import Recipe

NAMES = {
    "sdk": "the cross-client matrix of the Aerospike Python SDK",
    "aerospike-py": "aerospike-py: operations, NumPy and memory, by the method of its study",
    "serving": "serving: pure client, ASGI, FastAPI with a model, under a load of HTTP",
    "node": "the Node.js client 2.0: shares of latencies, scans and their memory",
    "latency": "latency at the same rate for all clients, in open loops",
    "spike": "overload, mute and slow nodes, hot keys, restarts, deadlines, in open loops",
    "gil": "what a client leaves to event loops and other threads of its process",
    "noise": "the same client twice: what a difference means on this machine",
    "cassandra": "the Cassandra driver's ways to keep calls in flight, by threads and chains",
}
"""The recipes that `spikewire lab` runs, in this order, with their descriptions in `--help`."""


def load(name: str) -> Recipe:
    """Loads the recipe of that name."""
    module = importlib.import_module(f".{name.replace('-', '_')}", __package__)
    return cast("Recipe", module.RECIPE)
