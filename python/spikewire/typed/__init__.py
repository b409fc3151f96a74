"""The types of records: how bins become instances of a class, and instances bins.

    class User(TypedDict):
        name: str
        age: int

    users = client.dataset("test", "users", User)
    users.put("alice", User(name="Alice", age=42))
    users.get("alice").value["age"]

A type is a ``TypedDict``, a dataclass, a ``msgspec.Struct`` or a pydantic model. Its fields are the
bins of a record; the libraries are not imported unless a type comes from them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from spikewire._native import RecordType
from spikewire.typed.schema import of_class
from spikewire.typed.schemas import schema_of

__all__ = ["bins_of", "of_row", "of_rows", "record_type"]


def record_type(class_: type[Any]) -> RecordType:
    """What a dataset with records of this type uses.

    Raises ``TypeError`` or ``ValueError``, naming the field, for a class that records cannot have.
    """
    key: Any = class_
    return _record_type(key)


@lru_cache(maxsize=512)
def _record_type(class_: Any) -> RecordType:
    schema = schema_of(class_)
    schema.check_names()
    return RecordType(class_, list(schema.fields), schema.encode, schema.decode, schema.check_name)


def bins_of(value: object) -> dict[str, Any] | None:
    """The bins of an instance of such a class; ``None`` for any other object."""
    class_: type[Any] = type(value)
    if of_class(class_) is None:
        return None
    return schema_of(class_).encode(value, whole=True)


def of_row(class_: type[Any], row: Any) -> Any:
    """The instance for a row of Cassandra."""
    return schema_of(class_).decode(row.as_dict(), "column")


def of_rows(class_: type[Any], rows: list[Any]) -> list[Any]:
    """The instances for rows of Cassandra. Errors name the row."""
    schema = schema_of(class_)
    instances: list[Any] = []
    for at, row in enumerate(rows):
        try:
            instances.append(schema.decode(row.as_dict(), "column"))
        except ValueError as error:  # noqa: PERF203
            raise ValueError(f"row {at}: {error}") from error.__cause__
    return instances
