"""``tools/official_tests.py`` runs tests with the official client and with the drop-in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "official_tests.py"
TESTS = """
import configparser
import aerospike
from aerospike_helpers.operations import operations

def test_the_same():
    config = configparser.ConfigParser()
    config.read("config.conf")
    host, port = config["community-edition"]["hosts"].split(";")[0].rsplit(":", 1)
    client = aerospike.client({"hosts": [(host, int(port))]}).connect()
    assert client.put(("test", "demo", 1), {"a": 1}) == 0
    client.close()

def test_of_the_original():
    assert aerospike.__name__ == "aerospike", "it is not"
"""


def test_what_differs_is_named(tmp_path: Path) -> None:
    pytest.importorskip("aerospike", reason="the official client is not installed")
    folder = tmp_path / "new_tests"
    folder.mkdir()
    (folder / "test_two.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, TOOL, tmp_path], check=False, timeout=240, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "test_two.py: 2 tests"
    assert lines[1].startswith("  test_of_the_original: passed -> failed AssertionError: it is not")
    assert lines[2:] == ["original: 2 passed", "drop-in: 1 failed, 1 passed"]


def test_it_says_how_it_is_called() -> None:
    done = subprocess.run(
        [sys.executable, TOOL, "/not/there"],
        check=False,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "tools/official_tests.py" in done.stderr
