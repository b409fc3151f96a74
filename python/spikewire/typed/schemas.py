"""The schema of a class, whichever library it comes from."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from spikewire._imports import importing
from spikewire.typed.schema import of_class

if TYPE_CHECKING:
    from spikewire.typed.schema import Schema

__all__ = ["schema_of"]


def schema_of(class_: type[Any]) -> Schema:
    """The schema of a class. Raises ``TypeError`` for a class that records cannot have."""
    key: Any = class_
    return _schema(key)


@lru_cache(maxsize=512)
def _schema(class_: Any) -> Schema:
    # Imported where they are needed: two of them need another library.
    kind = of_class(class_)
    if kind in ("TypedDict", "dataclass"):
        with importing:
            from spikewire.typed.plain import DataclassSchema, TypedDictSchema

        schema_class = TypedDictSchema if kind == "TypedDict" else DataclassSchema
        return schema_class(class_, schema_of)
    if kind == "msgspec":
        with importing:
            from spikewire.typed.structs import StructSchema

        return StructSchema(class_)
    if kind == "pydantic":
        with importing:
            from spikewire.typed.models import ModelSchema

        return ModelSchema(class_)
    raise TypeError(
        "type must be a TypedDict, a dataclass, a msgspec.Struct or a pydantic model, "
        f"not {class_!r}"
    )
