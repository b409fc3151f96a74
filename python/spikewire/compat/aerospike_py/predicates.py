"""Predicates for secondary index queries, as tuples for ``query.where``."""

from __future__ import annotations

from typing import Any

__all__ = [
    "between",
    "contains",
    "equals",
    "geo_contains_geojson_point",
    "geo_within_geojson_region",
    "geo_within_radius",
]


def equals(bin_name: str, val: Any) -> tuple[str, str, Any]:
    """The bin has this value."""
    return "equals", bin_name, val


def between(bin_name: str, min_val: Any, max_val: Any) -> tuple[str, str, Any, Any]:
    """The bin is an integer from ``min_val`` to ``max_val``."""
    return "between", bin_name, min_val, max_val


def contains(bin_name: str, index_type: int, val: Any) -> tuple[str, str, int, Any]:
    """A list or map has this element, key or value."""
    return "contains", bin_name, index_type, val


def geo_within_geojson_region(bin_name: str, geojson: str) -> tuple[str, str, str]:
    """Points within a region."""
    return "geo_within_geojson_region", bin_name, geojson


def geo_within_radius(
    bin_name: str, lat: float, lng: float, radius: float
) -> tuple[str, str, float, float, float]:
    """Points within a circle."""
    return "geo_within_radius", bin_name, lat, lng, radius


def geo_contains_geojson_point(bin_name: str, geojson: str) -> tuple[str, str, str]:
    """Regions around a point."""
    return "geo_contains_geojson_point", bin_name, geojson
