"""Operations on strings and by path, as the crates `spikewire` and `aerospike` perform them: the
same results, errors and records, and each reads what the other wrote. Both programs have the same
list, each with the calls of its crate (`lab/rust/src/bin/operations-*.rs`)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from spikewire_lab.plan import RUST_OURS, RUST_PEER
from spikewire_lab.run import rust

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = rust.OPERATIONS
#: The operation that Spikewire refuses itself, and the codes of both.
EARLY, INVALID, PARAMETER = "in: prepend what is not", -2, 4
#: More records than there are operations.
MOST = 1000
BINS: dict[str, Any] = {
    "b": " Zoé-12 ",
    "n": 42,
    "number": "-42",
    "real": "1e5",
    "words": ["a", "b"],
    "bytes": b"hi",
    "b64": "aGk=",
    "in": {"k": [" Zoé-12 "]},
    "m": {"a": {"v": 1, "n": "x"}, "b": {"v": 5, "n": "y"}, "c": {"v": 9}},
    "l": [10, 20, 30, 40],
    "ll": [[1, 2], [3], [], [4, 5, 6]],
    "mix": {"a": 1, "b": [1, 2], "c": {"v": 3}},
}


@pytest.fixture(scope="module")
def programs() -> dict[str, Path]:
    built = {}
    for client, name in PROGRAMS.items():
        program, why = rust.find_built(name)
        if program is None:
            pytest.skip(why)
        built[client] = program
    return built


@pytest.fixture(scope="module")
def seeds() -> Iterator[str]:
    with Cluster(build="8.2") as cluster:
        with spikewire.Client(cluster.seeds) as client:
            for client_name in PROGRAMS:
                client.dataset("test", client_name).put_many(dict.fromkeys(range(MOST), BINS))
        yield cluster.seeds


def output(program: Path, *arguments: str) -> list[Any]:
    """What a program says of each operation."""
    run = subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    lines: list[Any] = json.loads(run.stdout)
    assert len(lines) < MOST
    return lines


def test_both_crates_do_the_same(programs: dict[str, Path], seeds: str) -> None:
    ours, theirs = (
        output(programs[client], seeds, client, "operate") for client in (RUST_OURS, RUST_PEER)
    )
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    # What no string inside a bin accepts is refused before it is sent.
    refused = dict(ours).pop(EARLY), dict(theirs).pop(EARLY)
    assert refused == ({"error": INVALID}, {"error": PARAMETER})
    assert dict(ours) | {EARLY: None} == dict(theirs) | {EARLY: None}
    records = {
        (reader, client): output(programs[reader], seeds, client, "read")
        for reader in PROGRAMS
        for client in PROGRAMS
    }
    expected, *others = records.values()
    assert all(dict(other) == dict(expected) for other in others)
    with spikewire.Client(seeds) as client:
        left, right = (
            [row and row.bins for row in client.dataset("test", name).get_many(range(len(ours)))]
            for name in PROGRAMS
        )
        assert left == right
        # Something was changed, and something was refused.
        assert 100 < sum(bins != BINS for bins in left) < len(ours)
    assert 50 < sum(isinstance(value, dict) and "error" in value for _, value in ours) < len(ours)


def functions_of(path: Path) -> set[str]:
    return set(re.findall(r"^pub fn (\w+)", path.read_text("utf-8"), re.MULTILINE))


def vendor_sources(crate: Path) -> Path | None:
    """The folder of the vendor's operations, if Cargo has the crate here."""
    command = ["cargo", "metadata", "--offline", "--locked", "--format-version", "1"]
    if shutil.which("cargo") is None:
        return None
    run = subprocess.run(command, cwd=crate, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None
    packages = json.loads(run.stdout)["packages"]
    manifests = [one["manifest_path"] for one in packages if one["name"] == "aerospike-core"]
    return Path(manifests[0]).parent / "src" / "operations" if manifests else None


def test_every_operation_of_the_crates_is_compared() -> None:
    crate = rust.find_crate()
    assert crate is not None
    ours = crate.parents[1] / "crates" / "spikewire" / "src" / "aerospike" / "operation"
    folders = {"ours": ours, "peer": vendor_sources(crate)}
    for name, folder in folders.items():
        if folder is None:
            continue
        text = (crate / "src" / "bin" / f"operations-{name}.rs").read_text("utf-8")
        for module in ("string", "path"):
            called = set(re.findall(rf"\b{module}::(\w+)\(", text))
            assert called == functions_of(folder / f"{module}.rs"), (name, module)
