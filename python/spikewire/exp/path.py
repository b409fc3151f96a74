"""Paths to many elements inside expressions: ``exp.path``.

    from spikewire import ctx, exp

    cheap = exp.path.select(exp.bin("books", list), [ctx.all_children("@.price < 10")])
    exp.list.size(cheap) > 0

The first argument is a list or map: a bin, or the result of another call. Where the first step of
the path does not say which, the bin must: ``exp.bin("books", list)``. Paths, ``returning`` and
``no_fail`` are those of ``spikewire.op.path``. Functions that modify return the modified list or
map; nothing is written. Whatever fails makes the whole expression unknown.
"""

from spikewire.aerospike.exp.path import *
from spikewire.aerospike.exp.path import __all__ as __all__
