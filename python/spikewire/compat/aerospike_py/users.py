"""Managing users and roles.

Calls are prepared in one place for both clients, which only differ in how they wait.
"""

# Programs pass arguments of any type.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.compat.aerospike.accounts import CODES, GLOBAL, NAMES
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import FAILURES, failure, of_code, reject
from spikewire.roles import Privilege

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.roles import Role
    from spikewire.users import User

__all__ = ["AsyncUsers", "Users"]

#: The timeout for a node's reply if no policy has one, in milliseconds.
_TIMEOUT = 3000


class _Call(NamedTuple):
    """A call of the engine."""

    of: str
    """``users`` or ``roles``."""
    verb: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    finish: Callable[[Any], Any] | None = None


class _UserCalls:
    """The engine's calls for the methods of both clients."""

    _user: str | None = None
    """The user as whom the client logs in."""

    def _create_user(self, username: Any, password: Any, roles: Any, policy: Any) -> _Call:
        arguments = (_text(username), _text(password), _texts(roles))
        return _Call("users", "create", arguments, _options(policy))

    def _drop_user(self, username: Any, policy: Any) -> _Call:
        return _Call("users", "drop", (_text(username),), _options(policy))

    def _change_password(self, username: Any, password: Any, policy: Any) -> _Call:
        arguments = (_text(username), _text(password))
        if username == self._user:
            return _Call("users", "change_password", arguments[1:], _options(policy))
        return _Call("users", "set_password", arguments, _options(policy))

    def _grant_roles(self, username: Any, roles: Any, policy: Any) -> _Call:
        arguments = (_text(username), _texts(roles))
        return _Call("users", "grant", arguments, _options(policy))

    def _revoke_roles(self, username: Any, roles: Any, policy: Any) -> _Call:
        arguments = (_text(username), _texts(roles))
        return _Call("users", "revoke", arguments, _options(policy))

    def _query_user_info(self, username: Any, policy: Any) -> _Call:
        name = _text(username)
        return _Call("users", "get", (name,), _options(policy), _user_info)

    def _query_users_info(self, policy: Any) -> _Call:
        return _Call("users", "list", (), _options(policy), lambda all_: [*map(_user_info, all_)])

    def _create_role(
        self,
        role: Any,
        privileges: Any,
        policy: Any,
        whitelist: Any,
        read_quota: Any,
        write_quota: Any,
    ) -> _Call:
        options = _options(policy) | {
            "allow": [] if whitelist is None else _texts(whitelist),
            "read_quota": _whole(read_quota),
            "write_quota": _whole(write_quota),
        }
        arguments = (_text(role), _privileges(privileges))
        return _Call("roles", "create", arguments, options)

    def _drop_role(self, role: Any, policy: Any) -> _Call:
        return _Call("roles", "drop", (_text(role),), _options(policy))

    def _grant_privileges(self, role: Any, privileges: Any, policy: Any) -> _Call:
        arguments = (_text(role), _privileges(privileges))
        return _Call("roles", "grant", arguments, _options(policy))

    def _revoke_privileges(self, role: Any, privileges: Any, policy: Any) -> _Call:
        arguments = (_text(role), _privileges(privileges))
        return _Call("roles", "revoke", arguments, _options(policy))

    def _query_role(self, role: Any, policy: Any) -> _Call:
        return _Call("roles", "get", (_text(role),), _options(policy), _role_info)

    def _query_roles(self, policy: Any) -> _Call:
        return _Call("roles", "list", (), _options(policy), lambda all_: [*map(_role_info, all_)])

    def _set_whitelist(self, role: Any, whitelist: Any, policy: Any) -> _Call:
        arguments = (_text(role), _texts(whitelist))
        return _Call("roles", "set_allowed", arguments, _options(policy))

    def _set_quotas(self, role: Any, read_quota: Any, write_quota: Any, policy: Any) -> _Call:
        options = _options(policy) | {
            "read": _whole(read_quota),
            "write": _whole(write_quota),
        }
        return _Call("roles", "set_quotas", (_text(role),), options)


