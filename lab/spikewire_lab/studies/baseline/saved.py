"""Saved runs as reports: those of recipes as they are, and those of comparisons with their lines as
the rows of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...build import described
from ...cql.cells import Cell, Shape
from ...measure import merge, percentiles
from ...run.environment import loads
from ..report import LESS, MORE, Heading, Median, Report, Row, Section, Table, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..report import Entry

_Json = Mapping[str, Any]
COMPARED = ("bench", "compare")
SCANS = "scans"
CQL = "cql"
COMPARISONS = (*COMPARED, SCANS, CQL)
"""Kinds of runs that are not of a recipe."""

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


def of(report: _Json) -> Report:
    """A run from its JSON; raises `ValueError` for anything else."""
    kind = report.get("kind")
    if kind is None:
        return Report.from_json(report)
    try:
        if kind in COMPARED:
            return _report(report, [_table("cells", HEADINGS, map(_line, report["cells"]))])
        if kind == SCANS:
            tables = [
                _table("scans", (RATE, CPU, MEMORY), map(_scan, report["scans"])),
                _table("gets", GETS, map(_get, report["gets"])),
            ]
            return _report(report, tables)
        if kind == CQL:
            cells = _table("cells", (RATE, CPU, MEMORY), map(_cql, report["cells"]))
            return _report(report, [cells], servers=report["servers"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a whole comparison: {error}") from None
    raise ValueError(f"a run of the kind {kind!r} cannot be compared with another")


def _report(report: _Json, tables: Sequence[Table], **environment: Any) -> Report:
    """Makes a report; `environment` holds further conditions."""
    kind = str(report["kind"])
    section = Section(kind, "All lines", "", tables)
    environment |= {key: value for key, value in report["environment"].items() if key != "build"}
    builds: _Json = report.get("builds") or {}
    environment["builds"] = {client: described(build) for client, build in builds.items()}
    return Report(
        kind,
        f"spikewire {kind}",
        "",
        sections=[section],
        interrupted=bool(report["interrupted"]),
        environment=environment,
        settings=dict(report["settings"]),
        loads=[one for name in ("cells", "scans", "gets") for one in loads(report.get(name))],
    )


def _table(name: str, headings: Sequence[Heading], rows: Iterator[Row]) -> Table:
    return Table(name, name, "", headings, list(rows))


def _line(cell: _Json) -> Row:
    """A cell of a comparison; percentiles are those of its rounds, so that they have a range."""
    shape: _Json = cell["shape"]
    work = [
        shape["kind"],
        f"{shape['rows']} records" if shape["rows"] > 1 else "",
        f"{shape['columns']} bins" if shape["columns"] else "",
        shape["way"],
    ]
    parts = [
        f"{cell['mode']} {cell['concurrency']}",
        " ".join(word for word in work if word),
        f"{cell['processes']} processes" if cell["processes"] > 1 else "",
        f"{cell['loops']} loops" if cell["loops"] else "",
        f"+{cell['work']} us" if cell["work"] else "",
        f"beside a {cell['companion']}" if cell["companion"] else "",
        f"again ({cell['twin']})" if cell["twin"] else "",
        f"at {cell['asked']:g}/s" if cell["asked"] else "",
        "GIL off" if cell["gil"] is False else "",
        cell["interpreter"],
    ]
    label = ", ".join(part for part in (cell["client"], *parts) if part)
    runs: list[_Json] = [one for one in cell.get("runs", ()) if "failed" not in one]
    fields: dict[str, Entry] = {
        "rate": _spread(cell["rate"], cell["rounds"]),
        "cpu": _spread(cell["cpu"], cell["rounds"]),
        "memory": _every([one["memory"].get("call") for one in runs]),
    }
    per_round = [
        percentiles(merge((one["latency"]["read"], one["latency"]["write"]))) for one in runs
    ]
    fields |= {heading.key: _of_rounds(per_round, heading.key) for heading in TIMES}
    return Row(label, fields, cell["client"], "flawed" if cell["flawed"] else "")


def _scan(scan: _Json) -> Row:
    what = [scan[name] for name in ("client", "mode", "way", "consumer")]
    much = f"{scan['records']:,} of {scan['size']:,} bytes"
    selected = scan.get("selected")
    parts = [" ".join(what), much, f"{selected} selected" if selected is not None else ""]
    label = ", ".join(part for part in (*parts, scan["interpreter"]) if part)
    runs: list[_Json] = [one for one in scan["runs"] if "failed" not in one]
    fields: dict[str, Entry] = {
        "rate": _spread(scan["rate"], scan["rounds"]),
        "cpu": _spread(scan["cpu"], scan["rounds"]),
        "memory": _every([one["memory"]["peak"] - one["memory"]["start"] for one in runs]),
    }
    return Row(label, fields, scan["client"], "; ".join(scan["failures"]))


def _cql(line: _Json) -> Row:
    """A cell of a comparison of Cassandra clients; in pages an operation is a row."""
    cell: _Json = line["cell"]
    client, shape = str(cell["client"]), Shape(**cell["shape"])
    runs: list[_Json] = [one for one in line["runs"] if "failed" not in one]
    fields: dict[str, Entry] = {
        "rate": _spread(line["rate"], line["rounds"]),
        "cpu": _spread(line["cpu"], line["rounds"]),
        "memory": _every([one["memory"]["peak"] - one["memory"]["ready"] for one in runs]),
    }
    flawed = "flawed" if line["flawed"] else ""
    return Row(str(Cell(client, shape)), fields, client, flawed)


def _get(get: _Json) -> Row:
    """Each round has gets alone, beside scans and among them; the latter two have theirs under
    `gets`."""
    label = ", ".join(filter(None, (get["client"], get["mode"], get["interpreter"])))
    fields: dict[str, Entry] = {}
    for where in ("alone", "beside", "among"):
        each = [one[where] for one in get["runs"] if one.get(where) is not None]
        results = [one if where == "alone" else one["gets"] for one in each]
        read = [one["latency"]["read"] for one in results if "failed" not in one]
        per_round = [percentiles(merge([text])) for text in read]
        for name in ("p50", "p99"):
            fields[f"{where}-{name}"] = _of_rounds(per_round, name)
    return Row(label, fields, get["client"], "; ".join(get["failures"]))


def _spread(spread: _Json | None, rounds: int) -> Median | None:
    if spread is None:
        return None
    # Failed rounds have no figures.
    values = tuple(spread.get("values", ()))
    return Median(spread["median"], spread["low"], spread["high"], len(values) or rounds, values)


def _every(values: Sequence[float | None]) -> Median | None:
    """The values of all rounds; None unless every round has one."""
    known = [one for one in values if one is not None]
    return Median.of(known) if known and len(known) == len(values) else None


def _of_rounds(per_round: Sequence[Mapping[str, float]], name: str) -> Median | None:
    """Percentiles of all rounds; None unless every round has enough samples."""
    return _every([one.get(name) for one in per_round])
