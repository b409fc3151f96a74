"""Cells of serving: an environment, a client, and its way to read the records of a request."""

from __future__ import annotations

from dataclasses import dataclass

from ..clients import OURS
from ..clients.base import ASYNC

LOOP, ASGI, MODEL = "client", "asgi", "model"
ENVIRONMENTS = {
    LOOP: "A: pure client",
    ASGI: "B: uvicorn and plain ASGI",
    MODEL: "C: uvicorn, FastAPI and a model",
}
"""By their letters in the study."""

SINGLES, SETS, BATCH = "singles", "sets", "batch"
WAYS = {
    SINGLES: "gather of single reads",
    SETS: "gather of a batch for each set",
    BATCH: "one batch of all sets",
}

DESCRIBE, FILL = "describe-serving", "fill-sets"
CALL, SERVE, LOAD = "call", "serve", "load"
ACTIONS = (DESCRIBE, FILL, CALL, SERVE, LOAD)
"""Actions of a worker's job; the last three: users as tasks, an HTTP server, the users of a
server."""

PEER, OFFICIAL = "aerospike-py", "aerospike"
SDK, NATIVE = "aerospike-sdk", "aerospike-native"
CLIENTS = (OURS, PEER, SDK, NATIVE, OFFICIAL)
EXECUTOR_THREADS = 16
"""For the official client, which has no asyncio interface; as many as in the study."""
NEEDS = {
    LOOP: (),
    ASGI: ("uvicorn", "httptools"),
    MODEL: ("uvicorn", "httptools", "fastapi", "numpy"),
}
"""Modules that the serving process needs in addition to the client."""
BINS = "I4,I4,F8,F8"
"""The bins of a record: two identifiers and two features of an item."""


@dataclass(frozen=True)
class Cell:
    environment: str
    client: str
    way: str
    interpreter: str = ""
    mode: str = ASYNC
    rate: float = 0.0
    """Requests due per second in an open loop; 0 for users that wait for their answers."""
    replicas: int = 1
    """Server processes, among which the connections of the users are dealt out in turn."""

    def __str__(self) -> str:
        under = f" under {self.interpreter}" if self.interpreter else ""
        due = f", {self.rate:,.0f} due each second" if self.rate else ""
        several = f", {self.replicas} replicas" if self.replicas > 1 else ""
        return f"{self.environment}: {self.client}, {WAYS[self.way]}{several}{due}{under}"