class Users(_UserCalls):
    """User management for the blocking client."""

    if TYPE_CHECKING:

        def _require_engine(self) -> Any: ...

    def _run(self, call: _Call) -> Any:
        client = self._require_engine()
        try:
            result = getattr(getattr(client, call.of), call.verb)(*call.arguments, **call.options)
        except FAILURES as error:
            raise failure(error) from None
        return result if call.finish is None else call.finish(result)

    def admin_create_user(
        self, username: Any, password: Any, roles: Any, policy: Any = None
    ) -> None:
        """Creates a user."""
        self._run(self._create_user(username, password, roles, policy))

    def admin_drop_user(self, username: Any, policy: Any = None) -> None:
        """Drops a user."""
        self._run(self._drop_user(username, policy))

    def admin_change_password(self, username: Any, password: Any, policy: Any = None) -> None:
        """Changes the password of the client's own user, or sets that of another one."""
        self._run(self._change_password(username, password, policy))

    def admin_grant_roles(self, username: Any, roles: Any, policy: Any = None) -> None:
        """Grants roles to a user."""
        self._run(self._grant_roles(username, roles, policy))

    def admin_revoke_roles(self, username: Any, roles: Any, policy: Any = None) -> None:
        """Revokes roles from a user."""
        self._run(self._revoke_roles(username, roles, policy))

    def admin_query_user_info(self, username: Any, policy: Any = None) -> Any:
        """A user."""
        return self._run(self._query_user_info(username, policy))

    def admin_query_users_info(self, policy: Any = None) -> Any:
        """The users."""
        return self._run(self._query_users_info(policy))

    def admin_create_role(
        self,
        role: Any,
        privileges: Any,
        policy: Any = None,
        whitelist: Any = None,
        read_quota: Any = 0,
        write_quota: Any = 0,
    ) -> None:
        """Creates a role."""
        self._run(self._create_role(role, privileges, policy, whitelist, read_quota, write_quota))

    def admin_drop_role(self, role: Any, policy: Any = None) -> None:
        """Drops a role."""
        self._run(self._drop_role(role, policy))

    def admin_grant_privileges(self, role: Any, privileges: Any, policy: Any = None) -> None:
        """Adds privileges to a role."""
        self._run(self._grant_privileges(role, privileges, policy))

    def admin_revoke_privileges(self, role: Any, privileges: Any, policy: Any = None) -> None:
        """Revokes privileges from a role."""
        self._run(self._revoke_privileges(role, privileges, policy))

    def admin_query_role(self, role: Any, policy: Any = None) -> Any:
        """A role."""
        return self._run(self._query_role(role, policy))

    def admin_query_roles(self, policy: Any = None) -> Any:
        """The roles."""
        return self._run(self._query_roles(policy))

    def admin_set_whitelist(self, role: Any, whitelist: Any, policy: Any = None) -> None:
        """Sets the addresses from which users of a role may connect; none means all."""
        self._run(self._set_whitelist(role, whitelist, policy))

    def admin_set_quotas(
        self, role: Any, read_quota: Any = 0, write_quota: Any = 0, policy: Any = None
    ) -> None:
        """Sets how many records the users of a role may read and write per second."""
        self._run(self._set_quotas(role, read_quota, write_quota, policy))


class AsyncUsers(_UserCalls):
    """User management for the asyncio client."""

    if TYPE_CHECKING:

        def _require_engine(self) -> Any: ...

    async def _run(self, call: _Call) -> Any:
        client = self._require_engine()
        try:
            result = await getattr(getattr(client, call.of), call.verb)(
                *call.arguments, **call.options
            )
        except FAILURES as error:
            raise failure(error) from None
        return result if call.finish is None else call.finish(result)

    async def admin_create_user(
        self, username: Any, password: Any, roles: Any, policy: Any = None
    ) -> None:
        """Creates a user."""
        await self._run(self._create_user(username, password, roles, policy))

    async def admin_drop_user(self, username: Any, policy: Any = None) -> None:
        """Drops a user."""
        await self._run(self._drop_user(username, policy))

    async def admin_change_password(self, username: Any, password: Any, policy: Any = None) -> None:
        """Changes the password of the client's own user, or sets that of another one."""
        await self._run(self._change_password(username, password, policy))

    async def admin_grant_roles(self, username: Any, roles: Any, policy: Any = None) -> None:
        """Grants roles to a user."""
        await self._run(self._grant_roles(username, roles, policy))

    async def admin_revoke_roles(self, username: Any, roles: Any, policy: Any = None) -> None:
        """Revokes roles from a user."""
        await self._run(self._revoke_roles(username, roles, policy))

    async def admin_query_user_info(self, username: Any, policy: Any = None) -> Any:
        """A user."""
        return await self._run(self._query_user_info(username, policy))

    async def admin_query_users_info(self, policy: Any = None) -> Any:
        """The users."""
        return await self._run(self._query_users_info(policy))

    async def admin_create_role(
        self,
        role: Any,
        privileges: Any,
        policy: Any = None,
        whitelist: Any = None,
        read_quota: Any = 0,
        write_quota: Any = 0,
    ) -> None:
        """Creates a role."""
        await self._run(
            self._create_role(role, privileges, policy, whitelist, read_quota, write_quota)
        )

    async def admin_drop_role(self, role: Any, policy: Any = None) -> None:
        """Drops a role."""
        await self._run(self._drop_role(role, policy))

    async def admin_grant_privileges(self, role: Any, privileges: Any, policy: Any = None) -> None:
        """Adds privileges to a role."""
        await self._run(self._grant_privileges(role, privileges, policy))

    async def admin_revoke_privileges(self, role: Any, privileges: Any, policy: Any = None) -> None:
        """Revokes privileges from a role."""
        await self._run(self._revoke_privileges(role, privileges, policy))

    async def admin_query_role(self, role: Any, policy: Any = None) -> Any:
        """A role."""
        return await self._run(self._query_role(role, policy))

    async def admin_query_roles(self, policy: Any = None) -> Any:
        """The roles."""
        return await self._run(self._query_roles(policy))

    async def admin_set_whitelist(self, role: Any, whitelist: Any, policy: Any = None) -> None:
        """Sets the addresses from which users of a role may connect; none means all."""
        await self._run(self._set_whitelist(role, whitelist, policy))

    async def admin_set_quotas(
        self, role: Any, read_quota: Any = 0, write_quota: Any = 0, policy: Any = None
    ) -> None:
        """Sets how many records the users of a role may read and write per second."""
        await self._run(self._set_quotas(role, read_quota, write_quota, policy))


