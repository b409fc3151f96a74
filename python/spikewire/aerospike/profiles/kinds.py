"""Kinds of operations: their verbs, and the options that a profile may set for them.

The verbs themselves are asked which options they take and which values are valid.
"""

from __future__ import annotations

import contextlib
import inspect
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from spikewire._native import Client as NativeClient
from spikewire._native import Dataset, Operation
from spikewire.aerospike import op
from spikewire.errors import ClientClosed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spikewire.aerospike.profiles.modes import Mode

__all__ = [
    "FIELDS",
    "MODES",
    "SECTIONS",
    "VERBS",
    "Path",
    "Route",
    "check",
    "check_of",
    "holds",
    "moded",
    "options_of",
    "takers",
    "writes",
]

#: A section of a profile: ``()``, ``("read",)``, ``("read", "many")``.
Path: TypeAlias = tuple[str, ...]

#: The sections that apply to a call, from the general to the specific.
Route: TypeAlias = tuple[Path, ...]

#: Options that determine how a call is made, rather than its subject.
FIELDS = (
    "timeout",
    "socket_timeout",
    "max_retries",
    "sleep_between_retries",
    "sleep_multiplier",
    "max_sleep_between_retries",
    "sleep_jitter",
    "retry_in_doubt",
    "priority",
    "compress",
    "error_details",
    "commit_level",
    "hedge",
    "share_reads",
    "deadline",
    "replica",
    "read_mode",
    "read_touch",
    "buffers",
    "ttl",
    "exists",
    "durable",
    "send_key",
    "page_size",
    "records_per_second",
    "concurrent_nodes",
)

#: The boolean ones.
_FLAGS = frozenset({"sleep_jitter", "retry_in_doubt", "compress", "buffers", "durable", "send_key"})
#: Those that a client has, too; ``None`` stands for the client's.
_OF_THE_CLIENT = frozenset({"sleep_jitter", "retry_in_doubt", "compress", "send_key"})


def _route(*names: str) -> Route:
    kind, *parts = names
    return ((), (kind,), *((kind, part) for part in parts))


_READ, _READ_MANY = _route("read", "point"), _route("read", "many")
_WRITE = _route("write", "point", "retryable")
_WRITE_ONCE = _route("write", "point", "not_retryable")
_WRITE_MANY = _route("write", "many", "retryable")
_WRITE_MANY_ONCE = _route("write", "many", "not_retryable")
_WRITE_ROWS = _route("write", "many")
_JOB = _route("job")
#: The rows of a batch are reads and writes of many records.
_BATCH: Route = ((), *_READ_MANY[1:], *_WRITE_ROWS[1:], ("batch",))

#: The sections of each verb; for verbs with operations, those for reading and those for writing.
VERBS: dict[str, tuple[Route, ...]] = {
    "get": (_READ,),
    "exists": (_READ,),
    "get_many": (_READ_MANY,),
    "get_numpy": (_READ_MANY,),
    "exists_many": (_READ_MANY,),
    "put": (_WRITE,),
    "delete": (_WRITE,),
    "touch": (_WRITE,),
    "add": (_WRITE_ONCE,),
    "append": (_WRITE_ONCE,),
    "prepend": (_WRITE_ONCE,),
    "apply": (_WRITE_ONCE,),
    "put_many": (_WRITE_MANY,),
    "delete_many": (_WRITE_MANY,),
    "apply_many": (_WRITE_MANY_ONCE,),
    "operate": (_READ, _WRITE_ONCE),
    "operate_many": (_READ_MANY, _WRITE_MANY_ONCE),
    "batch": (_BATCH,),
    "query": (_route("query"),),
    "operate_all": (_JOB,),
    "delete_all": (_JOB,),
    "touch_all": (_JOB,),
    "apply_all": (_JOB,),
}

#: The last parts of sections for a consistency mode.
MODES: tuple[Mode, ...] = ("available", "strong")


def moded(route: Route, mode: Mode | None) -> Route:
    """The sections that apply if the namespace has this mode."""
    if mode is None:
        return route
    return (*route, *((kind, mode) for kind in dict.fromkeys(path[0] for path in route if path)))


def _within(route: Route) -> frozenset[Path]:
    """The sections that apply in any mode."""
    return frozenset(path for mode in MODES for path in moded(route, mode))


