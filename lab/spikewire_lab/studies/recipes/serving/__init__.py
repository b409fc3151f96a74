"""The study of aerospike-py in serving: pure client, ASGI, FastAPI with a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....serving.cells import ASGI, LOOP, MODEL
from ...recipe import Recipe
from .arrivals import Arrivals
from .environments import Environment, Replicas
from .published import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement
    from ...report import Table

__all__ = ["RECIPE"]


class Serving(Recipe):
    name = "serving"
    title = "Serving: features of a request, with HTTP and a model around the client"
    source = "aerospike-py, Performance Overview"
    text = (
        "The study puts its client and the official one, in an executor, into a service that reads"
        " the features of a recommendation: nine sets, up to 200 records each. It shows the client"
        " alone, behind an ASGI server, and in FastAPI with a DLRM model on the processor, and"
        " advises to replace a gather of reads by a single batch of all sets.\n\n"
        "All three are measured again, each client in a server process of its own: uvicorn with one"
        " worker, asyncio's event loop, loopback. Users are a load generator of the lab in another"
        " process: sockets of asyncio, replies read by httptools, each user with a connection and"
        " one request at a time, as those of k6. Times are what users see, from sending a request"
        " to having the whole reply; the study's are what the server reported, without the time"
        " that a request waited for its handler. Generator and server must count the same requests,"
        " or there is no figure.\n\n"
        "What we changed: the model is a network of DLRM's shape in NumPy with random weights, one"
        " thread for each request, in an executor, because a model on the event loop holds up all"
        " other requests; users ask one client alone, where those of the study take turns between"
        " two; a client that reads other records than were written is disqualified. Added: an open"
        " loop, because users that wait for an answer do not ask."
    )

    def published(self) -> Sequence[Table]:
        return TABLES

    def parts(self) -> Sequence[Measurement]:
        model = Environment(MODEL, "FastAPI reads the records, and the model scores their items.")
        return (
            Environment(LOOP, "Users are tasks of the client's process; nothing but the read."),
            Environment(ASGI, "A plain ASGI application reads the records and says how many."),
            model,
            Arrivals(model),
            Replicas(),
        )


RECIPE = Serving()
