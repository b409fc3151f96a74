"""The log: a program's log handler is called when clients are created and closed. The engine has no
other log of its own."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.c_errors import with_c_errors
from spikewire.compat.aerospike.failures import reject

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["set_log_handler", "set_log_level", "trace"]

_TRACE = 4


class _State:
    level = -1
    handler: Callable[..., Any] | None = None


@with_c_errors
def set_log_level(loglevel: int) -> int:
    """Sets the minimum level of the lines for the handler; ``LOG_LEVEL_TRACE`` includes all."""
    if not isinstance(loglevel, int):
        reject("Invalid log level")
    if not -(1 << 63) <= loglevel < 1 << 63:
        reject("integer value exceeds sys.maxsize")
    _State.level = loglevel
    return 0


@with_c_errors
def set_log_handler(log_handler: Callable[..., Any] | None = None) -> int:
    """Sets a function of level, function, path, line and text; ``None`` removes it."""
    if log_handler is not None and not callable(log_handler):
        reject("Parameter must be a callable")
    _State.handler = log_handler
    return 0


def trace(where: str, text: str) -> None:
    """Logs a line at the level for programs that want to see everything."""
    handler = _State.handler
    if handler is not None and _State.level >= _TRACE:
        handler(_TRACE, where, __file__, 0, text)
