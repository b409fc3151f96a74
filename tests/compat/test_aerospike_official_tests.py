"""``tools/official_tests.py`` runs tests with the official client and with the drop-in."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import spikewire

if TYPE_CHECKING:
    from spikewire.testing import Cluster

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
BASE = """
import configparser

class TestBaseClass:
    user = None

    @staticmethod
    def get_hosts():
        config = configparser.ConfigParser()
        config.read("config.conf")
        if config.has_option("enterprise-edition", "user"):
            TestBaseClass.user = config.get("enterprise-edition", "user")
"""
#: Whether it runs is decided when it is imported, without reading the configuration.
ADMIN = """
import pytest
from .test_base_class import TestBaseClass

pytestmark = pytest.mark.skipif(TestBaseClass.user is None, reason="nobody logs in")

def test_with_a_user():
    pass

@pytest.mark.skip(reason="for another day")
def test_later():
    pass
"""


def test_differing_outcomes_are_named(tmp_path: Path) -> None:
    pytest.importorskip("aerospike", reason="the official client is not installed")
    folder = tmp_path / "new_tests"
    folder.mkdir()
    (folder / "test_two.py").write_text(TESTS)
    table = tmp_path / "outcomes.csv"
    done = subprocess.run(
        [sys.executable, TOOL, tmp_path, "--outcomes", table],
        check=False,
        timeout=240,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "test_two.py: 2 tests"
    assert lines[1].startswith("  test_of_the_original: passed -> failed AssertionError: it is not")
    assert lines[2:] == ["original: 2 passed", "drop-in: 1 failed, 1 passed"]
    with table.open(newline="") as rows:
        outcomes = {row["test"]: row for row in csv.DictReader(rows)}
    assert outcomes["test_the_same"]["drop-in"] == "passed"
    other = outcomes["test_of_the_original"]
    assert (other["original"], other["drop-in"]) == ("passed", "failed")
    assert other["reason"].startswith("AssertionError: it is not")


SETTINGS = """
import configparser
import aerospike

def test_settings():
    config = configparser.ConfigParser()
    config.read("config.conf")
    host, port = config["enterprise-edition"]["hosts"].split(";")[0].rsplit(":", 1)
    client = aerospike.client({"hosts": [(host, int(port))]}).connect()
    info = client.info_all("get-config:context=namespace;namespace=test")
    assert "strong-consistency=true" in next(iter(info.values()))[1]
    assert next(iter(client.info_all("build").values()))[1].startswith("8.2")
    client.close()
"""


def test_the_embedded_cluster_has_the_settings_of_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("aerospike", reason="the official client is not installed")
    folder = tmp_path / "new_tests"
    folder.mkdir()
    (folder / "test_one.py").write_text(SETTINGS)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(TOOL), str(tmp_path), *arguments]
        return subprocess.run(command, check=False, timeout=240, capture_output=True, text=True)

    done = run("--build", "8.2", "--edition", "enterprise", "--strong-consistency")
    assert done.stdout.splitlines()[1:] == ["original: 1 passed", "drop-in: 1 passed"]
    for arguments in (["--strong-consistency"], ["--build", "8.2", "--seeds", "127.0.0.1:1"]):
        assert run(*arguments).returncode == 2


def test_skipped_tests_are_counted_and_other_servers_emptied(
    tmp_path: Path, spikewire_cluster: Cluster
) -> None:
    """A comparison is worth what it compared: nothing is left out without a word."""
    pytest.importorskip("aerospike", reason="the official client is not installed")
    folder = tmp_path / "new_tests"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "test_base_class.py").write_text(BASE)
    (folder / "test_admin_one.py").write_text(ADMIN)

    def run(*arguments: str) -> list[str]:
        command = [sys.executable, str(TOOL), str(tmp_path), "test_admin_one.py", *arguments]
        done = subprocess.run(command, check=False, timeout=240, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    lines = run()
    assert lines[0] == "test_admin_one.py: 2 tests"
    assert lines[1:] == [
        "original: 1 passed, 1 skipped",
        "drop-in: 1 passed, 1 skipped",
        "skipped with the original: 1 for another day",
    ]
    with spikewire.Client(spikewire_cluster.seeds, timeout=10) as client:
        client.put(("test", "left_over", 1), {"a": 1})
        lines = run("--seeds", spikewire_cluster.seeds)
        assert lines[1] == "original: 2 skipped"
        assert "skipped with the original: 2 nobody logs in" in lines
        assert not client.exists(("test", "left_over", 1))


def test_a_file_that_cannot_be_imported_has_failed(tmp_path: Path) -> None:
    """Tests lost without a word: those of a file that needs what one client does not have."""
    pytest.importorskip("aerospike", reason="the official client is not installed")
    folder = tmp_path / "new_tests"
    folder.mkdir()
    (folder / "test_one.py").write_text(
        "from aerospike_helpers.expressions.base import ResultRemove\n"
        "def test_by_its_old_name():\n"
        "    assert ResultRemove().compile()\n"
    )
    (folder / "test_two.py").write_text("import none_of_this_name\n")
    command = [sys.executable, str(TOOL), str(tmp_path)]
    done = subprocess.run(command, check=False, timeout=240, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "test_one.py: 1 tests"
    assert "test_two.py: 1 tests" in lines
    assert lines[-2:] == ["original: 1 failed, 1 passed", "drop-in: 1 failed, 1 passed"]


def test_it_prints_its_usage() -> None:
    done = subprocess.run(
        [sys.executable, TOOL, "/not/there"],
        check=False,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "tools/official_tests.py" in done.stderr
