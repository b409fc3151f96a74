"""Transactions over several records of one namespace: all of the writes take effect, or none.

The calls themselves are native: those of a dataset that is within the transaction.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Literal, overload

from spikewire._native import TransactionCore, TransactionRetries
from spikewire.errors import Error

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
        if error is None:
            try:
                self._end_block(True)
            except Error as failed:
                self._give_up(failed)
                raise
        else:
            self._give_up(error)

    def _give_up(self, error: BaseException) -> None:
        try:
            self._end_block(False)
        except Error as failure:
            _note(error, failure)


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
        if error is None:
            try:
                await self._end_block(True)
            except Error as failed:
                await self._give_up(failed)
                raise
        else:
            await self._give_up(error)

    async def _give_up(self, error: BaseException) -> None:
        try:
            await self._end_block(False)
        except Error as failure:
            _note(error, failure)


def _note(error: BaseException, failure: Error) -> None:
    """Adds to an error that the transaction could not be aborted because of it."""
    add_note: Any = getattr(error, "add_note", None)  # From Python 3.11.
    if add_note is not None:
        add_note(f"the transaction was not aborted, it expires by itself: {failure}")


def run_in_transaction(
    client: Client,
    function: Callable[[Transaction], _T],
    timeout: Seconds | None,
    attempts: int | None,
    limit: Seconds | None,
) -> _T:
    """For ``Client.run_in_transaction``."""
    retries = TransactionRetries(attempts, limit)
    while True:
        try:
            with client.transaction(timeout=timeout) as transaction:
                return function(transaction)
        except Error as error:
            pause = retries.pause(error)
            if pause is None:
                raise
        time.sleep(pause)


async def run_in_transaction_async(
    client: AsyncClient,
    function: Callable[[AsyncTransaction], Awaitable[_T]],
    timeout: Seconds | None,
    attempts: int | None,
    limit: Seconds | None,
) -> _T:
    """For ``AsyncClient.run_in_transaction``."""
    retries = TransactionRetries(attempts, limit)
    while True:
        try:
            async with client.transaction(timeout=timeout) as transaction:
                return await function(transaction)
        except Error as error:
            pause = retries.pause(error)
            if pause is None:
                raise
        await asyncio.sleep(pause)
