"""Managing users and roles: is not there, and each call says what to use instead."""

# Programs pass anything.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_py.failures import missing

__all__ = ["AsyncUsers", "Users"]


class _Absent:
    def _refused(self, name: str) -> Any:
        missing(f"{type(self).__name__}.{name}")


class Users(_Absent):
    """Of the blocking client."""

    def admin_create_user(
        self, username: Any, password: Any, roles: Any, policy: Any = None
    ) -> Any:
        """Is not there."""
        self._refused("admin_create_user")

    def admin_drop_user(self, username: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_drop_user")

    def admin_change_password(self, username: Any, password: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_change_password")

    def admin_grant_roles(self, username: Any, roles: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_grant_roles")

    def admin_revoke_roles(self, username: Any, roles: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_revoke_roles")

    def admin_query_user_info(self, username: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_user_info")

    def admin_query_users_info(self, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_users_info")

    def admin_create_role(
        self,
        role: Any,
        privileges: Any,
        policy: Any = None,
        whitelist: Any = None,
        read_quota: int = 0,
        write_quota: int = 0,
    ) -> Any:
        """Is not there."""
        self._refused("admin_create_role")

    def admin_drop_role(self, role: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_drop_role")

    def admin_grant_privileges(self, role: Any, privileges: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_grant_privileges")

    def admin_revoke_privileges(self, role: Any, privileges: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_revoke_privileges")

    def admin_query_role(self, role: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_role")

    def admin_query_roles(self, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_roles")

    def admin_set_whitelist(self, role: Any, whitelist: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_set_whitelist")

    def admin_set_quotas(
        self, role: Any, read_quota: int = 0, write_quota: int = 0, policy: Any = None
    ) -> Any:
        """Is not there."""
        self._refused("admin_set_quotas")


class AsyncUsers(_Absent):
    """Of the client of asyncio."""

    async def admin_create_user(
        self, username: Any, password: Any, roles: Any, policy: Any = None
    ) -> Any:
        """Is not there."""
        self._refused("admin_create_user")

    async def admin_drop_user(self, username: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_drop_user")

    async def admin_change_password(self, username: Any, password: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_change_password")

    async def admin_grant_roles(self, username: Any, roles: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_grant_roles")

    async def admin_revoke_roles(self, username: Any, roles: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_revoke_roles")

    async def admin_query_user_info(self, username: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_user_info")

    async def admin_query_users_info(self, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_users_info")

    async def admin_create_role(
        self,
        role: Any,
        privileges: Any,
        policy: Any = None,
        whitelist: Any = None,
        read_quota: int = 0,
        write_quota: int = 0,
    ) -> Any:
        """Is not there."""
        self._refused("admin_create_role")

    async def admin_drop_role(self, role: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_drop_role")

    async def admin_grant_privileges(self, role: Any, privileges: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_grant_privileges")

    async def admin_revoke_privileges(self, role: Any, privileges: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_revoke_privileges")

    async def admin_query_role(self, role: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_role")

    async def admin_query_roles(self, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_query_roles")

    async def admin_set_whitelist(self, role: Any, whitelist: Any, policy: Any = None) -> Any:
        """Is not there."""
        self._refused("admin_set_whitelist")

    async def admin_set_quotas(
        self, role: Any, read_quota: int = 0, write_quota: int = 0, policy: Any = None
    ) -> Any:
        """Is not there."""
        self._refused("admin_set_quotas")
