"""For programs that cannot be edited: registers these modules under aerospike-py's names."""

from __future__ import annotations

import importlib
import sys

__all__ = ["install"]

_MODULES = (
    "bit_operations", "exception", "exp", "hll_operations", "list_operations", "map_operations",
    "numpy_batch", "predicates", "types",
)  # fmt: skip


def install() -> None:
    """Makes ``import aerospike_py`` find these modules, in the whole process.

    Must be called before anything imports the original, or it raises ``RuntimeError``.
    """
    here = sys.modules["spikewire.compat.aerospike_py"]
    present = sys.modules.get("aerospike_py")
    if present is here:
        return
    if present is not None:
        message = "aerospike_py is already imported: call install() first"
        raise RuntimeError(message)
    sys.modules["aerospike_py"] = here
    for name in _MODULES:
        sys.modules[f"aerospike_py.{name}"] = importlib.import_module(f"{here.__name__}.{name}")
