"""Fixtures shared by all tests."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

import modules
import selection
from apis import APIS, Api, Caller, Opened
from loops import run_on
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator, Iterator

TESTS = Path(__file__).parent
# Drawing examples is slow on a busy machine, too.
hypothesis.settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[
        hypothesis.HealthCheck.function_scoped_fixture,
        hypothesis.HealthCheck.too_slow,
    ],
)
hypothesis.settings.load_profile("patient")

_sets = itertools.count()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--one-api", action="store_true", help="run each case on one API, in turns (quick)"
    )
    parser.addoption(
        "--every-api", action="store_true", help="run each case on all APIs (twice the time)"
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Marks tests by their files, deselects those that another API covers, and orders files."""
    _select(config, items)
    yield
    # In one process, pytest has put together what shares a client.
    if hasattr(config, "workerinput"):
        selection.longest_first(items, TESTS)


def _select(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if TESTS not in item.path.parents:
            continue
        path = item.path.relative_to(TESTS)
        mark = selection.mark_of(path)
        if mark is not None:
            item.add_marker(mark)
        if path.as_posix().startswith(selection.ANY_API):
            item.add_marker("any_api")
        if path.as_posix().startswith(selection.EVERY_API):
            item.add_marker("every_api")
        if path.as_posix().startswith(selection.THREADS):
            item.add_marker("threads")
    if config.getoption("every_api"):
        return
    one = config.getoption("one_api")
    dropped = selection.one_api(items, everywhere=one)
    if not one:
        dropped += selection.some_apis(items)
    if dropped:
        config.hook.pytest_deselected(items=dropped)


@pytest.fixture(scope="session", autouse=True)
def modules_folder() -> None:
    """Tests of one process may run in any order."""
    modules.name_it_first()


@pytest.fixture(scope="session", params=APIS)
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    """Each API in turn: blocking, futures, asyncio on its own loop, asyncio on uvloop."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    api = Api(request.param)
    yield api
    api.end()


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine on a fresh loop of either kind, within a time limit."""
    if request.param == "uvloop":
        new_loop = pytest.importorskip("uvloop").new_event_loop
    else:
        new_loop = asyncio.new_event_loop
    return lambda work: run_on(new_loop(), work)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A healthy three-node cluster. Tests that harm a cluster make their own."""
    # A function without end ends long before the tests' time limits, on noisy machines, too.
    with Cluster(nodes=3, udf_time=0.1) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture(scope="session")
def client(api: Api, cluster: Cluster) -> Iterator[Opened]:
    """A client of the API, on the healthy cluster; a long timeout for noisy machines."""
    with api.open(cluster.seeds, timeout=10) as client:
        yield client


@pytest.fixture
def set_name() -> str:
    """A set that no other test uses."""
    return f"s{next(_sets)}"


@pytest.fixture
def data(client: Opened, set_name: str) -> Caller:
    """A dataset of its own for each test."""
    return client.dataset("test", set_name)


@pytest.fixture
def no_descriptor_leak() -> Iterator[Callable[[], int]]:
    """Fails if the test ends with more open descriptors than it began with."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("open descriptors are counted in /proc")

    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    yield count
    from waiting import until

    # Background threads close sockets a moment later.
    until(lambda: count() <= before)
    assert count() <= before, f"{count() - before} descriptors leaked"
