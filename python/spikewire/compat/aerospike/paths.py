"""Converts the path to a nested list or map, which programs build with ``cdt_ctx``."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire import Expression, ctx
from spikewire.compat.aerospike.expressions import engine_expression
from spikewire.compat.aerospike.failures import reject
from spikewire.compat.aerospike.values import outgoing
from spikewire.ctx import Step

__all__ = [
    "CDT_CTX_FILTER_KEY",
    "CDT_CTX_ORDER_KEY",
    "CDT_CTX_PAD_KEY",
    "CDT_FLAGS_KEY",
    "LIST_ORDERS",
    "MAP_ORDERS",
    "MODIFYING_KEY",
    "packed",
    "steps",
]

CDT_CTX_ORDER_KEY = "order_key"
CDT_CTX_PAD_KEY = "pad_key"
CDT_CTX_FILTER_KEY = "filter_expr"
CDT_FLAGS_KEY = "cdt_flags"
MODIFYING_KEY = "mod_exp"

_CHILDREN, _AND, _KEYS_IN = 0x04, 0x204, 0x2A

LIST_ORDERS = {0: "unordered", 1: "ordered"}
MAP_ORDERS = {0: "unordered", 1: "key", 3: "key_value"}


def _step(of: Any) -> Step:
    kind = getattr(of, "id", None)
    if not isinstance(kind, int):
        reject("Failed to convert ctx, id")
    value, more = outgoing(of.value), of.extra_args or {}
    if kind in (_CHILDREN, _AND):
        if CDT_CTX_FILTER_KEY not in more:
            return ctx.all_children()
        make = ctx.all_children if kind == _CHILDREN else ctx.and_where
        return make(engine_expression(more[CDT_CTX_FILTER_KEY]))
    if kind == _KEYS_IN:
        if not isinstance(value, list):
            reject("the keys of a step must be a list")
        return ctx.map_keys_in(value)
    if kind in (0x10, 0x11, 0x14, 0x20, 0x21) and (
        isinstance(value, bool) or not isinstance(value, int)
    ):
        reject("the step's index or rank must be an integer")
    order = more.get(CDT_CTX_ORDER_KEY, 0)
    if kind == 0x14:
        if order not in LIST_ORDERS:
            reject("order_key is invalid")
        return Step("list_index_create", value, LIST_ORDERS[order], bool(more.get(CDT_CTX_PAD_KEY)))
    if kind == 0x24:
        if order not in MAP_ORDERS:
            reject("order_key is invalid")
        return Step("map_key_create", value, MAP_ORDERS[order])
    makers: dict[int, Any] = {
        0x10: ctx.list_index, 0x11: ctx.list_rank, 0x13: ctx.list_value, 0x20: ctx.map_index,
        0x21: ctx.map_rank, 0x22: ctx.map_key, 0x23: ctx.map_value,
    }  # fmt: skip
    if kind not in makers:
        reject("unknown kind of step")
    step: Step = makers[kind](value)
    return step


def _within(path: list[Step]) -> bytes:
    on = Expression.bin("a", dict)
    return bytes(Expression.call("map", "size", on, (), path))


def packed(path: list[Step]) -> bytes:
    """The wire form of a path, extracted from an expression that contains it."""
    first = bytes((0x92, 0x10, 0))  # The path of list index 0.
    before, _, after = _within([ctx.list_index(0)]).partition(first)
    return _within(path)[len(before) : -len(after)]


def steps(path: Any) -> list[Step] | None:
    """The engine's path."""
    if path is None:
        return None
    if not isinstance(path, list):
        reject("ctx must be a list")
    return [_step(each) for each in path] or None
