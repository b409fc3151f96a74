"""Schemas of msgspec's structs."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import datetime as dt
import decimal
import re
import uuid
from typing import Any

import msgspec

from spikewire.typed.conversion_error import ConversionError
from spikewire.typed.schema import Field, Schema

__all__ = ["StructSchema"]

#: What values of bins are, or what a codec makes of them: msgspec leaves it as it is.
_UNCHANGED = (
    *(bytes, bytearray, memoryview, uuid.UUID, decimal.Decimal),
    *(dt.datetime, dt.date, dt.time, dt.timedelta),
)
#: Values that nothing needs to be done with.
_PLAIN = frozenset((int, float, str, bool, bytes, type(None)))
_PLACE = re.compile(r" - at `(?:key in )?\$(.*)`$")


def _checked_instance(class_: type[Any], value: Any) -> Any:
    """A value of a class that msgspec does not know, such as ``GeoJSON``."""
    if isinstance(value, class_):
        return value
    raise msgspec.ValidationError(f"Expected `{class_.__name__}`, got `{type(value).__name__}`")


def _convert(value: Any, hint: Any) -> Any:
    try:
        return msgspec.convert(value, hint, builtin_types=_UNCHANGED, dec_hook=_checked_instance)
    except msgspec.ValidationError as error:
        text = str(error)
        place = _PLACE.search(text)
        where = f"{place[1]}: " if place else ""
        raise ConversionError(f"is wrong: {where}{_PLACE.sub('', text)}") from error


def _to_plain(value: Any) -> Any:
    if type(value) in _PLAIN:
        return value
    try:
        return msgspec.to_builtins(value, builtin_types=_UNCHANGED)
    except TypeError:
        return value  # A class that msgspec does not know: the encoder of bins judges it.


class StructSchema(Schema):
    """A struct: bins have the names that it gives to its fields when they are encoded."""

    renaming = ": give the field another name with msgspec.field(name=...)"

    def __init__(self, class_: type[Any]) -> None:
        if class_.__struct_config__.array_like:
            raise TypeError(f"{class_.__qualname__} is array_like: a record has names for its bins")
        self._attributes: list[tuple[str, str]] = []
        fields: dict[str, Field] = {}
        for it in msgspec.structs.fields(class_):
            fields[it.encode_name] = self._field(it)
            self._attributes.append((it.name, it.encode_name))
        super().__init__(class_, fields)

    def _field(self, it: msgspec.structs.FieldInfo) -> Field:
        hint = it.type

        def read(value: Any) -> Any:
            return _convert(value, hint)

        def write(value: Any) -> Any:
            plain = _to_plain(value)
            _convert(plain, hint)
            return plain

        try:
            nullable = read(None) is None
        except ConversionError:
            nullable = False
        return Field(it.required, nullable, write, read)

    def take_apart(self, value: Any) -> dict[str, Any]:
        # By attribute: `omit_defaults` would leave the bin as it was, and a tag is no bin.
        bins: dict[str, Any] = {}
        for attribute, name in self._attributes:
            it = getattr(value, attribute)
            if it is not msgspec.UNSET:
                bins[name] = _to_plain(it)
        try:
            msgspec.convert(bins, self.class_, builtin_types=_UNCHANGED, dec_hook=_checked_instance)
        except msgspec.ValidationError:
            self.fitting(bins)  # Says which field it is, in the words of all kinds.
            raise
        return bins

    def put_together(self, bins: dict[str, Any]) -> Any:
        try:
            return msgspec.convert(
                bins, self.class_, builtin_types=_UNCHANGED, dec_hook=_checked_instance
            )
        except msgspec.ValidationError as error:
            self.fitting(bins)
            raise ConversionError(str(error)) from error
