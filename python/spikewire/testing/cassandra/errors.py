"""What is raised when there is no Cassandra."""

from __future__ import annotations

__all__ = ["CassandraFailed", "CassandraUnavailable"]


class CassandraUnavailable(OSError):  # noqa: N818
    """This machine lacks what a Cassandra needs, or is told to do without; the text says what."""


class CassandraFailed(OSError):  # noqa: N818
    """A node did not start, or ended; the text has the last errors of its log, and its place."""
