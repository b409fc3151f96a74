"""Run a worker by the folder's path: `python path/to/spikewire_lab`.

The package is loaded from its folder, which need not be on the path of the interpreter, and brings
nothing of ours with it: a process that measures another client must not load our native module.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path

PACKAGE = "spikewire_lab"


def main() -> None:
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise SystemExit(f"cannot load the benchmark lab from {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    runpy.run_module(f"{PACKAGE}.process", run_name="__main__")


if __name__ == "__main__":
    main()
