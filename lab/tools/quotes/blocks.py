"""What each block of a page quotes from which report."""

from __future__ import annotations

import re
import shlex
import textwrap
from typing import TYPE_CHECKING

from spikewire_lab.run.environment import server_of
from spikewire_lab.studies.report import Median
from spikewire_lab.table.versus import CLEAR, LEAST_ROUNDS, UNCLEAR

from .best import CPU, RATE, Figure, alike, head, in_columns, in_rows, line, table_of
from .saved import EMBEDDED, FREE, REPORTS, is_embedded, preferred
from .sentences import between_reports, promise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spikewire_lab.studies.report import Report, Row

    from .saved import SavedReport

RECORDS = (Figure("records/s", more=True, digits=0), Figure("CPU µs/record", more=False))
TIME = (Figure("µs/record", more=False),)
RESPONSE = (Figure("p50 µs", more=False, digits=0), Figure("p99 µs", more=False, digits=0))
SERVED = (Figure("p95 ms", more=False), Figure("requests/s", more=True, digits=0))
GIL_OFF = "GIL off"
SOME_RECORDS = ("100", "1,000", "10,000")
"""Of the numbers of records in the report, those that the page quotes."""
SHARES = 2
"""Of the rates in open loops, how many of the highest."""
SINGLES = {
    "Rust, 32 tasks": "tokio, 32 tasks",
    "Rust, 32 blocking threads": "blocking, 32 threads",
    "blocking, 1 thread": "blocking, 1 thread",
    "blocking, 32 threads": "blocking, 32 threads",
    "asyncio, 32 tasks": "asyncio, 32 tasks",
    "uvloop, 1 task": "uvloop, 1 task",
    "uvloop, 32 tasks": "uvloop, 32 tasks",
    "a pool of 4 loops, 256 tasks": "pool, 4 x 64 tasks",
    "a pool of 8 loops, 512 tasks": "pool, 8 x 64 tasks",
}
NODE = "Node.js, 4 processes with 100 calls each, 2 KB"
HEADLINE = (
    "uvloop, 32 tasks",
    "blocking, 32 threads",
    "blocking, 1 thread",
    "a pool of 4 loops, 256 tasks",
    "Rust, 32 tasks",
)
NONE = "There is no report of it yet."
_LENGTH = re.compile(
    r"(one round|\d+ (?:to \d+ )?(?:interleaved )?rounds) of [\d.]+ s after [\d.]+ s of warm-up"
)


def source(one: SavedReport, folder: str, table: str = "") -> str:
    """The source of figures: the report, the machine, the server, and how long was measured for the
    table."""
    known = one.report.environment
    cpus = known.get("cpu_count")
    machine = f"{known.get('cpu_model')}, {cpus} processors" if cpus else "an unknown machine"
    date = str(known.get("date", ""))[:10]
    command = shlex.join(map(str, known.get("command_line") or ()))
    python = ", ".join(known.get("interpreters") or [str(known.get("python"))])
    text = (
        f"From the report [{one.name}]({folder}{one.name}.html) of {date} ({machine}, Python"
        f" {python}), made by `{command}`.{_server(one.report)}{_length(one.report, table)}"
        f"{_lacks(one.report, table)}"
    )
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _server(report: Report) -> str:
    cluster = report.environment.get("cluster") or {}
    if not cluster:
        return ""
    kind, name = str(cluster.get("kind", "")), server_of(cluster)
    if is_embedded(report):
        return (
            f" The server is Spikewire's own embedded one ({name}), on the same machine as the"
            " clients."
        )
    return f" The server is {name}, {kind.partition(', storage')[0]}."


def _lacks(report: Report, table: str) -> str:
    """What the report does not have that pages need: rounds for an interval."""
    content = table_of(report, table) if table else None
    if content is None:
        return ""
    most = max(
        (len(one.values) for row in content.rows for one in row.fields.values()
         if isinstance(one, Median)),
        default=0,
    )  # fmt: skip
    if most >= LEAST_ROUNDS:
        return ""
    return (
        f" It has fewer than {LEAST_ROUNDS} rounds, so ratios have no interval, and those below"
        f" {CLEAR:g} are {UNCLEAR}."
    )


def _length(report: Report, table: str) -> str:
    content = table_of(report, table) if table else None
    length = _LENGTH.search(content.caption) if content else None
    return f" Measured: {length[0]}." if length else ""


