"""The study of the Aerospike Python SDK: all clients on single keys, batches, layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....clients import OURS
from ...recipe import Recipe
from .batches import Batches
from .cases import BUILDER, FUTURES
from .published import LATENCY, MATRIX, PATHS, STACKS, SWEEPS
from .singles import Singles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement
    from ...report import Table

__all__ = ["RECIPE"]


class Sdk(Recipe):
    name = "sdk"
    builds = (OURS, BUILDER, FUTURES)
    title = "Cross-client matrix of the Aerospike Python SDK"
    source = "Aerospike Python SDK, Benchmarking Guide"
    text = (
        "The guide compares the SDK with the native client below it, with the Rust core below"
        " that and"
        " with the C client: single keys by threads, on one event loop and on pools of loops,"
        " with and"
        " without the GIL; batches of more and more records; and what each layer costs.\n\n"
        "Measured again with all clients in one run, on the server that the command names."
        " What we changed: latencies are not rounded to 100 µs; a client that the guide shows with"
        " one thread"
        " alone, the C client, has 32 here as well; event loops are named, where the guide has"
        " uvloop in all of its lines; a call that fails is counted apart and spoils its line;"
        " client CPU"
        " stands beside throughput, as it says what is left for the program. With a free-threaded"
        " interpreter (`--python`) every line is measured with the GIL and without it. Not"
        " measured: the Rust core with its timers taken out, which no user can have."
    )

    def published(self) -> Sequence[Table]:
        return (MATRIX, LATENCY, SWEEPS, *STACKS, PATHS)

    def parts(self) -> Sequence[Measurement]:
        return (Singles(), Batches())


RECIPE = Sdk()
