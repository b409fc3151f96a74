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

    def scan(*args: Any, **named: Any) -> list[int]:
        return sorted(
            record[2]["n"] for record in d.client.scan("test", d.set).results(*args, **named)
        )

    parts = [scan({}, name) for name in names]
    assert sorted(chain(*parts)) == list(range(COUNT))
    return [
        parts == [scan(nodename=name) for name in names],
        d.outcome(scan, {}, "nope"),
        d.outcome(scan, {}, None),
        d.outcome(scan, {}, b"nope"),
        d.outcome(scan, {}, {}, names[0]),
        # A filter takes precedence over a node.
        len(scan({"partition_filter": {}}, "nope")),
        len(scan({"max_records": 5}, names[0])),
        d.outcome(lambda: d.client.scan("nope", "s").results(nodename=names[0])),
        d.outcome(lambda: d.client.query("test", d.set).results(nodename=names[0])),
    ]


@program
def scans_of_one_node_with_a_callback(d: Driver) -> Any:
    names = filled(d)

    def scan(policy: Any, name: Any, options: Any = None) -> Any:
        calls: list[Any] = []
        scan_with_bins = d.client.scan("test", d.set)
        scan_with_bins.select("m")
        scan_with_bins.foreach(lambda *of: calls.append(of), policy, options, name)
        return sorted((len(of), sorted(of[-1][2])) for of in calls)

    def stopping(name: str) -> int:
        calls: list[Any] = []
        d.client.scan("test", d.set).foreach(lambda of: bool(calls.append(of)), None, None, name)
        return len(calls)

    def raising(*of: Any) -> None:
        raise KeyError(of)

    return [
        sorted(chain(*(scan(None, name) for name in names))),
        len(scan({"partition_filter": {"begin": 0, "count": 4096}}, names[0])),
        {tuple(each[1]) for each in scan(None, names[0], {"nobins": True})},
        [stopping(name) for name in names],
        d.outcome(d.client.scan("test", d.set).foreach, raising, None, None, names[0]),
        d.outcome(d.client.scan("test", d.set).foreach, raising),
        d.outcome(scan, None, None),
        d.outcome(scan, None, "nope"),
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
    numbers = sorted(record[2]["n"] for record in whole.results(nodename=names[0]))
    assert sorted(chain(*pages)) == numbers
    return [max(map(len, pages)), whole.is_done(), whole.get_partitions_status()]


@program
def indexes_of_sets(d: Driver) -> Any:
    filled(d)
    make, name = d.client.index_set_create, f"i_{d.set}"

    def indexes() -> list[str]:
        listed = d.client.info_random_node("sindex-list:namespace=test").split("\t")[1].strip()
        return sorted(entry.replace(d.set, "S") for entry in listed.split(";") if d.set in entry)

    outcomes = [
        d.outcome(make, "test", d.set, name),
        d.outcome(make, "test", d.set, name, {"timeout": 1000}),
        indexes(),
        len(d.client.scan("test", d.set).results()),
        d.outcome(d.client.index_remove, "test", name),
        indexes(),
        d.outcome(lambda: make(ns="test", set=d.set, name=name, policy=None)),
        d.outcome(d.client.index_remove, "test", name),
    ]
    # The official client's message names the node that rejected it.
    rejected = ("test", None, "n"), ("test", "", "n"), ("nope", "s", "n"), ("test", "s", "n" * 99)
    wrong = ("test", 1, "n"), (1, "s", "n"), (None, "s", "n"), ("test", "s", None)
    outcomes += [d.fails(make, *args) for args in rejected]
    outcomes += [d.outcome(make, *args) for args in wrong]
    return [*outcomes, d.outcome(make, "test", "s", "n", 5)]
