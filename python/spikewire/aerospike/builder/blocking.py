"""The builder of ``Client``: what its steps return.

The other modules implement the steps, for both clients; this one adds the types their methods
return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from spikewire._native import Dataset, StepKinds
from spikewire.aerospike.builder import plain, read, scan, write
from spikewire.aerospike.builder.rows import Rows
from spikewire.aerospike.builder.start import Start

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    import numpy as np
    import numpy.typing as npt
    import pandas as pd  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportMissingModuleSource]
    import pyarrow as pa  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportMissingModuleSource]
    from typing_extensions import TypeVar

    from spikewire._native import ArrowTable, Key, Query, Record
    from spikewire.aerospike.builder.results import Missing, OnError, Result, Results
    from spikewire.types import ArrowSchema, KeyLike

    _T = TypeVar("_T")
    #: What a record holds; not known unless its key comes from a dataset with a type.
    _V_co = TypeVar("_V_co", covariant=True, default=object)
else:
    from typing import TypeVar

    _V_co = TypeVar("_V_co", covariant=True)

__all__ = [
    "Builder",
    "DeleteMany",
    "DeleteOne",
    "ExistsMany",
    "ExistsOne",
    "ReadMany",
    "ReadOne",
    "Scan",
    "TouchMany",
    "TouchOne",
    "WriteMany",
    "WriteOne",
]


class _Chain(Rows):
    """A step that others may follow."""

    __slots__ = ()

    if TYPE_CHECKING:

        def query(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> ReadMany: ...
        def insert(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> WriteMany: ...
        def upsert(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> WriteMany: ...
        def update(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> WriteMany: ...
        def replace(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> WriteMany: ...
        def replace_if_exists(
            self, key: KeyLike | Iterable[KeyLike], *more: KeyLike
        ) -> WriteMany: ...
        def delete(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> DeleteMany: ...
        def touch(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> TouchMany: ...
        def exists(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> ExistsMany: ...


class _Many(_Chain):
    """A chain, or a step on several keys."""

    __slots__ = ()

    if TYPE_CHECKING:

        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Results: ...
        def stream(
            self,
            *,
            on_error: OnError | None = None,
            missing: Missing | None = None,
            window: int = 256,
            limit: int = 8,
            ordered: bool = False,
        ) -> Generator[Result, None, None]: ...


class ReadMany(_Many, read.Read, Generic[_V_co]):
    """Reads records by their keys. From ``Builder.query``."""

    __slots__ = ()

    if TYPE_CHECKING:

        def first(self) -> Record[_V_co]: ...
        def first_or_none(self) -> Record[_V_co] | None: ...
        def to_list(self, *, on_error: OnError | None = None) -> list[Record[_V_co]]: ...
        def count(self) -> int: ...
        def to_arrow(
            self,
            schema: ArrowSchema | None = None,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
        ) -> ArrowTable: ...
        def to_pandas(  # pyright: ignore[reportUnknownParameterType]
            self, *, generation: str | None = None, ttl: str | None = None
        ) -> pd.DataFrame: ...  # pyright: ignore[reportUnknownMemberType]
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask"] = "mask",
        ) -> np.ma.MaskedArray[tuple[int], np.dtype[np.void]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["raise"],
        ) -> np.ndarray[tuple[int], np.dtype[np.void]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> np.ndarray[tuple[int], np.dtype[np.void]]: ...
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> Any: ...


class ReadOne(ReadMany[_V_co]):
    """Reads one record."""

    __slots__ = ()


class WriteMany(_Many, write.Write):
    """Writes bins of several records, or of one as part of a chain."""

    __slots__ = ()

    if TYPE_CHECKING:

        def first(self) -> Record: ...


class DeleteMany(_Many, plain.Delete):
    """Deletes several records, or one as part of a chain."""

    __slots__ = ()


class TouchMany(_Many, plain.Touch):
    """Renews the time to live of several records, or of one as part of a chain."""

    __slots__ = ()


class ExistsMany(_Many, plain.Exists):
    """Checks which of several records exist, or one as part of a chain."""

    __slots__ = ()


class WriteOne(_Chain, write.Write):
    """Writes bins of one record."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(self, *, on_error: None = None, missing: None = None) -> Record | None: ...
        @overload
        def execute(self, *, on_error: OnError, missing: Missing | None = None) -> Results: ...
        @overload
        def execute(self, *, on_error: OnError | None = None, missing: Missing) -> Results: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Results | Record | None: ...
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
        ) -> Generator[Result, None, None]: ...
        def first(self) -> Record: ...


class DeleteOne(_Chain, plain.Delete):
    """Deletes one record; returns whether it existed."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(self, *, on_error: None = None, missing: None = None) -> bool: ...
        @overload
        def execute(self, *, on_error: OnError, missing: Missing | None = None) -> Results: ...
        @overload
        def execute(self, *, on_error: OnError | None = None, missing: Missing) -> Results: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Results | bool: ...
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
        ) -> Generator[Result, None, None]: ...


class TouchOne(_Chain, plain.Touch):
    """Renews the time to live of one record."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(self, *, on_error: None = None, missing: None = None) -> None: ...
        @overload
        def execute(self, *, on_error: OnError, missing: Missing | None = None) -> Results: ...
        @overload
        def execute(self, *, on_error: OnError | None = None, missing: Missing) -> Results: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Results | None: ...
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
        ) -> Generator[Result, None, None]: ...


