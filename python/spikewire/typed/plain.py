"""Schemas of the classes of the standard library: TypedDict and dataclasses."""

from __future__ import annotations

import dataclasses
import typing
from typing import TYPE_CHECKING, Any

from spikewire.typed.checks import Check, check_of, unwrap
from spikewire.typed.conversion_error import ConversionError
from spikewire.typed.schema import Field, Schema

if TYPE_CHECKING:
    from spikewire.typed.checks import SchemaOf

__all__ = ["DataclassSchema", "TypedDictSchema"]


def _hints(class_: type[Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(class_, include_extras=True)
    except NameError as error:
        raise TypeError(
            f"the types of {class_.__qualname__} are not known at run time: {error}; import them "
            "outside of TYPE_CHECKING, and define the class at module level"
        ) from error


def _field(check: Check, *, required: bool) -> Field:
    return Field(required, check.nullable, check.write, check.read, check.plain)


class TypedDictSchema(Schema):
    """A TypedDict: its instances are dicts, so a dict is always one that may be incomplete."""

    def __init__(self, class_: type[Any], schema_of: SchemaOf) -> None:
        fields: dict[str, Field] = {}
        for name, hint in _hints(class_).items():
            inner, around = unwrap(hint)
            required = "Required" in around or name in class_.__required_keys__
            check = check_of(inner, f"{class_.__qualname__}.{name}", schema_of)
            fields[name] = _field(check, required=required and "NotRequired" not in around)
        super().__init__(class_, fields)

    def is_instance(self, value: object) -> bool:  # noqa: ARG002
        return False

    def take_apart(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ConversionError(f"must be a dict, not {type(value).__qualname__}")
        return self._checked(value, whole=True)  # pyright: ignore[reportUnknownArgumentType]

    def put_together(self, bins: dict[str, Any]) -> Any:
        return self.fitting(bins)


class DataclassSchema(Schema):
    """A dataclass: the fields that its constructor takes."""

    def __init__(self, class_: type[Any], schema_of: SchemaOf) -> None:
        hints = _hints(class_)
        missing = dataclasses.MISSING
        fields: dict[str, Field] = {}
        for it in dataclasses.fields(class_):
            if it.init:
                check = check_of(hints[it.name], f"{class_.__qualname__}.{it.name}", schema_of)
                required = it.default is missing and it.default_factory is missing
                fields[it.name] = _field(check, required=required)
        super().__init__(class_, fields)

    def take_apart(self, value: Any) -> dict[str, Any]:
        bins: dict[str, Any] = {}
        for name, field in self.fields.items():
            it = getattr(value, name)
            if type(it) is field.plain:
                bins[name] = it
                continue
            try:
                bins[name] = None if it is None and field.nullable else field.write(it)
            except ConversionError as error:
                raise error.inside(name) from error.__cause__
        return bins

    def put_together(self, bins: dict[str, Any]) -> Any:
        return self.class_(**self.fitting(bins))
