"""A report with all kinds of charts and everything that is hard to render."""

from __future__ import annotations

from spikewire_lab.studies.report import (
    BARS,
    LESS,
    LINES,
    MORE,
    STEPS,
    Axis,
    Chart,
    Heading,
    Median,
    Report,
    Row,
    Section,
    Series,
    Table,
)

CLIENTS = ("spikewire", "aerospike", "aerospike-py", "aerospike-sdk", "aerospike-native")
RATE = Heading("rate", "throughput", "op/s", MORE, 0)
P99 = Heading("p99", "p99", "µs", LESS)
HOW = "Closed loop, 3 interleaved rounds of 1 s: the median, the lowest and the highest."


def example_report() -> Report:
    rows = [_row(number) for number in range(20)]
    rows[3] = Row("aerospike <script>alert(1)</script> & co", {}, "aerospike", "all rounds failed")
    wide = [Heading(f"k{at}", f"percentile {at}", "µs", LESS) for at in range(10)]
    table = Table("singles", "Single keys", HOW, (RATE, P99, *wide), rows, notes=("A note.",))
    report = Report("sample", "A sample of all that reports show", "What was *published*.\n\nMore.")
    report.source = "A Guide"
    report.published = [Table("singles", "Table 1", "As it says.", (RATE,), rows[:2])]
    report.sections = [Section("singles", "Single keys", "Half `reads`.", (table,), charts())]
    report.conclusions = ["spikewire makes **2.1 times** the calls."]
    report.losses = ["One thread: aerospike is 4 % ahead."]
    report.skipped = ["aerospike-node: not installed"]
    report.environment = {"date": "2026-11-23T10:00:00+00:00", "cpu_model": "A", "cpu_count": 2}
    report.environment["clients"] = {"aerospike": "19.2.1", "aerospike-py": "0.5.0"}
    build = {"commit": "0123456789abcdef", "modified": True, "native": {"sha256": "f" * 64}}
    report.environment |= {"build": build, "variables": {"SOME_VARIABLE": "1"}}
    report.settings = {"size": "quick", "seed": 1}
    return report


def _row(number: int) -> Row:
    client = CLIENTS[number % 5]
    rate = 1000.0 * (number + 1)
    label = (
        f"{client} under run_in_executor, {number} tasks" if number % 2 else f"{client}, {number}"
    )
    fields = {
        "rate": Median(rate, rate * 0.9, rate * 1.1, 3),
        "p99": None,
        "k1": 12.5,
        "k2": 123456,
    }
    return Row(label, fields, client)


def charts() -> tuple[Chart, ...]:
    long = "aerospike-native through a thread-local runtime, 32 threads in one process, warm"
    bars = [
        Series(label, ((label, 1e5 / (at + 1)),), client, ((9e4 / (at + 1), 1.1e5 / (at + 1)),))
        for at, client in enumerate(CLIENTS * 4)
        for label in [f"{client}, {at} tasks" if at != 4 else long]
    ]
    groups = [
        Series(one, (("1 thread", 1e4), ("32 threads", 4e4 / (at + 1))), one)
        for at, one in enumerate(CLIENTS)
    ]
    deltas = [
        Series(f"layer {at}", ((f"layer {at}", 3.0 - 2 * at),), "spikewire") for at in range(4)
    ]
    shares = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0)
    tails = [
        Series(name, tuple((x, 90.0 * (at + 1) * 2**n) for n, x in enumerate(shares)), client)
        for at, (name, client) in enumerate(
            [*((one, one) for one in CLIENTS), ("spikewire, service time", "spikewire")]
        )
    ]
    seconds = tuple((float(x), 2e5 if x % 97 else 0.0) for x in range(1000))
    memory = [Series("spikewire", tuple((float(x), 3e7 + 1e6 * x) for x in range(40)), "spikewire")]
    sweep = [
        Series(
            one,
            tuple((float(n), 1e4 * n**0.5 / (at + 1)) for n in (1, 2, 4, 8, 32, 512)),
            one,
            tuple(
                (0.8e4 * n**0.5 / (at + 1), 1.2e4 * n**0.5 / (at + 1))
                for n in (1, 2, 4, 8, 32, 512)
            ),
        )
        for at, one in enumerate(CLIENTS)
    ]
    words = [
        Series(one, (("8 B", 5.0), ("1 kB, zipfian keys", 7.0), ("1 MB", 90.0)), one)
        for one in CLIENTS
    ]
    rate, client = Axis("throughput", "op/s"), Axis("client")
    latency = Axis("latency", "µs", logarithmic=True)
    return (
        Chart("bars", "Throughput", HOW, BARS, client, rate, bars),
        Chart("groups", "Throughput by threads", HOW, BARS, client, rate, groups),
        Chart("deltas", "Cost of layers", HOW, BARS, client, Axis("CPU", "µs/op"), deltas),
        Chart(
            "tails",
            "Latency",
            HOW,
            LINES,
            Axis("percentile", "%", percentiles=True),
            latency,
            tails,
        ),
        Chart(
            "time",
            "Over time",
            HOW,
            STEPS,
            Axis("time", "s"),
            rate,
            [Series("spikewire", seconds, "spikewire")],
        ),
        Chart("memory", "Memory", HOW, STEPS, Axis("time", "s"), Axis("resident", "B"), memory),
        Chart("sweep", "By tasks", HOW, LINES, Axis("tasks", logarithmic=True), rate, sweep),
        Chart("words", "By size", HOW, LINES, Axis("value"), latency, words),
        Chart("one", "One point", HOW, LINES, Axis("x"), Axis("y"), [Series("x", ((1.0, 0.0),))]),
        Chart("none", "No point", HOW, BARS, Axis("x"), Axis("y"), []),
    )
