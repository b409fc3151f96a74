"""Each public name of the originals, in all of their modules, is in the drop-ins."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import types
import typing
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.compat import aerospike, aerospike_py
from spikewire.compat.check.peers import PEERS
from spikewire.compat.difference_table import Missing

if TYPE_CHECKING:
    from compat.aerospike_drivers import Driver

#: Packages of the originals, and where their drop-ins are.
PACKAGES = {
    "aerospike": "spikewire.compat.aerospike",
    "aerospike_helpers": "spikewire.compat.aerospike_helpers",
    "aerospike_py": "spikewire.compat.aerospike_py",
}
#: Names that the originals only import for themselves.
_OF_OTHERS = frozenset({"aerospike", "annotations", *dir(typing)})


def modules() -> list[str]:
    """All public modules of the installed originals."""
    module_names = []
    for package in PACKAGES:
        try:
            root = importlib.import_module(package)
        except ImportError:
            continue
        inside = pkgutil.walk_packages(getattr(root, "__path__", []), f"{package}.")
        names = [package, *(each.name for each in inside)]
        module_names += [name for name in names if "._" not in name]
        if package == "aerospike":  # Its modules are in one file, made when it is imported.
            parts = [n for n in dir(root) if isinstance(getattr(root, n), types.ModuleType)]
            module_names += [f"{package}.{name}" for name in parts]
    return sorted(module_names)


def theirs(value: Any) -> bool:
    """Whether a value comes from one of the packages, as far as it says."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in PACKAGES
    of = getattr(value, "__module__", None)
    return not isinstance(value, (type, types.FunctionType)) or str(of).startswith(tuple(PACKAGES))


def public(module: Any) -> dict[str, Any]:
    values = {name: getattr(module, name) for name in dir(module)}
    return {
        name: value
        for name, value in values.items()
        if name[0] != "_" and name not in _OF_OTHERS and theirs(value)
    }


def is_listed(module: str, name: str) -> bool:
    """Whether ``compat check`` says that there is no such thing, and what to use instead."""
    parts = module.split(".")
    names = [".".join([*parts[at:], name]) for at in range(len(parts) + 1)]
    tables = [peer.differences() for peer in PEERS[:2]]
    return any(isinstance(table.find(each), Missing) for table in tables for each in names)


@pytest.mark.parametrize("module", modules())
def test_each_name_of_a_module_is_here_or_listed(module: str) -> None:
    package, _, rest = module.partition(".")
    real = importlib.import_module(package)
    for part in rest.split(".") if rest else ():
        real = getattr(real, part, None) or importlib.import_module(module)
    own = importlib.import_module(PACKAGES[package])
    for part in rest.split(".") if rest else ():
        own = getattr(own, part, None) or importlib.import_module(f"{PACKAGES[package]}.{rest}")
    names = public(real)
    for name, value in names.items():
        # A package has its modules as attributes once somebody has imported them.
        if isinstance(value, types.ModuleType):
            with contextlib.suppress(ImportError):
                importlib.import_module(f"{own.__name__}.{name}")
    absent = [name for name in names if not hasattr(own, name) and not is_listed(module, name)]
    assert absent == []
    for name, value in names.items():
        if isinstance(value, (int, str)) and not is_listed(module, name):
            assert getattr(own, name) == value, name


def lacking(package: Any, own: Any, instances: dict[str, Any]) -> dict[str, list[str]]:
    """For each class the attributes that the drop-in's class, or an instance of it, lacks."""
    classes = {name: each for name, each in public(package).items() if isinstance(each, type)}
    assert len(classes) > 5
    absent_names = {}
    for name, there in classes.items():
        here = instances.get(name, getattr(own, name, None))
        absent = [n for n in dir(there) if n[0] != "_" and not hasattr(here, n)]
        absent_names[name] = [each for each in absent if not is_listed(name, each)]
    return {name: absent for name, absent in absent_names.items() if absent}


def test_each_attribute_of_the_classes_of_aerospike_is_here(drivers: list[Driver]) -> None:
    client = drivers[1].client
    instances = {
        "GeoJSON": aerospike.GeoJSON("{}"),
        "Transaction": aerospike.Transaction(),
        "Query": client.query("test", "s"),
        "Scan": client.scan("test", "s"),
    }
    assert lacking(importlib.import_module("aerospike"), aerospike, instances) == {}


def test_each_attribute_of_the_classes_of_aerospike_py_is_here() -> None:
    real = pytest.importorskip("aerospike_py", reason="aerospike-py is not installed")
    assert lacking(real, aerospike_py, {}) == {}
