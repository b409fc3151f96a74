"""Selection of the collected tests: marks by file, and tests that need one API only.

Every test of a behaviour is written once and collected for each API. How many of them run a case
depends on what it can find:

- tests about threads and loops (`EVERY_API`): all APIs;
- others: two, one whose caller blocks and one on an event loop, each pair in turns;
- where the API cannot make a difference, as in the arguments of a call, the mark `any_api`: one,
  in turns.

So every API has its share and no case is left out. `--one-api` runs all cases on one API,
`--every-api` on all.

Where processes share the files of a run, those that take longest begin first (`LONGEST`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from apis import APIS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path, PurePath

    import pytest

#: Marks of whole files, by the prefix of their path under tests/.
MARKS = {
    "behaviour/test_chaos": "faults",
    "behaviour/test_faults": "faults",
    "behaviour/test_query_chaos": "faults",
    "behaviour/test_reentrancy": "slow",
    "behaviour/test_seeds": "faults",
    "cql/test_cluster": "cassandra_cluster",
    "cql/": "cassandra",
    "interop/": "interop",
    "peers/": "peers",
    "test_closing": "faults",
    "test_command_line": "slow",
    "test_examples": "slow",
    "test_fork": "faults",
    "test_interrupts": "faults",
    "test_notebook": "slow",
    "test_plugin": "slow",
    "test_starting_interrupted": "faults",
    "test_typing": "types",
    "test_website": "slow",
}


#: Files about code that all APIs share: validation and encoding of arguments, and decoding of
#: replies.
ANY_API = (
    "behaviour/test_bad_input",
    "behaviour/test_columns_arrow",
    "behaviour/test_expressions",
    "behaviour/test_foreign_values",
    "behaviour/test_operations",
    "behaviour/test_values",
)

#: Files about what APIs do differently: waiting, loops, threads, and every verb once.
EVERY_API = (
    "behaviour/test_blocking",
    "behaviour/test_chaos",
    "behaviour/test_limits",
    "behaviour/test_loops",
    "behaviour/test_reentrancy",
    "behaviour/test_tasks",
    "behaviour/test_threads",
    "behaviour/test_verbs",
)

#: Files about what may differ without a GIL: threads, locks, objects that change meanwhile, forks,
#: loops in threads, and every verb once.
THREADS = (
    "behaviour/test_batch",
    "behaviour/test_blocking",
    "behaviour/test_buffers",
    "behaviour/test_changed_values",
    "behaviour/test_chaos",
    "behaviour/test_codecs",
    "behaviour/test_columns_numpy",
    "behaviour/test_limits",
    "behaviour/test_loops",
    "behaviour/test_many",
    "behaviour/test_queries",
    "behaviour/test_query_batches",
    "behaviour/test_reentrancy",
    "behaviour/test_share_reads",
    "behaviour/test_tables",
    "behaviour/test_tasks",
    "behaviour/test_threads",
    "behaviour/test_verbs",
    "test_closing",
    "test_concurrent",
    "test_fork",
    "test_gil_fairness",
    "test_interrupts",
    "test_pickle",
    "test_pool",
    "test_pool_clients",
    "test_profiles",
    "test_submit",
    "test_tasks_of_verbs",
)

#: Files that take longest, most of them with few tests. Those of the three nodes that take turns
#: are apart, so that none waits for another.
LONGEST = (
    "cql/test_cluster_failures",
    "test_docs",
    "cql/test_cql_faults",
    "test_website",
    "behaviour/test_faults",
    "compat/test_aerospike_official_tests",
    "test_stress",
    "test_fork",
    "test_examples",
    "cql/test_cluster_nodes",
    "test_tools",
    "cql/test_runner_access",
    "cql/test_cluster_datacenters",
    "test_typing",
    "test_typed_pages",
    "cql/test_cluster_speculation",
    "cql/test_security",
    "cql/test_compat_metadata",
    "test_stub",
    "test_command_line",
    "behaviour/test_chaos",
    "behaviour/test_query_chaos",
    "cql/test_cluster_routing",
    "cql/test_runner.",
    "test_plugin",
    "test_notebook",
)


def mark_of(path: PurePath) -> str | None:
    """The mark of a file, given by its path in the tests folder."""
    marks = (mark for start, mark in MARKS.items() if path.as_posix().startswith(start))
    return next(marks, None)


def parameters(item: pytest.Item) -> dict[str, object]:
    """The parameters of a test; empty for a test without any."""
    spec = getattr(item, "callspec", None)
    return dict(spec.params) if spec is not None else {}


def case_of(item: pytest.Item, without: Iterable[str]) -> tuple[object, ...]:
    """The test without these parameters."""
    spec = getattr(item, "callspec", None)
    indices = spec.indices if spec is not None else {}
    rest = sorted((name, index) for name, index in indices.items() if name not in without)
    return (item.nodeid.partition("[")[0], *rest)


def keep(
    items: list[pytest.Item],
    is_selected: Callable[[int, dict[str, object]], bool],
    without: Iterable[str],
    among: Callable[[pytest.Item], bool],
) -> list[pytest.Item]:
    """Removes the items that `is_selected` rejects from the list, and returns them.

    It is called with the number of the case, counted without the parameters `without`.
    """
    numbers: dict[tuple[object, ...], int] = {}
    remaining: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        if not among(item):
            remaining.append(item)
            continue
        number = numbers.setdefault(case_of(item, without), len(numbers))
        (remaining if is_selected(number, parameters(item)) else dropped).append(item)
    items[:] = remaining
    return dropped


def keep_apis(
    items: list[pytest.Item],
    choose: Callable[[int, list[str]], Iterable[str]],
    among: Callable[[pytest.Item], bool],
) -> list[pytest.Item]:
    """Keeps each case for the chosen APIs only; returns the items that it removes from the list.

    `choose` is called with the number of the case and the APIs that the case is there for.
    """
    cases: dict[tuple[object, ...], list[str]] = {}
    for item in filter(among, items):
        cases.setdefault(case_of(item, ["api"]), []).append(str(parameters(item)["api"]))
    chosen = {case: set(choose(number, apis)) for number, (case, apis) in enumerate(cases.items())}
    remaining: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        is_kept = not among(item) or parameters(item)["api"] in chosen[case_of(item, ["api"])]
        (remaining if is_kept else dropped).append(item)
    items[:] = remaining
    return dropped


#: APIs of one kind, between which tests that are not about their differences take turns.
PAIRS = (("blocking", "submit"), ("asyncio", "uvloop"))


def some_apis(items: list[pytest.Item]) -> list[pytest.Item]:
    """Keeps each case for one API of each kind, in turns, unless it is for one or for all."""

    def among(item: pytest.Item) -> bool:
        is_open = not any(map(item.get_closest_marker, ("any_api", "every_api")))
        return is_open and parameters(item).get("api") in APIS

    def choose(number: int, apis: list[str]) -> Iterable[str]:
        """One of each pair, of those that there are: some files have two APIs only."""
        for pair in PAIRS:
            if known := [api for api in pair if api in apis]:
                yield known[number % len(known)]

    return keep_apis(items, choose, among)


def one_api(items: list[pytest.Item], *, everywhere: bool) -> list[pytest.Item]:
    """Keeps each case that any API may run for one API only, in turns."""

    def among(item: pytest.Item) -> bool:
        is_any = everywhere or item.get_closest_marker("any_api") is not None
        return is_any and parameters(item).get("api") in APIS

    def choose(number: int, apis: list[str]) -> Iterable[str]:
        known = [api for api in APIS if api in apis]
        yield known[number % len(known)]

    return keep_apis(items, choose, among)


def longest_first(items: list[pytest.Item], folder: Path) -> None:
    """Begins with the files of `LONGEST`; then, as pytest-xdist does, with those of most tests."""
    counts = Counter(item.path for item in items)

    def order(item: pytest.Item) -> tuple[int, int]:
        path = item.path.relative_to(folder).as_posix() if folder in item.path.parents else ""
        ranks = (rank for rank, start in enumerate(LONGEST) if path.startswith(start))
        return next(ranks, len(LONGEST)), -counts[item.path]

    items.sort(key=order)
