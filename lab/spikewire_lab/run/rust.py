"""The Rust clients: built from lab/rust, then run like any other worker."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import build as build_of
from ..plan import RUST_OURS, RUST_PEER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CRATE = Path("lab") / "rust"
OPTIONS = ("build", "--release", "--quiet", "--no-default-features")
BINARIES = {RUST_PEER: "peer", RUST_OURS: "ours"}
#: The programs that perform every operation on strings and by path.
OPERATIONS = {RUST_PEER: "operations-peer", RUST_OURS: "operations-ours"}
FEATURES = {RUST_PEER: "peer,peer-sync", RUST_OURS: "ours"}
#: The programs of the clients for Cassandra, and the feature that each is built with.
CQL = {
    RUST_OURS: ("cql-ours", "ours"),
    "scylla-rust": ("cql-scylla", "cql-scylla"),
    "cdrs-tokio": ("cql-cdrs", "cql-cdrs"),
}


def completed(client: str, command: Sequence[str], answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """A program's answer with its build: for our client including the commit of the source tree."""
    program = Path(command[0])
    ours = program.parents[2] / "Cargo.toml" if client == RUST_OURS else None
    return build_of.completed(answer, program, ours)


def find_crate(start: Path | None = None) -> Path | None:
    """The crate in the source tree of this package, or of the current directory."""
    here = (start or Path(__file__)).resolve()
    for folder in (*here.parents, Path.cwd(), *Path.cwd().parents):
        if (folder / CRATE / "Cargo.toml").is_file():
            return folder / CRATE
    return None


def build_all() -> None:
    """Builds all programs in advance, so that the first run is not delayed."""
    crate = find_crate()
    every = [*BINARIES.values(), *OPERATIONS.values(), *(program for program, _ in CQL.values())]
    programs = [crate / "target" / "release" / name for name in every] if crate else []
    if not all(program.exists() for program in programs):
        print("building the Rust clients, which takes some minutes the first time", file=sys.stderr)
    built = [build(client, crate, OPERATIONS[client]) for client in BINARIES]
    built += [build_program(crate, *CQL[client]) for client in CQL]
    reasons = [why for _, why in built if why is not None]
    for why in dict.fromkeys(reasons):
        print(f"the Rust clients: {why}: left out", file=sys.stderr)


def build(client: str, crate: Path | None, *others: str) -> tuple[list[str], str | None]:
    """The command that runs this client, or why there is none. Builds other programs with it."""
    return build_program(crate, BINARIES[client], FEATURES[client], *others)


@cache
def cql_program(client: str) -> tuple[list[str], str | None]:
    """The command that runs this client of Cassandra, or why there is none. It is built once."""
    return build_program(find_crate(), *CQL[client])


def build_program(
    crate: Path | None, binary: str, features: str, *others: str
) -> tuple[list[str], str | None]:
    """The command that runs a program, or why there is none. Builds other programs with it."""
    if crate is None:
        return [], f"{CRATE} is not here: the Rust clients need a source checkout"
    cargo = shutil.which("cargo")
    if cargo is None:
        return [], "cargo is not installed"
    if not (crate / "src" / "bin" / f"{binary}.rs").is_file():
        return [], f"{CRATE} has no program for it yet"
    programs = [part for name in (binary, *others) for part in ("--bin", name)]
    process = subprocess.run(  # noqa: S603 - no shell, our own arguments
        [cargo, *OPTIONS, "--features", features, *programs],
        cwd=crate,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        lines = [line for line in process.stderr.splitlines() if line.startswith("error")]
        return [], f"does not build: {lines[0] if lines else 'see cargo build'}"
    return [str(crate / "target" / "release" / binary)], None


def find_built(program: str) -> tuple[Path | None, str]:
    """A program, or why there is none that was built from these sources."""
    crate = find_crate()
    built = crate and crate / "target" / "release" / program
    if crate is None or built is None or not built.is_file():
        return None, f"{program} is not built: make lab-rust does it"
    changed = max(file.stat().st_mtime for file in (crate / "src").rglob("*.rs"))
    if built.stat().st_mtime < changed:
        return None, f"{program} was built from other sources: make lab-rust does it"
    return built, ""


if __name__ == "__main__":
    build_all()
