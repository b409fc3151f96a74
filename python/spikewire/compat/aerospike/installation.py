"""For programs that cannot be edited: registers these modules under the official client's names."""

from __future__ import annotations

import importlib
import pkgutil
import sys

__all__ = ["install"]


def install() -> None:
    """Makes ``import aerospike`` and ``import aerospike_helpers`` find these modules, in the whole
    process.

    Must be called before anything imports the official client, or it raises ``RuntimeError``.
    """
    here = sys.modules["spikewire.compat.aerospike"]
    present = sys.modules.get("aerospike")
    if present is here:
        return
    if present is not None:
        message = "aerospike is already imported: call install() first"
        raise RuntimeError(message)
    sys.modules["aerospike"] = here
    for name in ("exception", "predicates"):
        sys.modules[f"aerospike.{name}"] = importlib.import_module(f"{here.__name__}.{name}")
    helpers = importlib.import_module("spikewire.compat.aerospike_helpers")
    sys.modules["aerospike_helpers"] = helpers
    for module in pkgutil.walk_packages(helpers.__path__, f"{helpers.__name__}."):
        short = module.name.removeprefix("spikewire.compat.")
        sys.modules[short] = importlib.import_module(module.name)
