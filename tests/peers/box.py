"""A running cluster for clients other than Spikewire's own.

By default it runs in this process (``spikewire.testing.Cluster``). If the extension is not built,
or ``SPIKEWIRE_SERVER`` names the program ``spikewire-aerospike-server``, it is a child process.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import modules

PROGRAM = "SPIKEWIRE_SERVER"
ROOT = Path(__file__).resolve().parents[2]


class Child:
    """The cluster as a child process that takes commands on its standard input."""

    def __init__(self, program: str, nodes: int) -> None:
        command = [program, "--nodes", str(nodes), "--port", "0", "--control"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        word, _, self.seeds = self._line().partition(" ")
        if word != "ready":
            self.stop()
            raise RuntimeError(f"{program} said {word!r} instead of being ready")

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def _send_command(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        answer = self._line()
        if answer != "ok":
            raise RuntimeError(f"{command}: {answer}")

    def kill(self, node: int) -> None:
        self._send_command(f"kill {node}")

    def restart(self, node: int) -> None:
        self._send_command(f"restart {node}")

    def wait_settled(self) -> bool:
        self._send_command("wait")
        return True

    def stop(self) -> None:
        """Ends the child by closing its input, and by a signal if that is not enough."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def open_box(nodes: int) -> Any:
    """A cluster with ``seeds``, ``kill``, ``restart``, ``wait_settled`` and ``stop``; None if there
    is neither the extension nor the program."""
    program = os.environ.get(PROGRAM)
    if not program:
        try:
            from spikewire.testing import Cluster
        except ImportError:
            built = [
                ROOT / "target" / kind / "spikewire-aerospike-server"
                for kind in ("release", "debug")
            ]
            program = next((str(path) for path in built if path.exists()), None)
        else:
            return Cluster(nodes=nodes)
    return Child(program, nodes) if program else None


def addresses(seeds: str) -> list[tuple[str, int]]:
    """Seeds as pairs."""
    pairs = (seed.rsplit(":", 1) for seed in seeds.split(","))
    return [(host, int(port)) for host, port in pairs]


def c_client(seeds: str, **policies: dict[str, Any]) -> Any:
    """A connected client of ``aerospike``, with longer timeouts than the default second."""
    import aerospike

    kinds = ("read", "write", "operate", "remove", "apply", "batch", "info")
    patient = {kind: {"total_timeout": 20_000} for kind in kinds}
    config = {
        "hosts": addresses(seeds),
        "policies": patient | policies,
        "lua": {"user_path": modules.folder()},
    }
    return aerospike.client(config).connect()