def singles(report: Report, names: Sequence[str], state: str = "") -> Iterator[str]:
    """Lines of single records."""
    for name in names:
        chosen = alike(SINGLES[name], state)
        in_rust = name.startswith("Rust")
        yield from _lines_of(
            line(
                name,
                (RATE, CPU),
                *in_rows(report, "matrix", _of(chosen, in_rust=in_rust), ("rate", "cpu")),
            )
        )


def _of(chosen: Callable[[Row], bool], *, in_rust: bool) -> Callable[[Row], bool]:
    return lambda row: chosen(row) and row.client.endswith("-rust") == in_rust


def node_line(report: Report) -> Iterator[str]:
    """Single records in Node.js."""
    chosen = alike("4 processes x 100")
    yield from _lines_of(
        line(NODE, (RATE, CPU), *in_rows(report, "singles", chosen, ("rate", "cpu")))
    )


def besides(
    reports: Mapping[str, SavedReport], rows: Mapping[str, str], folder: str
) -> Iterator[str]:
    """The sources of rows from further reports: a name of the rows for each report."""
    parts = [
        f"{what} from [{name}]({folder}{name}.html)"
        for name, what in rows.items()
        if name in reports
    ]
    if parts:
        yield f"From other reports: {', '.join(parts)}."
        yield ""


