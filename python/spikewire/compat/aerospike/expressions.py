"""Compiled expressions, as policies and operations receive them."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from spikewire import Expression
from spikewire.compat.aerospike.exception import AerospikeError
from spikewire.compat.aerospike.failures import of_code, reject

if TYPE_CHECKING:
    from spikewire.compat.aerospike.values import Serializers

__all__ = [
    "ExpressionTree",
    "InvalidExpression",
    "PairedExpression",
    "Removal",
    "engine_expression",
    "serializers_in_use",
]


class ExpressionTree(Protocol):
    """An expression that can be compiled."""

    def compile(self) -> Expression | PairedExpression | InvalidExpression:
        """The form that policies and operations accept."""
        raise NotImplementedError


class InvalidExpression:
    """An expression that every server rejects. Calls that use it fail as they would with the
    server's error."""

    def __init__(self, error: Exception, tree: ExpressionTree) -> None:
        self.error = error
        self.tree = tree

    def __repr__(self) -> str:
        return f"<invalid expression: {self.error}>"


class PairedExpression(NamedTuple):
    """An expression whose result is a list that alternates between keys and values."""

    expression: Expression


class Removal:
    """What ``RemoveResult`` is compiled to: it removes an element, and is not part of another
    expression."""


#: The serializers for constants while an expression is built for a client.
serializers_in_use: ContextVar[Serializers | None] = ContextVar("serializers", default=None)


def engine_expression(expression: Any, own: Serializers | None = None) -> Expression:
    """The engine's expression, from the result of ``compile()``. Raises an error for anything else.
    ``own``: the serializers of the client for which it is."""
    if isinstance(expression, Expression):
        return expression
    if isinstance(expression, PairedExpression):
        return expression.expression
    if not isinstance(expression, InvalidExpression):
        reject(f"an expression must be compiled, got {type(expression).__name__}")
    if own is not None and own.serializer is not None:
        token = serializers_in_use.set(own)
        try:
            expression = expression.tree.compile()
        finally:
            serializers_in_use.reset(token)
        if isinstance(expression, PairedExpression):
            expression = expression.expression
        if isinstance(expression, Expression):
            return expression
    error = expression.error
    if isinstance(error, AerospikeError) and str(error.msg).startswith("Cannot serialize"):
        raise of_code(-1, str(error.msg))
    if isinstance(error, (AerospikeError, NotImplementedError)):
        raise error
    text = str(error)
    # Errors of the engine about an operator and its operands, which in the official client come
    # from the server.
    of_server = text.startswith("`") or "expression: " in text
    converted: Any = of_code(4 if of_server else -2, text)
    if of_server:
        converted.of_expression = True  # A batch has it as its result.
    raise converted
