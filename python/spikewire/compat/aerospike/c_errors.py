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

    Function = TypeVar("Function", bound=Callable[..., Any])

Kind = TypeVar("Kind", bound=type)

__all__ = ["with_c_errors", "with_c_errors_on_methods"]


def _message(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> str:
    """The message for these arguments."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters[0].name == "self":
        parameters, args = parameters[1:], args[1:]
    name = f"{function.__name__}()"
    total = len(args) + len(named)
    if total > len(parameters):
        which = "keyword argument" if not args else "argument"
        plural = "" if len(parameters) == 1 else "s"
        return f"{name} takes at most {len(parameters)} {which}{plural} ({total} given)"
    for at, each in enumerate(parameters):
        if at < len(args):
            if each.name in named:
                return f"argument for {name} given by name ('{each.name}') and position ({at + 1})"
        elif each.default is each.empty and each.name not in named:
            return f"{name} missing required argument '{each.name}' (pos {at + 1})"
    known = {each.name for each in parameters}
    odd = next((each for each in named if each not in known), "")
    return f"'{odd}' is an invalid keyword argument for {name}"


def with_c_errors(function: Function) -> Function:
    """The function with these messages."""

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError as error:
            raised = error.__traceback__
            if raised is not None and raised.tb_next is not None:
                raise  # Raised inside the function.
            text = _message(function, args, named)
        raise TypeError(text)

    return called  # type: ignore[return-value]  # pyright: ignore[reportReturnType]


def with_c_errors_on_methods(kind: Kind) -> Kind:
    """The class with these messages for its public methods, including inherited ones."""
    for name in dir(kind):
        method: Any = inspect.getattr_static(kind, name)
        if not name.startswith("_") and inspect.isfunction(method):
            if hasattr(method, "__objclass__"):  # A parent class has wrapped it.
                method = vars(method)["__wrapped__"]
            parameters = inspect.signature(method).parameters.values()
            if not any(each.kind is each.VAR_POSITIONAL for each in parameters):
                wrapper: Any = with_c_errors(method)
                wrapper.__objclass__ = kind  # As methods written in C have it.
                setattr(kind, name, wrapper)
    return kind
