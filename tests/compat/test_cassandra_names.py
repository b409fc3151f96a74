"""Names of cassandra-driver: they are in the drop-in, or its table says what to use instead. And
classes that need no server."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import random
import re
import subprocess
import sys
import textwrap
import uuid
from typing import Any

import pytest

from spikewire.compat.cassandra import (
    cluster,
    cqltypes,
    encoder,
    metadata,
    murmur3,
    policies,
    query,
    util,
)
from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.installation import MODULES
from spikewire.compat.check.peers import PEERS
from spikewire.compat.difference_table import Missing

REAL, OURS = "cassandra", "spikewire.compat.cassandra"


def public_names(module: Any) -> list[str]:
    """The public names of a module of the original: those that it defines, and those that it
    imports from others of its modules, which programs import from there as well."""
    names: list[str] = []
    for name in dir(module):
        value = getattr(module, name)
        owner = getattr(value, "__module__", REAL)
        if name.startswith("_") or inspect.ismodule(value) or not isinstance(owner, str):
            continue
        # The driver adds a named tuple, under another name, for each user-defined type.
        is_of_a_type = hasattr(value, "_fields") and value.__name__ != name
        if owner.partition(".")[0] == REAL and not is_of_a_type:
            names.append(name)
    return names


def has_attribute(kind: type, name: str) -> bool:
    """Whether objects of a class have an attribute, also one that only its methods set."""
    if hasattr(kind, name):
        return True
    own = [each for each in kind.__mro__ if each.__module__.startswith(OURS)]
    return any(
        name in inspect.get_annotations(each)
        or re.search(rf"\bself\.{name}\b", inspect.getsource(each))
        for each in own
    )


def is_listed(place: str, kind: type, name: str) -> bool:
    kinds = [place, *(each.__name__ for each in kind.__mro__)]
    return any(DIFFERENCES.find(f"{each}.{name}") for each in kinds)


@pytest.mark.parametrize("name", ["", *MODULES])
def test_every_name_is_there_or_listed(name: str) -> None:
    """A program finds out what to use instead, from an error or from ``compat check``."""
    pytest.importorskip("cassandra.cluster", reason="cassandra-driver is not installed")
    place = f".{name}" if name else ""
    original = importlib.import_module(REAL + place)
    ours = importlib.import_module(OURS + place)
    unknown: list[str] = []
    for each in public_names(original):
        path = f"{name}.{each}" if name else each
        if DIFFERENCES.find(path) is not None:
            continue
        theirs, own = getattr(original, each), getattr(ours, each, None)
        if own is None and theirs is not None:
            unknown.append(path)
        elif inspect.isclass(theirs) and inspect.isclass(own):
            unknown += [
                f"{each}.{attribute}"
                for attribute in dir(theirs)
                if not attribute.startswith("_")
                if not has_attribute(own, attribute)
                if not is_listed(each, theirs, attribute)
            ]
    assert unknown == []


def test_every_module_is_there_or_listed() -> None:
    original = pytest.importorskip("cassandra", reason="cassandra-driver is not installed")
    names = [each.name for each in pkgutil.walk_packages(original.__path__, f"{REAL}.")]
    places = [name.removeprefix(f"{REAL}.") for name in names]
    assert [each for each in places if each not in MODULES and not DIFFERENCES.find(each)] == []


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("", "__version__"),
        ("protocol", "ProtocolVersion"),
        ("cluster", "ConsistencyLevel"),
        ("cluster", "PreparedStatement"),
        ("cluster", "dict_factory"),
        ("cluster", "Cluster.refresh_keyspace_metadata"),
        ("cluster", "Cluster.refresh_table_metadata"),
        ("cluster", "DefaultConnection"),
        ("cluster", "PlainTextAuthProvider"),
        ("connection", "ConnectionException"),
        ("cqltypes", "CassandraType"),
        ("cqltypes", "cql_typename"),
        ("metadata", "cql_keywords_reserved"),
        ("metadata", "protect_names"),
        ("metadata", "Murmur3Token"),
        ("policies", "SimpleConvictionPolicy"),
        ("query", "bind_params"),
        ("util", "OrderedDict"),
        ("util", "Version"),
    ],
)
def test_names_that_programs_import(module: str, path: str) -> None:
    value = importlib.import_module(f"{OURS}.{module}" if module else OURS)
    for part in path.split("."):
        value = getattr(value, part)
    assert value is not None


def test_missing_names_raise_with_a_replacement() -> None:
    with pytest.raises(NotImplementedError, match="the engine manages its connections"):
        cluster.EventletConnection  # noqa: B018
    with pytest.raises(ImportError, match="the engine manages its connections"):
        from spikewire.compat.cassandra.pool import HostConnection  # noqa: F401
    own_cluster = cluster.Cluster()
    assert not hasattr(own_cluster.control_connection, "reconnect")
    with pytest.raises(NotImplementedError, match="the engine manages its connections"):
        own_cluster.get_core_connections_per_host(1)
    with pytest.raises(AttributeError, match="nonsense"):
        own_cluster.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="nonsense"):
        cluster.nonsense  # noqa: B018
    assert all(entry for entry in DIFFERENCES.entries.values() if isinstance(entry, Missing))


INSTALLED = """
    import spikewire.compat.cassandra as compat
    compat.install()
    import cassandra.cqltypes, cassandra.connection, cassandra.encoder
    assert cassandra.cqltypes.Int32Type.typename == "int"
    for name in ("values", "requests", "waiting", "io.libevreactor", "graph", "metrics", "nothing"):
        try:
            __import__(f"cassandra.{name}")
        except ModuleNotFoundError as error:
            assert isinstance(error, NotImplementedError), error
            print(error)
        else:
            print("there is", name)
    import spikewire.compat.cassandra.values