class ExistsOne(_Chain, plain.Exists):
    """Checks whether one record exists."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def execute(self, *, on_error: None = None, missing: None = None) -> bool: ...
        @overload
        def execute(self, *, on_error: OnError, missing: Missing | None = None) -> Results: ...
        @overload
        def execute(self, *, on_error: OnError | None = None, missing: Missing) -> Results: ...
        @overload
        def execute(
            self, *, on_error: OnError | None = None, missing: Missing | None = None
        ) -> Results | bool: ...
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
        ) -> Generator[Result, None, None]: ...


class Scan(scan.Scan, Generic[_V_co]):
    """A scan of a dataset, or an index query. From ``Builder.query``."""

    __slots__ = ()

    if TYPE_CHECKING:

        def stream(self) -> Query[_V_co]: ...
        def first(self) -> Record[_V_co]: ...
        def first_or_none(self) -> Record[_V_co] | None: ...
        def to_list(self) -> list[Record[_V_co]]: ...
        def count(self) -> int: ...
        def to_arrow(  # pyright: ignore[reportUnknownParameterType]
            self,
            schema: ArrowSchema | None = None,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
        ) -> pa.Table: ...  # pyright: ignore[reportUnknownMemberType]
        def to_pandas(  # pyright: ignore[reportUnknownParameterType]
            self, *, key: str | None = None, generation: str | None = None, ttl: str | None = None
        ) -> pd.DataFrame: ...  # pyright: ignore[reportUnknownMemberType]
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask"] = "mask",
        ) -> np.ma.MaskedArray[tuple[int], np.dtype[np.void]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["raise"],
        ) -> np.ndarray[tuple[int], np.dtype[np.void]]: ...
        @overload
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> np.ndarray[tuple[int], np.dtype[np.void]]: ...
        def to_numpy(
            self,
            dtype: npt.DTypeLike,
            *,
            key: str | None = None,
            generation: str | None = None,
            ttl: str | None = None,
            missing: Literal["mask", "raise"] = "mask",
        ) -> Any: ...


class Builder(Start):
    """Starts chains. From ``Client.session``; cheap to create and to keep.

    Each method takes a ``Key`` (``dataset.key("alice")``), a tuple ``(namespace, set, key)``, or
    several of them; ``query`` also takes a dataset.
    """

    __slots__ = ()

    _kinds = StepKinds(
        (ReadOne, WriteOne, DeleteOne, TouchOne, ExistsOne),
        (ReadMany, WriteMany, DeleteMany, TouchMany, ExistsMany),
    )
    _scan = Scan
    _dataset = Dataset

    if TYPE_CHECKING:

        @overload
        def query(self, key: Dataset[_T], /) -> Scan[_T]: ...
        @overload
        def query(self, key: Key[_T], *more: Key[_T]) -> ReadMany[_T]: ...
        @overload
        def query(self, key: Iterable[Key[_T]], *more: Key[_T]) -> ReadMany[_T]: ...
        @overload
        def query(self, key: KeyLike | Iterable[KeyLike], *more: KeyLike) -> ReadMany: ...
        def query(self, key: Any, *more: Any) -> Any: ...
        @overload
        def insert(self, key: KeyLike, /) -> WriteOne: ...
        @overload
        def insert(self, key: Iterable[KeyLike], /) -> WriteMany: ...
        @overload
        def insert(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> WriteMany: ...
        def insert(self, key: Any, *more: Any) -> Any: ...
        @overload
        def upsert(self, key: KeyLike, /) -> WriteOne: ...
        @overload
        def upsert(self, key: Iterable[KeyLike], /) -> WriteMany: ...
        @overload
        def upsert(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> WriteMany: ...
        def upsert(self, key: Any, *more: Any) -> Any: ...
        @overload
        def update(self, key: KeyLike, /) -> WriteOne: ...
        @overload
        def update(self, key: Iterable[KeyLike], /) -> WriteMany: ...
        @overload
        def update(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> WriteMany: ...
        def update(self, key: Any, *more: Any) -> Any: ...
        @overload
        def replace(self, key: KeyLike, /) -> WriteOne: ...
        @overload
        def replace(self, key: Iterable[KeyLike], /) -> WriteMany: ...
        @overload
        def replace(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> WriteMany: ...
        def replace(self, key: Any, *more: Any) -> Any: ...
        @overload
        def replace_if_exists(self, key: KeyLike, /) -> WriteOne: ...
        @overload
        def replace_if_exists(self, key: Iterable[KeyLike], /) -> WriteMany: ...
        @overload
        def replace_if_exists(
            self, key: KeyLike, second: KeyLike, /, *more: KeyLike
        ) -> WriteMany: ...
        def replace_if_exists(self, key: Any, *more: Any) -> Any: ...
        @overload
        def delete(self, key: KeyLike, /) -> DeleteOne: ...
        @overload
        def delete(self, key: Iterable[KeyLike], /) -> DeleteMany: ...
        @overload
        def delete(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> DeleteMany: ...
        def delete(self, key: Any, *more: Any) -> Any: ...
        @overload
        def touch(self, key: KeyLike, /) -> TouchOne: ...
        @overload
        def touch(self, key: Iterable[KeyLike], /) -> TouchMany: ...
        @overload
        def touch(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> TouchMany: ...
        def touch(self, key: Any, *more: Any) -> Any: ...
        @overload
        def exists(self, key: KeyLike, /) -> ExistsOne: ...
        @overload
        def exists(self, key: Iterable[KeyLike], /) -> ExistsMany: ...
        @overload
        def exists(self, key: KeyLike, second: KeyLike, /, *more: KeyLike) -> ExistsMany: ...
        def exists(self, key: Any, *more: Any) -> Any: ...
