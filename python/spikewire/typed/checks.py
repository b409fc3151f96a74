"""Type hints as checks of values, for classes whose library has none: TypedDict and dataclasses."""

from __future__ import annotations

import types
import typing
from collections import abc
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.typed.conversion_error import ConversionError, describe
from spikewire.typed.schema import of_class

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from spikewire.typed.schema import Schema

    #: Finds the schema of a class. A parameter, because classes contain classes of any library.
    SchemaOf: TypeAlias = Callable[[type[Any]], Schema]

__all__ = ["Check", "check_of", "unwrap"]

_LISTS = (list, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection)
_MAPS = (dict, abc.Mapping, abc.MutableMapping)
_BYTES = (bytes, bytearray, memoryview)
#: Classes whose instances a value of another class may stand for.
_EXACT: dict[Any, tuple[type, ...]] = {str: (str,), bytes: _BYTES, bytearray: _BYTES}


class Check(NamedTuple):
    """What fits a type hint. The functions return the value or raise ``ConversionError``."""

    #: The type, for messages.
    text: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    nullable: bool = False
    plain: type[Any] | None = None


def unwrap(hint: Any) -> tuple[Any, set[str]]:
    """A hint without the qualifiers around it (``NotRequired`` and others), and their names."""
    names: set[str] = set()
    while True:
        origin = typing.get_origin(hint)
        name = getattr(origin, "_name", None) or getattr(origin, "__name__", "")
        if name in ("Required", "NotRequired", "ReadOnly", "Final"):
            names.add(name)
            hint = typing.get_args(hint)[0]
        elif origin is typing.Annotated:
            hint = hint.__origin__
        elif hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif hasattr(hint, "__value__") and hasattr(hint, "__type_params__"):
            hint = hint.__value__
        else:
            return hint, names


