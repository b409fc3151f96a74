"""The stub agrees with the native module."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spikewire import _native

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "python/spikewire/_native.pyi"
CLASSES = ("Client", "Dataset", "ClientSubmit", "DatasetSubmit", "AsyncClient", "AsyncDataset")

TREE = ast.parse(STUB.read_text())

Function = tuple[str, str, list[ast.FunctionDef]]


def functions() -> Iterator[Function]:
    """Every method in the stub with its overloads: class, name, definitions."""
    for node in TREE.body:
        if not isinstance(node, ast.ClassDef):
            continue
        methods: dict[str, list[ast.FunctionDef]] = {}
        for item in node.body:
            if isinstance(item, ast.FunctionDef):
                methods.setdefault(item.name, []).append(item)
        for name, definitions in methods.items():
            yield node.name, name, definitions


def is_property(definition: ast.FunctionDef) -> bool:
    return any(isinstance(it, ast.Name) and it.id == "property" for it in definition.decorator_list)


FUNCTIONS = list(functions())
DOCUMENTED = [function for function in FUNCTIONS if not function[1].startswith("_")]
METHODS = [
    function
    for function in FUNCTIONS
    if not function[1].startswith("__") and not is_property(function[2][0])
]


def named(function: Function) -> str:
    return f"{function[0]}.{function[1]}"


def parameters(definition: ast.FunctionDef) -> dict[str, tuple[str, str | None]]:
    """Name to kind and default, as ``inspect`` and ``ast.unparse`` spell them."""
    entries: dict[str, tuple[str, str | None]] = {}
    spec = definition.args
    placed = [(it, "POSITIONAL_ONLY") for it in spec.posonlyargs]
    placed += [(it, "POSITIONAL_OR_KEYWORD") for it in spec.args]
    defaults = [None] * (len(placed) - len(spec.defaults)) + [*spec.defaults]
    for (argument, kind), default in zip(placed, defaults, strict=True):
        value = None if default is None else ast.unparse(default)
        entries[argument.arg] = (kind, value)
    for argument, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        value = None if default is None else ast.unparse(default)
        entries[argument.arg] = ("KEYWORD_ONLY", value)
    if spec.vararg:
        entries[spec.vararg.arg] = ("VAR_POSITIONAL", None)
    if spec.kwarg:
        entries[spec.kwarg.arg] = ("VAR_KEYWORD", None)
    entries.pop("self", None)
    return entries


@pytest.mark.parametrize("function", METHODS, ids=named)
def test_parameters_match_the_native_signatures(function: Function) -> None:
    owner, name, definitions = function
    native = inspect.signature(getattr(getattr(_native, owner), name))
    real = {
        parameter.name: (
            parameter.kind.name,
            None
            if parameter.default is parameter.empty
            else "..."
            if parameter.default is ...
            else repr(parameter.default),
        )
        for parameter in native.parameters.values()
        if parameter.name != "self"
    }
    declared = parameters(definitions[-1])
    # The last overload takes everything: a parameter that it requires is absent in another.
    assert {name: kind for name, (kind, _) in declared.items()} == {
        name: kind for name, (kind, _) in real.items()
    }
    for definition in definitions:
        for parameter, (_, default) in parameters(definition).items():
            if default is not None or len(definitions) == 1:
                assert default == real[parameter][1], parameter
    for parameter in declared.keys() - parameters(definitions[0]).keys():
        assert real[parameter][1] is not None, f"{parameter} cannot be left out"


@pytest.mark.parametrize("function", DOCUMENTED, ids=named)
def test_docstrings_match_the_native_ones(function: Function) -> None:
    owner, name, definitions = function
    native = getattr(getattr(_native, owner), name)
    for definition in definitions:
        assert ast.get_docstring(definition) == inspect.getdoc(native)
        assert inspect.getdoc(native)


@pytest.mark.parametrize(
    "owner", [name for name, of in vars(_native).items() if isinstance(of, type) and name[0] != "_"]
)
def test_docstrings_of_classes_match_the_native_ones(owner: str) -> None:
    (declared,) = (
        node for node in TREE.body if isinstance(node, ast.ClassDef) and node.name == owner
    )
    assert ast.get_docstring(declared) == inspect.getdoc(getattr(_native, owner))


def test_every_native_name_is_in_the_stub() -> None:
    for owner in {owner for owner, _, _ in FUNCTIONS}:
        real = {name for name in vars(getattr(_native, owner)) if not name.startswith("__")}
        values = {name for of, name, _ in FUNCTIONS if of == owner and not name.startswith("__")}
        assert real == values, owner


def test_the_verbs_are_the_same_everywhere() -> None:
    def verbs(owner: str) -> dict[str, inspect.Signature]:
        of = getattr(_native, owner)
        methods = {name: getattr(of, name, None) for name in vars(_native.Dataset)}
        return {
            name: inspect.signature(method)
            for name, method in methods.items()
            if not name.startswith("_") and callable(method)
        }

    def placed(owner: str, verb: str) -> list[inspect.Parameter]:
        return list(inspect.signature(getattr(getattr(_native, owner), verb)).parameters.values())

    first, *others = map(verbs, CLASSES)
    assert len(first) >= 9
    # Only datasets create keys.
    for own in ("key", "keys"):
        assert [item.pop(own) for item in (first, *others) if own in item] != []
        assert not hasattr(_native.Client, own)
    # What is submitted is within a transaction if its client or dataset is.
    assert len({item.pop("within") for item in (first, *others) if "within" in item}) == 1
    # That of clients is in Python.
    assert [item.pop("explain") for item in (first, *others) if "explain" in item] != []
    # A stream keeps calls in flight by itself.
    for item in (first, *others):
        item.pop("get_stream", None)
    for of in ("Client", "AsyncClient", "AsyncDataset"):
        assert placed(of, "get_stream") == placed("Dataset", "get_stream")
    # A client takes namespace and set as arguments; a dataset has them.
    for verb in ("query", "operate_all", "apply_all", "delete_all", "touch_all"):
        for item in (first, *others):
            item.pop(verb, None)
        (client, dataset) = placed("Client", verb), placed("Dataset", verb)
        assert [it.name for it in client[1:3]] == ["namespace", "set"]
        assert client[:1] + client[3:] == dataset
        assert placed("AsyncClient", verb) == client
        assert placed("AsyncDataset", verb) == dataset
    assert all(other == first for other in others)


def test_generated_files_are_up_to_date() -> None:
    tool = ROOT / "tools/generate.py"
    if shutil.which("rustfmt") is None:
        pytest.skip("rustfmt is not installed")
    checked = subprocess.run(
        [sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.types
def test_stubtest_accepts_the_stub() -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    # Older type checkers do not know the decorator that would mark the native bases.
    command = [sys.executable, "-m", "mypy.stubtest", "--ignore-disjoint-bases"]
    command += ["--mypy-config-file", "pyproject.toml"]
    checked = subprocess.run(
        [*command, "spikewire._native"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=300,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
