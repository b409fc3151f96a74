"""Leaves omitted arguments out of the dictionary."""

from __future__ import annotations

from typing import Any

__all__ = ["operation_dict"]


def operation_dict(operation: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """The operation with the arguments that were passed."""
    for name, value in optional.items():
        if value is not None:
            operation[name] = value  # noqa: PERF403  (creating another dict takes longer)
    return operation
