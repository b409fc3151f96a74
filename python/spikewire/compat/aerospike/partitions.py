"""The partitions that a query reads and its progress in each, in the official client's form.

The status of a query has ``done``, ``retry`` and for each partition, by number, a tuple of
number, begun, retry, digest and index value. The engine uses a cursor for that, whose bytes are
described where they are encoded
(``crates/spikewire-aerospike/src/command/query/cursor.rs``).
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any, NamedTuple

import spikewire
from spikewire.compat.aerospike.failures import reject
from spikewire.compat.aerospike_info import PARTITIONS

__all__ = ["Filter", "Reached", "cursor_from", "filter_of", "reached_by", "status_of", "value_at"]

_HEAD, _BITMAP, _DIGEST, _POINT, _CHECK = 22, PARTITIONS // 8, 20, 28, 4
_NEVER = bytes(_DIGEST), 0

#: The partitions that are not done. For those that were begun, with digest and index value of the
#: last record.
Reached = dict[int, "tuple[bytes, int] | None"]


class Filter(NamedTuple):
    """A parsed ``partition_filter``."""

    begin: int
    parts: int
    digest: bytes | None
    reached: Reached | None


def _number(entries: dict[str, Any], name: str, low: int, high: int, default: int) -> int:
    value = entries.get(name, default)
    if not isinstance(value, int) or not low <= value <= high:
        reject(
            f"invalid partition_filter policy {name}, {name} must be an int between {low} and "
            f"{high} inclusive"
        )
    return value


def filter_of(partition_filter: Any) -> Filter:
    """Checks a filter and returns it parsed."""
    if not isinstance(partition_filter, dict):
        reject("invalid partition_filter policy, partition_filter must be a dict")
    own: dict[str, Any] = partition_filter
    status = own.get("partition_status")
    if status is not None and not isinstance(status, dict):
        reject("invalid partition_filter policy, partition_status must be a dict")
    begin = _number(own, "begin", 0, PARTITIONS - 1, 0)
    count = _number(own, "count", 1, PARTITIONS, PARTITIONS)
    if begin + count > PARTITIONS:
        reject(
            f"invalid partition filter range, begin: {begin} count: {count}, valid range when "
            f"begin + count <= {PARTITIONS}"
        )
    after = own.get("digest")
    digest = None
    if isinstance(after, dict) and after.get("init"):
        value = after.get("value")
        digest = value.encode("latin-1") if isinstance(value, str) else bytes(value or b"")
        if len(digest) != _DIGEST:
            reject(f"invalid partition_filter policy digest, its value must have {_DIGEST} bytes")
    reached = _reached(status, begin, count) if status else None
    return Filter(begin, count, digest, reached)


def _reached(status: dict[Any, Any], begin: int, count: int) -> Reached:
    flags = {}
    for name in ("done", "retry"):
        if name not in status:
            reject(f"partition_status dict missing key '{name}'")
        if not isinstance(status[name], int):
            reject(f"partition_status dict key '{name}' must be an int")
        flags[name] = bool(status[name])
    reached: Reached = {}
    for part in range(begin, begin + count):
        own = status.get(part)
        if not isinstance(own, tuple):
            reached[part] = None
            continue
        begun, again, digest, value = _part(part, own)
        if flags["retry"] or again:
            reached[part] = (digest, value) if begun else None
    return reached


def _part(part: int, own: tuple[Any, ...]) -> tuple[bool, bool, bytes, int]:
    defaults: tuple[Any, ...] = part, False, True, bytearray(_DIGEST), 0
    _, begun, again, digest, value = (*own[:5], *defaults[len(own) :])
    for what, item, kind in (
        ("init", begun, int), ("retry", again, int), ("digest value", digest, bytearray),
        ("bval", value, int),
    ):  # fmt: skip
        if not isinstance(item, kind):
            reject(f"invalid {what} for part_id: {part}")
    if len(digest) != _DIGEST:
        reject(f"invalid digest value for part_id: {part}")
    if not 0 <= value < 1 << 64:
        reject(f"invalid bval for partition id: {part}, bval must fit in unsigned long long")
    return bool(begun), bool(again), bytes(digest), value


def status_of(reached: Reached, latest: Reached, begin: int, count: int) -> dict[Any, Any]:
    """The status of a query over these partitions. ``latest`` has the last records of finished
    ones."""
    status: dict[Any, Any] = {"done": not reached, "retry": False}
    for part in range(begin, begin + count):
        point = reached[part] if part in reached else latest.get(part)
        digest, value = point or _NEVER
        status[part] = part, point is not None, part in reached, bytearray(digest), value
    return status


def value_at(cursor: bytes, digest: bytes) -> int:
    """The index value of the record with this digest, where the cursor of its query came to it; 0
    where its partition is done, which a cursor has no place for."""
    at = cursor.find(digest, _HEAD + _BITMAP)
    return int.from_bytes(cursor[at + _DIGEST : at + _POINT], "big") if at >= 0 else 0


def reached_by(cursor: bytes) -> Reached:
    """The progress of a query, from its cursor."""
    bitmap = cursor[_HEAD : _HEAD + _BITMAP]
    points = cursor[_HEAD + _BITMAP : -_CHECK]
    at, reached = 0, Reached()
    for part in range(PARTITIONS):
        if not bitmap[part >> 3] & (0x80 >> (part & 7)):
            continue
        digest = points[at : at + _DIGEST]
        reached[part] = None
        if len(digest) == _DIGEST and int.from_bytes(digest[:2], "little") & 0xFFF == part:
            value = int.from_bytes(points[at + _DIGEST : at + _POINT], "big")
            reached[part] = digest, value
            at += _POINT
    return reached


def cursor_from(fresh: bytes, reached: Reached) -> bytes:
    """The cursor of a query with this progress, derived from its initial cursor."""
    bitmap = bytearray(_BITMAP)
    points = bytearray()
    for part in sorted(reached):
        bitmap[part >> 3] |= 0x80 >> (part & 7)
        point = reached[part]
        if point is not None:
            points += point[0] + point[1].to_bytes(8, "big")
    body = fresh[:_HEAD] + bitmap + points
    return body + spikewire.Key("test", "", bytes(body)).digest[:_CHECK]
