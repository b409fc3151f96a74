"""The notebook runs from top to bottom in a real kernel, and is stored without outputs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples/python/tour.ipynb"
SAID = re.compile(r"^\s*print\(.*\)  # (.+)$", re.MULTILINE)

RUN = """
import json, sys
import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
manager = AsyncKernelManager(kernel_name="python3", transport="ipc")
NotebookClient(notebook, km=manager, timeout=100).execute()
print(json.dumps([cell.get("outputs", []) for cell in notebook.cells]))
"""


def test_notebook_is_stored_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []


def test_notebook_runs() -> None:
    for needed in ("nbclient", "ipykernel", "pandas"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    # Not in pytest's folder: paths of sockets must be short.
    with tempfile.TemporaryDirectory() as folder:
        folders = dict.fromkeys(("JUPYTER_RUNTIME_DIR", "IPYTHONDIR"), folder)
        ran = subprocess.run(
            [sys.executable, "-c", RUN, str(NOTEBOOK)],
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
            cwd=folder,
            env=os.environ | folders | {"JUPYTER_PREFER_ENV_PATH": "1"},
        )
    assert ran.returncode == 0, ran.stderr
    outputs = json.loads(ran.stdout.splitlines()[-1])
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    for cell, expected in zip(cells, outputs, strict=True):
        # A cell that raises has ended the run; one that warns has written to stderr.
        assert [output for output in expected if output.get("name") == "stderr"] == []
        if cell["cell_type"] == "code":
            text = "".join(output.get("text", "") for output in expected)
            assert text.splitlines() == SAID.findall("".join(cell["source"]))
