"""Converts the statements of programs to requests of the engine."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import concurrent.futures
import itertools
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from spikewire import cql
from spikewire.compat.cassandra.column_types import type_of
from spikewire.compat.cassandra.error_translation import NoHostAvailable
from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.markers import by_position, literals, question_marks
from spikewire.compat.cassandra.order import Writes
from spikewire.compat.cassandra.own_policies import Policies, PolicyCall
from spikewire.compat.cassandra.policies import (
    RetryPolicy,
    is_own_retry,
    is_own_speculation,
    retries_of,
    speculation_of,
)
from spikewire.compat.cassandra.profiles import NOT_SET, ExecutionProfile
from spikewire.compat.cassandra.query import (
    BatchStatement,
    BoundStatement,
    PreparedStatement,
    SimpleStatement,
    engine_batch,
)
from spikewire.compat.cassandra.settings import Settings
from spikewire.compat.cassandra.special_values import FETCH_SIZE_UNSET
from spikewire.compat.cassandra.user_types import UserTypes
from spikewire.compat.cassandra.values import Binder
from spikewire.cql.errors import SyntaxException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.order import About
    from spikewire.compat.cassandra.pool import Host
    from spikewire.compat.cassandra.session import Session

__all__ = ["KEPT", "Call", "Requests", "level_named", "seconds"]

#: The number of prepared statements with parameters, and of row decoders, that a session caches.
KEPT = 4096
#: Options of a statement with parameters that apply when it is prepared.
_PREPARING = ("timeout", "keyspace", "speculative_delay", "speculative_attempts")
_USE = re.compile(r'\s*USE\s+(?P<name>\w+|"(?:[^"]|"")+")\s*;?\s*', re.IGNORECASE)
_BATCHES = {"LOGGED": "BATCH", "UNLOGGED": "UNLOGGED BATCH", "COUNTER": "COUNTER BATCH"}


class Call(NamedTuple):
    """One request to the engine."""

    core: Any
    statement: Any
    values: Any
    options: dict[str, Any]
    retried: bool
    #: Makes the request again, once its statement's parameters have changed; ``None`` if the
    #: program prepared it.
    anew: Callable[[], Call] | None = None
    #: The prepared statements in it, with parameters in the engine's form.
    about: About = ()

    def run(self) -> Any:
        """Executes it and returns its rows."""
        return self._verb(self.core)(self.statement, self.values, **self.options)

    def submit(self) -> Any:
        """A future of its rows."""
        return self._verb(self.core.submit)(self.statement, self.values, **self.options)

    def _verb(self, api: Any) -> Any:
        return api.execute if isinstance(self.statement, cql.Batch) else api.page

    def next_page(self, state: bytes) -> Call:
        """The request for the next page."""
        return self._replace(options={**self.options, "paging_state": state})


class FailedRequest(NamedTuple):
    """A request that could not be built, with an error that is reported through the future."""

    error: BaseException
    options: dict[str, Any]
    retried: bool = True
    anew: None = None
    about: tuple[()] = ()

    def run(self) -> Any:
        """Raises the error."""
        raise self.error

    def submit(self) -> Any:
        """Raises the error."""
        raise self.error

    def next_page(self, state: bytes) -> FailedRequest:  # noqa: ARG002
        """There is none."""
        return self


class Used(NamedTuple):
    """The answer to ``USE`` that no server gave."""

    node: str
    columns: tuple[str, ...] = ()
    paging_state: None = None
    warnings: tuple[str, ...] = ()
    payload: None = None
    tracing_ids: tuple[Any, ...] = ()
    schema_agreed: bool = True


class Use(NamedTuple):
    """``USE``, where connections have a keyspace instead of statements.

    The engine's own opens other connections, on which a node that forgot a statement cannot prepare
    it again. Here the session keeps those of the keyspace in which it was prepared.
    """

    requests: Requests
    keyspace: str
    options: dict[str, Any]
    retried: bool = True
    anew: None = None
    about: tuple[()] = ()

    def run(self) -> Used:
        """Changes the keyspace."""
        return self.requests._use(self.keyspace)

    def submit(self) -> concurrent.futures.Future[Used]:
        """Changes the keyspace, before it returns."""
        future: concurrent.futures.Future[Used] = concurrent.futures.Future()
        try:
            future.set_result(self.run())
        except Exception as error:  # noqa: BLE001
            future.set_exception(error)
        return future


class Requests(Settings):
    """Builds the requests of a session."""

    def __init__(self, cluster: Cluster, core: Any) -> None:
        super().__init__(cluster, core)
        self._user_types = UserTypes(cluster._user_types)
        self._statements: dict[tuple[str, str | None], PreparedStatement] = {}
        #: How often a table had other columns than those that a statement was prepared for.
        self._changes = 0
        #: Statements with markers where CQL takes none.
        self._unmarked: set[str] = set()
        self._turns = itertools.count()
        self._writes = Writes()
        #: Sessions of the engine by keyspace, if that is one for each connection.
        self._cores: dict[str | None, Any] = {}

    def _use(self, keyspace: str) -> Used:
        self._cores.setdefault(self._core.keyspace, self._core)
        if keyspace not in self._cores:
            self._cores[keyspace] = self.cluster._connect(keyspace)
        self._core = self._cores[keyspace]
        return Used(self._core.nodes[0].address)

    def _core_of(self, statement: PreparedStatement) -> Any:
        """The engine's session for a prepared statement: it belongs to the keyspace in which it
        was prepared."""
        return statement.core if statement.core in self._cores.values() else self._core

    def _prepared(self, prepared: Any, keyspace: str | None) -> PreparedStatement:
        version = self._core.protocol_version
        types = [type_of(class_name) for *_, class_name in prepared.parameter_columns]
        binder = Binder(prepared, types)
        return PreparedStatement(prepared, binder, version, keyspace, core=self._core)

    def _composed(
        self,
        query: Any,
        parameters: Any,
        timeout: Any,
        trace: bool,
        payload: dict[str, bytes] | None,
        execution_profile: Any,
        paging_state: bytes | None,
        host: Host | None,
    ) -> tuple[Any, Any, Any]:
        """A request (``Call`` or ``Failed``), its statement, and the factory for the rows of its
        result."""
        profile = self._profile(execution_profile)
        if isinstance(query, str):
            query = SimpleStatement(query)
        elif isinstance(query, PreparedStatement):
            query, parameters = query.bind(parameters), None
        elif not isinstance(query, (SimpleStatement, BoundStatement, BatchStatement)):
            message = f"expected a statement, not {type(query).__name__}"
            raise TypeError(message)
        options: dict[str, Any] = {
            "timeout": seconds(profile.request_timeout if timeout is NOT_SET else timeout),
            "consistency": level_named(query.consistency_level, profile.consistency_level),
        }
        serial = query.serial_consistency_level or profile.serial_consistency_level
        if serial is not None:
            options["serial_consistency"] = level_named(serial, None)
        size = query.fetch_size
        size = self.default_fetch_size if size is FETCH_SIZE_UNSET else size
        if size and not isinstance(query, BatchStatement):
            options["page_size"] = size
        if paging_state is not None:
            options["paging_state"] = paging_state
        if query.is_idempotent:
            options["idempotent"] = True
            policy = profile.speculative_execution_policy
            options.update(speculation_of(policy, "speculative_execution_policy"))
        if trace:
            options["tracing"] = True
        own: dict[str, bytes] = query.custom_payload or {}
        payload = {**own, **(payload or {})}
        if payload:
            options["payload"] = payload
        default = self.cluster.default_retry_policy
        retry = query.retry_policy or profile.retry_policy or default
        retries = retries_of(retry, "retry_policy")
        policies = self._policies(query, profile, host, retry)
        if retries is not None:
            options["max_retries"] = retries
        call: Any
        try:
            self._place(options, profile, host)
            call = self._use_of(query, options) or self._call(
                query, parameters, options, retries is None
            )
            if policies is not None and isinstance(call, Call):
                call = PolicyCall(call, policies)
        except (TypeError, ValueError, NotImplementedError, KeyError):
            raise
        except Exception as error:  # noqa: BLE001
            call = FailedRequest(error, options)
        return call, query, profile.row_factory

    def _policies(
        self, query: Any, profile: ExecutionProfile, host: Host | None, retry: RetryPolicy | None
    ) -> Policies | None:
        """The policies of a statement, if some are the program's own."""
        balancing = host or profile.routing.own
        speculation = profile.speculative_execution_policy
        speculates = bool(query.is_idempotent) and is_own_speculation(speculation)
        if profile.routing.own is None and not is_own_retry(retry) and not speculates:
            return None
        copies = speculation if query.is_idempotent else None
        return Policies(cast("Session", self), query, balancing, retry or RetryPolicy(), copies)

    def _use_of(self, query: Any, options: dict[str, Any]) -> Use | None:
        if self._core.protocol_version >= 5 or not isinstance(query, SimpleStatement):
            return None
        match = _USE.fullmatch(query.query_string)
        if match is None:
            return None
        name: str = match["name"]
        plain = name[1:-1].replace('""', '"') if name[0] == '"' else name.lower()
        return Use(self, plain, options)

    def _call(self, query: Any, parameters: Any, options: dict[str, Any], retried: bool) -> Call:
        statement, values, about = self._content(query, parameters, options)
        if isinstance(query, BoundStatement):
            core = self._core_of(query.prepared_statement) if self._cores else self._core
            return Call(core, statement, values, options, retried, None, about)
        if values is None and isinstance(statement, str):
            return Call(self._core, statement, values, options, retried)

        def anew() -> Call:
            self._statements.clear()
            self._changes += 1
            statement, values, about = self._content(query, parameters, options)
            return Call(self._core, statement, values, options, retried, None, about)

        return Call(self._core, statement, values, options, retried, anew, about)

    def _content(
        self, query: Any, parameters: Any, options: dict[str, Any]
    ) -> tuple[Any, Any, About]:
        """What the engine is to execute, its values, and the prepared statements in it."""
        if isinstance(query, BoundStatement):
            if parameters:
                message = "a BoundStatement already has its parameters: no others can be passed"
                raise ValueError(message)
            of, values = query.prepared_statement, query.bound_values
            return of.prepared, values or None, ((of, values),)
        if query.keyspace and self._core.protocol_version >= 5:
            options["keyspace"] = query.keyspace
        if isinstance(query, SimpleStatement):
            if not parameters:
                return query.query_string, None, ()
            statement, about = self._with_values(query.query_string, parameters, options)
            return statement, None, about
        if not query.entries:
            return f"BEGIN {_BATCHES[query.batch_type.name]} APPLY BATCH", None, ()
        batch = engine_batch(query.batch_type)
        all_about: list[tuple[PreparedStatement, tuple[Any, ...]]] = []
        for entry, values in query.entries:
            if isinstance(entry, BoundStatement):
                of, bound = entry.prepared_statement, entry.bound_values
                batch.add(of.prepared, bound or None)
                all_about.append((of, bound))
            elif values:
                statement, about = self._with_values(entry, values, options)
                batch.add(statement)
                all_about += about
            else:
                batch.add(entry)
        return batch, None, tuple(all_about)

    def _with_values(
        self, text: str, parameters: Any, options: dict[str, Any]
    ) -> tuple[Any, About]:
        """A statement with parameters that the program has not prepared, prepared here."""
        text, values = by_position(text, parameters)
        quoter = _quoter()
        if quoter is not None:
            values = tuple(one.value if isinstance(one, quoter) else one for one in values)
        if text in self._unmarked:
            return self._with_literals(text, values), ()
        keyspace = options.get("keyspace") or self._core.keyspace
        known = self._statements.get((text, keyspace))
        if known is not None:
            try:
                return _bound(known, values)
            except (TypeError, ValueError, OverflowError):
                # The table may have other columns by now.
                self._changes += 1
                before, known = known, self._prepare_here(text, keyspace, options)
                if before.column_metadata == known.column_metadata:
                    raise
            return _bound(known, values)
        try:
            known = self._prepare_here(text, keyspace, options)
        except SyntaxException:
            # CQL takes no marker in DDL, for instance.
            if len(self._unmarked) < KEPT:
                self._unmarked.add(text)
            return self._with_literals(text, values), ()
        return _bound(known, values)

    def _with_literals(self, text: str, values: tuple[Any, ...]) -> str:
        self._encoder.user_types = self._fields_of_classes()
        return literals(text, [self._encoder.cql_encode_all_types(value) for value in values])

    def _fields_of_classes(self) -> dict[type, Sequence[str]]:
        """The fields of the types for which classes are registered, by class."""
        classes = self.cluster._user_types
        if not classes:
            return {}
        keyspaces = self.cluster.metadata.keyspaces
        return {
            kind: keyspaces[keyspace].user_types[name].field_names
            for (keyspace, name), kind in classes.items()
            if keyspace in keyspaces and name in keyspaces[keyspace].user_types
        }

    def _prepare_here(
        self, text: str, keyspace: str | None, options: dict[str, Any]
    ) -> PreparedStatement:
        prepare_options = {name: options[name] for name in _PREPARING if name in options}
        # The engine prepares each text once, so it has to be another text after a change.
        prepared = self._core.prepare(question_marks(text) + " " * self._changes, **prepare_options)
        if len(self._statements) >= KEPT:
            self._statements.clear()
        statement = self._statements[text, keyspace] = self._prepared(prepared, None)
        return statement

    def _place(self, options: dict[str, Any], profile: ExecutionProfile, host: Host | None) -> None:
        """The node to use, if one is specified."""
        if host is not None:
            options["node"] = str(host.endpoint)
            return
        routing = profile.routing
        if not routing.chooses or routing.own is not None:
            return
        nodes = [node for node in self.hosts if routing.takes(node)]
        if not nodes:
            which = "that the policy accepts" if routing.only is None else ", ".join(routing.only)
            message = f"None of the nodes {which} is up"
            raise NoHostAvailable(message, {})
        options["node"] = str(nodes[next(self._turns) % len(nodes)])


def _quoter() -> type[Any] | None:
    """The class with which the object mapper writes values into text, if it is loaded."""
    mapper = sys.modules.get("cassandra.cqlengine.statements")
    kind: type[Any] | None = None if mapper is None else mapper.ValueQuoter
    return kind


def _bound(statement: PreparedStatement, values: tuple[Any, ...]) -> tuple[Any, About]:
    """The statement with values that fit, for the engine."""
    bound = statement.bound_values(values)
    return statement.prepared.bind(bound), ((statement, bound),)


def seconds(timeout: float | None) -> float:
    """Seconds, where 0 means no limit."""
    return 0 if timeout is None else timeout


def level_named(level: int | None, default: int | None) -> str | None:
    """The engine's name for a level, or for the default."""
    level = default if level is None else level
    if level is None:
        return None
    try:
        return ConsistencyLevel.value_to_name[level].lower()
    except (KeyError, TypeError):
        message = f"consistency_level must be one of ConsistencyLevel, not {level!r}"
        raise ValueError(message) from None
