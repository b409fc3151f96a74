"""Modules of Lua functions that the cluster runs: registering, listing, removing.

    client.modules.register("counters.lua", source)
    users.apply("alice", "counters", "visit", [1])

A module belongs to the whole cluster. A function receives the record and the arguments of the call:
``rec["bin"]`` reads and assigns bins, and nothing is stored before ``aerospike:create(rec)`` or
``aerospike:update(rec)``.
"""

from spikewire.aerospike.modules import *
from spikewire.aerospike.modules import __all__ as __all__
