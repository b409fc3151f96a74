"""Converts the dictionaries of operations to operations of the engine."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire import Expression, Operation
from spikewire._native import OfficialOperations
from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike.expressions import engine_expression
from spikewire.compat.aerospike.failures import failure, missing, of_code, reject
from spikewire.compat.aerospike.operation_arguments import RECIPES, ArgumentOptions, check_flags
from spikewire.compat.aerospike.path_operations import PATHS, path_operation
from spikewire.compat.aerospike.paths import steps
from spikewire.compat.aerospike.values import KeyOrderedDict, deserializer_of, incoming, outgoing

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.compat.aerospike.operation_arguments import Recipe
    from spikewire.compat.aerospike.values import Serializers

__all__ = [
    "PLAIN",
    "QUIET",
    "WRITES",
    "OperationRules",
    "PreparedOperations",
    "official_result",
    "operation_rules",
    "prepare",
    "results_of",
    "text_of",
]

#: Operations on whole bins and records, with the engine's verbs.
PLAIN = {
    codes.OPERATOR_READ: "get",
    codes.OPERATOR_WRITE: "put",
    codes.OPERATOR_INCR: "add",
    codes.OPERATOR_APPEND: "append",
    codes.OPERATOR_PREPEND: "prepend",
    codes.OPERATOR_TOUCH: "touch",
    codes.OPERATOR_DELETE: "delete",
}

_READING = (
    *("get", "size", "count", "lscan", "rscan", "describe", "may_contain", "join", "base64"),
    *("length", "substring", "char_at", "find", "contains", "starts_with", "ends_with", "to_"),
    *("byte_length", "is_", "split", "from_base64", "matches"),
)
_OTHERS = PATHS | {codes.OP_EXPR_READ, codes.OP_EXPR_WRITE}

#: The codes of operations that write.
WRITES = frozenset(
    {code for code in PLAIN if code != codes.OPERATOR_READ}
    | {code for code, recipe in RECIPES.items() if not recipe.kind.startswith(_READING)}
    | {codes.OP_EXPR_WRITE, codes.OP_PATH_MODIFY}
)
#: Operations among them whose result is meaningless.
QUIET = WRITES.intersection(PLAIN)
#: Operations without a result, unless there are others.
_SILENT = (
    PLAIN.keys() | PATHS | {code for code, recipe in RECIPES.items() if recipe.family == "list"}
)

_MAX_BIN_NAME = 15
#: The engine's message for values, keys or items that are not a list, or not a dict.
_NO_SEQUENCE = re.compile(r" must be a (list or tuple|dict), not ")


class PreparedOperations(NamedTuple):
    """Operations, and what is known about their results."""

    operations: list[Operation]
    bins: list[str | None]
    returns: list[int | None]
    codes: list[int]
    all_answer: bool
    source: list[dict[str, Any]]


class OperationRules(NamedTuple):
    """How a client treats operations."""

    strict: bool
    """``strict_types``."""
    options: ArgumentOptions
    plain: OfficialOperations
    """What takes operations as they are."""


def operation_rules(
    *, strict: bool = True, validate_keys: bool = False, serializers: Serializers | None = None
) -> OperationRules:
    """How a client with these options treats operations."""
    bools = serializers is None or not serializers.bools_as_integers
    options = ArgumentOptions(validate_keys, serializers, bools)
    if not strict:
        return OperationRules(strict, options, OfficialOperations({}, bools=bools))
    collections = {code: recipe.entries for code, recipe in RECIPES.items() if recipe.is_native}
    decide = functools.partial(_decide, options)
    plain = OfficialOperations(PLAIN, bools=bools, collections=collections, decide=decide)
    return OperationRules(strict, options, plain)


def _decide(
    options: ArgumentOptions, code: int, entries: dict[str, Any]
) -> tuple[tuple[Any, ...], bool]:
    return RECIPES[code].decide(entries, options)


_USUAL = OperationRules(
    strict=True, options=ArgumentOptions(), plain=OfficialOperations(PLAIN, bools=True)
)


def prepare(operations: Any, rules: OperationRules = _USUAL) -> PreparedOperations:
    """Checks a list of dictionaries and converts it to operations. For a client that is not strict,
    invalid operations on whole bins are adapted or left out."""
    if not isinstance(operations, list):
        reject("Operations should be of type list")
    if (plain := rules.plain.plain(operations)) is not None:
        return tuple.__new__(PreparedOperations, (*plain, False, operations))
    if not rules.strict:
        operations = [each for each in map(_adapt, operations) if each is not None]
    engine_operations: list[Operation] = []
    bins: list[str | None] = []
    returns: list[int | None] = []
    numbers: list[int] = []
    for operation in operations:
        if not isinstance(operation, dict):
            reject("Operation must be a dict")
        of: dict[str, Any] = operation
        code = of.get("op")
        if not isinstance(code, int):
            reject("Operation code is missing or not an int")
        name = of.get("bin")
        if type(name) is not str:
            name = text_of(name)
        try:
            if (recipe := RECIPES.get(code)) is not None and isinstance(name, str):
                engine_operations.append(_of_recipe(recipe, name, of, rules.options))
            else:
                engine_operations.append(_operation(code, name, of, rules.options))
        except (TypeError, ValueError, OverflowError) as error:
            raise _operation_error(code, error) from None
        bins.append(name)
        returns.append(of.get("return_type"))
        numbers.append(of.get("loosely", code))
    if not engine_operations:
        reject("No operations defined")
    # Each operation has a result of its own if one of them is on a map, bits, a sketch or an
    # expression.
    all_answer = not _SILENT.issuperset(numbers)
    return tuple.__new__(
        PreparedOperations, (engine_operations, bins, returns, numbers, all_answer, operations)
    )


def _operation_error(code: int, error: Exception) -> BaseException:
    """The exception for an operation that the engine rejected."""
    if code in PATHS and isinstance(error, (TypeError, ValueError)):
        return of_code(4, str(error))
    family = RECIPES[code].family if code in RECIPES else ""
    if isinstance(error, TypeError) and _NO_SEQUENCE.search(str(error)):
        if family == "list":
            return of_code(-2, "Value must be a list")
        if family == "map":  # In the official client, the server rejects it.
            return of_code(4, str(error))
    # In the official client, the server rejects it.
    by_server = code >= codes.OP_HLL_ADD or family == "string"
    is_value = by_server and isinstance(error, ValueError)
    return of_code(4, str(error)) if is_value else failure(error)


def _adapt(operation: Any) -> Any:
    """An operation of a client with ``strict_types`` disabled. ``None`` if it is skipped."""
    if not isinstance(operation, dict):
        return operation
    of: dict[str, Any] = operation
    code, name, value = of.get("op"), text_of(of.get("bin")), of.get("val")
    if code not in PLAIN and code not in RECIPES and code not in _OTHERS:
        return None
    if isinstance(name, str) and len(name.encode()) > _MAX_BIN_NAME:
        return None
    kind = (int, float) if code == codes.OPERATOR_INCR else (str, bytes, bytearray)
    joins = code in (codes.OPERATOR_INCR, codes.OPERATOR_APPEND, codes.OPERATOR_PREPEND)
    if joins and "val" in of and not isinstance(value, kind):
        # A value that cannot be added or appended: the official client's server then creates the
        # bin with it, or fails the call.
        try:
            expression = Expression.value(outgoing(value))
        except (TypeError, ValueError, OverflowError) as error:
            raise failure(error) from None
        return of | {
            "op": codes.OP_EXPR_WRITE,
            "expr": expression,
            "expr_flags": 1,
            "loosely": code,
        }
    return of


def text_of(name: Any) -> Any:
    """A bin name, which may be given as bytes. As in C, these end at the first zero."""
    if isinstance(name, (bytes, bytearray)):
        return bytes(name).split(b"\0")[0].decode()
    return name


def _operation(code: int, name: Any, of: dict[str, Any], options: ArgumentOptions) -> Operation:
    if code in PLAIN:
        if code in (codes.OPERATOR_TOUCH, codes.OPERATOR_DELETE):
            return Operation(PLAIN[code])
        if name is None:
            reject("Bin is not given")
        if code == codes.OPERATOR_READ:
            return Operation("get", name)
        if "val" not in of:
            reject("Value should be given")
        return Operation(PLAIN[code], name, outgoing(of["val"], options.serializers))
    if not isinstance(name, str):
        reject("Bin is not given")
    if code == codes.OP_EXPR_READ:
        no_fail = bool(check_flags("expression_read", of.get("expr_flags", 0), 16))
        return Operation.read(
            name, engine_expression(of["expr"], options.serializers), no_fail=no_fail
        )
    if code == codes.OP_EXPR_WRITE:
        flags = check_flags("expression_write", of.get("expr_flags", 0), 31)
        return Operation.write(
            name,
            engine_expression(of["expr"], options.serializers),
            create_only=bool(flags & 1),
            update_only=bool(flags & 2),
            allow_delete=bool(flags & 4),
            no_fail=bool(flags & 16 or (flags & 8 and flags & 3)),
        )
    if code in PATHS:
        return path_operation(code, name, of, options.serializers)
    if code == 4 or code > 2201:
        missing("operation code")
    raise of_code(-2, "Invalid operation given" if "val" in of else "Value should be given")


def _of_recipe(
    recipe: Recipe, name: str, of: dict[str, Any], options: ArgumentOptions
) -> Operation:
    arguments, pad = recipe.arguments(of, options)
    family = recipe.family
    if family == "map":
        path = None if (path := of.get("ctx")) is None else steps(path)
        return Operation.map(recipe.kind, name, arguments, path)
    if family == "list":
        return Operation.list(recipe.kind, name, arguments, steps(of.get("ctx")), pad=pad)
    if family == "string":
        return Operation.string(recipe.kind, name, arguments, steps(of.get("ctx")))
    return (Operation.bit if family == "bit" else Operation.hll)(recipe.kind, name, arguments)


def results_of(
    plan: PreparedOperations, record: Any, serializers: Serializers | None = None
) -> list[tuple[str, Any]]:
    """The bins and results of ``operate_ordered``."""
    pairs: list[tuple[str, Any]] = []
    results = record.results
    deserializer = deserializer_of(serializers)
    for at, name in enumerate(plan.bins):
        if name is None or at >= len(results):
            continue
        value = results[at]
        if not plan.all_answer and (value is None or plan.codes[at] in QUIET):
            continue
        pairs.append((name, official_result(plan.returns[at], value, deserializer)))
    return pairs


def official_result(
    returns: int | None, value: Any, deserializer: Callable[[Any], Any] | None = None
) -> Any:
    """A result in the official client's form."""
    if isinstance(value, dict):
        if returns == 8:
            return [incoming(each, deserializer) for pair in value.items() for each in pair]
        if returns == 17:
            return KeyOrderedDict(incoming(value, deserializer))
    return incoming(value, deserializer)
