"""Background jobs: the nodes change every record of a scan or an index query.

    job = users.operate_all([op.add("visits", 1)], where="$.age > 25")
    job.wait()

A job continues without the client; its handle asks the nodes for its progress, and aborts it.
"""

from spikewire.aerospike.jobs import *
from spikewire.aerospike.jobs import __all__ as __all__
