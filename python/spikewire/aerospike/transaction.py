"""Transactions over several records of one namespace: all of the writes take effect, or none.

The calls themselves are native: those of a dataset that is within the transaction.
"""

from __future__ import annotations

import asyncio
import random
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, overload

from spikewire._native import TransactionCore
from spikewire.errors import CommitFailed, Error, RecordChanged, RecordLocked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType
    from typing import TypeAlias

    from typing_extensions import Self, TypeVar

    from spikewire._native import AsyncDataset, Dataset
    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.types import Bins, Seconds

    _T = TypeVar("_T")
    #: The type of a dataset's records. Without one, its records are bins.
    _V = TypeVar("_V", default=Bins)

__all__ = [
    "AsyncTransaction",
    "EndStatus",
    "Transaction",
    "run_in_transaction",
    "run_in_transaction_async",
]

#: How a commit or an abort ended: see ``Transaction.commit``.
EndStatus: TypeAlias = Literal["done", "already", "roll_abandoned", "close_abandoned"]

#: The first pause after a record was locked, in seconds, and the longest; each is drawn between
#: half of it and the whole.
_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 1.0


class _Common(TransactionCore):
    """What both kinds have in common."""

    __slots__ = ("_client",)

    _client: Any

    def __new__(cls, client: Any, timeout: Seconds | None = None) -> Self:
        """``client`` may be a view."""
        transaction = super().__new__(cls, getattr(client, "_target", client), timeout)
        transaction._client = client
        return transaction

    def __init__(self, client: Any, timeout: Seconds | None = None) -> None:
        pass

    def _dataset(self, of: Any, name: str | None, record: Any) -> Any:
        if of is None or isinstance(of, str):
            of = self._client.dataset(of, name, record)
        elif name is not None or record is not None:
            message = "a dataset has its set and its type already"
            raise TypeError(message)
        return of.within(self)

    def _may_abort(self) -> bool:
        return self.state in ("open", "verified")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id:#x}, {self.state}>"


class Transaction(_Common):
    """A transaction of a ``Client``, from ``client.transaction()``. Any number of threads may use
    it.

    In a ``with`` block it is committed at the end, and aborted if the block raises.

    ``state`` is ``"open"``, ``"committed"`` or ``"aborted"``; ``"verified"`` after a commit that
    failed and may be repeated, ``"in_doubt"`` after one that may have succeeded. ``namespace`` is
    that of its first call, ``id`` the number by which servers know it.
    """

    __slots__ = ()

    @overload
    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,
        type: type[_V] | None = None,
    ) -> Dataset[_V]: ...
    @overload
    def dataset(self, namespace: Dataset[_V]) -> Dataset[_V]: ...
    def dataset(
        self,
        namespace: Any = None,
        set: str | None = None,  # noqa: A002
        type: Any = None,  # noqa: A002
    ) -> Any:
        """A namespace and a set whose calls are part of this transaction: with the arguments of
        ``client.dataset``, or from a dataset, as ``dataset.within(transaction)``.

        Raises ``ValueError`` and ``TypeError`` as ``client.dataset`` does.
        """
        return self._dataset(namespace, set, type)

    def commit(self) -> EndStatus:
        """Makes all writes of the transaction take effect.

        Returns ``"done"``; ``"already"`` if it was committed before; ``"roll_abandoned"`` or
        ``"close_abandoned"`` if it is committed and the servers finish the rest by themselves, at
        the latest when the transaction expires.

        Raises ``CommitFailed``, whose ``part`` and ``records`` say where, and whose ``in_doubt``
        says that it may be committed nevertheless: then commit again. Raises ``TransactionError``
        if the transaction is aborted, or if calls of it are still running.
        """
        status: EndStatus = self._commit()
        return status

    def abort(self) -> EndStatus:
        """Drops all writes of the transaction, and unlocks their records.

        Returns as ``commit`` does; ``"already"`` if it was aborted before. Raises
        ``TransactionError`` if the transaction is committed, or may be.
        """
        status: EndStatus = self._abort()
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            if self._may_abort():
                try:
                    self._abort()
                except Error as failure:
                    _note(error, failure)
        elif self.state == "open":
            try:
                self._commit()
            except CommitFailed as failed:
                if self._may_abort():
                    try:
                        self._abort()
                    except Error as failure:
                        _note(failed, failure)
                raise


