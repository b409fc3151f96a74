"""How often each verb occurs: the usual workload strings, and their meaning here."""

from __future__ import annotations

from dataclasses import dataclass

READ, READ_ONE, SCAN, EXISTS, LATEST = "read", "read-one", "scan", "exists", "latest"
WRITE, WRITE_ONE, REPLACE, INSERT = "write", "write-one", "replace", "insert"
UPDATE, UPDATE_ONE = "update", "update-one"
INCREMENT, DECREMENT, OPERATE, ADD = "increment", "decrement", "operate", "add"
TOUCH, REMOVE = "touch", "remove"
MISS = "miss"
"""A read of a missing key; requested by `--misses`, not by a workload."""
VERBS = {
    READ: "read the whole record",
    READ_ONE: "read one bin of it",
    WRITE: "write all bins",
    WRITE_ONE: "write one bin; the others are unchanged",
    REPLACE: "write all bins of an existing record; other bins are removed",
    UPDATE: "read the whole record, then write all bins: two calls, one operation",
    UPDATE_ONE: "read the whole record, then write one bin: two calls, one operation",
    INCREMENT: "read the whole record, then add 1 to its first integer bin: two calls",
    DECREMENT: "read the whole record, then add -1 to its first integer bin: two calls",
    OPERATE: "add 1 to the first integer bin and read it, in one call",
    ADD: "add 1 to the first integer bin",
    TOUCH: "renew the time to live",
    EXISTS: "check whether the record exists",
    REMOVE: "remove the record; concurrent reads may miss",
    SCAN: "read 1 to 100 records with consecutive keys in one batch",
    INSERT: "write a record with a new key, one above the last",
    LATEST: "read a recently inserted record",
}
READING = frozenset({READ, READ_ONE, SCAN, EXISTS, LATEST, MISS})
"""Verbs whose latency counts as a read's; that of all others counts as a write's."""
COUNTING = frozenset({INCREMENT, DECREMENT, OPERATE, ADD})
"""Verbs that change the first integer bin."""
LOSING = frozenset({REMOVE})
"""Verbs that may remove a record."""
EMPTY = frozenset({READ, WRITE, EXISTS, REMOVE})
"""Verbs that can begin with an empty set."""
STANDING = frozenset({READ_ONE, REPLACE, TOUCH, SCAN})
"""Verbs that need an existing record."""
INSERTING = "I"
GRAMMAR = "I | RU,r[,ra,wa] | RR,r | RMU | RMI | RMD | MIX,verb=percent,... | YCSB-A ... YCSB-F"
MEANINGS = {
    "I": "write every key once, in order, to an empty set",
    "RU,r[,ra,wa]": "r % reads, the rest writes; ra % of the reads read all bins and wa % of the"
    " writes write all, the others one bin; RU alone is RU,50,100,100",
    "RR,r": "r % reads, the rest replace the whole record, which must exist",
    "RMU": "half reads, half read-modify-update: read the record, then write it",
    "RMI": "half reads, half read-modify-increment: read the record, then add 1",
    "RMD": "half reads, half read-modify-decrement: read the record, then add -1",
    "MIX,verb=percent,...": f"any of {', '.join(VERBS)}; the percentages add up to 100",
    "YCSB-A ... YCSB-F": "the core workloads of YCSB: 10 bins of 100 characters unless -o says"
    " otherwise, zipfian keys (D: the latest), updates of one bin",
}


@dataclass(frozen=True)
class Workload:
    """Verbs with their percentages, and the defaults of further settings."""

    kind: str
    shares: tuple[tuple[str, float], ...] = ()
    bins: str = "I1"
    distribution: str = "uniform"
    sparse: bool = False
    """Whether the set is empty at first, so that reads may find no record, which is no error."""

    @property
    def verbs(self) -> frozenset[str]:
        return frozenset(verb for verb, percent in self.shares if percent)

    @property
    def plain(self) -> bool:
        """Whether there are whole reads of existing records and whole writes only."""
        if self.sparse:
            return False
        return self.kind == INSERTING or self.verbs <= {READ, WRITE}


