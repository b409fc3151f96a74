"""Views of a client or session in ``with``: opens and closes the client or session itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self


class TargetContext:
    """A view of a blocking client or session. In a ``with`` block, its ``_target`` is opened and
    closed."""

    _target: Any

    def __enter__(self) -> Self:
        self._target.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._target.__exit__(*error)


class AsyncTargetContext:
    """The same for asyncio."""

    _target: Any

    async def open(self) -> Self:
        """Connects, for use without ``async with``."""
        await self._target.open()
        return self

    async def __aenter__(self) -> Self:
        await self._target.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._target.__aexit__(*error)
