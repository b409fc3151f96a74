"""Roles of a cluster with security: what their users may do, and from where.

    from spikewire.roles import Privilege

    client.roles.create("orders", [Privilege("read-write", "test", "orders"), "truncate"])
    client.users.grant("app", ["orders"])

Every cluster has a role for each kind of privilege: ``user-admin``, ``sys-admin``, ``data-admin``,
``udf-admin``, ``sindex-admin``, ``read``, ``read-write``, ``read-write-udf``, ``write``,
``truncate``. These cannot be changed. The client's user needs the role ``user-admin``.
"""

from spikewire.aerospike.roles import *
from spikewire.aerospike.roles import __all__ as __all__
