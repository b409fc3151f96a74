"""Scans of one node, and indexes of sets: the same with both."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from compat.side_by_side import Programs

if TYPE_CHECKING:
    from compat.aerospike_drivers import Driver

program: Programs[Driver] = Programs("drivers")
test_both_see_the_same = program.test()

COUNT = 60


def filled(d: Driver) -> list[str]:
    """Writes records; returns the names of the nodes."""
    for number in range(COUNT):
        d.client.put(d.key(number), {"n": number, "m": 1})
    return sorted(node["node_name"] for node in d.client.get_node_names())


@program
def scans_of_one_node(d: Driver) -> Any:
    names = filled(d)

    def scan(*given: Any, **named: Any) -> list[int]:
        return sorted(
            record[2]["n"] for record in d.client.scan("test", d.set).results(*given, **named)
        )

    parts = [scan({}, name) for name in names]
    assert sorted(chain(*parts)) == list(range(COUNT))
    return [
        parts == [scan(nodename=name) for name in names],
        d.says(scan, {}, "nope"),
        d.says(scan, {}, None),
        d.says(scan, {}, b"nope"),
        d.says(scan, {}, {}, names[0]),
        # A filter takes precedence over a node.
        len(scan({"partition_filter": {}}, "nope")),
        len(scan({"max_records": 5}, names[0])),
        d.says(lambda: d.client.scan("nope", "s").results(nodename=names[0])),
        d.says(lambda: d.client.query("test", d.set).results(nodename=names[0])),
    ]


@program
def scans_of_one_node_with_a_callback(d: Driver) -> Any:
    names = filled(d)

    def scan(policy: Any, name: Any, options: Any = None) -> Any:
        given: list[Any] = []
        asked = d.client.scan("test", d.set)
        asked.select("m")
        asked.foreach(lambda *of: given.append(of), policy, options, name)
        return sorted((len(of), sorted(of[-1][2])) for of in given)

    def stopping(name: str) -> int:
        given: list[Any] = []
        d.client.scan("test", d.set).foreach(lambda of: bool(given.append(of)), None, None, name)
        return len(given)

    def raising(*of: Any) -> None:
        raise KeyError(of)

    return [
        sorted(chain(*(scan(None, name) for name in names))),
        len(scan({"partition_filter": {"begin": 0, "count": 4096}}, names[0])),
        {tuple(each[1]) for each in scan(None, names[0], {"nobins": True})},
        [stopping(name) for name in names],
        d.says(d.client.scan("test", d.set).foreach, raising, None, None, names[0]),
        d.says(d.client.scan("test", d.set).foreach, raising),
        d.says(scan, None, None),
        d.says(scan, None, "nope"),
        len(scan(None, names[0], 5)) == len(scan(None, names[0])),
    ]


@program
def pages_of_one_node(d: Driver) -> Any:
    names = filled(d)
    scan = d.client.scan("test", d.set)
    scan.paginate()
    pages: list[list[int]] = []
    while not scan.is_done() and len(pages) < 100:
        page = scan.results({"max_records": 7}, names[0])
        pages.append(sorted(record[2]["n"] for record in page))
    whole = d.client.scan("test", d.set)
    found = sorted(record[2]["n"] for record in whole.results(nodename=names[0]))
    assert sorted(chain(*pages)) == found
    return [max(map(len, pages)), whole.is_done(), whole.get_partitions_status()]


@program
def indexes_of_sets(d: Driver) -> Any:
    filled(d)
    make, name = d.client.index_set_create, f"i_{d.set}"

    def found() -> list[str]:
        listed = d.client.info_random_node("sindex-list:namespace=test").split("\t")[1].strip()
        return sorted(entry.replace(d.set, "S") for entry in listed.split(";") if d.set in entry)

    said = [
        d.says(make, "test", d.set, name),
        d.says(make, "test", d.set, name, {"timeout": 1000}),
        found(),
        len(d.client.scan("test", d.set).results()),
        d.says(d.client.index_remove, "test", name),
        found(),
        d.says(lambda: make(ns="test", set=d.set, name=name, policy=None)),
        d.says(d.client.index_remove, "test", name),
    ]
    # The official client's message names the node that refused.
    refused = ("test", None, "n"), ("test", "", "n"), ("nope", "s", "n"), ("test", "s", "n" * 99)
    wrong = ("test", 1, "n"), (1, "s", "n"), (None, "s", "n"), ("test", "s", None)
    said += [d.fails(make, *given) for given in refused]
    said += [d.says(make, *given) for given in wrong]
    return [*said, d.says(make, "test", "s", "n", 5)]
