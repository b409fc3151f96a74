"""The study of the Cassandra driver: ways to keep calls in flight, by number of threads and of
chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recipe import Recipe
from .chains import Chains
from .patterns import Patterns
from .published import CHAINS, THREADS

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
    )

    def published(self) -> Sequence[Table]:
        return (THREADS, CHAINS)

    def parts(self) -> Sequence[Measurement]:
        return (Patterns(), Chains())


RECIPE = Cassandra()
