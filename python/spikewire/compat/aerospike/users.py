"""Managing users and roles, and transactions. The methods are there, with their checks; what they
would do is not."""

# Programs pass anything: what it is is looked at here.
# pyright: basic
# ruff: noqa: ARG002 (signatures of the official client)

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.absent import Transaction
from spikewire.compat.aerospike.failures import missing
from spikewire.compat.aerospike.measuring import Measuring

__all__ = ["Users"]


class Users(Measuring):
    """Methods that are there so that programs find out what to use instead."""

    def _absent(self, name: str, policy: Any) -> Any:
        self._policies.keywords("admin", policy)
        missing(f"Client.{name}")

    def admin_change_password(self, username: Any, password: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_change_password", policy)

    def admin_set_password(self, username: Any, password: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_set_password", policy)

    def admin_create_user(
        self, username: Any, password: Any, roles: Any, policy: Any = None
    ) -> Any:
        """Is not there."""
        return self._absent("admin_create_user", policy)

    def admin_create_pki_user(self, username: Any, roles: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_create_pki_user", policy)

    def admin_drop_user(self, username: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_drop_user", policy)

    def admin_grant_roles(self, username: Any, roles: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_grant_roles", policy)

    def admin_revoke_roles(self, username: Any, roles: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_revoke_roles", policy)

    def admin_query_user_info(self, user: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_query_user_info", policy)

    def admin_query_users_info(self, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_query_users_info", policy)

    def admin_create_role(
        self,
        role: Any,
        privileges: Any,
        policy: Any = None,
        whitelist: Any = None,
        read_quota: Any = None,
        write_quota: Any = None,
    ) -> Any:
        """Is not there."""
        return self._absent("admin_create_role", policy)

    def admin_drop_role(self, role: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_drop_role", policy)

    def admin_grant_privileges(self, role: Any, privileges: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_grant_privileges", policy)

    def admin_revoke_privileges(self, role: Any, privileges: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_revoke_privileges", policy)

    def admin_get_role(self, role: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_get_role", policy)

    def admin_get_roles(self, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_get_roles", policy)

    def admin_query_role(self, role: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_query_role", policy)

    def admin_query_roles(self, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_query_roles", policy)

    def admin_set_quotas(
        self, role: Any, read_quota: Any = None, write_quota: Any = None, policy: Any = None
    ) -> Any:
        """Is not there."""
        return self._absent("admin_set_quotas", policy)

    def admin_set_whitelist(self, role: Any, whitelist: Any, policy: Any = None) -> Any:
        """Is not there."""
        return self._absent("admin_set_whitelist", policy)

    def index_set_create(self, ns: Any, set: Any, name: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._policies.keywords("info", policy)
        missing("Client.index_set_create")

    def commit(self, transaction: Any) -> int:
        """Is not there."""
        return self._ended("commit", transaction)

    def abort(self, transaction: Any) -> int:
        """Is not there."""
        return self._ended("abort", transaction)

    def _ended(self, name: str, transaction: Any) -> int:
        if not isinstance(transaction, Transaction):
            given = type(transaction).__name__
            message = f"{name}() argument 1 must be aerospike.Transaction, not {given}"
            raise TypeError(message)
        missing(f"Client.{name}")
