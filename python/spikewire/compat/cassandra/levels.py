"""Named constants: consistency levels, protocol versions, kinds of writes and of schema changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ConsistencyLevel",
    "ProtocolVersion",
    "SchemaChangeType",
    "SchemaTargetType",
    "SignatureDescriptor",
    "UserAggregateDescriptor",
    "UserFunctionDescriptor",
    "WriteType",
    "consistency_value_to_name",
]


class _Constants:
    """Constants that can be looked up by name and by number."""

    name_to_value: ClassVar[dict[str, int]] = {}
    value_to_name: ClassVar[dict[int, str]] = {}

    def __init_subclass__(cls) -> None:
        numbers = {name: value for name, value in vars(cls).items() if name.isupper()}
        cls.name_to_value = numbers
        cls.value_to_name = {value: name for name, value in numbers.items()}


class ConsistencyLevel(_Constants):
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
    DSE_V1 = 0x41
    DSE_V2 = 0x42
    SUPPORTED_VERSIONS = (V5, V4)
    BETA_VERSIONS: tuple[int, ...] = ()
    MIN_SUPPORTED = V4
    MAX_SUPPORTED = V5

    @classmethod
    def get_lower_supported(cls, previous_version: int) -> int:
        """The next lower version that is supported; 0 if there is none."""
        return max((one for one in cls.SUPPORTED_VERSIONS if one < previous_version), default=0)

    @classmethod
    def uses_int_query_flags(cls, version: int) -> bool:
        """Whether the flags of statements have four bytes."""
        return version >= cls.V5

    @classmethod
    def uses_prepare_flags(cls, version: int) -> bool:
        """Whether statements are prepared with flags."""
        return version >= cls.V5 and version != cls.DSE_V1

    @classmethod
    def uses_prepared_metadata(cls, version: int) -> bool:
        """Whether the columns of a result have an id."""
        return version >= cls.V5 and version != cls.DSE_V1

    @classmethod
    def uses_error_code_map(cls, version: int) -> bool:
        """Whether errors have a reason for each replica that failed."""
        return version >= cls.V5

    @classmethod
    def uses_keyspace_flag(cls, version: int) -> bool:
        """Whether a statement may have a keyspace of its own."""
        return version >= cls.V5 and version != cls.DSE_V1

    @classmethod
    def has_checksumming_support(cls, version: int) -> bool:
        """Whether frames have checksums."""
        return cls.V5 <= version < cls.DSE_V1

    @classmethod
    def has_continuous_paging_support(cls, version: int) -> bool:
        """Whether the server may send pages without a request: Cassandra does not."""
        return version >= cls.DSE_V1

    @classmethod
    def has_continuous_paging_next_pages(cls, version: int) -> bool:
        """Whether the client may limit such pages."""
        return version >= cls.DSE_V2


class SchemaChangeType:
    """What happened to a part of the schema."""

    DROPPED = "DROPPED"
    CREATED = "CREATED"
    UPDATED = "UPDATED"


class SchemaTargetType:
    """Parts of the schema."""

    KEYSPACE = "KEYSPACE"
    TABLE = "TABLE"
    TYPE = "TYPE"
    FUNCTION = "FUNCTION"
    AGGREGATE = "AGGREGATE"


class SignatureDescriptor:
    """Name and types of arguments of a function or an aggregate."""

    def __init__(self, name: str, argument_types: Sequence[str]) -> None:
        self.name = name
        self.argument_types = list(argument_types)

    @property
    def signature(self) -> str:
        """``name(int,text)``."""
        return self.format_signature(self.name, self.argument_types)

    @staticmethod
    def format_signature(name: str, argument_types: Sequence[str]) -> str:
        """``name(int,text)``."""
        return f"{name}({','.join(argument_types)})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.argument_types!r})"


class UserFunctionDescriptor(SignatureDescriptor):
    """Names a user-defined function."""


class UserAggregateDescriptor(SignatureDescriptor):
    """Names a user-defined aggregate."""


class WriteType(_Constants):
    """The kind of write that failed."""

    SIMPLE = 0
    BATCH = 1
    UNLOGGED_BATCH = 2
    COUNTER = 3
    BATCH_LOG = 4
    CAS = 5
    VIEW = 6
    CDC = 7
