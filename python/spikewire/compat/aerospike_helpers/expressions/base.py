"""Bins, keys, metadata, comparisons, logic and variables."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic
from __future__ import annotations

from typing import Any

import spikewire
from spikewire import Expression
from spikewire.compat.aerospike.expressions import Removal
from spikewire.compat.aerospike.path_operations import path_expression
from spikewire.compat.aerospike_helpers.expressions.hints import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import (
    Operator,
    _BaseExpr,
    operand,
)
from spikewire.compat.aerospike_helpers.expressions.resources import ResultType as ResultType

TypeExpression = Expression


class Val(_BaseExpr):
    """A constant."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def _to_expression(self) -> Expression:
        return Expression.value(operand(self._value))


class Unknown(_BaseExpr):
    """A value that is never known."""

    def _to_expression(self) -> Expression:
        return Expression.unknown()


class _Key(_BaseExpr):
    _kind: type[Any]

    def _to_expression(self) -> Expression:
        return Expression.key(self._kind)


class _Bin(_BaseExpr):
    _kind: type[Any]

    def __init__(self, bin: str) -> None:
        self._bin = bin

    def _to_expression(self) -> Expression:
        return Expression.bin(self._bin, self._kind)


class _Meta(_BaseExpr):
    _name: str

    def _to_expression(self) -> Expression:
        return Expression.meta(self._name)


class BinExists(_BaseExpr):
    """Whether the record has a bin."""

    def __init__(self, bin: str) -> None:
        self._bin = bin

    def _to_expression(self) -> Expression:
        return Expression.apply("!=", (Expression.bin_type(self._bin), 0))


class BinType(_BaseExpr):
    """The particle type of a bin."""

    def __init__(self, bin: str) -> None:
        self._bin = bin

    def _to_expression(self) -> Expression:
        return Expression.bin_type(self._bin)


class DigestMod(_BaseExpr):
    """The last bytes of the digest modulo a number."""

    def __init__(self, mod: int) -> None:
        self._mod = mod

    def _to_expression(self) -> Expression:
        return Expression.digest_modulo(self._mod)


class CmpRegex(_BaseExpr):
    """Whether text matches a regular expression."""

    def __init__(self, options: int, regex_str: str, cmp_str: Any) -> None:
        self._options, self._pattern, self._text = options, regex_str, cmp_str

    def _to_expression(self) -> Expression:
        text = operand(self._text)
        expression = text if isinstance(text, Expression) else Expression.value(text)
        return expression.matches(
            self._pattern,
            ignore_case=bool(self._options & 2),
            by_lines=bool(self._options & 8),
            basic=not self._options & 1,
        )


class CmpGeo(Operator):
    """Whether a point lies in a region."""

    def __init__(self, expr0: Any, expr1: Any) -> None:
        super().__init__("geoCompare", expr0, expr1)


class Def(_BaseExpr):
    """A variable of ``Let``."""

    def __init__(self, var_name: str, expr: Any) -> None:
        self.name, self.expr = var_name, expr

    def _to_expression(self) -> Expression:
        message = "Def can only be used inside Let"
        raise ValueError(message)


class Let(_BaseExpr):
    """Variables, and at the end the expression in which they are defined."""

    def __init__(self, *exprs: Any) -> None:
        self._exprs = exprs

    def _to_expression(self) -> Expression:
        variables = {}
        for each in self._exprs[:-1]:
            if not isinstance(each, Def):
                message = "all arguments of Let except the last must be Def"
                raise TypeError(message)
            variables[each.name] = operand(each.expr)
        return Expression.let_(variables, operand(self._exprs[-1]))

    def _is_paired(self, variables: dict[str, bool]) -> bool:
        *definitions, scope = self._exprs
        known = dict(variables)
        for each in definitions:
            known[each.name] = isinstance(each.expr, _BaseExpr) and each.expr._is_paired(known)
        return isinstance(scope, _BaseExpr) and scope._is_paired(known)


class Var(_BaseExpr):
    """The value of a variable."""

    def __init__(self, var_name: str) -> None:
        self._name = var_name

    def _to_expression(self) -> Expression:
        return Expression.var(self._name)

    def _is_paired(self, variables: dict[str, bool]) -> bool:
        return variables.get(self._name, False)


class KeyInt(_Key):
    """The stored user key."""

    _kind = int


class KeyStr(_Key):
    """The stored user key."""

    _kind = str


class KeyBlob(_Key):
    """The stored user key."""

    _kind = bytes


class BoolBin(_Bin):
    """A bin of this type."""

    _kind = bool


class IntBin(_Bin):
    """A bin of this type."""

    _kind = int


class StrBin(_Bin):
    """A bin of this type."""

    _kind = str


class FloatBin(_Bin):
    """A bin of this type."""

    _kind = float


class BlobBin(_Bin):
    """A bin of this type."""

    _kind = bytes


class GeoBin(_Bin):
    """A bin of this type."""

    _kind = spikewire.GeoJSON


class ListBin(_Bin):
    """A bin of this type."""

    _kind = list


class MapBin(_Bin):
    """A bin of this type."""

    _kind = dict


class HLLBin(_Bin):
    """A bin of this type."""

    _kind = spikewire.HyperLogLog


