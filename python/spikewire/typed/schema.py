"""A schema: the fields of a class, and the conversion of instances in both directions."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spikewire.typed.conversion_error import ConversionError, article, describe

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Field", "Schema", "of_class"]

#: The most bytes that the name of a bin has.
_BIN_NAME = 15


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a class, which is a bin of a record, by the bin's name."""

    #: Whether a record must have the bin.
    required: bool
    #: Whether ``None`` fits; such a bin is not stored.
    nullable: bool
    #: From the value of a field to that of the bin. Raises ``ConversionError``.
    write: Callable[[Any], Any]
    #: From the value of the bin to that of the field. Raises ``ConversionError``.
    read: Callable[[Any], Any]
    #: A class all of whose own instances (not those of subclasses) fit unchanged.
    plain: type[Any] | None = None


class Schema:
    """What is common to the classes of all libraries; each kind adds how instances are made."""

    def __init__(self, class_: type[Any], fields: dict[str, Field]) -> None:
        self.class_ = class_
        self.name = class_.__qualname__.rpartition(".")[2]
        self.fields = fields
        if not fields:
            raise TypeError(f"{self.name} has no fields: a record has at least one bin")
        self._nullable = tuple(name for name, it in fields.items() if it.nullable and it.required)

    def check_names(self) -> None:
        """Rejects fields that cannot be bins."""
        for name in self.fields:
            if len(name.encode()) > _BIN_NAME:
                raise ValueError(
                    f"{self.name}: the field {name!r} cannot be a bin, because names of bins have "
                    f"at most {_BIN_NAME} bytes{self.renaming}"
                )

    #: How to give a field another name, for messages.
    renaming = ""

    def check_name(self, name: str) -> Field:
        """The field of a bin. Raises ``ValueError`` if there is none."""
        field = self.fields.get(name)
        if field is None:
            near = difflib.get_close_matches(name, self.fields, 1)
            hint = f": did you mean {near[0]!r}?" if near else f": it has {', '.join(self.fields)}"
            raise ValueError(f"{self.name} has no bin {name!r}{hint}")
        return field

    def is_instance(self, value: object) -> bool:
        """Whether a value is an instance, as opposed to a dict of bins."""
        return isinstance(value, self.class_)

    def take_apart(self, value: Any) -> dict[str, Any]:
        """The bins of an instance. Raises ``ConversionError`` for values that do not fit."""
        raise NotImplementedError

    def put_together(self, bins: dict[str, Any]) -> Any:
        """An instance of bins that the class knows. Raises ``ConversionError`` or any other."""
        raise NotImplementedError

    def encode(self, bins: object, whole: bool) -> dict[str, Any]:
        """The bins to write: of an instance, or of a dict, which may leave bins out unless
        ``whole``.

        Raises ``TypeError`` or ``ValueError``, naming the bin.
        """
        try:
            if self.is_instance(bins):
                return self.take_apart(bins)
            if isinstance(bins, Mapping):
                return self._checked(bins, whole)  # pyright: ignore[reportUnknownArgumentType]
        except ConversionError as error:
            raise error.error_class(error.about(self.name)) from error.__cause__
        message = f"bins must be {article(self.name)} or a dict of its bins, not {describe(bins)}"
        raise TypeError(message)

    def _checked(self, bins: Mapping[Any, Any], whole: bool) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, value in bins.items():
            field = self.check_name(name)
            if value is None and (field.nullable or not field.required):
                result[name] = None
                continue
            try:
                result[name] = field.write(value)
            except ConversionError as error:
                raise error.inside(name) from error.__cause__
        if whole:
            for name, field in self.fields.items():
                if field.required and name not in result:
                    raise ValueError(
                        f"{self.name} needs the bin {name!r}: only a write with "
                        'exists="update" may leave it out'
                    )
        return result

    def decode(self, bins: dict[str, Any], word: str = "bin") -> Any:
        """An instance of bins that were read, or of the columns of a row (``word``).

        Raises ``ValueError``, naming the bin.
        """
        try:
            return self.read(bins, word)
        except ConversionError as error:
            raise ValueError(error.about(self.name, word)) from error.__cause__

    def read(self, bins: dict[str, Any], word: str = "entry") -> Any:
        """As ``decode``, but raises ``ConversionError`` for values that do not fit."""
        fields = self.fields
        if not bins.keys() <= fields.keys():
            bins = {name: value for name, value in bins.items() if name in fields}
        for name in self._nullable:
            if name not in bins:
                bins = {**bins, name: None}
        if len(bins) < len(fields):
            for name, field in fields.items():
                if field.required and name not in bins:
                    raise ValueError(f"there is no {word} {name!r}, which {self.name} needs")
        return self.put_together(bins)

    def fitting(self, bins: dict[str, Any]) -> dict[str, Any]:
        """The values of the fields. Raises ``ConversionError`` for the first that does not fit."""
        result: dict[str, Any] = {}
        for name, value in bins.items():
            field = self.fields[name]
            if type(value) is field.plain:
                result[name] = value
                continue
            try:
                result[name] = None if value is None and field.nullable else field.read(value)
            except ConversionError as error:
                raise error.inside(name) from error.__cause__
        return result


def of_class(class_: object) -> str | None:
    """The kind of a class that records can have; ``None`` for any other object."""
    if not isinstance(class_, type):
        return None
    if hasattr(class_, "__required_keys__") and dict in class_.__mro__:
        return "TypedDict"
    if hasattr(class_, "__struct_fields__"):
        return "msgspec"
    if hasattr(class_, "__pydantic_validator__") and hasattr(class_, "model_fields"):
        return "pydantic"
    return "dataclass" if dataclasses.is_dataclass(class_) else None
