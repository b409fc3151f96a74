"""The pytest plugin costs a test run nothing unless its fixture is requested."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ASKS = """
def test_cluster(spikewire_cluster):
    import sys
    assert "spikewire._native" in sys.modules
    assert len(spikewire_cluster.addresses) == 3
"""
DOES_NOT = """
def test_nothing():
    import sys
    assert "pytest_spikewire" in sys.modules
    assert not [name for name in sys.modules if name.partition(".")[0] == "spikewire"]
"""


@pytest.mark.parametrize("text", [ASKS, DOES_NOT], ids=["asked for", "not asked for"])
def test_native_module_is_loaded_for_the_fixture_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "test_it.py").write_text(text)
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        run, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
