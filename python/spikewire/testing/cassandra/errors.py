"""What is raised when there is no Cassandra."""

from __future__ import annotations

__all__ = ["CassandraFailed", "CassandraUnavailable"]


class CassandraUnavailable(OSError):  # noqa: N818
    """This machine lacks something that Cassandra needs, or Cassandra is disabled; the text says
    which.
    """


class CassandraFailed(OSError):  # noqa: N818
    """A node did not start, or died; the text has the last errors of its log, and the log's
    path.
    """
