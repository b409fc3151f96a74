"""Two builds of this package in comparison: how they are found and named, and what is reported."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.commands import add_parsers
from spikewire_lab.clients import BUILT, PEERS
from spikewire_lab.clients.registry import in_order
from spikewire_lab.plan import CLIENTS, Cell, Matrix
from spikewire_lab.queries.cells import scans
from spikewire_lab.run import packages
from spikewire_lab.run.progress import Progress
from spikewire_lab.studies.builds import of_columns, of_rows
from spikewire_lab.studies.recipe import QUICK, Bench, Target
from spikewire_lab.studies.recipes.aerospike_py.columns import COLUMNS, builds_in, with_builds
from spikewire_lab.studies.recipes.sdk.cases import CASES, SINGLES, CaseCells, chains_of
from spikewire_lab.studies.report import LESS, MORE, Heading, Median, Row
from spikewire_lab.table.builds import compared
from spikewire_lab.table.figures import Spread
from spikewire_lab.table.line import Line
from spikewire_lab.table.summary import with_ratios

if TYPE_CHECKING:
    from spikewire_lab.studies.report import Entry

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_folders", {})


def a_package(folder: Path, native: str = f"_native{SUFFIX}") -> Path:
    (folder / "spikewire").mkdir(parents=True)
    (folder / "spikewire" / "__init__.py").write_text("")
    if native:
        (folder / "spikewire" / native).write_text("")
    return folder


def build_name(text: str) -> tuple[str, str | None]:
    """The name of a client, and the folder of its build."""
    name = packages.client(CLIENTS, BUILT)(text)
    return name, packages.folder_of(name.partition("@")[2])


# --- Finding them ---------------------------------------------------------------------------------


def test_folders_checkouts_and_packages_are_builds(tmp_path: Path) -> None:
    site = a_package(tmp_path / "env" / "lib" / "python3.11" / "site-packages")
    assert build_name(f"spikewire@{site}") == ("spikewire@env", str(site))
    tree = tmp_path / "before"
    a_package(tree / "python")
    assert build_name(f"spikewire@{tree}") == ("spikewire@before", str(tree / "python"))
    assert build_name(f"spikewire-builder@{tree / 'python'}")[0] == "spikewire-builder@before"
    assert build_name(f"spikewire@mine={site}") == ("spikewire@mine", str(site))
    assert build_name("aerospike") == ("aerospike", None)


def test_a_wheel_is_unpacked_and_called_by_its_version(tmp_path: Path) -> None:
    wheel = tmp_path / "spikewire-0.0.9-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as into:
        into.writestr("spikewire/__init__.py", "")
        into.writestr(f"spikewire/_native{SUFFIX}", "code")
    name, folder = build_name(f"spikewire@{wheel}")
    assert name == "spikewire@0.0.9"
    assert folder is not None
    assert (Path(folder) / "spikewire" / f"_native{SUFFIX}").read_text() == "code"
    assert build_name(f"spikewire@{wheel}") == (name, folder)


def test_environments_and_pythons_are_builds(tmp_path: Path) -> None:
    here = str(Path(spikewire.__file__).resolve().parents[1])
    python = Path(sys.executable).absolute()
    assert build_name(f"spikewire@a={python}") == ("spikewire@a", here)
    if (python.parents[1] / "pyvenv.cfg").exists():
        assert build_name(f"spikewire@b={python.parents[1]}") == ("spikewire@b", here)
    environment = tmp_path / "empty"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("")
    with pytest.raises(ArgumentTypeError, match="empty/bin/python cannot be asked"):
        build_name(f"spikewire@{environment}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("spikewire@{}/missing", "missing does not exist: spikewire@PATH takes a wheel"),
        ("spikewire@{}/file", "file is no wheel and no program"),
        ("spikewire@{}/empty", "empty has no package spikewire"),
        ("spikewire@{}/source", "source: the package spikewire there is not built"),
        ("spikewire@{}/a.whl", "a.whl cannot be unpacked: File is not a zip file"),
        ("spikewire@", "names no path"),
        ("spikewire@new=", "names no path"),
        ("aerospike@{}/empty", "only spikewire, "),
        ("spikewise@{}/empty", "'spikewise' is not a client: choose from spikewire, "),
        ("spikewire-rust@{}/empty", "only spikewire, "),
    ],
)
def test_invalid_builds_are_rejected(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "a.whl").write_text("")
    (tmp_path / "empty").mkdir()
    a_package(tmp_path / "source", native="")
    with pytest.raises(ArgumentTypeError, match=words):
        build_name(text.format(tmp_path))


def test_two_builds_have_two_names(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        a_package(tmp_path / folder / "same" / "python")
    assert build_name(f"spikewire@{tmp_path / 'a' / 'same'}")[0] == "spikewire@same"
    with pytest.raises(ArgumentTypeError, match="two builds would be called same"):
        build_name(f"spikewire@{tmp_path / 'b' / 'same'}")
    assert build_name(f"spikewire@other={tmp_path / 'b' / 'same'}")[0] == "spikewire@other"


@pytest.mark.parametrize("command", ["bench --client", "compare --clients", "lab noise --clients"])
def test_every_command_rejects_an_invalid_path(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = ArgumentParser()
    add_parsers(parser.add_subparsers())
    with pytest.raises(SystemExit):
        parser.parse_args([*command.split(), "spikewire@/nowhere"])
    assert "/nowhere does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("recipe", "client", "words"),
    [
        ("serving", "spikewire-builder", "serving has lines for builds of spikewire alone"),
        ("sdk", "spikewire-compat", "of spikewire, spikewire-builder, spikewire-futures"),
        ("all", "spikewire-builder", "aerospike-py has lines for builds of spikewire alone"),
    ],
)
def test_a_recipe_without_lines_for_a_build_is_rejected(
    recipe: str, client: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = ArgumentParser()
    add_parsers(parser.add_subparsers())
    build = a_package(tmp_path / "old")
    args = parser.parse_args(["lab", recipe, "--clients", f"spikewire,{client}@{build}"])
    assert args.run(args) == 2
    errors = capsys.readouterr().err
    assert f"--clients {client}@old: " in errors
    assert words in errors


def test_no_build_of_the_npm_package_can_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = ArgumentParser()
    add_parsers(parser.add_subparsers())
    build = a_package(tmp_path / "old")
    with pytest.raises(SystemExit):
        parser.parse_args(["lab", "node", "--clients", f"spikewire-node@{build}"])
    assert "can be given with @PATH" in capsys.readouterr().err


# --- Their properties -----------------------------------------------------------------------------


def test_a_build_has_all_that_its_client_has() -> None:
    assert PEERS["spikewire@old"] == replace(PEERS["spikewire"], name="spikewire@old")
    assert PEERS["spikewire-builder@old"].api_of == "spikewire@old"
    assert "spikewire@old" not in list(PEERS)
    assert "aerospike@old" not in PEERS
    expected = ("aerospike", "spikewire@b", "spikewire@a", "spikewire")
    assert in_order(PEERS, expected) == ["spikewire", "spikewire@b", "spikewire@a", "aerospike"]


def test_a_build_has_every_cell_of_its_client() -> None:
    matrix = Matrix(
        ("spikewire", "spikewire@old", "aerospike"),
        ("sync", "async", "batch", "columns"),
        *((1,), (1,), (1,), ("",)),
    )
    for group in matrix.groups():
        cells = {cell for cell in group if cell.client == "spikewire"}
        assert {replace(cell, client="spikewire@old") for cell in cells} == {
            cell for cell in group if cell.client == "spikewire@old"
        }
    every = scans(("spikewire", "spikewire@old"), 100, 10)
    assert len(every) == 2 * len(scans(("spikewire",), 100, 10))


def bench_of(*clients: str) -> Bench:
    return Bench(Target(), QUICK, ("",), Progress(bar=False), ["spikewire"], clients)


def test_cells_that_a_recipe_chooses_have_those_of_builds_beside_them() -> None:
    bench = bench_of("spikewire", "spikewire@old", "spikewire-builder@old", "aerospike")
    cases = [[(case, SINGLES) for case in CASES if case.mode == "sync" and case.many == 32]]
    (cells,) = CaseCells.of(bench, cases).groups()
    names = [cell.client for cell in cells]
    assert names == ["spikewire", "spikewire@old", "spikewire-builder@old", "aerospike"]
    assert (chains_of("spikewire@old"), chains_of("spikewire")) == (names[2], "spikewire-builder")
    assert chains_of("aerospike@old") == ""


def test_columns_of_builds_follow_those_of_their_client() -> None:
    columns = with_builds(("spikewire", "spikewire@old"))
    assert [column for column in columns if "@" not in column.client] == list(COLUMNS)
    assert [(column.key, column.title) for column in columns if "@" in column.client] == [
        ("spikewire@old-sync", "spikewire@old, sequential"),
        ("spikewire@old-async", "spikewire@old, concurrent"),
    ]
    assert builds_in(columns)["spikewire@old-async"] == "spikewire-async"


# --- Reports --------------------------------------------------------------------------------------


def a_line(client: str, rates: tuple[float, ...], cpu: tuple[float, ...]) -> Line:
    cell = Cell(client, "sync", 1)
    return Line(cell, len(rates), (), rate=Spread.of(rates), cpu=Spread.of(cpu))


def test_a_build_is_compared_with_the_first_and_is_no_peer() -> None:
    installed = a_line("spikewire", (98, 99, 100, 101, 102), (10, 10, 11, 11, 11))
    old = a_line("spikewire@old", (80, 80, 80, 81, 81), (10, 10.5, 11.5, 11.5, 11.5))
    peer = a_line("aerospike", (50, 50, 50, 51, 51), (20, 20, 21, 21, 21))
    assert compared([installed, old, peer]) == [
        "spikewire@old over spikewire: op/s 0.800 (worse), CPU 1.045 (no change found)"
    ]
    (text,) = compared(
        [a_line("spikewire@a", (2, 2), (1, 1)), a_line("spikewire@b", (1, 1), (1, 1))]
    )
    assert text.startswith(
        "spikewire@b over spikewire@a: op/s 0.500 (cannot tell with 2 rounds, 5 needed)"
    )
    first, second, _ = with_ratios([installed, old, peer])
    assert first.rate_ratio == pytest.approx(100 / 50)
    assert second.rate_ratio == pytest.approx(80 / 50)


RATE, CPU = Heading("rate", "throughput", "op/s", MORE), Heading("cpu", "CPU", "us", LESS)


def test_rows_of_builds_are_compared_with_those_of_the_installed_one() -> None:
    def a_row(client: str, rate: float, rounds: int = 5) -> Row:
        values = [rate * (1 + at / 1000) for at in range(rounds)]
        fields: dict[str, Entry] = {"rate": Median.of(values), "cpu": 3.0}
        return Row(f"{client}, 8 threads", fields, client)

    rows = [a_row("spikewire@old", 80), a_row("spikewire", 100), a_row("aerospike", 50)]
    assert of_rows(rows, (RATE, CPU)) == [
        "spikewire@old, 8 threads over spikewire: throughput 0.800 (worse)"
    ]
    rows = [a_row("spikewire@old", 80, 1), a_row("spikewire", 100, 1)]
    (text,) = of_rows(rows, (RATE, CPU))
    assert text.endswith("throughput 0.800 (cannot tell with 1 round, 4 needed)")


def test_columns_of_builds_are_compared_with_those_of_the_installed_one() -> None:
    columns = with_builds(("spikewire@old",))
    headings = [replace(CPU, key=column.key, title=column.title) for column in columns]
    fields: dict[str, Entry] = {
        "spikewire-sync": Median.of([10, 11, 12, 13, 14]),
        "spikewire@old-sync": Median.of([20, 21, 22, 23, 24]),
        "aerospike-sync": Median.of([30, 31, 32, 33, 34]),
    }
    assert of_columns([Row("get", fields)], headings, builds_in(columns)) == [
        "spikewire@old, sequential over spikewire, sequential: get 1.833 (worse)"
    ]


# --- End to end -----------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package with a version of its own."""
    package = Path(spikewire.__file__).resolve().parent
    skipped = shutil.ignore_patterns("__pycache__", "compat")
    shutil.copytree(package, tmp_path / "copy" / "spikewire", ignore=skipped)
    with (tmp_path / "copy" / "spikewire" / "__init__.py").open("a") as into:
        into.write('\n__version__ = "0.0.9"\n')
    return tmp_path / "copy"


