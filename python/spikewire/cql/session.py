"""The two sessions: the same verbs, blocking and on asyncio."""

from __future__ import annotations

import asyncio
import warnings
from typing import TYPE_CHECKING, Any

from spikewire._native import cql as _native

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["AsyncSession", "Session", "connect"]


class Session(_native.SessionCore):
    """A blocking session with a Cassandra cluster, for any number of threads."""

    __slots__ = ()

    def __init__(self, contact_points: str | list[str], /, **options: Any) -> None:  # noqa: ARG002
        self._start()

    @classmethod
    def connect(cls, contact_points: str | list[str], /, **options: Any) -> Self:
        """An open session, for use without a ``with`` block; call ``close()`` at the end."""
        return cls(contact_points, **options)

    @property
    def submit(self) -> _native.SessionSubmit:
        """The same verbs, each returning a ``concurrent.futures.Future`` at once."""
        return self._submit

    def close(self) -> None:
        """Ends the session; statements that are under way fail. Closing again does nothing."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)


def connect(contact_points: str | list[str], /, **options: Any) -> Session:
    """An open blocking session."""
    return Session(contact_points, **options)


class AsyncSession(_native.AsyncSessionCore):
    """A session with a Cassandra cluster for asyncio: verbs return futures."""

    __slots__ = ()

    @classmethod
    async def connect(cls, contact_points: str | list[str], /, **options: Any) -> Self:
        """An open session, for use without an ``async with`` block; call ``close()`` at the end."""
        session = cls(contact_points, **options)
        await asyncio.to_thread(session._start)
        return session

    async def close(self) -> None:
        """Ends the session; statements that are under way fail. Closing again does nothing."""
        self._end()

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._start)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)