#: Every section.
SECTIONS: frozenset[Path] = frozenset(
    path for routes in VERBS.values() for route in routes for path in _within(route)
)

_READING, _WRITING = [op.get("a")], [op.put("a", 1)]
#: Arguments with which each verb can be tried.
_TRIAL: dict[str, tuple[Any, ...]] = {
    "put": (1, {"a": 1}),
    "add": (1, {"a": 1}),
    "append": (1, {"a": "a"}),
    "prepend": (1, {"a": "a"}),
    "apply": (1, "m", "f"),
    "get_many": ([],),
    "exists_many": ([],),
    "put_many": ({},),
    "delete_many": ([],),
    "apply_many": ([], "m", "f"),
    "batch": ([],),
    "query": (),
    "operate_all": (_WRITING,),
    "delete_all": (),
    "touch_all": (),
    "apply_all": ("m", "f"),
}
_FIRST: dict[str, object] = {"operate": 1, "operate_many": ()}
#: Options with another meaning than in other verbs.
_APART = frozenset({("delete", "send_key"), ("delete_many", "send_key"), ("get_numpy", "ttl")})
#: Options of reads and writes that apply to the rows of a batch; the others apply to the batch.
_OF_ROWS = {
    "read": frozenset({"read_touch", "read_mode"}),
    "write": frozenset({"ttl", "exists", "durable", "send_key"}),
}
#: Like the client's, a timeout for all verbs does not apply to queries. A deadline does not apply
#: to batches, which may write, unless it is set for them.
_NOT_FOR_ALL = frozenset({("query", "timeout"), ("batch", "deadline")})


@cache
def _trial() -> Dataset:
    """A dataset of a client that is never connected; its verbs only validate their arguments."""
    return NativeClient("127.0.0.1:3000").dataset("test", "trial")


@cache
def options_of(verb: str, *, writing: bool = False) -> frozenset[str]:
    """The options of a profile that a verb takes; ``writing``: with operations that write."""
    options = frozenset(inspect.signature(getattr(Dataset, verb)).parameters)
    options = frozenset(name for name in options & set(FIELDS) if (verb, name) not in _APART)
    if len(VERBS[verb]) > 1:
        reads = options_of("get") | options_of("get_many")
        options &= options_of("put") if writing else reads
    return options


@cache
def takers(path: Path, name: str) -> tuple[tuple[str, bool], ...]:
    """The verbs of a section that take an option, each with whether it writes."""
    return tuple(
        (verb, bool(number))
        for verb, routes in VERBS.items()
        for number, route in enumerate(routes)
        if path in _within(route)
        and name in options_of(verb, writing=bool(number))
        and holds(path, name, verb)
    )


def holds(path: Path, name: str, verb: str) -> bool:
    """Whether an option in a section of a verb applies to the verb."""
    if verb == "batch" and path:
        return name in _OF_ROWS.get(path[0], FIELDS)
    return bool(path) or (verb, name) not in _NOT_FOR_ALL


def check(path: Path, name: str, value: object) -> None:
    """Lets the verbs of a section validate an option. Raises their exceptions."""
    for verb, writing in takers(path, name):
        check_of(verb, name, value, writing=writing)


def check_of(verb: str, name: str, value: object, *, writing: bool = False) -> None:
    """Lets a verb validate an option. Raises its exception."""
    is_set = value is not None or name not in _OF_THE_CLIENT
    if name in _FLAGS and is_set and not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    if verb == "get_numpy":  # It would need NumPy; it has the options of `get_many`.
        verb = "get_many"
    arguments = _TRIAL.get(verb, (1,))
    if len(VERBS[verb]) > 1:
        arguments = (_FIRST[verb], _WRITING if writing else _READING)
    # A deadline is checked against the timeout of the call.
    others = {"timeout": 0} if name == "deadline" else {}
    _try(verb, arguments, {name: value, **others})


def writes(operations: object) -> bool:
    """Whether any of the operations writes. Invalid operations are left to the call itself, which
    rejects them.
    """
    if not isinstance(operations, (list, tuple)):
        return False
    steps: list[object] = list(cast("list[object]", operations))
    return any(isinstance(step, Operation) and step.writes for step in steps)


def _try(verb: str, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    with contextlib.suppress(ClientClosed):
        getattr(_trial(), verb)(*arguments, **options)