"""


def test_the_check_knows_the_same_modules() -> None:
    peer = next(peer for peer in PEERS if peer.drop_in == OURS)
    assert peer.modules == {REAL, *(f"{REAL}.{name}" for name in MODULES)}


def test_modules_that_are_not_public_are_not_found() -> None:
    """``import cassandra.values`` must not find a module that only the drop-in has."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INSTALLED)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 7, done.stderr
    assert all(" is not supported by spikewire.compat.cassandra: " in line for line in lines)
    assert "the engine has its own event loop" in lines[3]


def test_contact_points_may_not_be_text() -> None:
    """Text is a sequence, too: of hosts whose names have one letter."""
    for points in ("127.0.0.1", b"127.0.0.1"):
        with pytest.raises(TypeError, match="should not be a string"):
            cluster.Cluster(points)  # type: ignore[arg-type]


def test_uuids_of_one_time_differ() -> None:
    """As keys, equal ones would overwrite each other's rows."""
    assert len({util.uuid_from_time(1_700_000_000.25) for _ in range(1000)}) == 1000
    value = util.uuid_from_time(1.5, 5, 7)
    assert (value.node, value.clock_seq, value.version) == (5, 7, 1)
    assert util.uuid_from_time(1.5, 5).node == 5
    assert util.LOWEST_TIME_UUID < util.HIGHEST_TIME_UUID
    with pytest.raises(ValueError, match="clock_seq"):
        util.uuid_from_time(1.5, 5, 0x4000)


def test_sets_of_what_cannot_be_ordered() -> None:
    items = util.SortedSet(item for item in [1, "a", 2])
    assert len(items) == 3
    assert "a" in items
    assert len(util.SortedSet([{"a": 1}, {"b": 2}, {"a": 1}])) == 2
    numbers = util.SortedSet([3, 1, 2, 1])
    del numbers[0]
    assert list(numbers) == [2, 3]
    numbers |= [5]
    numbers &= [5, 2]
    numbers -= [2]
    assert list(numbers) == [5]
    numbers ^= [7]
    assert list(numbers) == [5, 7]
    numbers.remove(5)
    with pytest.raises(KeyError):
        numbers.remove(5)
    assert pickle.loads(pickle.dumps(numbers)) == numbers


