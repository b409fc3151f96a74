"""The folder of a run: the command that it belongs to, so that a later one can go on with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..access.flags import without_secrets
from ..run import environment
from .files import write

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from pathlib import Path

NAME = "run.json"
OUTPUT = "output.log"
"""What a run writes whose terminal is gone."""
SCHEMA = 1
OF_THIS_COMMAND = ("run", "resume", "only", "minutes", "out", "baseline", "command")
"""Arguments that may differ between the commands of one run."""
SAME = ("cpu_model", "cpu_count", "kernel", "build", "packages")
"""What must not change in the middle of a run, as its lines would not compare."""


@dataclass(frozen=True)
class RunFolder:
    """A run that was begun in a folder."""

    path: Path
    command: Sequence[str]
    """The words behind `spikewire lab` that began it."""
    flags: Mapping[str, Any]
    """Their meaning, as text."""
    machine: Mapping[str, Any]

    @staticmethod
    def load(path: Path) -> RunFolder | None:
        """The run in a folder; None if none was begun there. Raises `ValueError` if it cannot be
        read."""
        file = path / NAME
        if not file.exists():
            return None
        try:
            read: object = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ValueError(f"{file}: {error}") from None
        if not isinstance(read, dict):
            raise ValueError(f"{file}: not the description of a run")
        known = cast("dict[str, Any]", read)
        if known.get("schema") != SCHEMA:
            raise ValueError(f"{file}: not the description of a run")
        return RunFolder(path, known["command"], known["flags"], known["machine"])

    @staticmethod
    def begun(path: Path, command: Sequence[str], flags: Mapping[str, Any]) -> RunFolder:
        """Begins a run: creates the folder and describes the run in it; raises `OSError`."""
        path.mkdir(parents=True, exist_ok=True)
        folder = RunFolder(path, without_secrets(command), flags, machine())
        fields = {
            "schema": SCHEMA,
            "command": folder.command,
            "flags": folder.flags,
            "machine": folder.machine,
        }
        write(path / NAME, f"{json.dumps(fields, indent=1)}\n".encode())
        return folder

    def differs(self, flags: Mapping[str, Any]) -> str | None:
        """Why this run cannot go on with these flags, on this machine, with this build; or None."""
        names = {*self.flags, *flags}
        changed = sorted(name for name in names if self.flags.get(name) != flags.get(name))
        if changed:
            these = ", ".join(name.replace("_", "-") for name in changed)
            return (
                f"{self.path} has the run of another command, with other values of {these}: choose"
                " another folder with --out"
            )
        now = machine()
        other = [name for name in SAME if self.machine.get(name) != now.get(name)]
        if other:
            these = ", ".join(name.replace("_", " ") for name in other)
            return (
                f"{self.path} was measured with another {these}: its lines would not compare;"
                " choose another folder with --out"
            )
        return None


def machine() -> dict[str, Any]:
    """What must not change in the middle of a run, as JSON has it."""
    known = environment.machine(())
    build = known["build"]
    if isinstance(build, dict):
        # A commit that leaves the native part as it is changes nothing that is measured.
        part = cast("dict[str, Any]", build)
        known["build"] = {name: part.get(name) for name in ("profile", "native")}
    return cast("dict[str, Any]", json.loads(json.dumps({name: known[name] for name in SAME})))


def flags_of(args: argparse.Namespace) -> dict[str, Any]:
    """The flags that determine what is measured, as text, without secrets."""
    known = vars(args).items()
    return {
        name: "" if name == "password" else repr(value)
        for name, value in known
        if name not in OF_THIS_COMMAND
    }
