"""The checks of `make lint` on small generated trees, and the table of instruction counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools"


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools are programs, not a package."""
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])


def write(root: Path, files: dict[str, str]) -> Path:
    """Creates a tree."""
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def crate(root: Path, files: dict[str, str]) -> Path:
    """One crate called `spikewire-a` with these files."""
    files = {f"crates/spikewire-a/src/{name}": text for name, text in files.items()}
    return write(root, {"crates/spikewire-a/Cargo.toml": "", **files})


ROUND = {
    "lib.rs": "mod b; mod c; mod d;",
    "b.rs": "use crate::c::{self, Thing};",
    "c/mod.rs": "mod e; pub struct Thing; fn f() -> crate::d::D { super::d::D }",
    "c/e.rs": "use super::Thing;",
    "d.rs": "pub struct D(super::b::B);",
}


def test_cyclic_modules_are_rejected(tmp_path: Path) -> None:
    import structure

    root = crate(tmp_path, ROUND)
    assert structure.check_cycles(root) == [
        "spikewire-a: these modules use each other: b c d",
        "spikewire-a: in (root), b c d use each other; the door that opens the wrong way: b -> c",
    ]


def test_cyclic_folders_are_rejected(tmp_path: Path) -> None:
    import structure

    files = {
        "lib.rs": "mod a; mod b;",
        "a/mod.rs": "mod one; mod two;",
        "a/one.rs": "use crate::b::One;",
        "a/two.rs": "pub struct Two;",
        "b/mod.rs": "mod three; pub struct One;",
        "b/three.rs": "use crate::a::two::Two;",
    }
    root = crate(tmp_path, files)
    assert structure.check_cycles(root) == [
        "spikewire-a: in (root), a b use each other; the door that opens the wrong way: a::one -> b"
    ]
    write(root, {"crates/spikewire-a/src/b/three.rs": "use super::One;"})
    assert structure.check_cycles(root) == []


def test_inner_folders_are_looked_at_as_well(tmp_path: Path) -> None:
    import structure

    files = {
        "lib.rs": "mod a;",
        "a/mod.rs": "mod b; mod c;",
        "a/b/mod.rs": "mod one; mod two;",
        "a/b/one.rs": "use crate::a::c::C;",
        "a/b/two.rs": "pub struct Two;",
        "a/c.rs": "use crate::a::b::two::Two; pub struct C;",
    }
    (complaint,) = structure.check_cycles(crate(tmp_path, files))
    assert complaint.startswith("spikewire-a: in a, b c use each other; ")
    assert complaint.endswith("the door that opens the wrong way: a::b::one -> a::c")


def test_uses_that_are_no_cycle(tmp_path: Path) -> None:
    import structure

    files = {
        # A comment and a string: use crate::c::C;
        "b.rs": '// use crate::c::C;\nconst TEXT: &str = "crate::c::C";',
        "c.rs": "use crate::b::B;\n#[cfg(test)]\nmod tests { use crate::d::D; }",
        "d.rs": "use crate::c::C; use std::b::B;",
        # A re-export counts for the module that defines the item.
        "e/mod.rs": "pub mod f; pub mod g; pub use g::G;",
        "e/f.rs": "use super::G;",
        "e/g.rs": "pub struct G;",
        "h.rs": "use crate::e::G;",
    }
    root = crate(tmp_path, {"lib.rs": "mod b; mod c; mod d; mod e; mod h;", **files})
    assert structure.check_cycles(root) == []
    graph = structure.uses(root / "crates/spikewire-a/src")
    assert graph["h",] == {("e", "g")}
    assert graph["b",] == set()


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("crate::a::B", [["crate", "a", "B"]]),
        (
            "a::{b, c::{d as x, e}}",
            [["a", "b"], ["a", "c", "d"], ["a", "c", "e"]],
        ),
        ("{a, b::c}", [["a"], ["b", "c"]]),
    ],
)
def test_use_trees_are_parsed(tree: str, expected: list[list[str]]) -> None:
    import structure

    assert [[part.strip() for part in path] for path in structure.branches(tree)] == expected


def test_arrows_between_crates_are_parsed(tmp_path: Path) -> None:
    import structure

    root = write(
        tmp_path,
        {
            "ARCHITECTURE.md": "```\ncrates/\n```\n\n```\na <- b, c   (remark)\nb <- c\n```\n",
            "crates/spikewire-a/Cargo.toml": "[dependencies]\nlibc.workspace = true\n",
            "crates/spikewire-b/Cargo.toml": "[dependencies]\nspikewire-a.workspace = true\n"
            "[dev-dependencies]\nspikewire-c.workspace = true\n",
            "crates/spikewire-c/Cargo.toml": "[target.'cfg(unix)'.dependencies]\n"
            "spikewire-a = { workspace = true }\nspikewire-b.workspace = true\n",
        },
    )
    assert structure.check_crates(root) == []
    write(root, {"crates/spikewire-b/Cargo.toml": "[dependencies]\nspikewire-c.workspace = true\n"})
    assert structure.check_crates(root) == [
        "b uses c: not in the picture in ARCHITECTURE.md",
        "b does not use a: take it out of the picture",
    ]