def _options(policy: Any) -> dict[str, Any]:
    if policy is not None and not isinstance(policy, dict):
        raise TypeError(_no_instance(policy, "dict"))
    return {"timeout": _whole((policy or {}).get("timeout", _TIMEOUT)) / 1000}


def _no_instance(value: Any, of: str) -> str:
    description = "'None'" if value is None else f"'{type(value).__name__}' object"
    return f"{description} is not an instance of '{of}'"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(_no_instance(value, "str"))
    return value


def _texts(values: Any) -> list[str]:
    if isinstance(values, str):
        message = "Can't extract `str` to `Vec`"
        raise TypeError(message)
    if not isinstance(values, (list, tuple)):
        raise TypeError(_no_instance(values, "Sequence"))
    return [_text(value) for value in values]


def _whole(value: Any) -> int:
    if not isinstance(value, int):
        message = f"'{type(value).__name__}' object cannot be interpreted as an integer"
        raise TypeError(message)
    if not 0 <= value < 1 << 32:
        message = "out of range integral type conversion attempted"
        raise OverflowError(message)
    return value


def _privileges(privileges: Any) -> list[Privilege]:
    if not isinstance(privileges, list):
        raise TypeError(_no_instance(privileges, "list"))
    return [_privilege(privilege) for privilege in privileges]


def _privilege(privilege: Any) -> Privilege:
    if not isinstance(privilege, dict):
        raise TypeError(_no_instance(privilege, "dict"))
    if "code" not in privilege:
        reject("Privilege dict must have 'code' key")
    code = privilege["code"]
    kind = NAMES.get(code)
    if kind is None:
        reject(f"Unknown privilege code: {code}")
    namespace, set_name = privilege.get("ns") or None, privilege.get("set") or None
    if kind in GLOBAL and (namespace or set_name):
        message = f"admin global privilege '{kind}' can't have a namespace or set"
        raise ClientError(message)
    if set_name and not namespace:
        raise of_code(72, "invalid privilege")
    return Privilege(kind, namespace, set_name)


def _user_info(user: User) -> dict[str, Any]:
    info: dict[str, Any] = {
        "user": user.name,
        "roles": list(user.roles),
        "conns_in_use": user.connections,
    }
    if user.read_info:
        info["read_info"] = list(user.read_info)
    if user.write_info:
        info["write_info"] = list(user.write_info)
    return info


def _role_info(role: Role) -> dict[str, Any]:
    return {
        "name": role.name,
        "privileges": [_privilege_info(privilege) for privilege in role.privileges],
        "allowlist": list(role.allow),
        "read_quota": role.read_quota,
        "write_quota": role.write_quota,
    }


def _privilege_info(privilege: Privilege) -> dict[str, Any]:
    info: dict[str, Any] = {"code": CODES.get(privilege.kind, 255)}
    if privilege.kind not in GLOBAL:
        info |= {"ns": privilege.namespace or "", "set": privilege.set or ""}
    return info
