"""Managing users and roles. Also the end of transactions."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import spikewire
from spikewire.compat.aerospike.accounts import GLOBAL, NAMES, privilege_dict, role_dict, user_dict
from spikewire.compat.aerospike.client_metrics import ClientMetrics
from spikewire.compat.aerospike.constants import (
    ABORT_ALREADY_ABORTED,
    ABORT_CLOSE_ABANDONED,
    ABORT_COMMIT_FAILED,
    ABORT_OK,
    ABORT_ROLL_BACK_ABANDONED,
    COMMIT_ALREADY_COMMITTED,
    COMMIT_CLOSE_ABANDONED,
    COMMIT_OK,
    COMMIT_ROLL_FORWARD_ABANDONED,
)
from spikewire.compat.aerospike.failures import failure, of_code, of_server, reject
from spikewire.compat.aerospike.records import FAILURES
from spikewire.compat.aerospike.transaction import Transaction
from spikewire.roles import Privilege

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Users"]

_LONGEST_NAME = 63
_LONGEST_PASSWORD = 63
_LONGEST_ADDRESS = 63
#: The time, in seconds, that a 0 in a policy stands for.
_LONGEST_WAIT = 60.0


class Users(ClientMetrics):
    """Users, roles and transactions."""

    def _within(self, policy: Any) -> float:
        """The timeout for a node's reply, in seconds."""
        self._policies.keywords("admin", policy)
        entries = {"timeout": 1000} | self._policies.changed["admin"] | (policy or {})
        return entries["timeout"] / 1000 or _LONGEST_WAIT

    def _managed(self, manage: Callable[[], Any]) -> Any:
        """The result of a call, with errors as those of the official client."""
        try:
            return manage()
        except FAILURES as error:
            raise of_server(self._failed(error)) from None

    def admin_create_user(self, user: Any, password: Any, roles: Any, policy: Any = None) -> int:
        """Creates a user."""
        self._nodes()
        names = _roles(roles)
        _named("Username", user)
        _named("Password", password)
        within = self._within(policy)
        _short("user", user, _LONGEST_NAME)
        _short("password", password, _LONGEST_PASSWORD)
        self._managed(lambda: self._client.users.create(user, password, names, timeout=within))
        return 0

    def admin_create_pki_user(self, user: Any, roles: Any, policy: Any = None) -> int:
        """Creates a user who authenticates with a certificate."""
        self._nodes()
        names = _roles(roles)
        _named("Username", user)
        within = self._within(policy)
        _short("user", user, _LONGEST_NAME)
        self._managed(lambda: self._client.users.create(user, None, names, timeout=within))
        return 0

    def admin_drop_user(self, user: Any, policy: Any = None) -> int:
        """Drops a user."""
        self._nodes()
        within = self._within(policy)
        _user(user)
        self._managed(lambda: self._client.users.drop(user, timeout=within))
        return 0

    def admin_set_password(self, user: Any, password: Any, policy: Any = None) -> int:
        """Sets the password of any user."""
        within = self._for_password(user, password, policy)
        self._managed(lambda: self._client.users.set_password(user, password, timeout=within))
        return 0

    def admin_change_password(self, user: Any, password: Any, policy: Any = None) -> int:
        """Changes the password of the user that the client logs in as."""
        within = self._for_password(user, password, policy)
        if user != self._user:
            # The official client sends its own password for any user, which servers reject.
            self._managed(lambda: self._client.users.get(user, timeout=within))
            raise of_code(62, "AEROSPIKE_INVALID_PASSWORD")
        self._managed(lambda: self._client.users.change_password(password, timeout=within))
        return 0

    def _for_password(self, user: Any, password: Any, policy: Any) -> float:
        self._nodes()
        within = self._within(policy)
        _named("Username", user)
        _named("Password", password)
        _short("user", user, _LONGEST_NAME)
        _short("password", password, _LONGEST_PASSWORD)
        return within

    def admin_grant_roles(self, user: Any, roles: Any, policy: Any = None) -> int:
        """Grants roles to a user."""
        self._nodes()
        names = _texts(roles, _LONGEST_NAME)
        _user(user)
        within = self._within(policy)
        self._managed(lambda: self._client.users.grant(user, names, timeout=within))
        return 0

    def admin_revoke_roles(self, user: Any, roles: Any, policy: Any = None) -> int:
        """Revokes roles from a user."""
        self._nodes()
        names = _texts(roles, _LONGEST_NAME)
        _user(user)
        within = self._within(policy)
        self._managed(lambda: self._client.users.revoke(user, names, timeout=within))
        return 0

    def admin_query_user_info(self, user: Any, policy: Any = None) -> dict[str, Any]:
        """A user: its roles, quotas and connections."""
        self._nodes()
        within = self._within(policy)
        _user(user)
        return user_dict(self._managed(lambda: self._client.users.get(user, timeout=within)))

    def admin_query_users_info(self, policy: Any = None) -> dict[str, dict[str, Any]]:
        """The users, by name."""
        self._nodes()
        within = self._within(policy)
        users = self._managed(lambda: self._client.users.list(timeout=within))
        return {user.name: user_dict(user) for user in users}

    def admin_create_role(
        self,
        role: Any,
        privileges: Any = (),
        policy: Any = None,
        whitelist: Any = (),
        read_quota: Any = 0,
        write_quota: Any = 0,
    ) -> int:
        """Creates a role."""
        self._nodes()
        _role(role)
        granted = [] if privileges == () else _privileges(privileges)
        within = self._within(policy)
        if whitelist != () and not isinstance(whitelist, list):
            reject("Whitelist must be a list of IP strings.")
        allow = _texts(list(whitelist), _LONGEST_ADDRESS)
        _whole("py_read_quota", read_quota)
        _whole("py_write_quota", write_quota)
        self._managed(
            lambda: self._client.roles.create(
                role,
                granted,
                allow=allow,
                # A negative number means none in the official client.
                read_quota=max(read_quota, 0),
                write_quota=max(write_quota, 0),
                timeout=within,
            )
        )
        return 0

    def admin_drop_role(self, role: Any, policy: Any = None) -> int:
        """Drops a role."""
        self._nodes()
        within = self._within(policy)
        _role(role)
        self._managed(lambda: self._client.roles.drop(role, timeout=within))
        return 0

    def admin_grant_privileges(self, role: Any, privileges: Any, policy: Any = None) -> int:
        """Adds privileges to a role."""
        self._nodes()
        granted = _privileges(privileges)
        within = self._within(policy)
        _role(role)
        self._managed(lambda: self._client.roles.grant(role, granted, timeout=within))
        return 0

    def admin_revoke_privileges(self, role: Any, privileges: Any, policy: Any = None) -> int:
        """Revokes privileges from a role."""
        self._nodes()
        revoked = _privileges(privileges)
        within = self._within(policy)
        _role(role)
        self._managed(lambda: self._client.roles.revoke(role, revoked, timeout=within))
        return 0

    def admin_get_role(self, role: Any, policy: Any = None) -> dict[str, Any]:
        """A role: its privileges, addresses and quotas."""
        return role_dict(self._role(role, policy))

    def _role(self, role: Any, policy: Any) -> Any:
        self._nodes()
        within = self._within(policy)
        _role(role)
        return self._managed(lambda: self._client.roles.get(role, timeout=within))

    def admin_get_roles(self, policy: Any = None) -> dict[str, dict[str, Any]]:
        """The roles, by name."""
        return {role.name: role_dict(role) for role in self._roles(policy)}

    def _roles(self, policy: Any) -> list[Any]:
        self._nodes()
        within = self._within(policy)
        roles: list[Any] = self._managed(lambda: self._client.roles.list(timeout=within))
        return roles

    def admin_query_role(self, role: Any, policy: Any = None) -> list[dict[str, Any]]:
        """The privileges of a role."""
        return [privilege_dict(each) for each in self._role(role, policy).privileges]

    def admin_query_roles(self, policy: Any = None) -> dict[str, list[dict[str, Any]]]:
        """The privileges of all roles, by their names."""
        return {
            role.name: [privilege_dict(each) for each in role.privileges]
            for role in self._roles(policy)
        }

    def admin_set_quotas(
        self, role: Any, read_quota: Any = -1, write_quota: Any = -1, policy: Any = None
    ) -> int:
        """Sets how much the users of a role may do in a second; -1: as until now."""
        self._nodes(".")
        _role(role, ".")
        _whole("py_read_quota", read_quota)
        _whole("py_write_quota", write_quota)
        within = self._within(policy)
        if min(read_quota, write_quota) < -1:
            raise of_code(75, "AEROSPIKE_INVALID_QUOTA")
        read, write = (None if quota == -1 else quota for quota in (read_quota, write_quota))
        self._managed(
            lambda: self._client.roles.set_quotas(role, read=read, write=write, timeout=within)
        )
        return 0

    def admin_set_whitelist(self, role: Any, whitelist: Any, policy: Any = None) -> int:
        """Sets the addresses from which users of a role may connect; none means all."""
        self._nodes(".")
        _role(role, ".")
        if whitelist is not None and not isinstance(whitelist, list):
            reject("Whitelist must be a list of IP strings, or None.")
        allow = _texts(whitelist or [], _LONGEST_ADDRESS)
        within = self._within(policy)
        self._managed(lambda: self._client.roles.set_allowed(role, allow, timeout=within))
        return 0

    def commit(self, transaction: Any) -> int:
        """Commits a transaction. Returns one of the constants ``COMMIT_*``."""
        core = self._core("commit", transaction)
        if core.state == "aborted":
            raise of_code(-19, "Transaction already aborted")
        try:
            return _COMMITTED[core._commit()]
        except spikewire.Error as error:
            raise _commit_failure(error) from None

    def abort(self, transaction: Any) -> int:
        """Aborts a transaction. Returns one of the constants ``ABORT_*``."""
        core = self._core("abort", transaction)
        if core.state == "committed":
            raise of_code(-18, "Transaction already committed")
        if core.state == "in_doubt":
            return ABORT_COMMIT_FAILED
        try:
            return _ABORTED[core._abort()]
        except spikewire.Error as error:
            raise self._failed(error) from None

    def _core(self, name: str, transaction: Any) -> Any:
        if not isinstance(transaction, Transaction):
            kind = type(transaction).__name__
            message = f"{name}() argument 1 must be aerospike.Transaction, not {kind}"
            raise TypeError(message)
        return transaction.begun(self._client)


