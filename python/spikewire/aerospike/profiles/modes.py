"""The consistency mode of a call's namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from spikewire._native import AsyncDataset, Dataset, Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Mode", "listed", "mode_of"]

#: Consistency modes, which are names of sections.
Mode: TypeAlias = Literal["available", "strong"]

_POINT = frozenset(
    {"get", "exists", "put", "add", "append", "prepend", "delete", "touch", "apply", "operate"}
)
_WHOLE = frozenset({"query", "operate_all", "delete_all", "touch_all", "apply_all"})
#: The name of the first parameter of the other verbs.
_INPUTS = {"put_many": "records", "batch": "rows"}


def mode_of(
    target: Any, verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> Mode | None:
    """The mode of the namespace of a call of a client or dataset.

    ``None`` if unknown, because the client is not connected or the cluster has no such namespace,
    and if the call is about namespaces of both modes. Invalid keys are left to the call itself,
    which rejects them.
    """
    if isinstance(target, (Dataset, AsyncDataset)):
        return _named(target._is_strong())  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    names = _namespaces(verb, arguments, options)
    strong = {target._is_strong(name) for name in names}  # noqa: SLF001
    return _named(strong.pop()) if len(strong) == 1 else None


def listed(
    verb: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, with a list instead of an iterator, so that it can be read twice."""
    if verb in _POINT or verb in _WHOLE:
        return arguments, options
    name = _INPUTS.get(verb, "keys")
    first: Any = arguments[0] if arguments else options.get(name)
    if not hasattr(first, "__next__"):
        return arguments, options
    if arguments:
        return (list(first), *arguments[1:]), options
    return arguments, {**options, name: list(first)}


def _named(strong: bool | None) -> Mode | None:
    if strong is None:
        return None
    return "strong" if strong else "available"


def _namespaces(verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> set[str]:
    if verb in _WHOLE:
        named = arguments[0] if arguments else options.get("namespace")
        return {named} if isinstance(named, str) else set()
    if verb in _POINT:
        return set(_of_keys([arguments[0] if arguments else options.get("key")]))
    source: Any = arguments[0] if arguments else options.get(_INPUTS.get(verb, "keys"))
    if hasattr(source, "keys"):
        return set(_of_keys(source.keys()))
    if not (hasattr(source, "__len__") and hasattr(source, "__iter__")):
        return set()
    rows: Iterable[Any] = source
    if verb == "batch":
        rows = [getattr(row, "key", None) for row in rows]
    elif verb == "put_many":
        rows = [next(iter(row), None) for row in rows if hasattr(row, "__iter__")]
    return set(_of_keys(rows))


def _of_keys(keys: Iterable[Any]) -> Iterator[str]:
    for key in keys:
        if isinstance(key, Key):
            yield key.namespace
        elif isinstance(key, tuple):
            first: Any = next(iter(cast("Any", key)), None)
            if isinstance(first, str):
                yield first
