"""Loop variables, the element that a path is at: ``exp.loop``.

    from spikewire import ctx, exp, op

    price = exp.map.get_by_key(exp.loop.value(dict), "price")
    op.path.select("books", [ctx.all_children(price < 10)])
    op.path.modify("stock", [ctx.all_children()], exp.loop.value() - 1)

They have a value in filters of ``ctx.all_children`` and ``ctx.and_where``, and in the new value of
``op.path.modify`` and ``exp.path.modify``; anywhere else they are refused. A filter inside another
one is about the elements of its own path. Filters see nothing of the record. ``kind`` is the type
of the variable, if its use does not imply it: see ``exp.bin``. A variable of another type is
unknown.
"""

from spikewire.aerospike.exp.loop import *
from spikewire.aerospike.exp.loop import __all__ as __all__
