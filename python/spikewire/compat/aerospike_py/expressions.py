"""Converts the dictionaries of ``exp`` to expressions of the engine."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import spikewire
from spikewire import Expression, op
from spikewire.compat.aerospike_py.failures import NAMELESS, reject

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["filter_of"]

_DEPTH = 64
_KINDS: dict[int, type[Any]] = {2: int, 3: str, 6: bytes}
_BINS: dict[str, type[Any]] = {
    "int": int, "float": float, "string": str, "bool": bool, "blob": bytes, "list": list,
    "map": dict, "geo": spikewire.GeoJSON, "hll": spikewire.HyperLogLog,
}  # fmt: skip
_META = {
    "key_exists": "keyExists", "set_name": "setName", "record_size": "recordSize",
    "last_update": "lastUpdate", "since_update": "sinceUpdate", "void_time": "voidTime",
    "ttl": "ttl", "is_tombstone": "isTombstone",
}  # fmt: skip
_PAIRS = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<=",
          "geo_compare": "geoCompare"}  # fmt: skip
_MANY = {
    "and": "and", "or": "or", "xor": "exclusive", "num_add": "+", "num_sub": "-", "num_mul": "*",
    "num_div": "/", "min": "min", "max": "max", "int_and": "&", "int_or": "|", "int_xor": "^",
    "cond": "when",
}  # fmt: skip
_ONE = {
    "num_abs": "abs", "num_floor": "floor", "num_ceil": "ceil", "to_int": "toInt",
    "to_float": "toFloat", "int_not": "~", "int_count": "countOneBits",
}  # fmt: skip
_TWO = {
    "num_mod": "%", "num_pow": "**", "num_log": "log", "int_lshift": "<<", "int_rshift": ">>>",
    "int_arshift": ">>", "int_lscan": "findBitLeft", "int_rscan": "findBitRight",
}  # fmt: skip


def filter_of(expression: Any) -> Expression | None:
    """The expression of a policy's ``filter_expression``."""
    if expression is None or isinstance(expression, Expression):
        return expression
    if not isinstance(expression, dict) or "__expr__" not in expression:
        message = f"filter_expression must be an expression of exp, not {type(expression).__name__}"
        raise TypeError(message)
    result = _converted(expression, 0)
    return result if isinstance(result, Expression) else Expression.value(result)


def _converted(tree: Any, depth: int) -> Any:
    """An expression, or a plain value for a constant."""
    if not isinstance(tree, dict):
        message = f"expected an expression of exp, not {type(tree).__name__}"
        raise TypeError(message)
    if depth > _DEPTH:
        message = f"expressions are nested deeper than {_DEPTH}"
        raise ValueError(message)
    of: dict[str, Any] = tree
    name = _entry(of, "__expr__")
    if name in _CONSTANTS:
        return _CONSTANTS[name](of)
    if name in _META:
        return Expression.meta(_META[name])
    if name in _PAIRS:
        pair = _converted(_entry(of, "left"), depth + 1), _converted(_entry(of, "right"), depth + 1)
        return Expression.apply(_PAIRS[name], pair)
    if name == "not":
        return Expression.apply("not", (_converted(_entry(of, "expr"), depth + 1),))
    if name == "let":
        return _let(of, depth)
    if name == "regex_compare":
        return _regex(of, depth)
    if name in _MANY or name in _ONE or name in _TWO:
        return _operator(name, of, depth)
    short = name.removesuffix("_bin") if isinstance(name, str) else ""
    if short != name and short in _BINS:
        return Expression.bin(_bin(of), _BINS[short])
    message = f"{name!r} is not an expression of exp"
    raise ValueError(message)


def _entry(of: dict[str, Any], name: str) -> Any:
    if name not in of:
        message = f"an expression has no {name!r}"
        raise ValueError(message)
    return of[name]


def _bin(of: dict[str, Any]) -> Any:
    name = _entry(of, "name")
    if name == "":
        reject(f"{NAMELESS}.")
    return name


def _operator(name: str, of: dict[str, Any], depth: int) -> Expression:
    exprs = _entry(of, "exprs")
    if not isinstance(exprs, list):
        message = f"the operands of {name!r} must be a list"
        raise TypeError(message)
    operands = tuple(_converted(each, depth + 1) for each in exprs)
    if name in _TWO and len(operands) != 2:
        message = f"{name!r} takes 2 operands, not {len(operands)}"
        raise ValueError(message)
    if not operands:
        reject(f"{name!r} takes at least one operand")
    if name == "cond" and (len(operands) < 3 or len(operands) % 2 == 0):
        reject(f"'cond' takes pairs and a default, an odd number of operands, not {len(operands)}")
    if name in _ONE:
        return Expression.apply(_ONE[name], operands[:1])
    return Expression.apply((_MANY | _TWO)[name], operands)


def _let(of: dict[str, Any], depth: int) -> Expression:
    exprs = _entry(of, "exprs")
    if len(exprs) < 2:
        reject(f"'let' takes variables and an expression, not {len(exprs)} operand")
    variables: dict[str, Any] = {}
    for each in exprs[:-1]:
        if not isinstance(each, dict) or each.get("__expr__") != "def":
            reject("all operands of 'let' except the last must be 'def'")
        variables[_entry(each, "name")] = _converted(_entry(each, "value"), depth + 1)
    return Expression.let_(variables, _converted(exprs[-1], depth + 1))


def _regex(of: dict[str, Any], depth: int) -> Expression:
    text = _converted(_entry(of, "bin"), depth + 1)
    flags = _integer(_entry(of, "flags"))
    subject = text if isinstance(text, Expression) else Expression.value(text)
    return subject.matches(
        _entry(of, "regex"),
        ignore_case=bool(flags & 2),
        by_lines=bool(flags & 8),
        basic=not flags & 1,
    )


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"expected an integer, not {type(value).__name__}"
        raise TypeError(message)
    return value


def _of(*kinds: type[Any]) -> Callable[[dict[str, Any]], Any]:
    def checked(of: dict[str, Any]) -> Any:
        value = _entry(of, "val")
        if isinstance(value, bool) != (bool in kinds) or not isinstance(value, kinds):
            expected = " or ".join(kind.__name__ for kind in kinds)
            message = f"{of['__expr__']} takes {expected}, not {type(value).__name__}"
            raise TypeError(message)
        return kinds[0](value) if float in kinds else value

    return checked


def _key(of: dict[str, Any]) -> Expression:
    kind = _KINDS.get(_integer(_entry(of, "exp_type")))
    if kind is None:
        message = "exp_type must be EXP_TYPE_INT, EXP_TYPE_STRING or EXP_TYPE_BLOB"
        raise ValueError(message)
    return Expression.key(kind)


_CONSTANTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "int_val": _of(int),
    "float_val": _of(float, int),
    "string_val": _of(str),
    "bool_val": _of(bool),
    "blob_val": _of(bytes, bytearray),
    "list_val": _of(list),
    "map_val": _of(dict),
    "geo_val": lambda of: spikewire.GeoJSON(_of(str)(of)),
    "nil": lambda _: None,
    "infinity": lambda _: op.INFINITY,
    "wildcard": lambda _: op.WILDCARD,
    "key": _key,
    "digest_modulo": lambda of: Expression.digest_modulo(_integer(_entry(of, "modulo"))),
    "bin_exists": lambda of: Expression.apply("!=", (Expression.bin_type(_bin(of)), 0)),
    "bin_type": lambda of: Expression.bin_type(_bin(of)),
    "var": lambda of: Expression.var(_entry(of, "name")),
}