_COMMITTED = {
    "done": COMMIT_OK,
    "already": COMMIT_ALREADY_COMMITTED,
    "roll_abandoned": COMMIT_ROLL_FORWARD_ABANDONED,
    "close_abandoned": COMMIT_CLOSE_ABANDONED,
}
_ABORTED = {
    "done": ABORT_OK,
    "already": ABORT_ALREADY_ABORTED,
    "roll_abandoned": ABORT_ROLL_BACK_ABANDONED,
    "close_abandoned": ABORT_CLOSE_ABANDONED,
}


def _commit_failure(error: spikewire.Error) -> BaseException:
    """The exception for a commit that failed."""
    if isinstance(error, spikewire.CommitFailed):
        return of_code(-17, error.message, in_doubt=error.in_doubt)
    return failure(error)


def _named(what: str, value: Any, stop: str = "") -> None:
    if not isinstance(value, str):
        reject(f"{what} should be a string{stop}")


def _user(user: Any) -> None:
    _named("Username", user)
    if len(user.encode()) > _LONGEST_NAME:
        raise of_code(60, "AEROSPIKE_INVALID_USER")


def _role(role: Any, stop: str = "") -> None:
    _named("Role name", role, stop)
    if len(role.encode()) > _LONGEST_NAME:
        raise of_code(70, "AEROSPIKE_INVALID_ROLE")


