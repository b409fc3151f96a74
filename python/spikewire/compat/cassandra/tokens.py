"""Tokens and the nodes that own them."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.murmur3 import murmur3

if TYPE_CHECKING:
    from typing_extensions import Self

    from spikewire.compat.cassandra.metadata import Metadata
    from spikewire.compat.cassandra.pool import Host

__all__ = [
    "MAX_LONG",
    "MIN_LONG",
    "BytesToken",
    "HashToken",
    "MD5Token",
    "Murmur3Token",
    "Token",
    "TokenMap",
    "token_class_of",
]

MIN_LONG = -(1 << 63)
MAX_LONG = (1 << 63) - 1


@functools.total_ordering
class Token:
    """A token of a partition key."""

    def __init__(self, token: Any) -> None:
        self.value = token

    @classmethod
    def hash_fn(cls, key: Any) -> Any:
        """The value of the token of a key as it is sent."""
        return key

    @classmethod
    def from_key(cls, key: Any) -> Self:
        """The token of a key as it is sent."""
        return cls(cls.hash_fn(key))

    @classmethod
    def from_string(cls, token_string: str) -> Self:
        """A token as the server writes it."""
        return cls(token_string)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and bool(self.value == other.value)

    def __lt__(self, other: Token) -> bool:
        return bool(self.value < other.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.value}>"


class HashToken(Token):
    """A token that is a number."""

    @classmethod
    def from_string(cls, token_string: str) -> Self:
        """A token as the server writes it."""
        return cls(int(token_string))


class Murmur3Token(HashToken):
    """A token of ``Murmur3Partitioner``."""

    def __init__(self, token: Any) -> None:
        super().__init__(int(token))

    @classmethod
    def hash_fn(cls, key: Any) -> int:
        """The value of the token of a key as it is sent."""
        value = murmur3(key.encode() if isinstance(key, str) else bytes(key))
        return MAX_LONG if value == MIN_LONG else value


class MD5Token(HashToken):
    """A token of ``RandomPartitioner``."""

    @classmethod
    def hash_fn(cls, key: Any) -> int:
        """The value of the token of a key as it is sent."""
        data = key.encode() if isinstance(key, str) else bytes(key)
        digest = hashlib.md5(data, usedforsecurity=False).digest()
        return abs(int.from_bytes(digest, "big", signed=True))


class BytesToken(Token):
    """A token of ``ByteOrderedPartitioner``."""

    @classmethod
    def from_string(cls, token_string: str) -> Self:
        """A token as the server writes it."""
        return cls(bytes.fromhex(token_string))


def token_class_of(partitioner: str) -> type[Token] | None:
    """The class of the tokens of a partitioner."""
    for ending, kind in (
        ("Murmur3Partitioner", Murmur3Token),
        ("RandomPartitioner", MD5Token),
        ("ByteOrderedPartitioner", BytesToken),
    ):
        if partitioner.endswith(ending):
            return kind
    return None


class TokenMap:
    """Who owns which tokens."""

    def __init__(
        self, token_class: type[Token], token_to_host_owner: dict[Token, Host], metadata: Metadata
    ) -> None:
        self.token_class = token_class
        self.token_to_host_owner = token_to_host_owner
        #: All tokens in order.
        self.ring = sorted(token_to_host_owner)
        self._metadata = metadata

    def get_replicas(self, keyspace: str, token: Token) -> list[Host]:
        """The nodes that hold a token of a keyspace."""
        return self._metadata._replicas_of(keyspace, token)  # pyright: ignore[reportPrivateUsage]
