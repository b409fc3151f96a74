"""Steps of the path to a list or map that is nested in a bin, for ``ctx=`` of ``op`` and ``exp``.

    from spikewire import ctx, op

    # the list at key "tags" of the first map in the list "items"
    op.list.append("items", "new", ctx=[ctx.list_index(0), ctx.map_key("tags")])

A path is a list or tuple of steps, from the bin inward. If a step leads nowhere, the operation
fails with ``OpNotApplicable``, unless the step creates what is missing: ``list_index_create`` and
``map_key_create`` create the list or map in the order that they name.

``all_children``, ``map_keys_in`` and ``and_where`` name several elements. They are for the paths of
``op.path`` and ``exp.path``, in which steps by value name all equal elements, too.
"""

from spikewire.aerospike.ctx import *
from spikewire.aerospike.ctx import __all__ as __all__
