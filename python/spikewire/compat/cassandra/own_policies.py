"""Executes statements under the program's own policies: where each attempt goes, what follows an
error, and when copies are sent. Each attempt is a request of the engine that it does not retry."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import concurrent.futures
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.compat.cassandra.connection import ConnectionException
from spikewire.compat.cassandra.error_translation import NoHostAvailable, translate_error
from spikewire.compat.cassandra.levels import ConsistencyLevel, WriteType
from spikewire.compat.cassandra.load_balancing import HostDistance, LoadBalancingPolicy
from spikewire.compat.cassandra.policies import RetryPolicy
from spikewire.cql import errors as cql_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spikewire.compat.cassandra.order import About
    from spikewire.compat.cassandra.pool import Host
    from spikewire.compat.cassandra.requests import Call
    from spikewire.compat.cassandra.session import Session

__all__ = ["Policies", "PolicyCall"]

#: Codes of errors about which ``on_request_error`` decides.
_REQUEST_ERRORS = (0x0000, 0x1001, 0x1002, 0x1003)
_NO_HOST = "Unable to complete the operation against any hosts"
#: What is left of a timeout that has passed: the engine reports it.
_SHORTEST = 0.001


class Policies(NamedTuple):
    """The policies of one statement."""

    session: Session
    query: Any
    #: Chooses the nodes, or the only one; ``None``: the engine does.
    balancing: LoadBalancingPolicy | Host | None
    retry: RetryPolicy
    #: Says when copies are sent, if the statement has some.
    speculation: Any


class Ignored(NamedTuple):
    """The answer to a statement whose error a policy ignores."""

    node: str
    columns: tuple[str, ...] = ()
    paging_state: None = None
    warnings: tuple[str, ...] = ()
    payload: None = None
    tracing_ids: tuple[Any, ...] = ()
    schema_agreed: bool = True


class PolicyCall(NamedTuple):
    """A request that is executed under policies of the program; used like a ``Call``."""

    call: Call
    policies: Policies

    @property
    def options(self) -> dict[str, Any]:
        """The options of its attempts."""
        return self.call.options

    @property
    def retried(self) -> bool:
        """The engine has not tried other nodes."""
        return False

    @property
    def about(self) -> About:
        """The prepared statements in it."""
        return self.call.about

    @property
    def anew(self) -> Callable[[], PolicyCall] | None:
        """Makes the request again, once its statement's parameters have changed."""
        again = self.call.anew
        return None if again is None else lambda: self._replace(call=again())

    def run(self) -> Any:
        """Executes it and returns its rows."""
        return self.submit().result()

    def submit(self) -> concurrent.futures.Future[Any]:
        """A future of its rows."""
        attempts = _Attempts(self.call, self.policies)
        attempts.begin()
        return attempts.future

    def next_page(self, state: bytes) -> PolicyCall:
        """The request for the next page."""
        return self._replace(call=self.call.next_page(state))


