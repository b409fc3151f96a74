"""The index ranges of queries, the awaitables of queries, and results in one call.

    import spikewire

    users.query(index=spikewire.between("age", 20, 30))

A query can only use an index that exists. Without one, a filter does the same at the cost of
examining every record: ``users.query(where=exp.bin("age") >= 20)``.
"""

from spikewire.aerospike.query import *
from spikewire.aerospike.query import __all__ as __all__
