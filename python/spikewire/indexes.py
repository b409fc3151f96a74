"""Secondary indexes of the cluster: creating, listing, waiting, dropping.

    client.indexes.create("test", "users", "age", int)
    users.query(index=spikewire.between("age", 20, 30))

An index belongs to the whole cluster and has a name. The default name consists of the set, the bin
and the indexed part of a list or map: ``users_age``, ``users_tags_list``.
"""

from spikewire.aerospike.indexes import *
from spikewire.aerospike.indexes import __all__ as __all__
