"""The builder of ``AsyncClient``: what its steps return, to be awaited.

How steps work is in the other modules, once for both faces; here is what their methods return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from spikewire._native import AsyncDataset
from spikewire.builder import plain, read, scan, write
from spikewire.builder.rows import Face, Rows
from spikewire.builder.session import Start

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncGenerator, Iterable

    import numpy as np
    import numpy.typing as npt
    import pandas as pd  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportMissingModuleSource]
    import pyarrow as pa  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportMissingModuleSource]

    from spikewire._native import ArrowTable, AsyncQuery, Record
    from spikewire.builder.results import Missing, OnError, Result, Results
    from spikewire.types import ArrowSchema, KeyLike

__all__ = [
    "AsyncDeleteMany",
    "AsyncDeleteOne",
    "AsyncExistsMany",
    "AsyncExistsOne",
    "AsyncRead",
    "AsyncReadOne",
    "AsyncScan",
    "AsyncSession",
    "AsyncTouchMany",
    "AsyncTouchOne",
    "AsyncWriteMany",
    "AsyncWriteOne",
]


class _Chain(Rows):
    """A step that others may follow."""

    __slots__ = ()
    _awaited = True

    if TYPE_CHECKING:

        def query(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncRead: ...
        def insert(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncWriteMany: ...
        def upsert(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncWriteMany: ...
        def update(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncWriteMany: ...
        def replace(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncWriteMany: ...
        def replace_if_exists(
            self, key: KeyLike | Iterable[KeyLike], *more: KeyLike
        ) -> AsyncWriteMany: ...
        def delete(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncDeleteMany: ...
        def touch(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncTouchMany: ...
        def exists(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncExistsMany: ...


class _Many(_Chain):
    """A chain, or a step on several keys."""

    __slots__ = ()

    if TYPE_CHECKING:

        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Future[Results]: ...
        def stream(
            self,
            *,
            on_error: OnError | None = None,
            missing: Missing | None = None,
            window: int = 256,
            limit: int = 8,
            ordered: bool = False,
        ) -> AsyncGenerator[Result, None]: ...


class AsyncRead(_Many, read.Read):
    """Reads records by their keys. From ``AsyncSession.query``."""

    __slots__ = ()

    if TYPE_CHECKING:

        def first(self) -> Future[Record]: ...
        def first_or_none(self) -> Future[Record | None]: ...
        def to_list(self, *, on_error: OnError | None = None) -> Future[list[Record]]: ...
        def count(self) -> Future[int]: ...
        def to_arrow(
            self,
            schema: ArrowSchema | None = None,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
        ) -> Future[ArrowTable]: ...
        def to_pandas(  # pyright: ignore[reportUnknownParameterType]
            self, *, generation: str | None = None, ttl: str | None = None
        ) -> Future[pd.DataFrame]: ...  # pyright: ignore[reportUnknownMemberType]
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask"] = "mask",
        ) -> Future[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["raise"],
        ) -> Future[np.ndarray[tuple[int], np.dtype[np.void]]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> (
            Future[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]
            | Future[np.ndarray[tuple[int], np.dtype[np.void]]]
        ): ...
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> Any: ...


class AsyncReadOne(read.ReadOne, AsyncRead):
    """Reads one record."""

    __slots__ = ()


class AsyncWriteMany(_Many, write.Write):
    """Writes bins of several records, or as part of a chain."""

    __slots__ = ()

    if TYPE_CHECKING:

        def first(self) -> Future[Record]: ...


class AsyncDeleteMany(_Many, plain.Delete):
    """Deletes several records, or as part of a chain."""

    __slots__ = ()


class AsyncTouchMany(_Many, plain.Touch):
    """Renews the time to live of several records, or as part of a chain."""

    __slots__ = ()


class AsyncExistsMany(_Many, plain.Exists):
    """Asks which of several records exist, or as part of a chain."""

    __slots__ = ()


class AsyncWriteOne(_Chain, write.WriteOne):
    """Writes bins of one record."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(
            self, *, on_error: None = None, missing: None = None
        ) -> Future[Record | None]: ...
        @overload
        def execute(
            self, *, on_error: OnError, missing: Missing | None = None
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Future[Results] | Future[Record | None]: ...
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Any: ...
        def stream(
            self,
            *,
            on_error: OnError | None = None,
            missing: Missing | None = None,
            window: int = 256,
            limit: int = 8,
            ordered: bool = False,
        ) -> AsyncGenerator[Result, None]: ...
        def first(self) -> Future[Record]: ...


class AsyncDeleteOne(_Chain, plain.DeleteOne):
    """Deletes one record; gives whether there was one."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(self, *, on_error: None = None, missing: None = None) -> Future[bool]: ...
        @overload
        def execute(
            self, *, on_error: OnError, missing: Missing | None = None
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Future[Results] | Future[bool]: ...
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Any: ...
        def stream(
            self,
            *,
            on_error: OnError | None = None,
            missing: Missing | None = None,
            window: int = 256,
            limit: int = 8,
            ordered: bool = False,
        ) -> AsyncGenerator[Result, None]: ...


class AsyncTouchOne(_Chain, plain.TouchOne):
    """Renews the time to live of one record."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(self, *, on_error: None = None, missing: None = None) -> Future[None]: ...
        @overload
        def execute(
            self, *, on_error: OnError, missing: Missing | None = None
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Future[Results] | Future[None]: ...
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Any: ...
        def stream(
            self,
            *,
            on_error: OnError | None = None,
            missing: Missing | None = None,
            window: int = 256,
            limit: int = 8,
            ordered: bool = False,
        ) -> AsyncGenerator[Result, None]: ...


class AsyncExistsOne(_Chain, plain.ExistsOne):
    """Asks whether one record exists."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(self, *, on_error: None = None, missing: None = None) -> Future[bool]: ...
        @overload
        def execute(
            self, *, on_error: OnError, missing: Missing | None = None
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing
        ) -> Future[Results]: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Future[Results] | Future[bool]: ...
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Any: ...
        def stream(
            self,
            *,
            on_error: OnError | None = None,
            missing: Missing | None = None,
            window: int = 256,
            limit: int = 8,
            ordered: bool = False,
        ) -> AsyncGenerator[Result, None]: ...


class AsyncScan(scan.Scan):
    """A scan of a dataset, or an index query. From ``AsyncSession.query``."""

    __slots__ = ()
    _awaited = True

    if TYPE_CHECKING:

        def stream(self) -> AsyncQuery: ...
        def first(self) -> Future[Record]: ...
        def first_or_none(self) -> Future[Record | None]: ...
        def to_list(self) -> Future[list[Record]]: ...
        def count(self) -> Future[int]: ...
        def to_arrow(  # pyright: ignore[reportUnknownParameterType]
            self,
            schema: ArrowSchema | None = None,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
        ) -> Future[pa.Table]: ...  # pyright: ignore[reportUnknownMemberType]
        def to_pandas(  # pyright: ignore[reportUnknownParameterType]
            self, *, key: str | None = None, generation: str | None = None, ttl: str | None = None
        ) -> Future[pd.DataFrame]: ...  # pyright: ignore[reportUnknownMemberType]
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask"] = "mask",
        ) -> Future[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["raise"],
        ) -> Future[np.ndarray[tuple[int], np.dtype[np.void]]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> (
            Future[np.ma.MaskedArray[tuple[int], np.dtype[np.void]]]
            | Future[np.ndarray[tuple[int], np.dtype[np.void]]]
        ): ...
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> Any: ...


class AsyncSession(Start):
    """Begins chains. From ``AsyncClient.session``; cheap to make and to keep.

    Each method takes a ``Key`` (``dataset.key("alice")``), a tuple ``(namespace, set, key)``, or
    several of them; ``query`` also takes a dataset."""

    __slots__ = ()

    _read_one = AsyncReadOne
    _write_one = AsyncWriteOne
    _delete_one = AsyncDeleteOne
    _touch_one = AsyncTouchOne
    _exists_one = AsyncExistsOne
    _many = Face(AsyncRead, AsyncWriteMany, AsyncDeleteMany, AsyncTouchMany, AsyncExistsMany)
    _scan = AsyncScan
    _dataset = AsyncDataset

    if TYPE_CHECKING:

        @overload
        def query(self, key: AsyncDataset, /) -> AsyncScan: ...
        @overload
        def query(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> AsyncRead: ...
        def query(self, key: Any, *more: Any) -> Any: ...
        @overload
        def insert(self, key: KeyLike, /) -> AsyncWriteOne: ...
        @overload
        def insert(self, key: Iterable[KeyLike], /) -> AsyncWriteMany: ...
        @overload
        def insert(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> AsyncWriteMany: ...
        def insert(self, key: Any, *more: Any) -> Any: ...
        @overload
        def upsert(self, key: KeyLike, /) -> AsyncWriteOne: ...
        @overload
        def upsert(self, key: Iterable[KeyLike], /) -> AsyncWriteMany: ...
        @overload
        def upsert(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> AsyncWriteMany: ...
        def upsert(self, key: Any, *more: Any) -> Any: ...
        @overload
        def update(self, key: KeyLike, /) -> AsyncWriteOne: ...
        @overload
        def update(self, key: Iterable[KeyLike], /) -> AsyncWriteMany: ...
        @overload
        def update(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> AsyncWriteMany: ...
        def update(self, key: Any, *more: Any) -> Any: ...
        @overload
        def replace(self, key: KeyLike, /) -> AsyncWriteOne: ...
        @overload
        def replace(self, key: Iterable[KeyLike], /) -> AsyncWriteMany: ...
        @overload
        def replace(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> AsyncWriteMany: ...
        def replace(self, key: Any, *more: Any) -> Any: ...
        @overload
        def replace_if_exists(self, key: KeyLike, /) -> AsyncWriteOne: ...
        @overload
        def replace_if_exists(self, key: Iterable[KeyLike], /) -> AsyncWriteMany: ...
        @overload
        def replace_if_exists(
            self, key: KeyLike, second: KeyLike, /, *more: KeyLike
        ) -> AsyncWriteMany: ...
        def replace_if_exists(self, key: Any, *more: Any) -> Any: ...
        @overload
        def delete(self, key: KeyLike, /) -> AsyncDeleteOne: ...
        @overload
        def delete(self, key: Iterable[KeyLike], /) -> AsyncDeleteMany: ...
        @overload
        def delete(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> AsyncDeleteMany: ...
        def delete(self, key: Any, *more: Any) -> Any: ...
        @overload
        def touch(self, key: KeyLike, /) -> AsyncTouchOne: ...
        @overload
        def touch(self, key: Iterable[KeyLike], /) -> AsyncTouchMany: ...
        @overload
        def touch(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> AsyncTouchMany: ...
        def touch(self, key: Any, *more: Any) -> Any: ...
        @overload
        def exists(self, key: KeyLike, /) -> AsyncExistsOne: ...
        @overload
        def exists(self, key: Iterable[KeyLike], /) -> AsyncExistsMany: ...
        @overload
        def exists(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> AsyncExistsMany: ...
        def exists(self, key: Any, *more: Any) -> Any: ...


# Steps lead to steps that are defined after them.
_Chain._face = AsyncSession._many  # pyright: ignore[reportPrivateUsage]
