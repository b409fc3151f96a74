"""Users and roles in the official client's form: dicts, and privileges by number. ``aerospike_py``
numbers them the same way."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spikewire.roles import Privilege, Role
    from spikewire.users import User

__all__ = ["CODES", "GLOBAL", "NAMES", "privilege_dict", "role_dict", "user_dict"]

#: The numbers of privileges.
CODES = {
    "user-admin": 0,
    "sys-admin": 1,
    "data-admin": 2,
    "udf-admin": 3,
    "sindex-admin": 4,
    "read": 10,
    "read-write": 11,
    "read-write-udf": 12,
    "write": 13,
    "truncate": 14,
}
NAMES = {code: name for name, code in CODES.items()}
#: Privileges that always apply to the whole cluster.
GLOBAL = frozenset(name for name in CODES if name.endswith("admin"))


def privilege_dict(privilege: Privilege) -> dict[str, Any]:
    """A privilege, or the server's number for one without a name."""
    code = CODES.get(privilege.kind)
    return {
        "ns": privilege.namespace or "",
        "set": privilege.set or "",
        "code": int(privilege.kind) if code is None else code,
    }


def user_dict(user: User) -> dict[str, Any]:
    """The information about a user."""
    return {
        "roles": list(user.roles),
        "read_info": list(user.read_info),
        "write_info": list(user.write_info),
        "conns_in_use": user.connections,
    }


def role_dict(role: Role) -> dict[str, Any]:
    """The information about a role."""
    return {
        "privileges": [privilege_dict(privilege) for privilege in role.privileges],
        "whitelist": list(role.allow),
        "read_quota": role.read_quota,
        "write_quota": role.write_quota,
    }
