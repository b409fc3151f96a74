"""The drop-in for aerospike-py has the names, values and signatures of the original."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

from spikewire.compat import aerospike_py as ours

real: Any = pytest.importorskip("aerospike_py", reason="aerospike-py is not installed")

MODULES = (
    "bit_operations", "exception", "exp", "hll_operations", "list_operations", "map_operations",
    "predicates", "numpy_batch",
)  # fmt: skip


def public(module: Any) -> list[str]:
    named: Any = getattr(module, "__all__", None)
    return sorted(named if named is not None else (n for n in dir(module) if n[0] != "_"))


def parameters(of: Any) -> list[tuple[str, Any, Any]]:
    """Names, kinds and defaults. For the original's native methods those of its wrappers."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [
        (each.name, positional[1] if each.kind in positional else each.kind, each.default)
        for each in inspect.signature(of).parameters.values()
        if each.name != "self"
    ]


def test_every_name_of_the_package_is_here() -> None:
    assert [name for name in public(real) if not hasattr(ours, name)] == []
    assert len(public(real)) > 250


def test_constants_have_the_same_values() -> None:
    numbers = [name for name in public(real) if isinstance(getattr(real, name), int)]
    assert len(numbers) > 150
    assert {n: getattr(ours, n) for n in numbers} == {n: getattr(real, n) for n in numbers}


@pytest.mark.parametrize("module", MODULES)
def test_modules_have_the_same_functions(module: str) -> None:
    its = importlib.import_module(f"aerospike_py.{module}")
    own = importlib.import_module(f"spikewire.compat.aerospike_py.{module}")
    for name in public(its):
        if name == "Operation":  # the type of the dictionaries
            continue
        here = getattr(own, name)
        if inspect.isfunction(there := getattr(its, name)):
            assert parameters(here) == parameters(there), name


def test_functions_of_the_package_have_the_same_parameters() -> None:
    functions = [n for n in public(real) if inspect.isroutine(getattr(real, n))]
    assert "client" in functions
    for name in functions:
        assert parameters(getattr(ours, name)) == parameters(getattr(real, name)), name


@pytest.mark.parametrize("name", ["Client", "AsyncClient", "Query", "AsyncQuery"])
def test_methods_have_the_same_parameters(name: str) -> None:
    its, own = getattr(real, name), getattr(ours, name)
    methods = [n for n in dir(its) if n[0] != "_" and callable(getattr(its, n))]
    assert methods
    for method in methods:
        there, here = getattr(its, method), getattr(own, method)
        assert parameters(here) == parameters(there), method
        assert inspect.iscoroutinefunction(here) == inspect.iscoroutinefunction(there), method


@pytest.mark.parametrize("name", ["LazyBatchRecords", "NumpyBatchRecords"])
def test_results_have_the_same_methods(name: str) -> None:
    its, own = getattr(real, name), getattr(ours, name)
    assert [n for n in dir(its) if n[0] != "_" and not hasattr(own, n)] == []
    for special in ("__len__", "__iter__", "__contains__"):
        assert hasattr(own, special) == hasattr(its, special)


def test_named_tuples_have_the_same_fields() -> None:
    tuples = [n for n in public(real) if hasattr(getattr(real, n), "_fields")]
    assert len(tuples) > 8
    for name in tuples:
        here, there = getattr(ours, name), getattr(real, name)
        assert here._fields == there._fields
        assert here._field_defaults == there._field_defaults


def test_typed_dictionaries_have_the_same_entries() -> None:
    for name in public(real):
        there = getattr(real, name)
        if isinstance(there, type) and issubclass(there, dict) and there is not dict:
            assert set(getattr(ours, name).__annotations__) == set(there.__annotations__), name


def test_exceptions_have_the_same_parents() -> None:
    kinds = [n for n in public(real.exception) if n[0].isupper()]
    assert len(kinds) == 25
    for name in [*kinds, "TimeoutError", "IndexError"]:
        here, there = getattr(ours, name), getattr(real, name)
        assert [k.__name__ for k in here.__mro__] == [k.__name__ for k in there.__mro__], name
    with pytest.warns(DeprecationWarning, match="AerospikeTimeoutError"):
        assert ours.exception.TimeoutError is ours.AerospikeTimeoutError


def calls() -> list[tuple[str, str, list[Any]]]:
    """Each function that creates a dictionary, with arguments that suit all of them."""
    functions = []
    for module in ("bit_operations", "exp", "hll_operations", "list_operations", "map_operations"):
        of = importlib.import_module(f"aerospike_py.{module}")
        for name in public(of):
            function = getattr(of, name)
            if not inspect.isfunction(function):
                continue
            count = 0
            for each in inspect.signature(function).parameters.values():
                if each.kind is each.VAR_POSITIONAL:
                    count += 3
                elif each.kind is not each.KEYWORD_ONLY:
                    count += 1
            functions.append((module, name, [f"a{at}" for at in range(count)]))
    return functions


@pytest.mark.parametrize(("module", "name", "arguments"), calls(), ids=lambda each: str(each))
def test_dictionaries_are_the_same(module: str, name: str, arguments: list[Any]) -> None:
    its = getattr(importlib.import_module(f"aerospike_py.{module}"), name)
    own = getattr(importlib.import_module(f"spikewire.compat.aerospike_py.{module}"), name)
    assert own(*arguments) == its(*arguments)
    least = sum(
        each.default is each.empty and each.kind is not each.VAR_POSITIONAL
        for each in inspect.signature(its).parameters.values()
    )
    assert own(*arguments[:least]) == its(*arguments[:least])
