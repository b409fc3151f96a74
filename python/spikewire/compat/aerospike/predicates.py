"""Predicates for secondary index queries, as the tuples of the official client."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import json
from typing import Any

from spikewire.compat.aerospike.failures import reject

__all__ = [
    "between",
    "contains",
    "equals",
    "geo_contains_geojson_point",
    "geo_contains_point",
    "geo_within_geojson_region",
    "geo_within_radius",
    "range",
]

_EQUAL, _RANGE = 0, 1
_STRING, _GEO, _BLOB, _INTEGER = 0, 2, 3, 4


def _kind(value: Any) -> int:
    if not isinstance(value, (int, str, bytes, bytearray)):
        reject("predicate is invalid.")
    if isinstance(value, int):
        return _INTEGER
    return _STRING if isinstance(value, str) else _BLOB


def equals(bin: str, val: Any) -> tuple[Any, ...]:
    """The bin has this value."""
    return _EQUAL, _kind(val), bin, val


def between(bin: str, min: Any, max: Any) -> tuple[Any, ...]:
    """The bin is from ``min`` to ``max``."""
    return _RANGE, _INTEGER, bin, min, max


def contains(bin: str, index_type: int, val: Any) -> tuple[Any, ...]:
    """A list or map has this element, key or value."""
    return _EQUAL, _kind(val), bin, val, None, index_type


def range(bin: str, index_type: int, min: Any, max: Any) -> tuple[Any, ...]:  # noqa: A001
    """A list or map has an element, key or value from ``min`` to ``max``."""
    return _RANGE, _INTEGER, bin, min, max, index_type


def geo_within_geojson_region(bin: str, shape: str, index_type: int = 0) -> tuple[Any, ...]:
    """Points within a region."""
    return _RANGE, _GEO, bin, shape, None, index_type


def geo_within_radius(
    bin: str,
    long: float,
    lat: float,
    radius_meters: float,
    index_type: int = 0,
) -> tuple[Any, ...]:
    """Points within a circle."""
    circle = {"type": "AeroCircle", "coordinates": [[long, lat], radius_meters]}
    return _RANGE, _GEO, bin, json.dumps(circle), None, index_type


def geo_contains_geojson_point(bin: str, point: str, index_type: int = 0) -> tuple[Any, ...]:
    """Regions around a point."""
    return _RANGE, _GEO, bin, point, None, index_type


def geo_contains_point(bin: str, long: float, lat: float, index_type: int = 0) -> tuple[Any, ...]:
    """Regions around a point."""
    point = {"type": "Point", "coordinates": [long, lat]}
    return _RANGE, _GEO, bin, json.dumps(point), None, index_type