def _short(what: str, text: str, longest: int) -> None:
    length = len(text.encode())
    if length > longest:
        raise of_code(-1, f"Max {what} length {longest} exceeded: {length}")


def _whole(what: str, value: Any) -> None:
    if not isinstance(value, int):
        reject(f"{what} must be an integer.")


def _roles(roles: Any) -> list[str]:
    if not isinstance(roles, list):
        reject("Roles should be a list")
    return _texts(roles, _LONGEST_NAME)


def _texts(texts: Any, longest: int) -> list[str]:
    if not isinstance(texts, list):
        raise of_code(-1, "not a list")
    for text in texts:
        if not isinstance(text, str):
            raise of_code(-1, "Unable to convert unicode object to C string")
        if len(text.encode()) > longest:
            raise of_code(-1, "String exceeds max length")
    return texts


def _privileges(privileges: Any) -> list[Privilege]:
    if not isinstance(privileges, list):
        reject("Privileges should be a list")
    return [_privilege(each) for each in privileges]


def _privilege(privilege: Any) -> Privilege:
    if not isinstance(privilege, dict):
        reject("Privileges should be a list of dicts")
    if "code" not in privilege:
        reject("Code is a compulsory parameter in privileges dictionary")
    kind = NAMES.get(privilege["code"])
    namespace, set_name = privilege.get("ns") or None, privilege.get("set") or None
    if kind in GLOBAL and (namespace or set_name):
        reject("Admin privilege has namespace/set scope which is invalid.")
    if kind is None or (set_name and not namespace):
        raise of_code(72, "AEROSPIKE_INVALID_PRIVILEGE")
    return Privilege(kind, namespace, set_name)
