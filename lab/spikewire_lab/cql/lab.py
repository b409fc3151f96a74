"""A comparison from start to end: servers, clients, filling, rounds."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from ..access import OPEN, Access
from ..build import of_results
from ..contract.cql import as_cql
from ..plan import SkippedClient
from ..run import environment, node, rust
from ..run.awake import awake
from ..run.compare import CannotRunError
from ..run.launch import python_worker, run_job, rust_variables
from ..run.rounds import Lazy, Rounds, Usable, until_interrupted
from ..table.figures import ERROR_LIMIT
from ..table.summary import decided, failed_calls
from ..table.versus import PRECISION
from . import ACTION
from .cells import (
    ASYNCIO,
    BLOCKING,
    DEPTH,
    INSERT,
    PAGE,
    PIPELINE,
    SELECT,
    Cell,
    Group,
    Matrix,
    Shape,
)
from .clients import CLIENTS
from .data import COLUMNS, PAGE_ROWS, PAGE_SIZE, PARTITION, PAYLOAD, STATEMENTS, schema
from .lines import collapses, summarise, with_ratios
from .processes import together
from .servers import (
    CANNED,
    CASSANDRA,
    CannedServer,
    ExternalServer,
    RealServer,
    Server,
    UnavailableError,
    make_tables,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..access.seeds import Seed
    from ..contract.cql import CqlJob
    from ..run.journal import Journal
    from ..run.progress import Progress
    from .lines import Line, Round

FILLERS = ("spikewire", "acsylla", "cassandra-driver", "scylla-driver", "scyllapy")
"""Clients that may write the rows, in order of preference: any client must be able to read them."""
FILL_SECONDS = 600.0
CELL_SECONDS = 300.0
"""Seconds that a process may take in addition to warm-up and measurement."""


@dataclass(frozen=True)
class Settings:
    """All settings of the flags."""

    matrix: Matrix
    seed_node: Seed | None
    keys: int
    duration: float
    warmup: float
    pause: float
    rounds: int
    server_warmup: float
    seed: int
    populate: bool
    heap: int | None
    client_cpus: tuple[int, ...]
    server_cpus: tuple[int, ...]
    keep_awake: bool = False
    nodes: int = 1
    """Nodes of the Cassandra that the lab starts."""
    replicas: int = 1
    """Replicas of each row, in a keyspace that does not exist yet."""
    error_limit: float = ERROR_LIMIT
    """The share of failed calls from which a line counts as flawed."""
    access: Access = OPEN
    """Login and TLS."""
    most_rounds: int | None = None
    """The highest number of rounds: they go on until the ratios are precise. None: `rounds`."""
    precision: float = PRECISION
    """How far the ends of a ratio's interval may lie from it when rounds end, as a share of it."""

    def as_json(self) -> dict[str, object]:
        """The settings for a saved file, without secrets."""
        fields = asdict(self)
        access = self.access.as_json()
        del fields["access"]
        return fields if access is None else {**fields, "access": access}


@dataclass
class CqlComparison:
    """The results; complete only if not interrupted."""

    settings: Settings
    environment: dict[str, object] = field(default_factory=dict[str, object])
    servers: dict[str, object] = field(default_factory=dict[str, object])
    skipped: list[SkippedClient] = field(default_factory=list[SkippedClient])
    rounds: dict[Cell, list[Round]] = field(default_factory=dict[Cell, list["Round"]])
    interrupted: bool = False

    def lines(self) -> list[list[Line]]:
        """One list for each group with any measurements."""
        measured = (cell for cell, rounds in self.rounds.items() if rounds)
        shapes = groupby(measured, key=lambda cell: cell.shape)
        limit = self.settings.error_limit
        groups = (
            [summarise(cell, self.rounds[cell], limit) for cell in cells] for _, cells in shapes
        )
        return [with_ratios(lines) for lines in groups]

    @property
    def flawed(self) -> bool:
        return any(line.flawed for lines in self.lines() for line in lines)

    def collapses(self) -> list[str]:
        """How the rate of each client changes with the number of chains."""
        return collapses(self.rounds)

    def notes(self) -> list[str]:
        """Remarks that a reader must see."""
        notes = [f"{client}: {why}" for client, why in self.settings.matrix.absent()]
        notes += self.collapses()
        measured = {cell.client for cell, rounds in self.rounds.items() if rounds}
        notes += [
            f"{name}: {CLIENTS[name].note}" for name in sorted(measured) if CLIENTS[name].note
        ]
        notes += [f"{one.client or one.mode}: left out: {one.reason}" for one in self.skipped]
        if self.interrupted:
            notes.append("interrupted: these are the rounds that were finished")
        return list(dict.fromkeys(notes))

    def as_json(self) -> dict[str, object]:
        return {
            "schema": 1,
            "kind": "cql",
            "interrupted": self.interrupted,
            "environment": self.environment,
            "servers": self.servers,
            "settings": self.settings.as_json(),
            "builds": of_results(list(self.rounds.values())),
            "skipped": [asdict(one) for one in self.skipped],
            "notes": self.notes(),
            "cells": [
                {**line.as_json(), "runs": self.rounds[line.cell]}
                for lines in self.lines()
                for line in lines
            ],
        }


