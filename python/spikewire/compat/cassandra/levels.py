"""Named constants: consistency levels, protocol versions, write types."""

from __future__ import annotations

from typing import ClassVar

__all__ = ["ConsistencyLevel", "ProtocolVersion", "WriteType", "consistency_value_to_name"]


class _Named:
    """Constants that can be looked up by name and by number."""

    name_to_value: ClassVar[dict[str, int]] = {}
    value_to_name: ClassVar[dict[int, str]] = {}

    def __init_subclass__(cls) -> None:
        numbers = {name: value for name, value in vars(cls).items() if name.isupper()}
        cls.name_to_value = numbers
        cls.value_to_name = {value: name for name, value in numbers.items()}


class ConsistencyLevel(_Named):
    """How many replicas must reply before a statement is complete."""

    ANY = 0
    ONE = 1
    TWO = 2
    THREE = 3
    QUORUM = 4
    ALL = 5
    LOCAL_QUORUM = 6
    EACH_QUORUM = 7
    SERIAL = 8
    LOCAL_SERIAL = 9
    LOCAL_ONE = 10

    @staticmethod
    def is_serial(cl: int) -> bool:
        """Whether this is one of the two levels for conditional statements."""
        return cl in (ConsistencyLevel.SERIAL, ConsistencyLevel.LOCAL_SERIAL)


def consistency_value_to_name(value: int | None) -> str:
    """The name of a level; ``"Not Set"`` for ``None``."""
    return "Not Set" if value is None else ConsistencyLevel.value_to_name[value]


class ProtocolVersion:
    """Versions of the native protocol. Spikewire supports 4 and 5."""

    V1 = 1
    V2 = 2
    V3 = 3
    V4 = 4
    V5 = 5
    V6 = 6
    SUPPORTED_VERSIONS = (V5, V4)
    BETA_VERSIONS = ()
    MIN_SUPPORTED = V4
    MAX_SUPPORTED = V5


class WriteType(_Named):
    """The kind of write that failed."""

    SIMPLE = 0
    BATCH = 1
    UNLOGGED_BATCH = 2
    COUNTER = 3
    BATCH_LOG = 4
    CAS = 5
    VIEW = 6
    CDC = 7