def headline(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    """The block of the README."""
    sdk, node = (preferred(reports, name) for name in ("sdk", "node"))
    if sdk is None:
        yield NONE
        return
    yield from (source(sdk, f"{REPORTS}/", "matrix"), "")
    free = preferred(reports, f"sdk-{FREE}")
    further = {free.name: "the rows without the GIL"} if free is not None else {}
    if node is not None:
        further[node.name] = "the row of Node.js"
    yield from besides(reports, further, f"{REPORTS}/")
    yield from head((RATE, CPU))
    yield from singles(sdk.report, HEADLINE)
    if free is not None:
        for name in HEADLINE[:2]:
            for text in singles(free.report, (name,), GIL_OFF):
                yield text.replace(f"| {name} ", f"| {name}, without the GIL ", 1)
    if node is not None:
        yield from node_line(node.report)


def all_singles(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    if "sdk" not in reports:
        yield NONE
        return
    yield from (source(reports["sdk"], FOLDER, "matrix"), "")
    node = preferred(reports, "node")
    yield from besides(reports, {node.name: "the row of Node.js"} if node else {}, FOLDER)
    yield from head((RATE, CPU))
    yield from singles(reports["sdk"].report, tuple(SINGLES))
    if node:
        yield from node_line(node.report)


def at_embedded(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    """The rows of the first table, with the server out of the way."""
    known = reports.get(f"sdk-{EMBEDDED}")
    if known is None:
        yield NONE
        return
    yield from _matrix(known)


def without_lock(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    known = preferred(reports, f"sdk-{FREE}")
    if known is None:
        yield f"{NONE} `make bench-free-threaded-reports` measures it."
        return
    yield from _matrix(known, GIL_OFF)


def _matrix(known: SavedReport, state: str = "") -> Iterator[str]:
    yield from (source(known, FOLDER, "matrix"), "")
    yield from head((RATE, CPU))
    yield from singles(known.report, tuple(SINGLES), state)


def left_to_win(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    """What the server's own processor time leaves to any client."""
    run = preferred(reports, "sdk")
    if run is None:
        yield NONE
        return
    processors = int(run.report.environment.get("cpu_count") or 1)
    yield from (source(run, FOLDER, "matrix"), "")
    yield "| | client, µs | server, µs | op/s | with a client at no cost | the best other, op/s |"
    yield "|---|--:|--:|--:|--:|--:|"
    for name in HEADLINE:
        chosen = _of(alike(SINGLES[name]), in_rust=name.startswith("Rust"))
        ours, others = in_rows(run.report, "matrix", chosen, ("rate", "cpu", "server"))
        best = max((one.values[0] or 0.0 for one in others), default=0.0)
        for one in ours:
            rate, client, server = one.values
            if rate and client and server and best:
                # A single caller waits for each reply: the server works on one processor.
                most = (1 if "1 thread" in name else processors) * 1e6 / server
                yield (
                    f"| {name} | {client:.1f} | {server:.1f} | {rate:,.0f} |"
                    f" {most:,.0f}: {most / best:.1f} times the best other | {best:,.0f} |"
                )


def batches(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    if "sdk" not in reports:
        yield NONE
        return
    yield from (source(reports["sdk"], FOLDER, "batch-read"), "")
    yield from head(RECORDS)
    report = reports["sdk"].report
    hows = {"blocking": "32 threads", "asyncio": "32 asyncio tasks", "uvloop": "32 tasks on uvloop"}
    for kind, table in (("read", "batch-read"), ("write", "batch-write")):
        for size in _sizes(report, table):
            for how, words in hows.items():
                keys = (f"rate{size}", f"cpu{size}")
                sides = in_rows(report, table, alike(how), keys)
                records = "record" if size == 1 else "records"
                yield from _lines_of(line(f"{kind} {size} {records}, {words}", RECORDS, *sides))


def _sizes(report: Report, table: str) -> list[int]:
    content = table_of(report, table)
    headings = content.headings if content else ()
    return [int(one.key[4:]) for one in headings if one.key.startswith("rate")]


def columns(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    if "aerospike-py" not in reports:
        yield NONE
        return
    yield from (source(reports["aerospike-py"], FOLDER), "")
    yield from head(TIME)
    report = reports["aerospike-py"].report
    for how, words in (("sync", "blocking"), ("async", "asyncio")):
        others = {
            f"aerospike-{how}-dict": "aerospike",
            f"aerospike-py-{how}-dict": "aerospike-py",
            f"aerospike-py-{how}-numpy": "aerospike-py",
        }
        content = table_of(report, "records")
        for row in content.rows if content else ():
            if row.label not in SOME_RECORDS:
                continue
            for what in ("numpy", "dict"):
                name = "NumPy" if what == "numpy" else "dictionaries"
                text = f"{name} of {row.label} records of 5 bins, {words}"
                sides = in_columns(
                    report, ("records",), row.label, f"spikewire-{how}-{what}", others
                )
                yield from _lines_of(line(text, TIME, *sides))


def scans(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    if "node" not in reports:
        yield NONE
        return
    yield from (source(reports["node"], FOLDER, "scans"), "")
    yield from head(RECORDS)
    report = reports["node"].report
    for mode, words in (("sync", "blocking"), ("async", "asyncio"), ("node", "Node.js")):
        for way, what in (("objects", "objects"), ("arrow", "Arrow"), ("stream", "objects")):

            def chosen(row: Row, mode: str = mode, way: str = way) -> bool:
                where, how, consumer = row.label.split(", ")
                ours = row.client.startswith("spikewire")
                return (
                    where.endswith(f" {mode}") and consumer == "no-op" and (how == way or not ours)
                )

            sides = in_rows(report, "scans", chosen, ("rate", "cpu"))
            yield from _lines_of(line(f"scan to {what}, {words}", RECORDS, *sides))


def rates(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    if "latency" not in reports:
        yield NONE
        return
    yield from (source(reports["latency"], FOLDER, "saturation"), "")
    yield from head(RESPONSE)
    report = reports["latency"].report
    for mode, words in (("async", "asyncio"), ("async-uvloop", "uvloop"), ("sync", "threads")):
        table = table_of(report, f"open-{mode}")
        shares = dict.fromkeys(row.label.partition(", ")[2] for row in table.rows) if table else {}
        for share in list(shares)[-SHARES:]:
            sides = in_rows(report, f"open-{mode}", alike(share), ("p50", "p99"))
            text = f"{words}, {share} of the slowest client's throughput"
            yield from _lines_of(line(text, RESPONSE, *sides))


def served(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    if "serving" not in reports:
        yield NONE
        return
    yield from (source(reports["serving"], FOLDER, "client"), "")
    yield from head(SERVED)
    report = reports["serving"].report
    for table, words in (("client", "client alone"), ("asgi", "ASGI"), ("model", "with the model")):
        for way in ("gather of a batch for each set", "one batch of all sets"):
            sides = in_rows(report, table, alike(way), ("p95", "tps"))
            yield from _lines_of(line(f"{words}, {way}", SERVED, *sides))


def cassandra(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    run = preferred(reports, "cassandra")
    if run is None:
        yield NONE
        return
    yield from (source(run, FOLDER, "patterns-cassandra"), "")
    yield from head((RATE, CPU))
    report = run.report
    table = table_of(report, "patterns-cassandra")
    ways = dict.fromkeys(row.label.partition(", ")[2] for row in table.rows) if table else {}
    for way in ways:
        sides = in_rows(report, "patterns-cassandra", alike(way), ("rate1", "cpu1"))
        yield from _lines_of(line(f"insert, {way}", (RATE, CPU), *sides))
    table = table_of(report, "chains-canned")
    ways = dict.fromkeys(row.label.partition(", ")[2] for row in table.rows) if table else {}
    for way in ways:
        sides = in_rows(report, "chains-canned", alike(way), ("rate", "cpu"))
        yield from _lines_of(line(f"insert, canned replies, {way}", (RATE, CPU), *sides))


COSTS: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("a blocking call, 1 thread", "sdk", "matrix", "blocking, 1 thread", "cpu", "rate"),
    ("a blocking call, 32 threads", "sdk", "matrix", "blocking, 32 threads", "cpu", "rate"),
    ("an awaited call, 1 task", "sdk", "matrix", "uvloop, 1 task", "cpu", "rate"),
    ("an awaited call, 32 tasks", "sdk", "matrix", "uvloop, 32 tasks", "cpu", "rate"),
    ("a batch of 16 reads, 32 threads", "sdk", "batch-read", "blocking", "cpu16", "rate16"),
    ("a batch of 128 reads, 32 threads", "sdk", "batch-read", "blocking", "cpu128", "rate128"),
    ("a batch of 128 reads, 32 tasks", "sdk", "batch-read", "uvloop", "cpu128", "rate128"),
    ("a batch of 128 writes, 32 threads", "sdk", "batch-write", "blocking", "cpu128", "rate128"),
    ("a batch of 128 writes, 32 tasks", "sdk", "batch-write", "uvloop", "cpu128", "rate128"),
    ("a scan to objects, records of 1,000 bytes", "node", "scans", "sync, objects", "cpu", "rate"),
    ("a scan to Arrow, the same", "node", "scans", "sync, arrow", "cpu", "rate"),
)
"""Ways to get a record: the report and table, the lines in it, and two columns."""


def costs(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    """The cost of a record for our client in each way."""
    for name in dict.fromkeys(one[1] for one in COSTS if one[1] in reports):
        yield from (source(reports[name], FOLDER), "")
    yield "| one record, as a part of | CPU µs | records/s of one process |"
    yield "|---|--:|--:|"
    for text, name, table, words, cpu, rate in COSTS:
        if name not in reports:
            continue
        chosen = alike(words)
        if table == "scans":
            label = f"spikewire {words}, no-op"

            def chosen(row: Row, label: str = label) -> bool:
                return row.label == label

        ours, _ = in_rows(reports[name].report, table, _of(chosen, in_rust=False), (cpu, rate))
        yield from _lines_of(line(text, (Figure("", more=False), RATE), ours, None))


def listed(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    """The table of all reports."""
    yield "| study | page | JSON | date | size |"
    yield "|---|---|---|---|---|"
    for one in reports.values():
        date = str(one.report.environment.get("date", ""))[:10]
        size = one.report.settings.get("size", "")
        links = f"[{one.name}]({FOLDER}{one.name}.html) | [{one.name}]({FOLDER}{one.name}.json)"
        yield f"| {one.title} | {links} | {date} | {size} |"


def _lines_of(text: str | None) -> Iterator[str]:
    if text is not None:
        yield text


FOLDER = f"../{REPORTS}/"
"""The folder of the reports, relative to the pages of the documentation."""
BLOCKS: dict[str, Callable[[Mapping[str, SavedReport]], Iterator[str]]] = {
    "promise": lambda reports: promise(reports, f"{REPORTS}/"),
    "promise of the site": lambda reports: promise(reports, FOLDER),
    "headline": headline,
    "singles": all_singles,
    "embedded": at_embedded,
    "free-threaded": without_lock,
    "left to win": left_to_win,
    "batches": batches,
    "columns": columns,
    "scans": scans,
    "latency": rates,
    "serving": served,
    "cassandra": cassandra,
    "costs": costs,
    "between reports": between_reports,
    "reports": listed,
}
