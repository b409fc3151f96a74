"""The building blocks of expressions."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic
from __future__ import annotations

from typing import Any

import spikewire
from spikewire import Expression, op
from spikewire.compat.aerospike.exception import AerospikeError
from spikewire.compat.aerospike.expressions import (
    InvalidExpression,
    PairedExpression,
    serializers_in_use,
)
from spikewire.compat.aerospike.failures import missing
from spikewire.compat.aerospike.operation_arguments import arguments_of
from spikewire.compat.aerospike.paths import steps
from spikewire.compat.aerospike.values import outgoing

__all__ = [
    "Absent",
    "Call",
    "Operator",
    "ResultType",
    "ReturnType",
    "list_of",
    "map_of",
    "operand",
    "text_of",
]


class ResultType:
    """Value types, by number."""

    NIL = 0
    BOOLEAN = 1
    INTEGER = 2
    STRING = 3
    LIST = 4
    MAP = 5
    BLOB = 6
    FLOAT = 7
    GEOJSON = 8
    HLL = 9


class ReturnType:
    """What a return type is combined with to select everything else."""

    LIST_RETURN_INVERTED = 0x10000
    MAP_RETURN_INVERTED = 0x10000


# Names of types for annotations, under which the official client has them.
TypeAny = Any
TypeChild = int | float | str | bytes | Any
TypeChildren = tuple[TypeChild, ...]
TypeResultType = int | None
TypeFixedEle = int | float | str | bytes | dict[Any, Any]
TypeFixed = dict[str, TypeFixedEle] | None
TypeCompiledOp = tuple[int, TypeResultType, TypeFixed, int]
TypeExpression = Expression

KINDS: dict[int, type[Any]] = {
    1: bool,
    2: int,
    3: str,
    4: list,
    5: dict,
    6: bytes,
    7: float,
    8: spikewire.GeoJSON,
    9: spikewire.HyperLogLog,
}
_OWN: dict[str, type[Any]] = {
    "list": list,
    "map": dict,
    "bit": bytes,
    "hll": spikewire.HyperLogLog,
    "string": str,
}


_KEY_VALUE, _INVERTED = 8, 0x10000


#: Operations for which no end means that the range is open. In other operations of the official
#: client it means nil.
_OPEN = frozenset(
    {
        ("list", "remove_by_value_range"),
        ("map", "remove_by_key_range"),
        ("map", "get_by_value_range"),
    }
)
#: The ends of ranges, by operation.
_ENDS = {
    ("list", "by_value_range"): ("value_end",),
    ("map", "by_value_range"): ("range",),
    ("map", "by_key_range"): ("range", "val"),
}


class _BaseExpr:
    """An expression. ``compile()`` returns what policies and operations accept."""

    _operator: str | None = None
    _operands: tuple[Any, ...] = ()

    def compile(self) -> Expression | PairedExpression | InvalidExpression:
        """The form that policies and operations accept."""
        try:
            expression = self._whole()
            return PairedExpression(expression) if self._is_paired({}) else expression
        except (TypeError, ValueError, OverflowError, AerospikeError) as error:
            return InvalidExpression(error, self)

    def _to_expression(self) -> Expression:
        raise NotImplementedError

    def _whole(self) -> Expression:
        """The expression when it is not part of another one."""
        return self._to_expression()

    def _is_paired(self, variables: dict[str, bool]) -> bool:
        """Whether its result alternates between keys and values. ``variables``: which variables
        do."""
        del variables
        return False

    def _joined(self, operator: str, right: Any) -> Operator:
        """Combines operands of the same operator on either side, as the official client does."""
        ours = self._operands if self._operator == operator else (self,)
        same = isinstance(right, _BaseExpr) and right._operator == operator
        return Operator(operator, *ours, *(right._operands if same else (right,)))

    def __add__(self, right: Any) -> Operator:
        return self._joined("+", right)

    def __sub__(self, right: Any) -> Operator:
        return self._joined("-", right)

    def __mul__(self, right: Any) -> Operator:
        return self._joined("*", right)

    def __truediv__(self, right: Any) -> Operator:
        return self._joined("/", right)

    def __floordiv__(self, right: Any) -> Operator:
        return Operator("floor", self._joined("/", right))

    def __pow__(self, right: Any) -> Operator:
        return self._joined("**", right)

    def __mod__(self, right: Any) -> Operator:
        return self._joined("%", right)

    def __abs__(self) -> _BaseExpr:
        return self if self._operator == "abs" else Operator("abs", self)

    def __floor__(self) -> _BaseExpr:
        return self if self._operator == "floor" else Operator("floor", self)

    def __ceil__(self) -> _BaseExpr:
        return self if self._operator == "ceil" else Operator("ceil", self)


def operand(value: Any) -> Any:
    """Converts an operand for the engine."""
    if isinstance(value, _BaseExpr):
        return value._to_expression()
    if isinstance(value, list):
        return [operand(each) for each in value]
    if isinstance(value, dict):
        return {operand(name): operand(each) for name, each in value.items()}
    return outgoing(value, serializers_in_use.get())


class Operator(_BaseExpr):
    """An operator on operands."""

    def __init__(self, name: str, *operands: Any) -> None:
        self._operator = name
        self._operands = operands

    def _to_expression(self) -> Expression:
        return Expression.apply(
            self._operator or "", tuple(operand(each) for each in self._operands)
        )

    def _is_paired(self, variables: dict[str, bool]) -> bool:
        if self._operator != "when":
            return False
        *branches, last = self._operands
        values = (*branches[1::2], last)
        return all(isinstance(each, _BaseExpr) and each._is_paired(variables) for each in values)


class Call(_BaseExpr):
    """An operation on a list, map, bytes or sketch."""

    _operation: tuple[str, str]

    def __init__(
        self, on: Any, ctx: Any, value_type: int | None = None, /, **arguments: Any
    ) -> None:
        self._on = on
        self._ctx = ctx
        self._arguments = arguments
        self._value_type = value_type

    def _to_expression(self) -> Expression:
        family, kind = self._operation
        arguments = {
            name: value if name.endswith("policy") else operand(value)
            for name, value in self._arguments.items()
        }
        for name in _ENDS.get((family, kind.partition("_")[2]), ()):
            if arguments.get(name) is op.INFINITY:  # A range up to it has no end.
                arguments[name] = None
            elif name in arguments and arguments[name] is None:
                nothing = self._arguments[name] is None
                if not (nothing and (family, kind) in _OPEN):  # It is the value nil.
                    arguments[name] = Expression.value(None)
        operands = arguments_of(family, kind, arguments)
        on = _on(self._on, _OWN[family])
        value_type = None if self._value_type is None else KINDS.get(self._value_type)
        if family in ("list", "map"):
            return Expression.call(family, kind, on, operands, steps(self._ctx), value_type)
        return Expression.call(family, kind, on, operands)

    def _whole(self) -> Expression:
        if self._value_type != ResultType.NIL:
            return self._to_expression()
        # The value is nil, or the expression fails. Its type is that of what it is compared with.
        nil = Expression.value(None)
        is_nil = Expression.apply("==", (self._to_expression(), nil))
        return Expression.apply("when", (is_nil, nil, Expression.unknown()))

    def _is_paired(self, variables: dict[str, bool]) -> bool:
        del variables
        number = self._arguments.get("return_type")
        of_map = self._operation[0] == "map" and self._operation[1].startswith("get_by_")
        return of_map and isinstance(number, int) and number & ~_INVERTED == _KEY_VALUE


def _on(value: Any, kind: type[Any]) -> Any:
    if isinstance(value, str):
        return Expression.bin(value, kind)
    return operand(value)


class list_of(_BaseExpr):
    """A list: a bin given by name, an expression or a constant."""

    kind: type[Any] = list

    def __init__(self, value: Any) -> None:
        self._value = value

    def _to_expression(self) -> Expression:
        expression = _on(self._value, self.kind)
        return expression if isinstance(expression, Expression) else Expression.value(expression)


class map_of(list_of):
    """A map: a bin given by name, an expression or a constant."""

    kind = dict


class text_of(list_of):
    """A text: a bin given by name, an expression or a constant."""

    kind = str


class Absent(_BaseExpr):
    """An expression that is not supported."""

    def __init__(self, *args: Any, **named: Any) -> None:
        del args, named
        missing(f"expressions.{type(self).__name__}")
