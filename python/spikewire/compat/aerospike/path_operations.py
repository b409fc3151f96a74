"""Path operations: their dictionaries and expressions, converted for the engine."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire import Expression, Operation
from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike.expressions import Removal, engine_expression
from spikewire.compat.aerospike.failures import of_code, reject
from spikewire.compat.aerospike.paths import CDT_FLAGS_KEY, MODIFYING_KEY, steps

if TYPE_CHECKING:
    from spikewire.types import PathReturn

__all__ = ["PATHS", "path_expression", "path_operation"]

#: The codes of operations by path.
PATHS = frozenset({codes.OP_PATH_SELECT, codes.OP_PATH_MODIFY})

_RETURNING: dict[int, PathReturn] = {0: "tree", 1: "value", 2: "key", 3: "key_value"}
_APPLY, _ACTION, _NO_FAIL = 4, 0x0F, 0x10


def _path(ctx: Any) -> Any:
    path = steps(ctx)
    if not path:
        reject("a path must have a step")
    return path


def _flags(flags: Any) -> tuple[int, bool]:
    """What is done with the elements, and whether those that fail are skipped."""
    if isinstance(flags, bool) or not isinstance(flags, int):
        reject("flags must be an int")
    return flags & _ACTION, bool(flags & _NO_FAIL)


def path_operation(code: int, name: str, of: dict[str, Any], own: Any) -> Operation:
    """The operation of a dictionary. ``own``: the serializers of the client for which it is."""
    path = _path(of.get("ctx"))
    action, no_fail = _flags(of.get(CDT_FLAGS_KEY))
    if code == codes.OP_PATH_SELECT:
        action &= ~_APPLY
        if action not in _RETURNING:  # The server's answer to the original.
            raise of_code(4, f"unknown flags of a path: {of[CDT_FLAGS_KEY]}")
        return Operation.path("select", name, path, _RETURNING[action], no_fail=no_fail)
    if action not in (0, _APPLY):
        raise of_code(4, f"unknown flags of a path: {of[CDT_FLAGS_KEY]}")
    value = of.get(MODIFYING_KEY)
    if isinstance(value, Removal):
        return Operation.path("remove", name, path, no_fail=no_fail)
    value = engine_expression(value, own)
    return Operation.path("modify", name, path, None, value, no_fail=no_fail)


def path_expression(
    ctx: Any, kind: Any, flags: Any, on: Expression, *, value: Any = None, modifies: bool = False
) -> Expression:
    """An expression that selects or modifies by path. Where its type is not what it gives, the
    server finds that it has no value."""
    path = _path(ctx)
    action, no_fail = _flags(flags)
    if not modifies and action in _RETURNING:
        tree = Expression.path("select", on, path, _RETURNING[action], no_fail=no_fail)
    elif not modifies or action not in (0, _APPLY):
        return Expression.unknown()
    elif isinstance(value, Removal):
        tree = Expression.path("remove", on, path, no_fail=no_fail)
    else:
        value = engine_expression(value)
        tree = Expression.path("modify", on, path, None, value, no_fail=no_fail)
    return tree if {4: "LIST", 5: "MAP"}.get(kind) == tree.kind else Expression.unknown()