class Lab:
    """Runs the jobs of one comparison."""

    def __init__(
        self,
        settings: Settings,
        comparison: CqlComparison,
        progress: Progress,
        journal: Journal | None = None,
    ) -> None:
        """`journal` has what an earlier command has measured."""
        self._settings = settings
        self._comparison = comparison
        self._progress = progress
        self._journal = journal
        self._rounds = self._new_rounds()
        self._can_use = Usable(comparison.skipped, progress)

    def run(self, command_line: Sequence[str]) -> None:
        settings, comparison = self._settings, self._comparison
        with awake(settings.keep_awake):
            comparison.environment = self._rounds.environment(
                lambda: environment.machine(command_line)
            )
            groups = self._usable_groups()
            if not groups:
                raise CannotRunError("none of the clients asked for can be used")
            self._rounds.check([cell for group in groups for cell in group])
            self._rounds.expect(sum(map(len, groups)))
            for name, those in groupby(groups, key=lambda group: group[0].shape.server):
                self._at(name, list(those))
            if not comparison.rounds:
                raise CannotRunError("there is no server to measure at")

    def _usable_groups(self) -> list[Group]:
        groups: list[Group] = []
        for group in self._settings.matrix.groups():
            usable = tuple(cell for cell in group if self._usable(cell.client, cell.shape.pattern))
            if usable:
                groups.append(usable)
        return groups

    def _usable(self, client: str, pattern: str) -> bool:
        alike = (client, pattern)
        return self._can_use(alike, client, pattern, "", lambda: self._reason(client, pattern))

    def _reason(self, client: str, pattern: str) -> str | None:
        """Why this client cannot be used, or None."""
        shut_out = CLIENTS[client].barred(self._settings.access)
        # The lab's own server has its own authority, which clients are given.
        if shut_out is not None and self._settings.seed_node is not None:
            return shut_out
        job = self._job(Cell(client, Shape("", INSERT, pattern)), "describe", None)
        answer = self._start(client, job)
        reason = answer.get("failed") or answer.get("unavailable")
        return None if reason is None else str(reason)

    def _new_rounds(self) -> Rounds:
        settings = self._settings
        return Rounds(
            settings.rounds,
            settings.seed,
            self._progress,
            settings.pause,
            self._journal,
            settings.most_rounds,
        )

    def _at(self, name: str, groups: Sequence[Group]) -> None:
        """All measurements at one server."""
        if name == CANNED and self._settings.access:
            self._can_use.skip(SkippedClient("", name, "", "its replies are not encrypted"))
            return
        every = [cell for group in groups for cell in group]
        comparison = self._comparison
        # Tables keep this order, whichever is measured first.
        comparison.rounds.update((cell, []) for cell in every)
        comparison.servers.update(self._rounds.known(f"server {name}"))
        with ExitStack() as stack:
            # Nothing is started for what an earlier command has measured.
            server = Lazy(lambda: self._started(name, stack))
            try:
                self._rounds.measure(
                    every,
                    lambda cell: as_cql(
                        self._start(cell.client, self._job(cell, "measure", server()))
                    ),
                    self._keep,
                    lambda _: server(),
                    lambda: self._undecided(every),
                )
            except UnavailableError as error:
                self._can_use.skip(SkippedClient("", name, "", str(error)))
                for cell in every:
                    del comparison.rounds[cell]

    def _started(self, name: str, stack: ExitStack) -> Server:
        """A server with its tables and rows."""
        server = stack.enter_context(self._server(name))
        facts = {name: server.start()}
        self._comparison.servers.update(facts)
        self._rounds.remember(f"server {name}", facts)
        pid = server.pid
        self._rounds.server_pids = lambda: () if pid is None else (pid,)
        make_tables(server.seed, schema(self._settings.replicas), server.access)
        if name != CANNED:
            self._prepare(server, name)
        return server

    def _undecided(self, every: Sequence[Cell]) -> set[Cell]:
        """The cells of groups in which a ratio of our own clients is not precise yet."""
        here = set(every)
        groups = (
            [line for line in lines if line.cell in here] for lines in self._comparison.lines()
        )
        return {
            line.cell
            for lines in groups
            if not decided(lines, self._settings.precision)
            for line in lines
        }

    def _server(self, name: str) -> Server:
        settings = self._settings
        if name == CANNED:
            return CannedServer(settings.server_cpus)
        if name == CASSANDRA:
            cpus, say = settings.server_cpus, self._progress.say
            return RealServer(settings.heap, cpus, say, settings.access, settings.nodes)
        assert settings.seed_node is not None
        return ExternalServer(settings.seed_node, settings.access)

    def _prepare(self, server: Server, name: str) -> None:
        """Writes the rows, and makes calls until the server's code is compiled: a freshly started
        JVM takes many times as long as it does later."""
        settings = self._settings
        client, pattern = self._filler()
        if settings.populate:
            self._progress.say(f"writing {settings.keys:,} items with {client}")
            job = self._job(Cell(client, Shape(name, INSERT, pattern)), "populate", server)
            answer = self._start(client, job, FILL_SECONDS)
            if "failed" in answer or answer["operations"] != answer["rows"]:
                raise CannotRunError(f"the rows could not be written: {answer}")
        operations = [one for one in (INSERT, SELECT, PAGE) if one in settings.matrix.operations]
        if not settings.server_warmup or not operations:
            return
        self._progress.say(f"warming the server up for {settings.server_warmup:g} s")
        for operation in operations:
            many = 1 if operation == PAGE else DEPTH
            shape = Shape(name, operation, ASYNCIO, depth=many)
            if pattern == BLOCKING:
                shape = Shape(name, operation, BLOCKING if many == 1 else PIPELINE, depth=many)
            job = self._job(Cell(client, shape), "measure", server)
            job["warmup"], job["duration"] = 0.0, settings.server_warmup / len(operations)
            self._start(client, job)

    def _filler(self) -> tuple[str, str]:
        """The first usable client, whether compared or not, and the mode for it."""
        for client in FILLERS:
            pattern = BLOCKING if CLIENTS[client].blocking else ASYNCIO
            if self._usable(client, pattern):
                return client, pattern
        raise CannotRunError("no client is installed that could write the rows")

    def _keep(self, cell: Cell, outcome: Round) -> str:
        self._comparison.rounds[cell].append(outcome)
        return brief(outcome)

    def _start(
        self, client: str, job: CqlJob, seconds: float = CELL_SECONDS
    ) -> Mapping[str, object]:
        if CLIENTS[client].promises:
            node_runner, reason = node.runner()
            if node_runner is None:
                return {"unavailable": reason}
            return node_runner.start(for_other_languages(job), seconds)
        if CLIENTS[client].tokio:
            command, why = rust.cql_program(client)
            if why is not None:
                return {"unavailable": why}
            answer = run_job(command, for_other_languages(job), rust_variables(), seconds)
            return rust.completed(client, command, answer)
        folder = Path(sys.prefix) / "peers" / client
        extra = {"PYTHONPATH": str(folder)} if CLIENTS[client].apart else {}
        if extra and not folder.is_dir():
            return {"unavailable": f"not installed in {folder.relative_to(sys.prefix)}"}
        command = python_worker("")
        if job.get("processes", 1) == 1:
            return run_job(command, job, extra, seconds)
        return together(
            job, lambda mine, meeting: run_job(command, mine, extra, seconds, meeting=meeting)
        )

    def _job(self, cell: Cell, step: str, server: Server | None) -> CqlJob:
        settings, shape = self._settings, cell.shape
        host, port = ("", 0) if server is None else server.seed
        job: CqlJob = {
            "action": ACTION,
            "step": step,
            "client": cell.client,
            "operation": shape.operation,
            "pattern": shape.pattern,
            "threads": shape.threads,
            "depth": shape.depth,
            "host": host,
            "port": port,
            "canned": shape.server == CANNED,
            "keys": settings.keys,
            "seed": settings.seed,
            "warmup": settings.warmup,
            "duration": settings.duration,
            "server_pid": None if server is None else server.pid,
            "cpus": list(settings.client_cpus),
        }
        if step == "measure" and shape.processes > 1:
            job["processes"] = shape.processes
        if server is not None and server.access:
            job["access"] = server.access.job()
        return job


