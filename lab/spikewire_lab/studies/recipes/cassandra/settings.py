"""Settings that the parts of this recipe share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....cql.cells import Matrix
from ....cql.clients import CLIENTS
from ....cql.lab import Settings
from ....cql.servers import CANNED, CASSANDRA, GIVEN
from ... import closed_loops

if TYPE_CHECKING:
    from ...recipe import Bench


def settings(
    bench: Bench,
    operations: tuple[str, ...],
    patterns: tuple[str, ...],
    threads: tuple[int, ...],
    chains: tuple[int, ...],
    short_server: str,
) -> Settings:
    """The settings of a comparison of these ways. `-H` is the address of an Aerospike cluster, so
    this recipe starts its own servers: a real node and canned replies; in the short form one of
    them."""
    target = bench.target
    settings = Settings(
        matrix=Matrix(
            clients=bench.clients_of(tuple(CLIENTS)),
            servers=bench.pick((CANNED,), (short_server,), (CASSANDRA, CANNED)),
            operations=operations,
            patterns=patterns,
            threads=threads,
            chains=chains,
            tasks=(128,),
            burst=bench.pick(200, 2_000, 10_000),
        ),
        seed_node=None,
        keys=bench.pick(500, 5_000, 20_000),
        duration=bench.pick(0.1, 0.3, 2.0),
        warmup=bench.pick(0.0, 0.1, 0.5),
        pause=bench.pick(0.0, 0.0, 0.2),
        rounds=bench.pick(1, 1, 5),
        most_rounds=bench.pick(None, None, 10),
        server_warmup=bench.pick(0.0, 4.0, 20.0),
        seed=bench.seed,
        populate=True,
        heap=None,
        client_cpus=target.client_cpus,
        server_cpus=target.server_cpus,
        keep_awake=target.keep_awake,
    )
    return bench.overrides.of(settings)


def caption(options: Settings) -> str:
    """How the lines were measured."""
    rounds = closed_loops.in_rounds(options.rounds, options.most_rounds)
    noise = "" if options.rounds > 1 else " How far rounds would lie apart is not known."
    return (
        f"Prepared statements on {options.keys:,} items; {rounds} of {options.duration:g} s after"
        f" {options.warmup:g} s of warm-up, a new process for each.{noise}"
    )


SERVERS = {
    CASSANDRA: "a real Cassandra",
    CANNED: "canned replies",
    GIVEN: "the cluster that was named",
}
