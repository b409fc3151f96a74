"""Saved runs as reports: those of recipes as they are, and those of comparisons with their lines as
the rows of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...cql.cells import Cell, Shape
from ...measure import merge, percentiles
from ...run.build import described
from ...run.environment import loads
from ..report import LESS, MORE, Heading, Measured, Report, Row, Section, Table, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..report import Entry

_Json = Mapping[str, Any]
COMPARED = ("bench", "compare")
SCANS = "scans"
CQL = "cql"

RATE = Heading("rate", "throughput", "op/s", MORE, 0)
CPU = Heading("cpu", "client CPU", "µs/op", LESS)
MEMORY = Heading("memory", "memory", "bytes", LESS, 0)
TIMES = tuple(Heading(name, name, "µs", LESS, 0) for name in ("p50", "p99"))
HEADINGS = (RATE, CPU, *TIMES, MEMORY)
GETS = tuple(
    Heading(f"{where}-{name}", f"{name} {where}", "µs", LESS, 0)
    for where in ("alone", "beside", "among")
    for name in ("p50", "p99")
)


def read(path: Path) -> Report:
    """The run in a file; raises `ValueError` if there is none."""
    return load(path, of)


def of(told: _Json) -> Report:
    """A run from its JSON; raises `ValueError` for anything else."""
    kind = told.get("kind")
    if kind is None:
        return Report.from_json(told)
    try:
        if kind in COMPARED:
            return _report(told, [_table("cells", HEADINGS, map(_line, told["cells"]))])
        if kind == SCANS:
            tables = [
                _table("scans", (RATE, CPU, MEMORY), map(_scan, told["scans"])),
                _table("gets", GETS, map(_get, told["gets"])),
            ]
            return _report(told, tables)
        if kind == CQL:
            cells = _table("cells", (RATE, CPU, MEMORY), map(_cql, told["cells"]))
            return _report(told, [cells], servers=told["servers"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a whole comparison: {error}") from None
    raise ValueError(f"a run of the kind {kind!r} cannot be compared with another")


def _report(told: _Json, tables: Sequence[Table], **environment: Any) -> Report:
    """Makes a report; `environment` holds further conditions."""
    kind = str(told["kind"])
    section = Section(kind, "All lines", "", tables)
    environment |= {key: value for key, value in told["environment"].items() if key != "build"}
    builds: _Json = told.get("builds") or {}
    environment["builds"] = {client: described(build) for client, build in builds.items()}
    return Report(
        kind,
        f"spikewire {kind}",
        "",
        sections=[section],
        interrupted=bool(told["interrupted"]),
        environment=environment,
        settings=dict(told["settings"]),
        loads=[one for name in ("cells", "scans", "gets") for one in loads(told.get(name))],
    )


def _table(name: str, headings: Sequence[Heading], rows: Iterator[Row]) -> Table:
    return Table(name, name, "", headings, list(rows))


def _line(told: _Json) -> Row:
    """A cell of a comparison; percentiles are those of its rounds, so that they have a range."""
    shape: _Json = told["shape"]
    work = [
        shape["kind"],
        f"{shape['rows']} records" if shape["rows"] > 1 else "",
        f"{shape['columns']} bins" if shape["columns"] else "",
        shape["way"],
    ]
    parts = [
        f"{told['mode']} {told['concurrency']}",
        " ".join(word for word in work if word),
        f"{told['processes']} processes" if told["processes"] > 1 else "",
        f"{told['loops']} loops" if told["loops"] else "",
        f"+{told['work']} us" if told["work"] else "",
        f"beside a {told['companion']}" if told["companion"] else "",
        f"again ({told['twin']})" if told["twin"] else "",
        f"at {told['asked']:g}/s" if told["asked"] else "",
        "GIL off" if told["gil"] is False else "",
        told["interpreter"],
    ]
    label = ", ".join(part for part in (told["client"], *parts) if part)
    runs: list[_Json] = [one for one in told.get("runs", ()) if "failed" not in one]
    fields: dict[str, Entry] = {
        "rate": _spread(told["rate"], told["rounds"]),
        "cpu": _spread(told["cpu"], told["rounds"]),
        "memory": _every([one["memory"].get("call") for one in runs]),
    }
    taken = [percentiles(merge((one["latency"]["read"], one["latency"]["write"]))) for one in runs]
    fields |= {heading.key: _of_rounds(taken, heading.key) for heading in TIMES}
    return Row(label, fields, told["client"], "flawed" if told["flawed"] else "")


def _scan(told: _Json) -> Row:
    what = [told[name] for name in ("client", "mode", "way", "consumer")]
    much = f"{told['records']:,} of {told['size']:,} bytes"
    selected = told.get("selected")
    parts = [" ".join(what), much, f"{selected} selected" if selected is not None else ""]
    label = ", ".join(part for part in (*parts, told["interpreter"]) if part)
    runs: list[_Json] = [one for one in told["runs"] if "failed" not in one]
    fields: dict[str, Entry] = {
        "rate": _spread(told["rate"], told["rounds"]),
        "cpu": _spread(told["cpu"], told["rounds"]),
        "memory": _every([one["memory"]["peak"] - one["memory"]["start"] for one in runs]),
    }
    return Row(label, fields, told["client"], "; ".join(told["failures"]))


def _cql(told: _Json) -> Row:
    """A cell of a comparison of Cassandra clients; in pages an operation is a row."""
    cell: _Json = told["cell"]
    client, shape = str(cell["client"]), Shape(**cell["shape"])
    runs: list[_Json] = [one for one in told["runs"] if "failed" not in one]
    fields: dict[str, Entry] = {
        "rate": _spread(told["rate"], told["rounds"]),
        "cpu": _spread(told["cpu"], told["rounds"]),
        "memory": _every([one["memory"]["peak"] - one["memory"]["ready"] for one in runs]),
    }
    flawed = "flawed" if told["flawed"] else ""
    return Row(str(Cell(client, shape)), fields, client, flawed)


def _get(told: _Json) -> Row:
    """Each round has gets alone, beside scans and among them; the latter two have theirs under
    `gets`."""
    label = ", ".join(filter(None, (told["client"], told["mode"], told["interpreter"])))
    fields: dict[str, Entry] = {}
    for where in ("alone", "beside", "among"):
        each = [one[where] for one in told["runs"] if one.get(where) is not None]
        results = [one if where == "alone" else one["gets"] for one in each]
        read = [one["latency"]["read"] for one in results if "failed" not in one]
        taken = [percentiles(merge([text])) for text in read]
        for name in ("p50", "p99"):
            fields[f"{where}-{name}"] = _of_rounds(taken, name)
    return Row(label, fields, told["client"], "; ".join(told["failures"]))


def _spread(told: _Json | None, rounds: int) -> Measured | None:
    if told is None:
        return None
    # Failed rounds have no figures.
    values = tuple(told.get("values", ()))
    return Measured(told["median"], told["low"], told["high"], len(values) or rounds, values)


def _every(values: Sequence[float | None]) -> Measured | None:
    """The values of all rounds; None unless every round has one."""
    known = [one for one in values if one is not None]
    return Measured.of(known) if known and len(known) == len(values) else None


def _of_rounds(taken: Sequence[Mapping[str, float]], name: str) -> Measured | None:
    """Percentiles of all rounds; None unless every round has enough samples."""
    return _every([one.get(name) for one in taken])
