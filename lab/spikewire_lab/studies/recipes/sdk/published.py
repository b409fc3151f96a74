"""The published figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...relative import beside, times
from ...report import MORE, Heading, Row, Table
from .counterparts import HERE, here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...relative import DerivedColumn

_FREE, _LOCKED = "without the GIL", "with the GIL"
_MATRIX: dict[str, tuple[float | None, float | None]] = {
    "SDK, blocking, fast path, 32 threads": (214_489, 50_857),
    "SDK, blocking, fast path, runtime per thread, 32 threads": (265_971, 57_200),
    "SDK, blocking, builder, 32 threads": (149_428, 31_564),
    "SDK, blocking, builder, runtime per thread, 32 threads": (187_209, 33_444),
    "SDK, pool, fast path, 4 x 64 tasks": (260_325, 108_327),
    "SDK, pool, fast path, 8 x 64 tasks": (292_000, None),
    "SDK, pool, builder, 4 x 64 tasks": (181_838, 61_281),
    "SDK, one loop, fast path, 32 tasks": (118_220, 105_959),
    "SDK, one loop, builder, 32 tasks": (68_402, 64_496),
    "SDK, blocking, fast path, 1 thread": (10_946, 9_730),
    "SDK, blocking, builder, 1 thread": (10_053, 8_826),
    "native, blocking, 32 threads": (209_426, 50_194),
    "native, blocking, runtime per thread, 32 threads": (271_066, 60_730),
    "native, one loop, 32 tasks": (124_001, 114_020),
    "native, blocking, 1 thread": (12_221, 11_812),
    "native, one loop, 1 task": (7_773, 8_304),
    "Rust core, 32 tasks": (290_000, None),
    "Rust core, blocking, 32 threads": (246_000, None),
    "Rust core, 512 tasks, timer removed and pool widened": (580_000, None),
    "Rust core, 1 task": (12_627, None),
    "Rust core, blocking, 1 thread": (11_960, None),
    "C client, 1 thread": (None, 15_000),
}

MATRIX = Table(
    name="published-matrix",
    title="Single keys, operations per second",
    caption="Half reads, half writes of one integer bin over 100,000 keys, 15 s after 3 s; a client"
    " machine of 8 virtual processors and three servers of 8 each.",
    headings=(
        Heading("free", _FREE, "op/s", MORE, 0),
        Heading("locked", _LOCKED, "op/s", MORE, 0),
        HERE,
    ),
    rows=tuple(
        Row(name, {"free": free, "locked": locked, "here": here(name)})
        for name, (free, locked) in _MATRIX.items()
    ),
    notes=("Rust core figures, and those of the C client and of 8 x 64 tasks, are rounded there.",),
)

_LATENCY = {
    "SDK, blocking, fast path, 32 threads": ("100 / 300 / 500", "500 / 2,500 / 3,200"),
    "SDK, blocking, fast path, runtime per thread, 32 threads": (
        "100 / 200 / 400",
        "500 / 2,400 / 3,400",
    ),
    "SDK, blocking, fast path, 1 thread": ("100 / 100 / 200", "100 / 100 / 100"),
    "SDK, blocking, builder, 32 threads": ("100 / 900 / 3,700", "1,400 / 5,000 / 5,800"),
    "SDK, one loop, fast path, 32 tasks": ("200 / 300 / 600", "500 / 600 / 700"),
    "SDK, one loop, builder, 32 tasks": ("500 / 600 / 800", "1,000 / 1,200 / 1,300"),
    "SDK, pool, fast path, 4 x 64 tasks": ("900 / 2,500 / 3,500", "4,800 / 13,300 / 16,400"),
    "SDK, pool, fast path, 8 x 64 tasks": ("1,700 / 4,100 / 5,800", None),
    "SDK, pool, builder, 4 x 64 tasks": ("1,400 / 2,600 / 3,800", "7,800 / 25,300 / 26,000"),
    "native, blocking, 32 threads": ("100 / 300 / 500", "600 / 2,800 / 3,800"),
    "native, blocking, runtime per thread, 32 threads": ("100 / 200 / 300", "500 / 2,300 / 3,300"),
    "native, one loop, 32 tasks": ("200 / 300 / 500", "400 / 400 / 500"),
    "native, blocking, 1 thread": ("100 / 100 / 100", "100 / 100 / 100"),
    "native, one loop, 1 task": ("100 / 200 / 200", "100 / 200 / 200"),
    "Rust core, 32 tasks": ("p99 about 190", None),
    "Rust core, blocking, 32 threads": ("p99 about 200", None),
    "Rust core, 1 task": ("p99 about 140", None),
    "Rust core, blocking, 1 thread": ("p99 about 115", None),
}

LATENCY = Table(
    name="published-latency",
    title="Single keys, p50 / p99 / p99.9",
    caption="One call in 100 is timed; figures but those of the Rust core are rounded to 100 µs.",
    headings=(Heading("free", _FREE, "µs"), Heading("locked", _LOCKED, "µs"), HERE),
    rows=tuple(
        Row(name, {"free": free, "locked": locked, "here": here(name)})
        for name, (free, locked) in _LATENCY.items()
    ),
)


def to_smallest(sizes: Sequence[int]) -> list[DerivedColumn]:
    """Each size relative to the smallest, as in the document."""
    least, *others = sizes
    return [
        times(f"times{size}", f"{size} over {least}", f"rate{size}", f"rate{least}")
        for size in others
    ]


SIZES = (1, 4, 16, 32, 64, 128)
_SWEEPS = {
    "SDK, blocking, builder, 32 threads": (145_898, 142_895, 328_253, 401_467, 470_720, 485_056),
    "SDK, one loop, builder, 32 tasks": (64_569, 59_514, 121_155, 144_885, 174_080, 204_736),
    "SDK, pool, builder, 4 x 64 tasks": (190_278, 156_954, 265_443, 310_901, 336_469, None),
}

_SWEPT = beside(
    Table(
        name="published-batches",
        title="Batches, records per second without the GIL",
        caption="Half of the calls read, half write so many records.",
        headings=tuple(Heading(f"rate{size}", f"{size}", "records/s", MORE, 0) for size in SIZES),
        rows=tuple(
            Row(
                name,
                {
                    **{f"rate{size}": rate for size, rate in zip(SIZES, values, strict=True)},
                    "here": here(name),
                },
            )
            for name, values in _SWEEPS.items()
        ),
    ),
    to_smallest(SIZES),
)
SWEEPS = replace(_SWEPT, headings=(*_SWEPT.headings, HERE))

_BLOCKING_STACK: dict[str, int | str | None] = {
    "Rust core, blocking, 32 threads": None,
    "native, blocking, 32 threads": -15,
    "SDK, blocking, fast path, 32 threads": "flat",
    "SDK, blocking, builder, 32 threads": -30,
}
_AWAITED_STACK: dict[str, int | str | None] = {
    "SDK, blocking, fast path, 32 threads": None,
    "native, one loop, 32 tasks": -42,
    "SDK, one loop, fast path, 32 tasks": -5,
    "SDK, pool, fast path, 4 x 64 tasks": 120,
    "SDK, pool, fast path, 8 x 64 tasks": 147,
}
_LOCKED_POOLS: dict[str, int | str | None] = {
    "SDK, one loop, fast path, 32 tasks": None,
    "SDK, pool, fast path, 4 x 64 tasks": 2,
    "SDK, one loop, builder, 32 tasks": None,
    "SDK, pool, builder, 4 x 64 tasks": -5,
}
_PATHS = {
    "SDK, one loop, fast path, 32 tasks": ("SDK, one loop, builder, 32 tasks", 1.73),
    "SDK, pool, fast path, 4 x 64 tasks": ("SDK, pool, builder, 4 x 64 tasks", 1.43),
    "SDK, blocking, fast path, 32 threads": ("SDK, blocking, builder, 32 threads", 1.44),
}


def _stack(
    name: str, title: str, caption: str, deltas: dict[str, int | str | None], *, locked: bool
) -> Table:
    """Some lines of the matrix with the comparisons that the document makes."""
    headings = (
        Heading("rate", _LOCKED if locked else _FREE, "op/s", MORE, 0),
        Heading("delta", "change", "%", digits=0),
        HERE,
    )
    rows = [
        Row(line, {"rate": _MATRIX[line][locked], "delta": delta, "here": here(line)})
        for line, delta in deltas.items()
    ]
    return Table(name, title, caption, headings, rows, "layer")


_LAYERS = (
    "Rust core, 512 tasks, timer removed and pool widened",
    "SDK, pool, fast path, 8 x 64 tasks",
    "Rust core, 32 tasks",
    "native, blocking, runtime per thread, 32 threads",
    "SDK, blocking, fast path, runtime per thread, 32 threads",
    "SDK, pool, fast path, 4 x 64 tasks",
    "Rust core, blocking, 32 threads",
    "SDK, blocking, fast path, 32 threads",
    "native, blocking, 32 threads",
    "SDK, pool, builder, 4 x 64 tasks",
    "SDK, blocking, builder, 32 threads",
    "native, one loop, 32 tasks",
    "SDK, one loop, fast path, 32 tasks",
    "SDK, one loop, builder, 32 tasks",
    "C client, 1 thread",
)

STACKS = (
    Table(
        "published-stack",
        "Where every layer ends up",
        "The matrix above from the fastest to the slowest; the C client with the GIL, the others"
        " without it. Its lines have different numbers of calls in flight.",
        (Heading("rate", "throughput", "op/s", MORE, 0), HERE),
        tuple(
            Row(line, {"rate": _MATRIX[line][0] or _MATRIX[line][1], "here": here(line)})
            for line in _LAYERS
        ),
        "layer",
    ),
    _stack(
        "published-stack-blocking",
        "What each blocking layer costs",
        "Each against the line above, the builder against the fast path.",
        _BLOCKING_STACK,
        locked=False,
    ),
    _stack(
        "published-stack-awaited",
        "What each asynchronous layer costs",
        "Each against the line above; pools against one loop of the SDK.",
        _AWAITED_STACK,
        locked=False,
    ),
    _stack(
        "published-pools",
        "Pools with the GIL",
        "A pool against one loop with the same calls.",
        _LOCKED_POOLS,
        locked=True,
    ),
)

PATHS = Table(
    name="published-paths",
    title="Fast path and builder, without the GIL",
    caption="Of the matrix above.",
    headings=(
        Heading("builder", "builder", "op/s", MORE, 0),
        Heading("fast", "fast path", "op/s", MORE, 0),
        Heading("times", "fast path over builder", "times", digits=2),
        HERE,
    ),
    rows=tuple(
        Row(
            fast,
            {
                "builder": _MATRIX[builder][0],
                "fast": _MATRIX[fast][0],
                "times": times,
                "here": f"{here(fast)}; {here(builder)}",
            },
        )
        for fast, (builder, times) in _PATHS.items()
    ),
)
