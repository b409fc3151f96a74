"""Both type checkers see the types that the files in ``typing/`` expect, with and without optional
libraries; these files use every public name; and everything a program may have to write is
exported."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import subprocess
import sys
import sysconfig
import venv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import exp, op, types

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
REVEALED = ROOT / "tests/typing"
PACKAGE = ROOT / "python/spikewire"

#: The modules whose public names are checked.
MODULES = (
    "spikewire",
    "spikewire.builder",
    "spikewire.codec",
    "spikewire.cql",
    "spikewire.ctx",
    "spikewire.indexes",
    "spikewire.jobs",
    "spikewire.metrics",
    "spikewire.modules",
    "spikewire.opening",
    "spikewire.pool",
    "spikewire.profiles",
    "spikewire.query",
    "spikewire.recording",
    "spikewire.roles",
    "spikewire.tasks",
    "spikewire.testing",
    "spikewire.transactions",
    "spikewire.types",
    "spikewire.users",
)
#: Where type checkers find classes that have a public name elsewhere.
PRIVATE = (
    "spikewire._native",
    "spikewire.aerospike.builder.asynchronous",
    "spikewire.aerospike.builder.blocking",
    "spikewire.cql._native",
    "spikewire.aerospike.views",
)
#: Names that are public by their spelling but not meant for programs.
INTERNAL = {
    # Created by the functions of `spikewire.op`, `spikewire.exp` and `spikewire.query`.
    "Operation": {"bit", "hll", "list", "map", "path", "read", "string", "write"},
    "Expression": set(vars(spikewire.Expression)),
    # Of their messages.
    "Overloaded": {"advice"},
    "RecordChanged": {"advice"},
    "RecordLocked": {"advice"},
    "TransactionExpired": {"advice"},
    # For paths that begin with it.
    "Step": {"several"},
    # Internal to profiles.
    "Profile": {"attach", "profile_changed", "replace", "state", "with_state"},
    "Profiles": {"is_of"},
    # Typed in the step that it derives from.
    "ReadOne": {"first", "first_or_none"},
    # For type checkers views are clients and datasets.
    "_View": {"profile_changed", "get_stream"},
    "_OfClient": {"run_in_transaction", "session", "transaction", "within"},
    "AsyncTargetContext": {"open"},
    "_OfDataset": {"with_profile", "within"},
    # For a registry of prometheus_client.
    "Collector": {"collect", "describe"},
    # Annotations of the library's own code.
    "opening": {"read_for", "require_namespace"},
    "views": {"view"},
}
#: Classes in signatures that are internal to the library.
BETWEEN = {
    *("AdminTask", "PasswordHash", "StatsFields", "TransactionCore"),  # of the engine
    *("OfficialOperations", "OfficialResults", "NamedWrites"),  # of the drop-ins
    *("State", "Document", "Unit", "Window", "How"),  # of profiles, pools, streams
    *("Parts", "Scheme"),  # of opening
    "Family",  # of metrics
}
#: Methods that need a library whose types may be missing.
OPTIONAL = {"to_pandas", "to_polars", "to_arrow", "to_numpy"}


def run(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=300,
        **options,
    )


def check(*command: str) -> None:
    checked = run(*command)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def checkers() -> list[str]:
    """The installed checkers. The last is pyright with its Node.js in the wheel."""
    names = ("mypy", "pyright", "basedpyright")
    return [name for name in names if importlib.util.find_spec(name)]


@cache
def checked_by_mypy(cache_folder: str) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """The output of mypy, and the names that the files refer to, by their full names."""
    # Strict as configured, and unused ignores are errors.
    flags = ["--strict", "--warn-unused-ignores"]
    cached_flags = ["--export-ref-info", "--no-sqlite-cache", "--cache-dir", cache_folder]
    done = run("mypy", *flags, *cached_flags, *map(str, sorted(REVEALED.glob("*.py"))))
    values: set[str] = set()
    for path in REVEALED.glob("*.py"):
        for references in Path(cache_folder).glob(f"*/**/{path.stem}.refs.json"):
            values |= {it["target"] for it in json.loads(references.read_text()) if "target" in it}
    return done, values


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    return str(tmp_path_factory.mktemp("mypy"))


def test_mypy_reveals_the_expected_types(cache_folder: str) -> None:
    done, _ = checked_by_mypy(cache_folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_reveals_the_expected_types() -> None:
    names = [name for name in checkers() if name != "mypy"]
    if not names:
        pytest.skip("neither pyright nor basedpyright is installed")
    project = str(REVEALED / "pyrightconfig.json")
    check(names[-1], "--project", project, "--pythonpath", sys.executable)


def public() -> Iterator[tuple[Any, str]]:
    """Every public name, with its class or module."""
    for name in MODULES:
        module = importlib.import_module(name)
        for own in module.__all__:
            result = getattr(module, own)
            if inspect.isclass(result) and result.__module__.startswith("spikewire"):
                for of in result.__mro__:
                    if of.__module__.startswith("spikewire"):
                        yield from ((of, it) for it in vars(of) if it[0] != "_")
            elif inspect.isfunction(result):
                yield sys.modules[result.__module__], result.__name__


def home(named: str) -> list[tuple[str, str]]:
    """The class or module, and the name, of a reference of mypy."""
    before, _, name = named.rpartition(".")
    of = before.rpartition(".")[2]
    result = [(of, name)]
    for module in map(importlib.import_module, (*MODULES, *PRIVATE)):
        kind = getattr(module, of, None)
        if inspect.isclass(kind):
            result += [(base.__name__, name) for base in kind.__mro__ if name in vars(base)]
    return result


def test_all_that_is_public_is_looked_at(cache_folder: str) -> None:
    """The files use every public method, property and function, on its class or a derived one."""
    _, references = checked_by_mypy(cache_folder)
    looked_at = {it for named in references if named.startswith("spikewire") for it in home(named)}
    missing: set[str] = set()
    for of, name in public():
        owner = of.__name__.rpartition(".")[2]
        if name in INTERNAL.get(owner, ()) or name in OPTIONAL or (owner, name) in looked_at:
            continue
        missing.add(f"{of.__module__}.{owner}.{name}" if inspect.isclass(of) else f"{owner}.{name}")
    assert len(looked_at) > 500
    assert not missing, ", ".join(sorted(missing))


@pytest.mark.parametrize("module", [op, exp], ids=["op", "exp"])
def test_functions_of_op_and_exp_declare_their_result(module: Any) -> None:
    """They are many, and generated."""
    expected = "Operation" if module is op else "Expression"
    checked = 0
    for path in sorted((PACKAGE / "aerospike" / module.__name__.rpartition(".")[2]).glob("*.py")):
        for of in ast.parse(path.read_text()).body:
            if isinstance(of, ast.FunctionDef) and not of.name.startswith("_"):
                returns = ast.unparse(of.returns or ast.Constant(None))
                assert returns == expected, f"{path.name}: {of.name}"
                checked += 1
    assert checked > 90


def test_types_in_public_signatures_are_exported() -> None:
    """Every class and alias of the library in a public signature has a public name."""
    known: set[str] = set()
    for module in map(importlib.import_module, MODULES):
        known |= set(module.__all__)
    missing: set[str] = set()
    patterns = ("*.py", "*.pyi", "[!_]*/*.py*", "aerospike/*/*.py")
    for path in (path for pattern in patterns for path in PACKAGE.glob(pattern)):
        if path.parent.name in ("bench", "compat", "exp", "op", "cql", "typed"):
            continue
        missing |= {f"{path.name}: {name}" for name in written(path) - known - BETWEEN}
    assert not missing, ", ".join(sorted(missing))


def written(path: Path) -> set[str]:
    """The names of the library in annotations of what is public in a file."""
    tree = ast.parse(path.read_text())
    of_the_library = {
        name.asname or name.name
        for it in ast.walk(tree)
        if isinstance(it, ast.ImportFrom) and (it.module or "").startswith("spikewire")
        for name in it.names
    } | {it.name for it in tree.body if isinstance(it, ast.ClassDef)}
    exported: set[str] = set(getattr(importlib.import_module(module_of(path)), "__all__", ()))
    values: set[str] = set()
    for of in tree.body:
        if isinstance(of, (ast.ClassDef, ast.FunctionDef)) and of.name in exported:
            for it in ast.walk(of):
                if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef)) and it.name[0] != "_":
                    values |= names(it)
    return {name for name in values & of_the_library if name[0] != "_"}


def names(of: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    parts = [it.annotation for it in (*of.args.args, *of.args.kwonlyargs)] + [of.returns]
    return {
        it.id
        for part in parts
        if part is not None
        for it in ast.walk(part)
        if isinstance(it, ast.Name)
    }


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


USER = """
import asyncio
import spikewire
from spikewire import exp, op
from spikewire.types import Result