def test_ordered_maps_take_unhashable_keys() -> None:
    items = util.OrderedMap([(bytearray(b"a"), 1), ({"x": [1]}, 2), ({1, 2}, 3)])
    assert [items[bytearray(b"a")], items[{"x": [1]}], items[{2, 1}]] == [1, 2, 3]
    keyed = util.OrderedMapSerializedKey(cqltypes.UTF8Type, 5)
    keyed._insert_unchecked("a", b"a", 1)
    assert keyed == {"a": 1}
    assert repr(util.Date(-(2**31))) == "Date(-2147483648)"


def test_versions_are_compared() -> None:
    version = util.Version
    texts = ["1.0.0-rc1", "1.0.0", "1.0.1", "1.2", "2.0.0.1", "2.0.0.2", "3"]
    ordered = [version(text) for text in texts]
    shuffled = random.sample(ordered, len(ordered))
    assert [str(one) for one in sorted(shuffled)] == texts
    assert version("1.2") == version("1.2.0")
    with pytest.raises(ValueError, match="start with a number"):
        version("x")


def test_tokens_of_keys_match_the_original() -> None:
    assert murmur3.murmur3(b"key") == -6847573755651342660
    assert metadata.Murmur3Token.from_key(b"").value == 0
    assert metadata.MD5Token.from_key(b"key").value > 0
    assert metadata.Murmur3Token(5) < metadata.Murmur3Token(6)


def test_the_encoder_writes_literals() -> None:
    write = encoder.Encoder().cql_encode_all_types
    some = uuid.UUID(int=1)
    assert write(["it's", 1, None, True]) == "['it''s', 1, NULL, True]"
    assert write((b"\x01", some)) == f"[0x01, {some}]"
    assert write({"a": {1}}) == "{'a': {1}}"
    with pytest.raises(NotImplementedError, match="bound by the types"):
        encoder.Encoder().mapping[int] = str
    assert metadata.protect_name("select") == '"select"'
    assert metadata.protect_name("Name") == '"Name"'
    assert metadata.protect_name("user") == "user"
    assert list(policies.ExponentialReconnectionPolicy(1, 5, 4).new_schedule()) == [1, 2, 4, 5]


def test_routing_keys_can_be_deleted() -> None:
    batch = query.BatchStatement()
    batch.add(query.SimpleStatement("x", routing_key=b"a"))
    assert batch.routing_key == b"a"
    del batch.routing_key
    assert batch.routing_key is None
    batch.add(query.SimpleStatement("y", routing_key=b"b"))
    assert batch.routing_key == b"b"
    single = query.SimpleStatement("x")
    single.routing_key = [b"a"]
    assert single.routing_key == b"a"
    single.routing_key = (b"a", b"bc")
    assert single.routing_key == b"\0\1a\0\0\2bc\0"


def test_types_are_looked_up_by_class_name() -> None:
    of = cqltypes.lookup_casstype
    assert cqltypes.cql_typename("MapType(UTF8Type, ListType(Int32Type))") == "map<text, list<int>>"
    assert str(of("VectorType(FloatType , 3)")) == "vector<float, 3>"
    udt = of("UserType(ks,61,78:Int32Type,79:FrozenType(SetType(UUIDType)))")
    assert (udt.name, udt.keyspace, udt.fieldnames) == ("a", "ks", ("x", "y"))
    assert of(udt.class_name()) == udt
    assert of("Nonsense(a,b)").name == "'Nonsense(a,b)'"
    assert cqltypes.Int32Type.deserialize(cqltypes.Int32Type.serialize(-5)) == -5
    both = cqltypes.MapType.apply_parameters([cqltypes.UTF8Type, cqltypes.Int32Type])
    assert dict(both.deserialize(both.serialize({"a": 1}))) == {"a": 1}
