"""Recordings of live traffic: ``client.record(path)``, and reading them back.

    with client.record("evening.trace") as recording:
        serve()
    print(recording.summary)

``spikewire lab rehearse evening.trace --times 3`` sends the like to another cluster.
"""

from spikewire.aerospike.recording import *
from spikewire.aerospike.recording import __all__ as __all__
