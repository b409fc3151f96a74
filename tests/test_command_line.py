"""``spikewire serve`` and ``spikewire info``, and the commands that other packages bring."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import spikewire
from spikewire import cli, commands
from spikewire.commands import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing import Cluster

COMMAND = [sys.executable, "-W", "error", "-m", "spikewire"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


class Served:
    """A running ``spikewire serve``."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "serve", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        ready, _, _ = select.select([self.process.stdout], [], [], 120)
        assert ready, "no word from the server"
        self.line = self.process.stdout.readline().strip()

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """The exit status and the output."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served("--port", "0", "--nodes", "2", "--namespace", "one", "--namespace", "two")
    yield served
    if served.process.poll() is None:
        served.end(signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_prints_ready_and_ends_on_a_signal(served: Served, number: signal.Signals) -> None:
    word, seeds = served.line.split()
    assert word == "ready"
    assert seeds.count(",") == 1
    with spikewire.Client(seeds, timeout=10, connect_timeout=20) as client:
        client.put(("two", "set", "k"), {"n": 1})
        assert client.get(("two", "set", "k"))["n"] == 1
        # Clients that are still connected do not delay it.
        assert served.end(number) == (0, "")


def test_serve_takes_the_options_of_the_cluster() -> None:
    """What `Cluster` takes, the command takes, too: a program that serves tests of clients in other
    languages has no other way to say it."""
    served = Served(
        *("--port", "0", "--nodes", "2", "--racks", "7,8", "--build", "8.0.0.1"),
        *("--nsup-period", "0", "--udf-time", "250", "--migration-pause", "1"),
        *("--sync-time", "0"),
        *("--user", "app:secret", "--quotas", "--session-ttl", "60"),
    )
    try:
        seeds = served.line.split()[1]
        with spikewire.Client(seeds, user="app", password="secret", timeout=10) as client:
            nodes = sorted(client.nodes(), key=lambda node: client.info("rack-ids", node=node.name))
            for node, rack in zip(nodes, ("7", "8"), strict=True):
                assert client.info("build", node=node.name) == "8.0.0.1"
                assert f"test:{rack}" in client.info("rack-ids", node=node.name)
            client.roles.create("few", ["read"], read_quota=5)
            with pytest.raises(spikewire.ServerError) as caught:
                client.put(("test", None, 1), {"n": 1}, ttl=60)
            assert caught.value.code == 22, "a period of 0 refuses times to live"
    finally:
        assert served.end(signal.SIGTERM) == (0, "")


def test_serve_takes_strongly_consistent_namespaces_that_allow_deletions() -> None:
    served = Served(
        *("--port", "0", "--edition", "enterprise", "--strong-consistency"),
        "--strong-consistency-allow-expunge",
    )
    try:
        with spikewire.Client(served.line.split()[1], timeout=10) as client:
            key = ("test", None, 1)
            client.put(key, {"n": 1})
            client.delete(key)
            assert not client.exists(key)
    finally:
        assert served.end(signal.SIGTERM) == (0, "")


def test_a_busy_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        ran = run("serve", "--port", str(port))
    assert ran.returncode == 1
    assert not ran.stdout
    assert ran.stderr.count("\n") == 1
    assert f"127.0.0.1:{port}: " in ran.stderr
    assert "in use" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--nodes", "0"], "nodes must be from 1"),
        (["--port", "70000"], "port must be from 0 to 65535"),
        (["--bind", "nowhere"], "bind must be an IP address"),
        (["--nodes", "2", "--racks", "1"], "racks"),
        (["--racks", "1,a"], "--racks: takes numbers separated by commas"),
        (["--quotas"], "--quotas goes with --user"),
        (["--udf-time", "0"], "udf_time"),
        (["--strong-consistency-allow-expunge"], "needs strong_consistency"),
        (["--tls-name", "x"], "go with --tls"),
        (["--user", "app"], "--user takes NAME:PASSWORD"),
        # Options are not abbreviated: an option added later must not change what these mean.
        (["--replication", "1"], "unrecognized arguments: --replication"),
        (["--udf", "5"], "unrecognized arguments: --udf"),
    ],
)
def test_invalid_settings_are_rejected(arguments: list[str], text: str) -> None:
    ran = run("serve", *arguments)
    assert ran.returncode == 2
    assert text in ran.stderr
    assert "Traceback" not in ran.stderr


def test_info_prints_nodes_or_replies(cluster: Cluster) -> None:
    nodes = run("info", "-H", cluster.seeds)
    assert nodes.returncode == 0, nodes.stderr
    assert len(nodes.stdout.splitlines()) == 3
    ran = run("info", "-H", cluster.addresses[0], "build", "namespaces")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("  build: ") == 3
    assert ran.stdout.count("  namespaces: test") == 3
    wrong = run("info", "-H", cluster.seeds, "nonsense", "build")
    assert wrong.returncode == 1
    assert wrong.stdout.count("  build: ") == 3
    assert wrong.stderr.count("nonsense") >= 3
    assert "Traceback" not in wrong.stderr


def test_info_without_a_cluster_fails_with_the_address() -> None:
    ran = run("info", "-H", "127.0.0.1:1")
    assert ran.returncode == 1
    assert "127.0.0.1:1" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("command", ["serve", "info", "top", "cassandra"])
def test_every_command_has_help(command: str) -> None:
    ran = run(command, "--help")
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout) > 300


def test_version_is_printed() -> None:
    assert run("--version").stdout.strip() == f"spikewire {spikewire.__version__}"


# --- Commands of other packages -------------------------------------------------------------------

COMMANDS = """
import sys