def blocking(client: spikewire.Client) -> list[spikewire.Record]:
    users = client.dataset("test", "users")
    users.put("alice", {"n": 1}, ttl=60)
    users.operate("alice", [op.add("n", 1)], where=exp.bin("n") > 0)
    results: list[Result] = list(users.get_stream(["alice"]))
    first = client.session().query(users.key("alice")).bins("n").first()
    return [users.get("alice"), first, *users.query().to_list(), *(it.unwrap() for it in results)]


async def awaited() -> int:
    async with spikewire.AsyncClient("127.0.0.1") as client:
        users = client.dataset("test", "users")
        one, two = await asyncio.gather(users.get(1), users.get(2))
        async for record in users.query():
            print(record["n"], one.bins, two.bins)
        return await users.query().count()
"""


@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_a_program_where_numpy_and_pandas_are_missing(tmp_path: Path, checker: str) -> None:
    """The package as installed, in an environment without anything else."""
    if checker not in checkers():
        pytest.skip(f"{checker} is not installed")
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv/bin/python"
    scheme = {"base": str(tmp_path / "venv"), "platbase": str(tmp_path / "venv")}
    packages = Path(
        sysconfig.get_path(
            "purelib", "venv" if sys.version_info >= (3, 11) else "posix_prefix", scheme
        )
    )
    (packages / "spikewire").symlink_to(PACKAGE)
    # A dependency; in Python 3.10 it is needed.
    (packages / "typing_extensions.py").symlink_to(
        importlib.import_module("typing_extensions").__file__ or ""
    )
    alone = subprocess.run(
        [python, "-c", "import spikewire.types, numpy"], capture_output=True, text=True, check=False
    )
    assert "No module named 'numpy'" in alone.stderr
    program = tmp_path / "program.py"
    program.write_text(USER)
    entries = {
        "mypy": ("--strict", "--config-file=", "--python-executable", str(python)),
        "basedpyright": ("--level", "error", "--pythonpath", str(python)),
    }
    if checker == "basedpyright":
        settings = {"typeCheckingMode": "strict", "include": ["program.py"]}
        (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    arguments = ("--project", str(tmp_path)) if checker == "basedpyright" else (str(program),)
    done = subprocess.run(
        [sys.executable, "-m", checker, *entries[checker], *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_name_of_the_types_is_there() -> None:
    for name in types.__all__:
        assert getattr(types, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        getattr(types, "Nothing")  # noqa: B009