class _Attempts:
    """The attempts at one statement."""

    def __init__(self, call: Call, policies: Policies) -> None:
        self.future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._call = call
        self._policies = policies
        self._hosts = _plan(policies)
        self._lock = threading.Lock()
        self._retries = 0
        self._errors: dict[Any, Any] = {}
        #: Attempts whose answers are awaited.
        self._pending = 0
        timeout = call.options.get("timeout")
        self._until = time.monotonic() + timeout if timeout else None
        #: Says when the next copy is sent.
        self._copies: Any = None

    def begin(self) -> None:
        """Sends the first attempt. Raises what is wrong with its arguments."""
        policies = self._policies
        if policies.speculation is not None:
            keyspace = policies.session.keyspace
            self._copies = policies.speculation.new_plan(keyspace, policies.query)
        host = self._next_host()
        if host is None and self._hosts is not None:
            raise NoHostAvailable(_NO_HOST, {})
        self._send(host, None)
        self._await_copy(host)

    def _next_host(self) -> Host | None:
        if self._hosts is None:
            return None
        with self._lock:
            return next(self._hosts, None)

    def _send(self, host: Any, level: int | None) -> None:
        options = {**self._call.options, "max_retries": 0}
        for name in ("speculative_delay", "speculative_attempts"):
            options.pop(name, None)
        if host is not None:
            options["node"] = str(getattr(host, "endpoint", host))
        if level is not None:
            options["consistency"] = ConsistencyLevel.value_to_name[level].lower()
        if self._until is not None:
            options["timeout"] = max(self._until - time.monotonic(), _SHORTEST)
        with self._lock:
            self._pending += 1
        try:
            pending = self._call._replace(options=options).submit()
        except cql_errors.Error as error:
            self._failed(host, level, error)
        except BaseException:
            with self._lock:
                self._pending -= 1
            raise
        else:
            pending.add_done_callback(partial(self._answered, host, level))

    def _await_copy(self, host: Host | None) -> None:
        """Sends a copy to the next node when the plan says so, unless it is answered by then."""
        if self._copies is None or self.future.done():
            return
        delay = self._copies.next_execution(host)
        if delay is None or delay < 0:
            return
        timer = threading.Timer(delay, self._send_copy)
        timer.daemon = True
        timer.start()

    def _send_copy(self) -> None:
        if self.future.done():
            return
        try:
            host = self._next_host()
            if host is None and self._hosts is not None:
                return
            self._send(host, None)
            self._await_copy(host)
        except BaseException as error:  # noqa: BLE001
            self._settle(error=error)

    def _answered(self, host: Any, level: int | None, pending: Any) -> None:
        error = pending.exception()
        if error is None:
            self._settle(pending.result())
            return
        self._failed(host, level, error)

    def _failed(self, host: Any, level: int | None, error: BaseException) -> None:
        with self._lock:
            self._pending -= 1
        try:
            self._follow(host, level, error)
        except BaseException as raised:  # noqa: BLE001
            # A policy that raises ends the statement.
            self._settle(error=raised)

    def _follow(self, host: Any, level: int | None, error: BaseException) -> None:
        decided = self._decide(error, level)
        if decided is None:
            self._give_up(error)
            return
        decision, new_level = decided
        node = getattr(error, "node", None)
        with self._lock:
            self._errors[self._policies.session._host(node) or host] = error
            self._retries += 1
        if decision == RetryPolicy.IGNORE:
            self._settle(Ignored(node or ""))
        elif decision == RetryPolicy.RETRY:
            self._send(host or node, new_level)
        elif decision == RetryPolicy.RETRY_NEXT_HOST:
            self._send_elsewhere(new_level, node)
        else:
            self._give_up(error)

    def _send_elsewhere(self, level: int | None, node: str | None) -> None:
        if self._hosts is None:
            # The engine chooses, but not the same node.
            others = [other for other in self._policies.session.hosts if str(other) != node]
            tried = {str(one) for one in self._errors}
            self._hosts = iter([other for other in others if str(other) not in tried])
        following = self._next_host()
        if following is not None:
            self._send(following, level)
            return
        with self._lock:
            is_last, errors = self._pending == 0, dict(self._errors)
        if is_last:
            self._settle(error=NoHostAvailable(_NO_HOST, errors))

    def _give_up(self, error: BaseException) -> None:
        """Ends it with this error, unless a copy may still succeed."""
        with self._lock:
            is_last = self._pending == 0
        if is_last:
            self._settle(error=error)

    def _settle(self, answer: Any = None, error: BaseException | None = None) -> None:
        try:
            if error is None:
                self.future.set_result(answer)
            else:
                self.future.set_exception(error)
        except concurrent.futures.InvalidStateError:
            pass  # Another copy was answered first.

    def _decide(self, error: BaseException, level: int | None) -> tuple[int, int | None] | None:
        """What the retry policy decides; ``None`` for errors about which it is not asked."""
        retry, query, retries = self._policies.retry, self._policies.query, self._retries
        if not isinstance(error, cql_errors.Error):
            return None
        if isinstance(
            error, (cql_errors.ReadTimeout, cql_errors.WriteTimeout, cql_errors.Unavailable)
        ):
            level = _level(error.consistency)
        elif level is None:
            level = _level(self._call.options.get("consistency", "local_one"))
        if isinstance(error, cql_errors.ReadTimeout):
            return retry.on_read_timeout(
                query,
                consistency=level,
                required_responses=error.required,
                received_responses=error.received,
                data_retrieved=error.data_present,
                retry_num=retries,
            )
        if isinstance(error, cql_errors.WriteTimeout):
            return retry.on_write_timeout(
                query,
                consistency=level,
                write_type=WriteType.name_to_value.get(error.write_type.upper(), -1),
                required_responses=error.required,
                received_responses=error.received,
                retry_num=retries,
            )
        if isinstance(error, cql_errors.Unavailable):
            return retry.on_unavailable(
                query,
                consistency=level,
                required_replicas=error.required,
                alive_replicas=error.received,
                retry_num=retries,
            )
        if isinstance(error, cql_errors.ConnectionFailed) or error.code in _REQUEST_ERRORS:
            raised = self._as_others(error)
            return retry.on_request_error(query, level, error=raised, retry_num=retries)
        if isinstance(error, (cql_errors.NodeUnavailable, cql_errors.TooBusy)):
            # Nothing was sent.
            return RetryPolicy.RETRY_NEXT_HOST, None
        return None

    def _as_others(self, error: cql_errors.Error) -> BaseException:
        """The error as the other driver's policies know it."""
        session = self._policies.session
        if error.code is not None:
            return translate_error(error, session._host, retried=False)
        raised = ConnectionException(str(error), session._host(error.node))
        raised.__cause__ = error
        return raised


def _level(name: str) -> int:
    return ConsistencyLevel.name_to_value[name.upper()]


def _plan(policies: Policies) -> Iterator[Host] | None:
    """The nodes to try; ``None``: those of the engine's choice."""
    balancing = policies.balancing
    if balancing is None:
        return None
    if not isinstance(balancing, LoadBalancingPolicy):
        return iter([balancing])
    plan = balancing.make_query_plan(policies.session.keyspace, policies.query)
    return (host for host in plan if balancing.distance(host) != HostDistance.IGNORED)