def add(commands):
    greet = commands.add_parser("greet", help="greet the world")
    greet.add_argument("--name", default="world")
    greet.set_defaults(run=lambda flags: print("hello", flags.name) or 7)

def add_another(commands):
    raise AssertionError("its name is taken")
"""


def install(folder: Path, entries: str) -> None:
    """Makes a package with these entry points, as it looks when it is installed."""
    (folder / "greeting.py").write_text(COMMANDS)
    about = folder / "greeting-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{entries}\n")


def test_commands_of_other_packages_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "greet = greeting:add\ninfo = greeting:add_another")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    ran = run("greet", "--name", "you")
    assert (ran.returncode, ran.stdout, ran.stderr) == (7, "hello you\n", "")
    listed = run("--help")
    assert "greet the world" in listed.stdout
    assert listed.stderr == ""
    # The package's own commands are not to be replaced.
    assert "show the nodes of a cluster" in listed.stdout


def test_a_command_that_cannot_be_loaded_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "greet = greeting:add\nwave = waving:add\npoint = greeting:point")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    listed = run("--help")
    assert listed.returncode == 0
    assert "greet the world" in listed.stdout
    for name, why in (("wave", "No module named 'waving'"), ("point", "no attribute 'point'")):
        assert f"spikewire: the command {name} of greeting cannot be loaded: " in listed.stderr
        assert why in listed.stderr
    ran = run("wave")
    assert ran.returncode == 2
    assert "No module named 'waving'" in ran.stderr
    assert "Traceback" not in ran.stderr
    # They are nothing to those who call others.
    assert run("info", "--help").stderr == ""


def test_values_of_flags_are_rejected_without_the_usage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["serve", "--nodes", "0"])
    assert capsys.readouterr().err == (
        "spikewire serve: error: nodes must be from 1 to 128, got 0\n"
    )


@pytest.mark.parametrize("name", ["bench", "compare", "compare-cql", "lab"])
def test_commands_of_the_lab_explain_how_to_install_it(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "entry_points", lambda **_: ())
    assert cli.main([name, "--rounds", "1"]) == 2
    output = capsys.readouterr().err
    assert output.startswith(f"spikewire: {name} is a command of the benchmark lab")
    folder = re.findall(r"pip install (\S+),", output)
    assert (Path(folder[0]) / "pyproject.toml").is_file()
