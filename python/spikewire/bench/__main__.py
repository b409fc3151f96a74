"""Run a worker by the folder's path: `python path/to/bench`.

The package is loaded under another name, so the package around it, and with it our own native
module, stays out of a process that measures another client.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path

ALIAS = "spikewire_bench"


def main() -> None:
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    spec = importlib.util.spec_from_file_location(
        ALIAS, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise SystemExit(f"cannot load the benchmark lab from {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[ALIAS] = package
    spec.loader.exec_module(package)
    runpy.run_module(f"{ALIAS}.worker.run", run_name="__main__")


if __name__ == "__main__":
    main()