class AsyncTransaction(_Common):
    """A transaction of an ``AsyncClient``, from ``client.transaction()``. Any number of tasks may
    use it.

    In an ``async with`` block it is committed at the end, and aborted if the block raises.

    ``state`` is ``"open"``, ``"committed"`` or ``"aborted"``; ``"verified"`` after a commit that
    failed and may be repeated, ``"in_doubt"`` after one that may have succeeded. ``namespace`` is
    that of its first call, ``id`` the number by which servers know it.
    """

    __slots__ = ()

    @overload
    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,
        type: type[_V] | None = None,
    ) -> AsyncDataset[_V]: ...
    @overload
    def dataset(self, namespace: AsyncDataset[_V]) -> AsyncDataset[_V]: ...
    def dataset(
        self,
        namespace: Any = None,
        set: str | None = None,  # noqa: A002
        type: Any = None,  # noqa: A002
    ) -> Any:
        """A namespace and a set whose calls are part of this transaction, as with
        ``Transaction.dataset``.
        """
        return self._dataset(namespace, set, type)

    async def commit(self) -> EndStatus:
        """Makes all writes of the transaction take effect, as ``Transaction.commit`` does. It goes
        on if the call is cancelled; ``state`` says later how it ended.
        """
        status: EndStatus = await self._commit()
        return status

    async def abort(self) -> EndStatus:
        """Drops all writes of the transaction, and unlocks their records, as ``Transaction.abort``
        does.
        """
        status: EndStatus = await self._abort()
        return status

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            if self._may_abort():
                try:
                    await self._abort()
                except Error as failure:
                    _note(error, failure)
        elif self.state == "open":
            try:
                await self._commit()
            except CommitFailed as failed:
                if self._may_abort():
                    try:
                        await self._abort()
                    except Error as failure:
                        _note(failed, failure)
                raise


def _note(error: BaseException, failure: Error) -> None:
    """Adds to an error that the transaction could not be aborted because of it."""
    add_note: Any = getattr(error, "add_note", None)  # From Python 3.11.
    if add_note is not None:
        add_note(f"the transaction was not aborted, it expires by itself: {failure}")


class _Retries:
    """Whether a whole transaction is tried again, and after which pause."""

    def __init__(self, attempts: int, limit: Seconds) -> None:
        if isinstance(attempts, bool) or not isinstance(attempts, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            message = f"attempts must be an int, not {type(attempts).__name__}"
            raise TypeError(message)
        if attempts < 1:
            message = f"attempts must be at least 1, got {attempts}"
            raise ValueError(message)
        seconds = limit.total_seconds() if isinstance(limit, timedelta) else limit
        if not seconds >= 0:
            message = f"limit must be seconds, 0 or more, got {limit!r}"
            raise ValueError(message)
        self._left = attempts - 1
        self._ends = time.monotonic() + seconds if seconds else float("inf")
        self._pause = _FIRST_PAUSE

    def pause(self, error: Error) -> float | None:
        """Seconds until the next attempt; ``None`` if there is none."""
        if self._left == 0 or time.monotonic() >= self._ends:
            return None
        self._left -= 1
        if isinstance(error, CommitFailed):
            again = error.part == "verify" and not error.in_doubt and error.code in (120, 121)
            return 0.0 if again else None
        if isinstance(error, RecordChanged):
            return 0.0
        if not isinstance(error, RecordLocked):
            return None
        pause = self._pause * random.uniform(0.5, 1.0)  # noqa: S311
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        left = self._ends - time.monotonic()
        return pause if pause < left else None


def run_in_transaction(
    client: Client,
    function: Callable[[Transaction], _T],
    timeout: Seconds | None,
    attempts: int,
    limit: Seconds,
) -> _T:
    """For ``Client.run_in_transaction``."""
    retries = _Retries(attempts, limit)
    while True:
        try:
            with client.transaction(timeout=timeout) as transaction:
                return function(transaction)
        except (RecordLocked, RecordChanged, CommitFailed) as error:
            pause = retries.pause(error)
            if pause is None:
                raise
        time.sleep(pause)


async def run_in_transaction_async(
    client: AsyncClient,
    function: Callable[[AsyncTransaction], Awaitable[_T]],
    timeout: Seconds | None,
    attempts: int,
    limit: Seconds,
) -> _T:
    """For ``AsyncClient.run_in_transaction``."""
    retries = _Retries(attempts, limit)
    while True:
        try:
            async with client.transaction(timeout=timeout) as transaction:
                return await function(transaction)
        except (RecordLocked, RecordChanged, CommitFailed) as error:
            pause = retries.pause(error)
            if pause is None:
                raise
        await asyncio.sleep(pause)
