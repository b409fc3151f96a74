"""The steps that write bins: insert, upsert, update, replace and replace_if_exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire._native import WriteBase
from spikewire.aerospike import op
from spikewire.aerospike.builder.rows import Rows
from spikewire.aerospike.builder.step import WriteStep, then

if TYPE_CHECKING:
    from typing_extensions import Self

    from spikewire._native import Record
    from spikewire.aerospike.builder.results import Results
    from spikewire.types import Where

__all__ = ["Write"]


class Write(WriteBase, Rows, WriteStep):
    """Writes bins. Each method adds an operation; operations are applied in order and
    atomically.
    """

    __slots__ = ()

    _row_options = ("ttl", "exists", "durable", "send_key")

    def _verb_for(self, *, one: bool) -> tuple[Any, ...]:
        if one and self._ops is None:
            return ("put",)
        return "operate" if one else "operate_many", self._operations()

    def _keywords(self) -> dict[str, Any]:
        options = dict(self._options or {})
        if self._ttl is not None:
            options["ttl"] = self._ttl
        if self._exists is not None:
            options["exists"] = self._exists
        return options

    def read(self, name: str, expression: Where, *, no_fail: bool = False) -> Self:
        """Reads the value of an expression, as if it were a bin of this name; as ``op.read``."""
        return self.op(op.read(name, expression, no_fail=no_fail))

    def write(
        self,
        bin: str,  # noqa: A002
        expression: Where,
        *,
        create_only: bool = False,
        update_only: bool = False,
        allow_delete: bool = False,
        no_fail: bool = False,
    ) -> Self:
        """Writes the value of an expression into a bin; as ``op.write``."""
        return self.op(
            op.write(
                bin,
                expression,
                create_only=create_only,
                update_only=update_only,
                allow_delete=allow_delete,
                no_fail=no_fail,
            )
        )

    def _first(self) -> Any:
        return then(self._awaited, self.execute(), _first)


def _first(results: Results) -> Record:
    return results.first()