def test_a_copy_beside_the_installed_one_has_lines_of_its_own(copied: Path, tmp_path: Path) -> None:
    pytest.importorskip("rich.console", reason="the lab's rich is not installed")
    pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")
    out = tmp_path / "a.json"
    command = [
        *(sys.executable, "-m", "spikewire", "compare", "--rounds", "1", "-d", "0.1"),
        *("--clients", f"spikewire,spikewire@{copied}", "--mode", "sync,async,batch"),
        *("--warmup", "0", "--pause", "0", "-k", "500", "--threads", "2", "-z", "2"),
        *("--batch-sizes", "8", "--write-sizes", "8", "--json", str(out)),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    report: dict[str, Any] = json.loads(out.read_text())
    versions = {(cell["client"], cell["version"]) for cell in report["cells"]}
    assert versions == {("spikewire", spikewire.__version__), ("spikewire@copy", "0.0.9")}
    kinds = [(cell["mode"], cell["shape"]["kind"]) for cell in report["cells"]]
    assert all(kinds.count(kind) == 2 for kind in kinds)
    mine, other = report["builds"]["spikewire"], report["builds"]["spikewire@copy"]
    assert mine["native"] == other["native"]
    # The native part may be older than the source tree.
    assert other["built_from"] == mine["built_from"]
    assert "spikewire@copy over spikewire: op/s" in ended.stdout
