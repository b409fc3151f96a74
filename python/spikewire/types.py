"""The types that go in and come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal, Union

from spikewire._native import GeoJSON, HyperLogLog, Key

__all__ = [
    "BinValue",
    "Exists",
    "KeyLike",
    "Replica",
    "Seeds",
    "Seconds",
    "Ttl",
    "UserKey",
    "Value",
]

#: A user key.
UserKey = Union[int, str, bytes, bytearray, memoryview]

#: A whole key: a ``Key``, or the field's tuple ``(namespace, set, key[, digest])``.
KeyLike = Union[
    Key,
    tuple[str, Union[str, None], UserKey],
    tuple[str, Union[str, None], Union[UserKey, None], Union[bytes, None]],
]

#: What a bin can hold when it is written. ``None`` removes the bin.
BinValue = Union[
    int,
    float,
    bool,
    str,
    bytes,
    bytearray,
    memoryview,
    None,
    GeoJSON,
    HyperLogLog,
    Sequence["BinValue"],
    Mapping[str, "BinValue"],
    Mapping[int, "BinValue"],
    Mapping[bytes, "BinValue"],
    Mapping[Union[str, int, bytes], "BinValue"],
]

#: What a bin holds when it is read.
Value = Union[
    int,
    float,
    bool,
    str,
    bytes,
    None,
    GeoJSON,
    HyperLogLog,
    list["Value"],
    dict[Union[str, int, bytes], "Value"],
]

#: Where to find the cluster: ``"host"``, ``"host:port"``, a comma list of them, or a list.
Seeds = Union[str, list[str], tuple[str, ...]]

#: A span of time: seconds, or a ``timedelta``.
Seconds = Union[int, float, timedelta]

#: Time to live: whole seconds, a ``timedelta``, or a word.
Ttl = Union[int, timedelta, Literal["default", "never", "unchanged"]]

#: What a write does about a record that exists, or does not.
Exists = Literal["merge", "create", "update", "replace", "replace_only"]

#: Which replica a command goes to.
Replica = Literal["master", "sequence", "any", "prefer-rack"]
