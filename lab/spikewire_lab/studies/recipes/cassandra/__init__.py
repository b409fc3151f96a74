"""The study of the Cassandra driver: ways to keep calls in flight, by number of threads and of
chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recipe import Recipe
from .chains import Chains
from .nodes import Nodes
from .patterns import Patterns
from .processes import Processes
from .published import CHAINS, THREADS
from .rust import Rust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement
    from ...report import Table

__all__ = ["RECIPE"]


class Cassandra(Recipe):
    name = "cassandra"
    title = "Cassandra: five ways to keep calls in flight"
    source = "DataStax Python driver for Apache Cassandra, Performance Notes"
    text = (
        "The driver's notes compare blocking calls, batches of futures, a full pipeline, futures"
        " without"
        " a limit and chains of callbacks, by number of threads, and show how 500 chains"
        " collapse.\n\n"
        "Measured again with today's clients on a real Cassandra, and at canned replies where the"
        " server costs next to nothing, so that clients set the pace. What we changed: statements"
        " are"
        " prepared, as production does it (the notes send text, and every insert of one of their"
        " scripts writes the same row); warm-up comes before the window, also for the server's"
        " own code;"
        " the window is time, not a number of calls; each way is measured in a new process."
        " Added: the driver's call for many rows (`execute_concurrent_with_args`), clients for"
        " Rust, several processes, and, in the full form, three nodes.\n\n"
        "Left out: PyPy, because most clients have no build for it, ours among them; the reactor"
        " `asyncore`, which Python no longer has."
    )

    def published(self) -> Sequence[Table]:
        return (THREADS, CHAINS)

    def parts(self) -> Sequence[Measurement]:
        return (Patterns(), Chains(), Rust(), Processes(), Nodes())


RECIPE = Cassandra()
