"""``execute_many``: one statement with many rows of parameters."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any

from spikewire._native import Late
from spikewire.cql import _native
from spikewire.cql.options import options_of_preparing
from spikewire.tasks import begun

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from spikewire.cql._native import Many
    from spikewire.cql.options import ExecuteOptions
    from spikewire.cql.session import AsyncSession, Session
    from spikewire.cql.types import Parameters, Statement
    from spikewire.types import Seconds

__all__: list[str] = []


def execute(
    session: Session,
    statement: Statement,
    rows: Iterable[Parameters],
    how: tuple[int, str, bool, Seconds | None],
    options: ExecuteOptions,
) -> Any:
    """``Session.execute_many``."""
    arguments = _native.how_many(*how)
    if isinstance(rows, AsyncIterable):
        raise TypeError("rows must be an iterable; asynchronous ones are for AsyncSession")
    waiting: Any = rows if _native.is_table(rows) else iter(rows)
    if isinstance(statement, str):
        statement = session._prepared(statement, **options_of_preparing(options))  # noqa: SLF001
    many = session._many(statement, arguments, **options)  # noqa: SLF001
    if waiting is rows and _native.is_table(rows):
        waiting = _native.table_rows(statement, rows)
    room = _room(arguments[0])
    try:
        while not many.feed(waiting):
            many.wait(room)
        many.wait(0)
    except BaseException:
        # Unsent rows are withdrawn; the others end before the call does.
        many.stop()
        many.wait(0)
        raise
    return _outcome(many, waiting)


def execute_soon(
    session: AsyncSession,
    statement: Statement,
    rows: Iterable[Parameters] | AsyncIterable[Parameters],
    how: tuple[int, str, bool, Seconds | None],
    options: ExecuteOptions,
) -> Any:
    """``AsyncSession.execute_many``."""
    return begun(_execute(session, statement, rows, _native.how_many(*how), options))


async def _execute(
    session: AsyncSession,
    statement: Statement,
    rows: Iterable[Parameters] | AsyncIterable[Parameters],
    arguments: Any,
    options: ExecuteOptions,
) -> Any:
    waiting: Any = None
    if not isinstance(rows, AsyncIterable):
        waiting = rows if _native.is_table(rows) else iter(rows)
    if isinstance(statement, str):
        statement = await session._prepared(statement, **options_of_preparing(options))  # noqa: SLF001
    many = session._many(statement, arguments, **options)  # noqa: SLF001
    if waiting is rows and _native.is_table(rows):
        waiting = _native.table_rows(statement, rows)
    room = _room(arguments[0])
    left = many.left()
    timer = None if left is None else asyncio.get_running_loop().call_later(left, many.expire)
    try:
        if waiting is not None:
            while not many.feed(waiting):
                await many.room(room)
        else:
            timely: Any = rows if left is None else _timely(rows, many)  # type: ignore[arg-type]
            async for row in timely:
                if many.stopped:
                    break
                if not many.add(row):
                    await many.room(room)
        await many.room(0)
    except (asyncio.CancelledError, GeneratorExit):
        # A cancelled task does not wait, nor does one whose loop is collected.
        many.stop()
        raise
    except BaseException:
        many.stop()
        await many.room(0)
        raise
    finally:
        if timer is not None:
            timer.cancel()
    return _outcome(many, waiting)


async def _timely(rows: AsyncIterable[Parameters], many: Many) -> AsyncIterator[Parameters]:
    """The rows that come before the deadline."""
    source = rows.__aiter__()
    try:
        while True:
            yield await asyncio.wait_for(source.__anext__(), many.left())
    except (StopAsyncIteration, asyncio.TimeoutError):
        return


def _room(concurrency: int) -> int:
    """The number of rows in flight below which more are taken, several at a time."""
    return concurrency - max(1, concurrency // 4)


def _outcome(many: Many, waiting: Any) -> Any:
    if many.left() == 0:
        many.expire()
    failed = many.failed()
    if failed is not None:
        row, error = failed
        setattr(error, "row", row)  # noqa: B010
        note = getattr(error, "add_note", None)
        if note is not None:
            note(f"row {row} of execute_many")
        raise error
    results = many.results()
    if results is None:
        return many.started
    if many.expired:
        # Rows that were not taken are as late as those without a result.
        results = [Late() if result is None else result for result in results]
        results += [Late()] * operator.length_hint(waiting, 0)
    return results