def test_walled_room_uses_no_database(tmp_path: Path) -> None:
    import structure

    room = "crates/spikewire-python/src/bridge"
    files = {
        "mod.rs": "pub mod a;",
        "a.rs": "use spikewire_sync::Mutex; use super::b::B; use crate::bridge::b; fn f() {}",
        "b.rs": "use spikewire_transport::{Fault, Tick}; // spikewire_cql::Value",
    }
    root = write(tmp_path, {f"{room}/{name}": text for name, text in files.items()})
    assert structure.check_walls(root) == []
    write(
        root,
        {
            f"{room}/a.rs": "use spikewire_cql::Value; fn f() -> crate::key::Key { super::b::f() }",
            f"{room}/b.rs": "use super::super::record::Record;",
        },
    )
    assert structure.check_walls(root) == [
        f"{room}/a.rs: spikewire_cql::Value is across the boundary",
        f"{room}/a.rs: crate::key::Key is across the boundary",
        f"{room}/b.rs: super::super::record::Record is across the boundary",
    ]


def test_versions_are_named_once(tmp_path: Path) -> None:
    import structure

    root = write(
        tmp_path,
        {
            "Cargo.toml": '[workspace.dependencies]\nlibc = "0.2"\nbytes = "1"\n',
            "crates/spikewire-a/Cargo.toml": '[dependencies]\nbytes = "1"\nlibc.workspace = true\n',
        },
    )
    assert structure.check_dependencies(root) == [
        "Cargo.toml: [workspace.dependencies] is not sorted",
        "crates/spikewire-a/Cargo.toml: bytes belongs in [workspace.dependencies]",
    ]


def test_missing_paths_on_pages_are_reported(tmp_path: Path) -> None:
    import structure

    page = "`a/src` `b.rs` `src/c/*.rs` `a::b/c` `test_<room>.py`\n```\ncrates/  d/\n```\n"
    files = {"crates/a/src/b.rs": "", "crates/a/src/c/e.rs": "", "CONTRIBUTING.md": page}
    root = write(tmp_path, {**files, "ARCHITECTURE.md": "`b.rs`, `f.rs`, `crates/g/`"})
    assert structure.check_paths(root) == [
        "ARCHITECTURE.md: there is no f.rs",
        "ARCHITECTURE.md: there is no crates/g/",
        "CONTRIBUTING.md: there is no d/",
    ]


def test_this_repository_has_no_cycles() -> None:
    import structure

    assert structure.picture((structure.ROOT / "ARCHITECTURE.md").read_text())
    assert structure.check_cycles(structure.ROOT) == []
    assert all((structure.ROOT / room).is_dir() for room in structure.WALLED)
    assert structure.check_walls(structure.ROOT) == []
    assert len(structure.named_paths((structure.ROOT / "CONTRIBUTING.md").read_text())) > 50
    assert structure.check_paths(structure.ROOT) == []


def test_thresholds_of_instruction_counts(capsys: pytest.CaptureFixture[str]) -> None:
    import instructions

    base = {"encode get": 100.0, "decode get": 100.0, "blocking get": 1000.0, "lost": 7.0}
    here = {"encode get": 102.1, "decode get": 101.9, "blocking get": 1029.0, "added": 5.0}
    assert instructions.table(here, base) == ["encode get"]
    output = capsys.readouterr().out
    for line in ("+2.1%  more than 2 % allow", "+2.9%", "new", "gone"):
        assert line in output


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("could not import 'nobody'", 1),
        ("cassandra-driver is not installed", 1),
        ("not on Linux", 0),
    ],
)
def test_missing_parts_fail_where_everything_has_to_run(
    tmp_path: Path, reason: str, status: int
) -> None:
    program = tmp_path / "test_part.py"
    program.write_text(f"import pytest\n\ndef test_part():\n    pytest.skip({reason!r})\n")
    plain = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        str(program),
    ]
    for plugin, expected in (([], 0), (["-p", "completeness"], status)):
        done = subprocess.run(
            [*plain, *plugin],
            check=False,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(TOOLS)},
        )
        assert done.returncode == expected, done.stdout
        assert ("missing (1 tests)" in done.stdout) == bool(expected)


def test_listed_words_count_in_identifiers_only() -> None:
    import words

    listed = words.words("# a comment\ngiven, found: what it is\n")
    text = (
        "# given in a comment\n"
        "given_keys = {'a': \"found in a string\", 'b': NOT_FOUND}\n"
        '"""found in\na docstring"""\n'
        "class FoundRow: ...\n"
    )
    assert words.uses("a.py", text, listed) == [
        words.Use("a.py", 2, "given_keys", "given"),
        words.Use("a.py", 5, "FoundRow", "found"),
    ]
    quoted = "const text = 'given', more = `found\n`, given = 1\n"
    assert words.uses("a.ts", quoted, listed) == [words.Use("a.ts", 2, "given", "given")]
    assert words.is_product("crates/a/src/lib.rs", "")
    assert not words.is_product("crates/a/tests/lib.rs", "")
    assert not words.is_product("python/a.py", "# Generated by tools/generate.py")


def test_names_say_what_things_are() -> None:
    import words

    assert words.check(words.ROOT) == []
    reasons = (words.ROOT / "tools/words_allowed.txt").read_text().splitlines()
    assert all(len(line.split(maxsplit=2)) == 3 for line in reasons if line and line[0] != "#")
