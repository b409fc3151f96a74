"""The steps without bins: delete, touch and exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from spikewire import op
from spikewire._native import Delete as DeleteRow
from spikewire._native import Read as ReadRow
from spikewire._native import Write as WriteRow
from spikewire.builder.rows import Rows
from spikewire.builder.step import Expiring, Reading, Writing

if TYPE_CHECKING:
    from spikewire._native import Row
    from spikewire.builder.results import Missing, OnError

__all__ = ["Delete", "Exists", "Plain", "Touch"]


class Plain(Rows):
    """A step that is one verb: on one key, what the verb returns."""

    __slots__ = ()

    #: The verb on one key.
    _verb: ClassVar[str]

    def execute(self, *, on_error: OnError | None = None, missing: Missing | None = None) -> Any:
        """Makes the call: all steps of the chain and all keys, in one.

        For one key without a strategy this is the verb, and gives and raises what it does."""
        if self._single and self._before is None and on_error is None and missing is None:
            verb = getattr(self._verbs, self._verb)
            if self._options is None:
                return verb(self._keys)
            return verb(self._keys, **self._options)
        return super().execute(on_error=on_error, missing=missing)


class Delete(Plain, Writing):
    """Deletes records."""

    __slots__ = ()
    _verb = "delete"

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.delete_many(keys, **(self._options or {}))

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return DeleteRow(key, **options)


class Touch(Plain, Expiring, Writing):
    """Renews the time to live of records."""

    __slots__ = ()
    _verb = "touch"
    _needs_record = True

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.operate_many(keys, [op.touch()], **(self._options or {}))

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return WriteRow(key, [op.touch()], **options)


class Exists(Plain, Reading):
    """Asks which records exist."""

    __slots__ = ()
    _verb = "exists"

    def _alike(self, verbs: Any, keys: Any) -> Any:
        return verbs.exists_many(keys, **(self._options or {}))

    def _row(self, key: Any, options: dict[str, Any]) -> Row:
        return ReadRow(key, [], **options)
