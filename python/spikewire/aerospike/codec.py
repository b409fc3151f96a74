"""Implements ``spikewire.codec``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from spikewire._imports import importing

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Codec", "Form", "enum", "iso", "json", "pickle", "text", "timestamp"]

_T = TypeVar("_T")
_K = TypeVar("_K")
_F = TypeVar("_F", bound=Callable[..., object])
_E = TypeVar("_E", bound=Enum)

#: Types that bins hold unchanged: a subclass of one of these is stored as that type.
_PLAIN = (int, float, str, bytes, bytearray, list, tuple, dict, type(None))

#: Units of a timestamp: how many in a second.
_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000}
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


@dataclass(frozen=True)
class Form(Generic[_T]):
    """How the values of a bin are written and read.

    ``None`` is passed to neither function: it removes the bin.
    """

    encode: Callable[[_T], object]
    """From your value to one that a bin can hold; never to ``None``."""
    decode: Callable[[Any], _T]
    """From what the bin holds to your value."""


class Codec:
    """The types and bins of a client that have their own form. Immutable; picklable if its
    functions are.

    ``types``: functions that convert values of these types, and of their subclasses, to plain
    values wherever they occur: in a bin, a list or a map. They apply to writes only; values are
    read back plain. Subclasses of int, float, str, bytes, list, tuple or dict are rejected, because
    they are stored as their base class.

    ``bins``: the ``Form`` of every bin of this name, in all sets. It is used when the bin is
    written by ``put``, ``put_many`` or a batch, and wherever it is read whole. Arguments of
    ``add``, ``append`` and ``prepend`` are not encoded, nor are tables and operations: write
    ``op.put(name, codec.encode(name, value))``. A bin is not decoded in a call in which another
    operation returns a part of it, and neither are arrays and tables built from a batch.

    Raises ``TypeError`` or ``ValueError`` for an invalid type, bin or form. When a function raises
    an error, the call raises ``ValueError``, naming bin and type, with that error as its cause.
    """

    __slots__ = ("_bins", "_types")

    def __init__(
        self,
        types: Mapping[type[Any], Callable[[Any], object]] | None = None,
        bins: Mapping[str, Form[Any]] | None = None,
    ) -> None:
        self._types: dict[type[Any], Callable[[Any], object]] = {}
        self._bins: dict[str, Form[Any]] = {}
        for kind, encode in _items("types", types):
            self._types[_kind(kind)] = _function(f"types[{kind!r}]", encode)
        for name, form in _items("bins", bins):
            self._bins[_bin(name)] = _form(name, form)

    @property
    def types(self) -> Mapping[type[Any], Callable[[Any], object]]:
        """The functions of types."""
        return MappingProxyType(self._types)

    @property
    def bins(self) -> Mapping[str, Form[Any]]:
        """The forms of bins."""
        return MappingProxyType(self._bins)

    def encode(self, name: str, value: Any) -> object:
        """The stored form of a value of the bin ``name``; unchanged for bins without a form."""
        form = self._bins.get(name)
        return value if form is None or value is None else form.encode(value)

    def decode(self, name: str, value: Any) -> Any:
        """The value for the stored form of the bin ``name``; unchanged for bins without a form."""
        form = self._bins.get(name)
        return value if form is None or value is None else form.decode(value)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[object, object]]:
        return type(self), (self._types, self._bins)

    def __repr__(self) -> str:
        return f"Codec(types={self._types!r}, bins={self._bins!r})"


def timestamp(unit: Literal["s", "ms", "us"] = "us") -> Form[dt.datetime]:
    """``datetime`` values as integers: the time since 1970 in ``unit``. They are read as UTC.

    Fractions of the unit are rounded down. Raises ``ValueError`` for a ``datetime`` without a time
    zone.
    """
    if unit not in _UNITS:
        message = f"unit must be 's', 'ms' or 'us', got {unit!r}"
        raise ValueError(message)
    step = dt.timedelta(seconds=1) / _UNITS[unit]
    return Form(_Since(step), _Moment(step))


def iso() -> Form[dt.datetime]:
    """``datetime`` values as ISO 8601 text, with their own offset, or none."""
    return Form(_isoformat, dt.datetime.fromisoformat)


def text(kind: Callable[[str], _T]) -> Form[_T]:
    """Values as their ``str``, read by ``kind``: ``text(Decimal)``, ``text(UUID)``."""
    return Form(str, _function("kind", kind))


def enum(kind: type[_E]) -> Form[_E]:
    """Members of an ``Enum`` as their value."""
    if not _extends(kind, Enum):
        message = f"kind must be a class of Enum, not {kind!r}"
        raise TypeError(message)
    return Form(_Member(kind), kind)


def json() -> Form[Any]:
    """Values that JSON can represent, as JSON text. NaN and infinities are rejected."""
    # A client without such bins does without it.
    with importing:
        from json import loads

    return Form(_to_json, loads)


def pickle() -> Form[Any]:
    """Any Python object, as the bytes of ``pickle``.

    Unpickling can execute code: write access to the bin allows running code in every program that
    reads it. Use it only if all writers are trusted.
    """
    with importing:
        from pickle import loads

    return Form(_to_pickle, loads)


# The functions of the forms are classes and functions at module level, so that forms can be
# pickled.


@dataclass(frozen=True)
class _Since:
    step: dt.timedelta

    def __call__(self, value: object) -> int:
        if not isinstance(value, dt.datetime):
            message = f"a timestamp must be a datetime, not {_name(value)}"
            raise TypeError(message)
        if value.utcoffset() is None:
            message = f"{value!r} has no time zone"
            raise ValueError(message)
        return (value - _EPOCH) // self.step


@dataclass(frozen=True)
class _Moment:
    step: dt.timedelta

    def __call__(self, value: object) -> dt.datetime:
        if not isinstance(value, int) or isinstance(value, bool):
            message = f"a timestamp is an int, not {_name(value)}"
            raise TypeError(message)
        return _EPOCH + value * self.step


@dataclass(frozen=True)
class _Member(Generic[_E]):
    kind: type[_E]

    def __call__(self, value: object) -> object:
        if not isinstance(value, self.kind):
            message = f"{value!r} is not a member of {self.kind.__name__}"
            raise TypeError(message)
        return value.value


def _isoformat(value: object) -> str:
    if not isinstance(value, dt.datetime):
        message = f"iso takes a datetime, not {_name(value)}"
        raise TypeError(message)
    return value.isoformat()


def _to_json(value: object) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _to_pickle(value: object) -> bytes:
    from pickle import dumps

    return dumps(value, protocol=5)


def _name(value: object) -> str:
    return type(value).__qualname__


def _extends(kind: object, of: type[Any]) -> bool:
    return isinstance(kind, type) and issubclass(kind, of)


def _items(what: str, mapping: Mapping[_K, _T] | None) -> list[tuple[_K, _T]]:
    value: object = mapping
    if mapping is None:
        return []
    if not isinstance(value, Mapping):
        message = f"{what} must be a dict, not {_name(value)}"
        raise TypeError(message)
    return list(mapping.items())


def _kind(kind: object) -> type[Any]:
    if not isinstance(kind, type):
        message = f"types must have classes as keys, not {kind!r}"
        raise TypeError(message)
    if kind is object:
        message = "types must not have object: it would match every type that bins do not hold"
        raise TypeError(message)
    for plain in _PLAIN:
        if issubclass(kind, plain):
            message = f"types: {kind.__qualname__} is already stored as {plain.__name__}"
            raise TypeError(message)
    return kind


def _bin(name: object) -> str:
    if not isinstance(name, str):
        message = f"bins must have bin names (str) as keys, not {name!r}"
        raise TypeError(message)
    return name


def _form(name: str, form: Form[Any]) -> Form[Any]:
    if not _extends(type(form), Form):
        message = f"bins[{name!r}] must be a codec.Form, not {_name(form)}"
        raise TypeError(message)
    _function(f"the encode of bins[{name!r}]", form.encode)
    _function(f"the decode of bins[{name!r}]", form.decode)
    return form


def _function(what: str, function: _F) -> _F:
    if not callable(function):
        message = f"{what} must be a function, not {_name(function)}"
        raise TypeError(message)
    return function