def for_other_languages(job: CqlJob) -> CqlJob:
    """The job with what workers for Node.js and Rust have to know of the tables."""
    page = {"partition": PARTITION, "rows": PAGE_ROWS, "size": PAGE_SIZE}
    tables: CqlJob = {**job, "statements": STATEMENTS, "columns": list(COLUMNS), "page": page}
    return {**tables, "payload": PAYLOAD}


def brief(outcome: Round) -> str:
    """One run in a few words."""
    if "failed" in outcome:
        return f"failed: {outcome['failed']}"
    operations = outcome["operations"]
    seconds = outcome["cpu"]["user"] + outcome["cpu"]["system"]
    text = f"{operations / outcome['elapsed']:,.0f}/s"
    if operations:
        text += f", {seconds * 1e6 / operations:.2f} us CPU each"
    if outcome["errors"]:
        failures = failed_calls(outcome["errors"], outcome["timeouts"])
        text += f", {failures}, the first: {outcome['first_error']}"
    return text


def compare_cql(
    settings: Settings, command_line: Sequence[str], progress: Progress
) -> CqlComparison:
    """Measures everything; Ctrl-C ends it early with what has been measured so far."""
    comparison = CqlComparison(settings)
    with progress:
        until_interrupted(Lab(settings, comparison, progress), comparison, command_line)
    return comparison
