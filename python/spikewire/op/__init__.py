"""Operations for ``operate``: several steps on one record, applied in order and atomically.

    from spikewire import op

    record = users.operate("alice", [op.add("visits", 1), op.get("visits")])
    record.results  # (None, 1): one result per operation

This module has the operations on whole bins; ``op.list``, ``op.map``, ``op.bit``, ``op.hll`` and
``op.string`` are modules of their own, and so is ``op.path``, for many elements of lists and maps
at once. Each function checks and encodes its arguments at once, so an operation can be kept and
reused.

If several operations name one bin, ``record.results`` has the result of each of them, and
``record[bin]`` the last one that is not ``None``.
"""

from spikewire.aerospike.op import *
from spikewire.aerospike.op import __all__ as __all__