def check_of(hint: Any, where: str, schema_of: SchemaOf) -> Check:
    """The check of a type hint; ``where`` is the field, for messages; ``schema_of`` finds the
    schema of a class inside the hint.

    Raises ``TypeError`` for a hint that cannot be checked.
    """
    hint, _ = unwrap(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return Check("any value", _same, _same, nullable=True)
    if hint in (None, type(None)):
        return _both("None", lambda value: value is None, nullable=True)
    if origin in (typing.Union, types.UnionType):
        return _union([check_of(it, where, schema_of) for it in arguments])
    if origin is typing.Literal:
        return _literal(arguments)
    bare = origin or hint
    if bare in _LISTS:
        return _list(check_of(arguments[0], where, schema_of) if arguments else None)
    if bare is tuple:
        return _tuple([None if it is ... else check_of(it, where, schema_of) for it in arguments])
    if bare in _MAPS:
        return _map([check_of(it, where, schema_of) for it in arguments])
    if hint is bool:
        return _both("bool", lambda value: isinstance(value, bool), plain=bool)
    if hint is int:
        return _both("int", lambda v: isinstance(v, int) and not isinstance(v, bool), plain=int)
    if hint is float:
        return _float()
    if isinstance(bare, type) and not getattr(bare, "_is_protocol", False):
        return _class(bare, schema_of)
    raise TypeError(f"{where}: a record cannot have the type {hint!r}")


def _same(value: Any) -> Any:
    return value


def _both(
    text: str,
    fits: Callable[[Any], bool],
    *,
    nullable: bool = False,
    plain: type[Any] | None = None,
) -> Check:
    """A check whose values are the same in a bin and in a field."""

    def check(value: Any) -> Any:
        if fits(value):
            return value
        raise ConversionError(f"must be {text}, not {describe(value)}")

    return Check(text, check, check, nullable, plain)


def _float() -> Check:
    def check(value: Any) -> float:
        # An int is a float to type checkers. A bin keeps one type.
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        raise ConversionError(f"must be float, not {describe(value)}")

    return Check("float", check, check, plain=float)


def _class(class_: type[Any], schema_of: SchemaOf) -> Check:
    if of_class(class_) is not None:
        return _nested(class_, schema_of)
    name = class_.__qualname__
    if issubclass(class_, Enum) and issubclass(class_, (int, str)):
        return _member(class_, name)
    allowed = _EXACT.get(class_, (class_,))
    return _both(name, lambda value: isinstance(value, allowed), plain=class_)


def _member(class_: type[Enum], name: str) -> Check:
    """Members of an enumeration that are stored as int or str."""

    def read(value: Any) -> Any:
        try:
            return class_(value)
        except ValueError:
            raise ConversionError(f"must be a value of {name}, not {describe(value)}") from None

    return Check(name, _both(name, lambda value: isinstance(value, class_)).write, read)


def _nested(class_: type[Any], schema_of: SchemaOf) -> Check:
    """A record inside another: a map."""
    name = class_.__qualname__.rpartition(".")[2]

    def write(value: Any) -> Any:
        # Looked up when it is needed, because classes may refer to themselves.
        schema = schema_of(class_)
        if not schema.is_instance(value):
            raise ConversionError(f"must be {name}, not {describe(value)}")
        try:
            return schema.take_apart(value)
        except ValueError as error:
            raise ConversionError(f"must be {name}: {error}") from error

    def read(value: Any) -> Any:
        if schema_of(class_).is_instance(value):
            return value  # a codec or a registered class has made it
        if not isinstance(value, dict) and hasattr(value, "as_dict"):
            value = value.as_dict()  # a user-defined type of Cassandra
        if not isinstance(value, dict):
            raise ConversionError(f"must be a map for {name}, not {describe(value)}")
        try:
            return schema_of(class_).read(value)  # pyright: ignore[reportUnknownArgumentType]
        except ValueError as error:
            raise ConversionError(f"must be {name}: {error}") from error

    return Check(name, write, read)


def _union(checks: list[Check]) -> Check:
    text = " or ".join(it.text for it in checks)
    nullable = any(it.nullable for it in checks)
    others = [it for it in checks if it.text != "None"]
    if nullable and len(others) == 1:
        # Says what is wrong inside, and not only that neither fits.
        return Check(text, _or_none(others[0].write), _or_none(others[0].read), nullable=True)

    def through(way: Callable[[Check], Callable[[Any], Any]]) -> Callable[[Any], Any]:
        ways = [way(it) for it in checks]

        def check(value: Any) -> Any:
            for each in ways:
                try:
                    return each(value)
                except ConversionError:  # noqa: PERF203
                    continue
            raise ConversionError(f"must be {text}, not {describe(value)}")

        return check

    return Check(text, through(lambda it: it.write), through(lambda it: it.read), nullable)


def _or_none(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else check(value)


def _literal(options: tuple[Any, ...]) -> Check:
    text = " or ".join(map(repr, options))

    def fits(value: Any) -> bool:
        return any(type(value) is type(it) and value == it for it in options)

    return _both(text, fits, nullable=None in options)


def _list(item: Check | None) -> Check:
    if item is None:
        return _both("list", lambda value: isinstance(value, (list, tuple)))
    return Check(f"list[{item.text}]", _each(item.write), _each(item.read))


def _each(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def all_of(value: Any) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise ConversionError(f"must be list, not {describe(value)}")
        return [_at(at, check, it) for at, it in enumerate(value)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

    return all_of


def _at(place: Any, check: Callable[[Any], Any], value: Any) -> Any:
    try:
        return check(value)
    except ConversionError as error:
        raise error.inside(place) from error.__cause__


def _tuple(items: list[Check | None]) -> Check:
    """A tuple, which is stored as a list: of any length, or with a type for each item."""
    if not items:
        return Check("tuple", _each(_same), _as_tuple(_each(_same)))
    first = items[0]
    if len(items) == 2 and items[1] is None and first is not None:
        return Check(f"tuple[{first.text}, ...]", _each(first.write), _as_tuple(_each(first.read)))
    checks = [it for it in items if it is not None]

    return Check(
        f"tuple[{', '.join(it.text for it in checks)}]",
        _one_by_one([it.write for it in checks]),
        _as_tuple(_one_by_one([it.read for it in checks])),
    )


def _as_tuple(check: Callable[[Any], list[Any]]) -> Callable[[Any], tuple[Any, ...]]:
    def read(value: Any) -> tuple[Any, ...]:
        return tuple(check(value))

    return read


def _one_by_one(ways: list[Callable[[Any], Any]]) -> Callable[[Any], list[Any]]:
    def through(value: Any) -> list[Any]:
        items: list[Any] = _each(_same)(value)
        if len(items) != len(ways):
            raise ConversionError(f"must have {len(ways)} items, not {len(items)}")
        return [_at(at, way, it) for at, (way, it) in enumerate(zip(ways, items, strict=True))]

    return through


def _map(items: list[Check]) -> Check:
    if len(items) != 2:
        return _both("dict", lambda value: isinstance(value, abc.Mapping))
    key, item = items

    return Check(
        f"dict[{key.text}, {item.text}]",
        _entries(key.write, item.write),
        _entries(key.read, item.read),
    )


def _entries(
    key_way: Callable[[Any], Any], way: Callable[[Any], Any]
) -> Callable[[Any], dict[Any, Any]]:
    def through(value: Any) -> dict[Any, Any]:
        if not isinstance(value, abc.Mapping):
            raise ConversionError(f"must be dict, not {describe(value)}")
        mapping: abc.Mapping[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {_at(at, key_way, at): _at(at, way, it) for at, it in mapping.items()}

    return through
