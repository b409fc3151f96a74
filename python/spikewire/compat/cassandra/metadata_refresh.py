"""How a cluster's metadata are read again, in whole or in part."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spikewire.compat.cassandra.metadata import Metadata

__all__ = ["MetadataRefresh"]


class MetadataRefresh:
    """The methods of a cluster that read its metadata again."""

    metadata: Metadata
    schema_metadata_enabled: bool
    token_metadata_enabled: bool

    def _core(self) -> Any:
        raise NotImplementedError

    def refresh_schema_metadata(self, max_schema_agreement_wait: float | None = None) -> None:  # noqa: ARG002
        """Reads the schema."""
        self._core()
        self.metadata._refresh_all()

    def refresh_keyspace_metadata(
        self,
        keyspace: str,
        max_schema_agreement_wait: float | None = None,  # noqa: ARG002
    ) -> None:
        """Reads a keyspace, without its contents."""
        self.metadata._refresh(keyspace)

    def refresh_table_metadata(
        self,
        keyspace: str,
        table: str,
        max_schema_agreement_wait: float | None = None,  # noqa: ARG002
    ) -> None:
        """Reads a table or view."""
        self.metadata._refresh(keyspace, ("tables", "views", "indexes"), table)

    def refresh_materialized_view_metadata(
        self,
        keyspace: str,
        view: str,
        max_schema_agreement_wait: float | None = None,  # noqa: ARG002
    ) -> None:
        """Reads a view."""
        self.metadata._refresh(keyspace, ("views",), view)

    def refresh_user_type_metadata(
        self,
        keyspace: str,
        user_type: str,
        max_schema_agreement_wait: float | None = None,  # noqa: ARG002
    ) -> None:
        """Reads a user-defined type."""
        self.metadata._refresh(keyspace, ("user_types",), user_type)

    def refresh_user_function_metadata(
        self,
        keyspace: str,
        function: Any,
        max_schema_agreement_wait: float | None = None,  # noqa: ARG002
    ) -> None:
        """Reads a function, which a ``UserFunctionDescriptor`` names."""
        self.metadata._refresh(keyspace, ("functions",), function.signature)

    def refresh_user_aggregate_metadata(
        self,
        keyspace: str,
        aggregate: Any,
        max_schema_agreement_wait: float | None = None,  # noqa: ARG002
    ) -> None:
        """Reads an aggregate, which a ``UserAggregateDescriptor`` names."""
        self.metadata._refresh(keyspace, ("aggregates",), aggregate.signature)

    def set_meta_refresh_enabled(self, enabled: bool) -> None:
        """Whether the schema and the tokens are read when they are accessed."""
        self.schema_metadata_enabled = self.token_metadata_enabled = bool(enabled)
