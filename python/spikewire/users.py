"""Users of a cluster with security: creating, changing, listing, dropping.

    client.users.create("report", "secret", ["read"])
    client.users.grant("report", ["write"])
    client.users.get("report").roles  # ('read', 'write')

The client's user needs the role ``user-admin``, except to look itself up and to change its own
password. A change applies to the whole cluster: the node that receives it forwards it.
Without TLS, an eavesdropper can log in with the password hash that is sent.
"""

from spikewire.aerospike.users import *
from spikewire.aerospike.users import __all__ as __all__
