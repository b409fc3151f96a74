"""Schemas of pydantic's models."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import pydantic
from pydantic_core import PydanticSerializationError

from spikewire.typed.conversion_error import ConversionError
from spikewire.typed.schema import Field, Schema

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

__all__ = ["ModelSchema"]


def _why(error: pydantic.ValidationError) -> ConversionError:
    """The first of the faults that pydantic found."""
    first = error.errors(include_url=False)[0]
    of_type = first["type"].endswith(("_type", "_parsing"))
    message = f"is wrong: {first['msg']} (got {first['input']!r:.60})"
    conversion_error = ConversionError(message, TypeError if of_type else ValueError)
    conversion_error.path = list(first["loc"])
    return conversion_error


class ModelSchema(Schema):
    """A model: bins have the aliases of its fields."""

    renaming = ": give it an alias with Field(alias=...)"

    def __init__(self, class_: type[Any]) -> None:
        known: dict[str, FieldInfo] = class_.model_fields
        super().__init__(class_, dict(self._field(class_, *it) for it in known.items()))

    @staticmethod
    def _field(class_: type[Any], name: str, it: FieldInfo) -> tuple[str, Field]:
        bin_ = it.alias or name
        if (it.validation_alias or bin_) != bin_ or (it.serialization_alias or bin_) != bin_:
            raise TypeError(f"{class_.__qualname__}.{name}: a bin has one name, so use `alias`")
        if it.exclude:
            raise TypeError(f"{class_.__qualname__}.{name} is excluded, so it would not be stored")
        # With its constraints.
        parts: Any = (it.annotation, *it.metadata)
        hint: Any = Annotated[parts] if it.metadata else it.annotation
        adapter: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(hint)

        def read(value: Any) -> Any:
            try:
                return adapter.validate_python(value)
            except pydantic.ValidationError as error:
                raise _why(error) from error

        def write(value: Any) -> Any:
            return adapter.dump_python(read(value), by_alias=True)

        try:
            nullable = adapter.validate_python(None) is None
        except pydantic.ValidationError:
            nullable = False
        return bin_, Field(it.is_required(), nullable, write, read)

    def take_apart(self, value: Any) -> dict[str, Any]:
        try:
            dumped = value.model_dump(by_alias=True, warnings="error")
        except PydanticSerializationError:
            # The model was changed after it was made. Says which field is wrong.
            dumped = value.model_dump(by_alias=True, warnings=False)
            self.fitting({name: dumped[name] for name in self.fields})
            raise
        return (
            dumped
            if len(dumped) == len(self.fields)
            else {name: dumped[name] for name in self.fields}
        )

    def put_together(self, bins: dict[str, Any]) -> Any:
        try:
            return self.class_.model_validate(bins)
        except pydantic.ValidationError as error:
            raise _why(error) from error
