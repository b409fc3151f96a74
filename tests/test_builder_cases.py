"""The cases of the builder that Python and Node.js share: ``builder_cases.json``."""

from __future__ import annotations

import json
import operator
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Api
from spikewire import builder, op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Opened

CASES = json.loads((Path(__file__).parent / "builder_cases.json").read_text())["cases"]
#: Methods that take a duration, which the table has in milliseconds.
DURATIONS = ("timeout", "deadline")


@pytest.fixture(scope="module", params=["blocking", "asyncio"])
def client(request: pytest.FixtureRequest, cluster: Any) -> Iterator[Opened]:
    api = Api(request.param)
    with api.open(cluster.seeds, timeout=20) as client:
        yield client
    api.end()


class Case:
    """A case with its own set."""

    def __init__(self, client: Opened, set_name: str, case: dict[str, Any]) -> None:
        self.settle = client.api.settle
        self.session = client.raw.session()
        self.users: Any = client.raw.dataset("test", set_name)
        self.case = case
        for key, bins in case.get("records", {}).items():
            self.settle(partial(self.users.put, int(key), bins))

    def value(self, value: Any) -> Any:
        """An argument."""
        if isinstance(value, list):
            return tuple(value)
        if not isinstance(value, dict):
            return value
        kind = next(iter(value), "")
        content: Any = value.get(kind)
        if kind == "key":
            return self.users.key(content)
        if kind == "keys":
            return self.users.keys(content)
        if kind == "keys_and_more":
            *keys, user_key = content
            return [*self.users.keys(keys), user_key]
        if kind == "iterator":
            return iter(self.users.keys(content))
        if kind == "dataset":
            return self.users
        if kind == "op":
            name, *arguments = content
            return reduce(getattr, name.split("."), op)(*arguments)  # type: ignore[operator]
        return value

    def run(self) -> Any:
        """What the chain's last method returns."""
        at: Any = self.session
        *steps, last = self.case["chain"]
        for name, *given in steps:
            at = self.method(at, name, given)()
        name, *given = last
        return self.settle(self.method(at, name, given))

    def method(self, at: Any, name: str, given: list[Any]) -> Any:
        """A method with its arguments."""
        keywords: dict[str, Any] = {}
        if given and isinstance(given[-1], dict) and "with" in given[-1]:
            keywords = given.pop()["with"]
        arguments = [self.value(value) for value in given]
        if name in DURATIONS:
            arguments = [arguments[0] / 1000]
        return partial(getattr(at, name), *arguments, **keywords)

    def left(self) -> dict[str, Any]:
        """The records of the set."""
        keys = range(10)
        batch = self.settle(partial(self.users.get_many, keys))
        return {str(key): it.bins for key, it in zip(keys, batch, strict=True) if it is not None}


def plain(outcome: Any) -> Any:
    """An outcome as the table has it."""
    if isinstance(outcome, spikewire.Record):
        shown: dict[str, Any] = {"bins": outcome.bins}
        if outcome.results:
            shown["results"] = list(outcome.results)
        return shown
    if isinstance(outcome, list):
        return [plain(record) for record in outcome]
    if isinstance(outcome, builder.Results):
        return [row(result) for result in outcome]
    return outcome


def row(result: builder.Result) -> dict[str, Any]:
    """A result as the table has it."""
    if result.error is not None:
        return {"row": result.row, "error": type(result.error).__name__}
    if result.missing:
        return {"row": result.row, "missing": True}
    return {"row": result.row, **plain(result.unwrap())}


@pytest.mark.parametrize("case", CASES, ids=operator.itemgetter("name"))
def test_cases_shared_with_node(client: Any, set_name: str, case: dict[str, Any]) -> None:
    of = Case(client, set_name, case)
    if "raises" in case:
        with pytest.raises(Exception) as caught:
            of.run()
        assert type(caught.value).__name__ == case["raises"]
        assert case.get("text", "") in str(caught.value)
    else:
        assert plain(of.run()) == case["returns"]
    if "leaves" in case:
        assert of.left() == case["leaves"]
