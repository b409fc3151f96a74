"""Both type checkers see the types that ``typing/reveal.py`` expects."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REVEAL = ROOT / "tests/typing/reveal.py"


def check(*command: str) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=300,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_mypy() -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    # Strict as configured, and marks that nothing needs are errors.
    check("mypy", "--strict", "--warn-unused-ignores", str(REVEAL))


def test_pyright() -> None:
    # The second is the first with its Node.js in the wheel.
    names = [name for name in ("pyright", "basedpyright") if importlib.util.find_spec(name)]
    if not names:
        pytest.skip("neither pyright nor basedpyright is installed")
    check(
        names[-1],
        "--project",
        str(REVEAL.parent / "pyrightconfig.json"),
        "--pythonpath",
        sys.executable,
    )
