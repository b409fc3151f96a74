"""Functions that the cluster runs on records: modules, calls, failures."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import spikewire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from apis import Api

SOURCE = """
function visit(rec, by)
    if not aerospike:exists(rec) then
        rec.n = 0
        aerospike:create(rec)
    end
    rec.n = rec.n + by
    aerospike:update(rec)
    return rec.n
end

function echo(rec, ...) return list { ... } end
function many(rec, a, b) return a end
function fail(rec) error('no luck') end
function spin(rec) while true do end end
-- At once: by and by, a slow machine runs out of time before it runs out of memory.
function hoard(rec) bytes.set_size(bytes(), 100000000) end
"""


@pytest.fixture(scope="module")
def modules(api: Api, client: Any) -> Iterator[Any]:
    class Settled:
        def __getattr__(self, name: str) -> Any:
            method = getattr(client.raw.modules, name)
            return lambda *args, **options: api.settle(lambda: method(*args, **options))

    modules = Settled()
    modules.register("visits.lua", SOURCE)
    yield modules
    modules.remove("visits.lua")


@pytest.mark.usefixtures("modules")
def test_a_function_changes_a_record_and_returns(data: Any) -> None:
    assert data.apply("alice", "visits", "visit", [2]) == 2
    assert data.apply("alice", "visits", "visit", (3,)) == 5
    assert data.get("alice")["n"] == 5
    assert data.apply("alice", "visits", "visit", [1], ttl=timedelta(hours=1)) == 6
    assert 3540 <= data.get("alice").ttl <= 3600


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    "value",
    [7, -1.5, "grüße", True, b"\x00\xff", [1, [None, {"a": 1}]], {1: "a", "b": [2.5]}, 2**63 - 1],
)
def test_arguments_and_results_are_values(data: Any, value: Any) -> None:
    assert data.apply("k", "visits", "many", [value]) == value
    assert data.apply("k", "visits", "many") is None


@pytest.mark.usefixtures("modules")
def test_a_filter_guards_the_call(data: Any) -> None:
    data.apply("k", "visits", "visit", [1])
    with pytest.raises(spikewire.FilteredOut):
        data.apply("k", "visits", "visit", [1], where="$.n > 10")
    assert data.apply("k", "visits", "visit", [1], where="$.n == 1") == 2


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    ("module", "function", "text"),
    [
        ("visits", "fail", "visits.lua:14: no luck"),
        ("visits", "spin", "ran for longer than"),
        ("visits", "hoard", "bytes"),
        ("visits", "none", "function not found"),
        ("nothing", "none", "UDF: Execution Error 1"),
    ],
)
def test_errors_of_functions_are_reported(data: Any, module: str, function: str, text: str) -> None:
    with pytest.raises(spikewire.FunctionFailed) as caught:
        data.apply("k", module, function)
    error = caught.value
    assert text in error.message
    assert (error.code, error.attempts, error.in_doubt) == (100, 1, False)
    assert error.node is not None
    assert error.key is not None
    assert data.apply("k", "visits", "visit", [1]) >= 1


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (("visits.lua", "f"), ValueError, "without its ending"),
        (("", "f"), ValueError, "module"),
        (("visits", ""), ValueError, "function must not be empty"),
        (("visits", 7), TypeError, "function must be str"),
        (("visits", "f", "abc"), TypeError, "arguments must be a list or tuple"),
        (("visits", "f", [1, object()]), TypeError, r"arguments\[1\]"),
        (("visits", "f", [2**64]), OverflowError, r"arguments\[0\]"),
    ],
)
def test_invalid_calls_raise(
    data: Any, arguments: tuple[Any, ...], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind, match=text):
        data.apply("k", *arguments)


def test_modules_are_listed_replaced_and_removed(modules: Any, data: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.lua"
    path.write_text("function f() return 1 end")
    modules.register(path)
    assert data.apply("k", "one", "f") == 1
    first = next(module for module in modules.list() if module.name == "one.lua")
    modules.register("one.lua", "function f() return 2 end")
    assert data.apply("k", "one", "f") == 2
    second = next(module for module in modules.list() if module.name == "one.lua")
    assert first.hash != second.hash
    assert modules.source("one.lua") == "function f() return 2 end"
    modules.remove("one.lua")
    modules.remove("one.lua")
    assert "one.lua" not in {module.name for module in modules.list()}
    with pytest.raises(spikewire.ServerError, match="not found"):
        modules.source("one.lua")


def test_a_compile_error_names_its_line(modules: Any) -> None:
    with pytest.raises(spikewire.ServerError, match=r"bad\.lua:3: .*unexpected symbol"):
        modules.register("bad.lua", "function f()\n  return 1 +\nend")


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("noending", "x"), ValueError),
        (("a;b.lua", "x"), ValueError),
        (("empty.lua", ""), ValueError),
        (("long.lua", "-" * 2_000_000), ValueError),
        (("bytes.lua", b"x"), TypeError),
        (("missing-file.lua",), FileNotFoundError),
    ],
)
def test_invalid_modules_raise(
    modules: Any, arguments: tuple[Any, ...], kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        modules.register(*arguments)


@pytest.mark.usefixtures("modules")
def test_apply_many_runs_on_each_record(data: Any) -> None:
    data.put_many({n: {"n": n} for n in range(50)})
    done = data.apply_many(range(50), "visits", "visit", [1])
    assert [record.results for record in done] == [(n + 1,) for n in range(50)]
    failed = data.apply_many([1, 2], "visits", "fail")
    assert failed.codes.tolist() == [100, 100]
    error = failed.errors[1]
    assert isinstance(error, spikewire.FunctionFailed)
    assert "visits.lua:14: no luck" in error.message
    assert error.node is not None


@pytest.mark.usefixtures("modules")
def test_apply_rows_run_in_a_batch(data: Any) -> None:
    done = data.batch(
        [
            spikewire.Write("a", {"n": 1}),
            spikewire.Apply("b", "visits", "visit", [5], ttl=100),
            spikewire.Apply("c", "visits", "none"),
            spikewire.Apply("d", "visits", "visit", [1], where="$.n > 3"),
        ]
    )
    assert done.codes.tolist()[:3] == [0, 0, 100]
    assert done[1].results == (5,)
    assert data.get("b").ttl in range(40, 101)
    with pytest.raises(spikewire.FunctionFailed, match="function not found"):
        done[2]
    with pytest.raises(ValueError, match=r"row 1: module must be"):
        data.batch([spikewire.Read("a"), spikewire.Apply("b", "visits.lua", "f")])
    row = spikewire.Apply("a", "m", "f", [1], durable=True)
    assert repr(row) == "Apply('a', 'm', 'f', arguments=[1], durable=True)"
    assert row == spikewire.Apply("a", "m", "f", [1], durable=True)
    assert row != spikewire.Apply("a", "m", "f", [2], durable=True)
