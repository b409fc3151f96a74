"""Converts values in both directions: GeoJSON, sketches, ordered maps, serializers."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire import op
from spikewire._native import _ordered_maps  # pyright: ignore[reportPrivateUsage]
from spikewire.compat.aerospike.failures import of_code, reject

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

__all__ = [
    "CDTInfinite",
    "CDTWildcard",
    "GeoJSON",
    "HyperLogLog",
    "KeyOrderedDict",
    "Serializers",
    "deserializer_of",
    "geodata",
    "geojson",
    "incoming",
    "incoming_bins",
    "null",
    "outgoing",
    "outgoing_bins",
    "register_ordered_maps",
    "serializers",
]

_SCALARS = frozenset({int, str, float, bytes, bytearray, bool, type(None)})


class KeyOrderedDict(dict[Any, Any]):
    """A map that is stored in the order of its keys. The engine reads such maps as instances of
    this class, and writes instances as such maps, once there is a client here."""


def register_ordered_maps() -> None:
    """Enables that for the process."""
    _ordered_maps(KeyOrderedDict)


class HyperLogLog(bytes):
    """A sketch, as bytes."""

    __module__ = "spikewire.compat.aerospike_helpers"  # Where programs find it.

    def __new__(cls, o: Any) -> Self:
        """Of bytes."""
        return super().__new__(cls, o)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"

    __str__ = __repr__


class null:  # noqa: N801
    """No value: a bin that is set to it is removed."""


class CDTWildcard:
    """Equals every value."""


class CDTInfinite:
    """Greater than every value."""


class GeoJSON:
    """A mutable GeoJSON value with the API of the official client."""

    def __init__(self, geo_data: str | dict[str, Any] | None = None) -> None:
        self.geo_data: Any = None
        if isinstance(geo_data, str):
            self.loads(geo_data)
        elif isinstance(geo_data, dict):
            self.geo_data = geo_data
        else:
            reject("Geospatial data should be a dictionary or raw GeoJSON string")

    def wrap(self, geo_data: dict[str, Any]) -> None:
        """Sets Python objects."""
        if not isinstance(geo_data, dict):
            reject("Geospatial data should be a dictionary or raw GeoJSON string")
        self.geo_data = geo_data

    def unwrap(self) -> dict[str, Any]:
        """The value as Python objects."""
        geometry: dict[str, Any] = self.geo_data
        return geometry

    def loads(self, raw_geo: str) -> None:
        """Sets JSON text."""
        try:
            self.geo_data = json.loads(raw_geo)
        except (TypeError, ValueError):
            raise of_code(-1, "String is not GeoJSON serializable") from None

    def dumps(self) -> str:
        """The value as JSON text."""
        return json.dumps(self.geo_data)

    __str__ = dumps

    def __repr__(self) -> str:
        return repr(self.dumps())


def geojson(geojson_str: str) -> GeoJSON:
    """A ``GeoJSON`` from JSON text."""
    if not isinstance(geojson_str, str):
        reject("The geospatial data should be a string")
    return GeoJSON(geojson_str)


def geodata(geo_data: dict[str, Any]) -> GeoJSON:
    """A ``GeoJSON`` from Python objects."""
    if not isinstance(geo_data, dict):
        reject("The geospatial data should be a dictionary")
    return GeoJSON(geo_data)


class Serializers:
    """Functions that convert values unsupported by bins to bytes and back, for a client or for the
    process."""

    def __init__(
        self,
        serializer: Callable[[Any], Any] | None = None,
        deserializer: Callable[[Any], Any] | None = None,
        *,
        bools_as_integers: bool = False,
    ) -> None:
        self.serializer = serializer
        self.deserializer = deserializer
        self.bools_as_integers = bools_as_integers


#: The functions of ``set_serializer`` and ``set_deserializer``.
serializers = Serializers()


def outgoing_bins(bins: Any, own: Serializers | None = None) -> dict[str, Any]:
    """The bins to send. Bins whose values are all plain are returned unchanged."""
    if not isinstance(bins, dict):
        reject("Record should be passed as bin-value pair")
    record_bins: dict[str, Any] = bins
    changes = own is not None and own.bools_as_integers
    for value in record_bins.values():
        if changes or type(value) not in _SCALARS:
            return {name: outgoing(value, own) for name, value in record_bins.items()}
    return record_bins


def outgoing(value: Any, own: Serializers | None = None) -> Any:
    """Converts one value for the engine."""
    kind = type(value)
    if kind in _SCALARS:
        if kind is bool and own is not None and own.bools_as_integers:
            return int(value)
        return value
    if kind is list:
        return [outgoing(item, own) for item in value]
    if kind is dict or kind is KeyOrderedDict:
        items = {outgoing(name, own): outgoing(item, own) for name, item in value.items()}
        return items if kind is dict else KeyOrderedDict(items)
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(value)
    if isinstance(value, HyperLogLog):
        return spikewire.HyperLogLog(bytes(value))
    for base, make in _BASES:
        if isinstance(value, base):
            return outgoing(make(value), own)
    return _serialized(value, own)


_SPECIAL: dict[type, Callable[[Any], Any]] = {
    GeoJSON: lambda value: spikewire.GeoJSON(value.dumps()),
    null: lambda _: None,
    CDTWildcard: lambda _: op.WILDCARD,
    CDTInfinite: lambda _: op.INFINITY,
    spikewire.Expression: lambda value: value,
    type(op.WILDCARD): lambda value: value,
    spikewire.GeoJSON: lambda value: value,
    spikewire.HyperLogLog: lambda value: value,
}
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int),
    (str, str),
    (float, float),
    (bytes, bytes),
    (bytearray, bytes),
    (list, list),
    (dict, dict),
)


def _serialized(value: Any, own: Serializers | None) -> bytes:
    if own is None:
        reject("Cannot serialize: SERIALIZER_NONE selected")
    serializer = own.serializer
    if serializer is None:
        raise of_code(-1, "No serializer callback registered")
    try:
        text = serializer(value)
    except Exception as error:
        raise of_code(-1, "Unable to call user's registered serializer callback") from error
    if not isinstance(text, str):
        raise of_code(-1, f"a serializer must return str, not {type(text).__name__}")
    return text.encode()


def incoming_bins(bins: dict[str, Any], own: Serializers | None = None) -> dict[str, Any]:
    """Converts the bins of a record to the official client's form, in place."""
    deserializer = deserializer_of(own)
    for name, value in bins.items():
        if deserializer is not None or type(value) not in _SCALARS:
            bins[name] = incoming(value, deserializer)
    return bins


def deserializer_of(own: Serializers | None) -> Callable[[Any], Any] | None:
    """The function that converts bytes that are read to values, for a client."""
    if own is not None and own.deserializer is not None:
        return own.deserializer
    return serializers.deserializer


def incoming(value: Any, deserializer: Callable[[Any], Any] | None = None) -> Any:
    """Converts one value that was read."""
    kind = type(value)
    if kind is bytes and deserializer is not None:
        try:
            return deserializer(value.decode())
        except Exception:  # noqa: BLE001
            return value  # Bytes that were not written by a serializer.
    if kind in _SCALARS:
        return value
    if kind is list:
        return [incoming(item, deserializer) for item in value]
    if kind is dict:
        return {name: incoming(item, deserializer) for name, item in value.items()}
    if kind is KeyOrderedDict:
        pairs = ((name, incoming(item, deserializer)) for name, item in value.items())
        return KeyOrderedDict(pairs)
    if kind is spikewire.GeoJSON:
        return GeoJSON(value.text)
    if kind is spikewire.HyperLogLog:
        return HyperLogLog(bytes(value))
    return value
