"""Many statements, with a limited number of them in flight."""

from __future__ import annotations

import concurrent.futures
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.compat.cassandra.missing_errors import resolve_name
from spikewire.compat.cassandra.profiles import EXEC_PROFILE_DEFAULT
from spikewire.compat.cassandra.results import ResultSet
from spikewire.compat.cassandra.synchronization import Slots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spikewire.compat.cassandra.future import ResponseFuture
    from spikewire.compat.cassandra.session import Session

__all__ = [
    "ExecutionResult",
    "execute_concurrent",
    "execute_concurrent_async",
    "execute_concurrent_with_args",
]


class ExecutionResult(NamedTuple):
    """The result of one statement."""

    success: bool
    result_or_exc: Any


def execute_concurrent(
    session: Session,
    statements_and_parameters: Iterable[tuple[Any, Any]],
    concurrency: int = 100,
    raise_on_first_error: bool = True,
    results_generator: bool = False,
    execution_profile: Any = EXEC_PROFILE_DEFAULT,
) -> Any:
    """Executes statements, each with its parameters. The results are in the same order.

    With ``results_generator`` results are yielded one by one, and statements are read as results
    are consumed.
    """
    if concurrency <= 0:
        message = "concurrency must be greater than 0"
        raise ValueError(message)
    if results_generator:
        return _generated(
            session, statements_and_parameters, concurrency, raise_on_first_error, execution_profile
        )
    return _Window(session, concurrency, raise_on_first_error, execution_profile).run(
        statements_and_parameters
    )


def execute_concurrent_with_args(
    session: Session, statement: Any, parameters: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Executes one statement with many sets of parameters."""
    pairs = ((statement, values) for values in parameters)
    return execute_concurrent(session, pairs, *args, **kwargs)


def execute_concurrent_async(
    session: Session,
    statements_and_parameters: Iterable[tuple[Any, Any]],
    concurrency: int = 100,
    raise_on_first_error: bool = False,
    execution_profile: Any = EXEC_PROFILE_DEFAULT,
) -> concurrent.futures.Future[list[ExecutionResult]]:
    """Like ``execute_concurrent``, in a thread of its own. Returns a future of the list."""
    future: concurrent.futures.Future[list[ExecutionResult]] = concurrent.futures.Future()

    def work() -> None:
        try:
            future.set_result(
                execute_concurrent(
                    session,
                    statements_and_parameters,
                    concurrency,
                    raise_on_first_error,
                    execution_profile=execution_profile,
                )
            )
        except BaseException as error:  # noqa: BLE001
            future.set_exception(error)

    threading.Thread(target=work, name="spikewire-concurrent", daemon=True).start()
    return future


class _Window:
    """A limited number of statements in flight."""

    def __init__(self, session: Session, concurrency: int, fail_fast: bool, profile: Any) -> None:
        self.session = session
        self.fail_fast = fail_fast
        self.profile = profile
        self.slots = Slots(concurrency)
        self.concurrency = concurrency
        self.results: list[ExecutionResult | None] = []
        self.error: BaseException | None = None

    def run(self, pairs: Iterable[tuple[Any, Any]]) -> list[ExecutionResult | None]:
        for statement, parameters in pairs:
            self.slots.acquire()
            if self.error is not None:
                raise self.error
            index = len(self.results)
            self.results.append(None)
            try:
                future = self.session.execute_async(
                    statement, parameters, execution_profile=self.profile
                )
            except Exception as error:  # noqa: BLE001
                self.failed(error, index)
            else:
                future.add_callbacks(
                    self.done, self.failed, callback_args=(index, future), errback_args=(index,)
                )
        for _ in range(self.concurrency):
            self.slots.acquire()
            if self.error is not None:
                raise self.error
        return self.results

    def done(self, rows: Any, index: int, future: ResponseFuture) -> None:
        future.clear_callbacks()
        self.results[index] = ExecutionResult(True, ResultSet(future, rows))
        self.slots.release()

    def failed(self, error: BaseException, index: int) -> None:
        self.results[index] = ExecutionResult(False, error)
        if self.fail_fast and self.error is None:
            self.error = error
        self.slots.release()


def _generated(
    session: Session,
    pairs: Iterable[tuple[Any, Any]],
    concurrency: int,
    fail_fast: bool,
    profile: Any,
) -> Iterator[ExecutionResult]:
    under_way: deque[Any] = deque()

    def oldest() -> ExecutionResult:
        future = under_way.popleft()
        try:
            if isinstance(future, Exception):
                raise future
            return ExecutionResult(True, future.result())
        except Exception as error:
            if fail_fast:
                raise
            return ExecutionResult(False, error)

    for statement, parameters in pairs:
        if len(under_way) == concurrency:
            yield oldest()
        try:
            under_way.append(
                session.execute_async(statement, parameters, execution_profile=profile)
            )
        except Exception as error:  # noqa: BLE001
            under_way.append(error)
    while under_way:
        yield oldest()


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