class KeyExists(_Meta):
    """Metadata of the record."""

    _name = "keyExists"


class SetName(_Meta):
    """Metadata of the record."""

    _name = "setName"


class DeviceSize(_Meta):
    """Metadata of the record."""

    _name = "deviceSize"


class MemorySize(_Meta):
    """Metadata of the record."""

    _name = "memorySize"


class RecordSize(_Meta):
    """Metadata of the record."""

    _name = "recordSize"


class LastUpdateTime(_Meta):
    """Metadata of the record."""

    _name = "lastUpdate"


class SinceUpdateTime(_Meta):
    """Metadata of the record."""

    _name = "sinceUpdate"


class VoidTime(_Meta):
    """Metadata of the record."""

    _name = "voidTime"


class TTL(_Meta):
    """Metadata of the record."""

    _name = "ttl"


class IsTombstone(_Meta):
    """Metadata of the record."""

    _name = "isTombstone"


class Eq(Operator):
    """``==``."""

    def __init__(self, expr0: Any, expr1: Any) -> None:
        super().__init__("==", expr0, expr1)


class NE(Operator):
    """``!=``."""

    def __init__(self, expr0: Any, expr1: Any) -> None:
        super().__init__("!=", expr0, expr1)


class GT(Operator):
    """``>``."""

    def __init__(self, expr0: Any, expr1: Any) -> None:
        super().__init__(">", expr0, expr1)


class GE(Operator):
    """``>=``."""

    def __init__(self, expr0: Any, expr1: Any) -> None:
        super().__init__(">=", expr0, expr1)


class LT(Operator):
    """``<``."""

    def __init__(self, expr0: Any, expr1: Any) -> None:
        super().__init__("<", expr0, expr1)


class LE(Operator):
    """``<=``."""

    def __init__(self, expr0: Any, expr1: Any) -> None:
        super().__init__("<=", expr0, expr1)


class And(Operator):
    """``and``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("and", *exprs)


class Or(Operator):
    """``or``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("or", *exprs)


class Exclusive(Operator):
    """``exclusive``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("exclusive", *exprs)


class Cond(Operator):
    """``when``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("when", *exprs)


class Not(Operator):
    """``not``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("not", *exprs)


class LoopVar(_BaseExpr):
    """The element that a path is at, or what is known of it."""

    _type: int | None = None

    def __init__(self, var_id: int) -> None:
        self._var_id = var_id

    def _to_expression(self) -> Expression:
        kind, part = self._type, self._var_id
        if kind is None:
            raise TypeError("a loop variable must have a type: LoopVarInt, LoopVarStr and so on")
        if part not in (0, 1, 2) or (part == 2 and kind != ResultType.INTEGER):
            raise ValueError(f"expression: no loop variable {part} of type {kind}")
        return Expression.from_bytes(bytes((0x93, 0x7A, kind, part)))


class LoopVarMap(LoopVar):
    """The same, of this type."""

    _type = ResultType.MAP


class LoopVarList(LoopVar):
    """The same, of this type."""

    _type = ResultType.LIST


class LoopVarStr(LoopVar):
    """The same, of this type."""

    _type = ResultType.STRING


class LoopVarFloat(LoopVar):
    """The same, of this type."""

    _type = ResultType.FLOAT


class LoopVarInt(LoopVar):
    """The same, of this type."""

    _type = ResultType.INTEGER


class LoopVarBlob(LoopVar):
    """The same, of this type."""

    _type = ResultType.BLOB


class LoopVarBool(LoopVar):
    """The same, of this type."""

    _type = ResultType.BOOLEAN


class LoopVarNil(LoopVar):
    """The same, of this type."""

    _type = ResultType.NIL


class LoopVarGeoJson(LoopVar):
    """The same, of this type."""

    _type = ResultType.GEOJSON


class LoopVarHLL(LoopVar):
    """The same, of this type."""

    _type = ResultType.HLL


class RemoveResult(_BaseExpr):
    """Removes an element, as the expression of ``ModifyByPath`` and ``modify_by_path``."""

    def compile(self) -> Any:
        """The form that these accept."""
        return Removal()

    def _to_expression(self) -> Expression:
        raise ValueError("expression: RemoveResult is not part of another expression")


class SelectByPath(_BaseExpr):
    """The elements at the end of a path."""

    def __init__(self, ctx: list[Any], value_type: Any, flags: int, bin: Any) -> None:
        self._ctx, self._value_type, self._flags, self._bin = ctx, value_type, flags, bin

    def _to_expression(self) -> Expression:
        return path_expression(self._ctx, self._value_type, self._flags, operand(self._bin))


class ModifyByPath(_BaseExpr):
    """The list or map with the elements at the end of a path replaced or removed."""

    def __init__(self, ctx: list[Any], value_type: Any, mod_exp: Any, flags: int, bin: Any) -> None:
        self._ctx, self._value_type, self._value = ctx, value_type, mod_exp
        self._flags, self._bin = flags, bin

    def _to_expression(self) -> Expression:
        on, value = operand(self._bin), self._value
        return path_expression(
            self._ctx, self._value_type, self._flags, on, value=value, modifies=True
        )
