"""Python's messages for calls with wrong arguments, in the words of functions written in C.

Programs match these messages: ``missing required argument 'key' (pos 1)``.
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Called = TypeVar("Called", bound=Callable[..., Any])

Kind = TypeVar("Kind", bound=type)

__all__ = ["worded", "worded_class"]


def _complaint(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """The message for these arguments."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters[0].name == "self":
        parameters, given = parameters[1:], given[1:]
    name = f"{function.__name__}()"
    total = len(given) + len(named)
    if total > len(parameters):
        which = "keyword argument" if not given else "argument"
        plural = "" if len(parameters) == 1 else "s"
        return f"{name} takes at most {len(parameters)} {which}{plural} ({total} given)"
    for at, each in enumerate(parameters):
        if at < len(given):
            if each.name in named:
                return f"argument for {name} given by name ('{each.name}') and position ({at + 1})"
        elif each.default is each.empty and each.name not in named:
            return f"{name} missing required argument '{each.name}' (pos {at + 1})"
    known = {each.name for each in parameters}
    odd = next((each for each in named if each not in known), "")
    return f"'{odd}' is an invalid keyword argument for {name}"


def worded(function: Called) -> Called:
    """The function with these messages."""

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError as error:
            raised = error.__traceback__
            if raised is not None and raised.tb_next is not None:
                raise  # Raised inside the function.
            text = _complaint(function, given, named)
        raise TypeError(text)

    return called  # type: ignore[return-value]  # pyright: ignore[reportReturnType]


def worded_class(kind: Kind) -> Kind:
    """The class with these messages for its public methods, including inherited ones."""
    for name in dir(kind):
        found: Any = inspect.getattr_static(kind, name)
        if not name.startswith("_") and inspect.isfunction(found):
            if hasattr(found, "__objclass__"):  # A parent class has wrapped it.
                found = vars(found)["__wrapped__"]
            parameters = inspect.signature(found).parameters.values()
            if not any(each.kind is each.VAR_POSITIONAL for each in parameters):
                called: Any = worded(found)
                called.__objclass__ = kind  # As methods written in C have it.
                setattr(kind, name, called)
    return kind
