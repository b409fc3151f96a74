"""The steps without bins: delete, touch and exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire import op
from spikewire._native import Delete as DeleteRow
from spikewire._native import Read as ReadRow
from spikewire._native import Write as WriteRow
from spikewire.builder.rows import Rows
from spikewire.builder.step import Expiring, Reading, Writing

if TYPE_CHECKING:
    from spikewire._native import Row
    from spikewire.builder.results import Missing, OnError

__all__ = ["Delete", "DeleteOne", "Exists", "ExistsOne", "Touch", "TouchOne"]


class Delete(Rows, Writing):
    """Deletes records."""

    __slots__ = ()

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.delete_many(keys, **self._keywords())

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return DeleteRow(key, **options)


class Touch(Rows, Expiring, Writing):
    """Renews the time to live of records."""

    __slots__ = ()
    _needs_record = True

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.operate_many(keys, [op.touch()], **self._keywords())

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return WriteRow(key, [op.touch()], **options)


class Exists(Rows, Reading):
    """Asks which records exist."""

    __slots__ = ()

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.exists_many(keys, **self._keywords())

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return ReadRow(key, [], **options)


class DeleteOne(Delete):
    """The step on one key by itself."""

    __slots__ = ()
    _single = True
    _before = None

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call. Without a strategy it is the verb, and gives and raises what it does."""
        if on_error is None and missing is None:
            if self._options is None:
                return self._verbs.delete(self._keys)
            return self._verbs.delete(self._keys, **self._options)
        return super().execute(on_error=on_error, missing=missing)


class TouchOne(Touch):
    """The step on one key by itself."""

    __slots__ = ()
    _single = True
    _before = None

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call. Without a strategy it is the verb, and gives and raises what it does."""
        if on_error is None and missing is None:
            if self._options is None:
                return self._verbs.touch(self._keys)
            return self._verbs.touch(self._keys, **self._options)
        return super().execute(on_error=on_error, missing=missing)


class ExistsOne(Exists):
    """The step on one key by itself."""

    __slots__ = ()
    _single = True
    _before = None

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call. Without a strategy it is the verb, and gives and raises what it does."""
        if on_error is None and missing is None:
            if self._options is None:
                return self._verbs.exists(self._keys)
            return self._verbs.exists(self._keys, **self._options)
        return super().execute(on_error=on_error, missing=missing)