def _ycsb(letter: str, distribution: str = "zipfian", **shares: float) -> Workload:
    named = tuple((name.replace("_", "-"), percent) for name, percent in shares.items())
    return Workload(f"YCSB-{letter}", named, ",".join(["S100"] * 10), distribution)


YCSB = {
    workload.kind: workload
    for workload in (
        _ycsb("A", read=50, write_one=50),
        _ycsb("B", read=95, write_one=5),
        _ycsb("C", read=100),
        _ycsb("D", "latest", latest=95, insert=5),
        _ycsb("E", scan=95, insert=5),
        _ycsb("F", read=50, update_one=50),
    )
}
"""By YCSB's own property files: reads take all fields, updates one, scans 1 to 100 records."""
_CYCLES = {"RMU": UPDATE, "RMI": INCREMENT, "RMD": DECREMENT}


def parse_workload(text: str) -> Workload:
    """Parses a workload string; raises `ValueError` for anything else."""
    kind, *parts = (part.strip() for part in text.split(","))
    if kind in YCSB or kind == INSERTING or kind in _CYCLES:
        if parts:
            raise ValueError(f"workload {text!r}: {kind} takes no numbers")
        if kind in YCSB:
            return YCSB[kind]
        return Workload(kind, ((READ, 50), (_CYCLES[kind], 50)) if kind in _CYCLES else ())
    if kind == "RU":
        return _read_update(text, [_percent(part, text) for part in parts])
    if kind == "RR":
        if len(parts) != 1:
            raise ValueError(f"workload {text!r}: RR takes one number, the percentage of reads")
        reads = _percent(parts[0], text)
        return Workload("RR", ((READ, reads), (REPLACE, 100 - reads)))
    if kind == "MIX":
        return _mix(text, parts)
    raise ValueError(f"workload {text!r} is not one of: {GRAMMAR}")


def _read_update(text: str, numbers: list[float]) -> Workload:
    if len(numbers) not in (0, 1, 3):
        raise ValueError(f"workload {text!r}: RU takes r, or r,ra,wa")
    reads, all_read, all_written = (
        numbers if len(numbers) == 3 else (*(numbers or [50.0]), 100, 100)
    )
    writes = 100 - reads
    shares = (
        (READ, reads * all_read / 100),
        (READ_ONE, reads * (100 - all_read) / 100),
        (WRITE, writes * all_written / 100),
        (WRITE_ONE, writes * (100 - all_written) / 100),
    )
    whole = {READ, WRITE}
    return Workload("RU", tuple(one for one in shares if one[1] or one[0] in whole))


def _mix(text: str, parts: list[str]) -> Workload:
    shares: list[tuple[str, float]] = []
    for part in parts:
        verb, _, percent = part.partition("=")
        if verb not in VERBS:
            raise ValueError(
                f"workload {text!r}: {verb!r} is not a verb: choose from {', '.join(VERBS)}"
            )
        if verb in dict(shares):
            raise ValueError(f"workload {text!r}: {verb} stands there twice")
        shares.append((verb, _percent(percent, text)))
    total = sum(percent for _, percent in shares)
    if abs(total - 100) > 1e-6:
        raise ValueError(f"workload {text!r}: the percentages make {total:g}, not 100")
    workload = Workload("MIX", tuple(shares))
    if workload.verbs & LOSING and workload.verbs & STANDING:
        needing = ", ".join(sorted(workload.verbs & STANDING))
        raise ValueError(f"workload {text!r}: {needing} needs records that remove takes away")
    return workload


def _percent(part: str, text: str) -> float:
    try:
        percent = float(part)
    except ValueError:
        raise ValueError(f"workload {text!r}: {part!r} is not a percentage") from None
    if not 0 <= percent <= 100:
        raise ValueError(f"workload {text!r}: the percentage {part} must be 0 to 100")
    return percent
