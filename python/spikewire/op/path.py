"""Path operations, on many elements of nested lists and maps at once: ``op.path``.

    from spikewire import ctx, op

    # the titles of all books that cost less than 10
    cheap = [ctx.all_children("@.price < 10"), ctx.map_key("title")]
    op.path.select("books", cheap)
    op.path.modify("books", [ctx.all_children(), ctx.map_key("price")], "@ * 1.1")
    op.path.remove("books", [ctx.all_children("not @.in_print")])

A path is a list of 1 to 64 steps from ``spikewire.ctx``, from the bin inward, of which each names
one element, several, or all. Steps that lead nowhere name no element; those that create something
are refused.

A step into a list where there is a map, or the reverse, fails with ``ServerError`` (code 4), and
so does a filter whose value is unknown for an element: because it is of another type, for instance.
A bin that is neither list nor map fails with ``BinTypeError``, and an element whose new value is
unknown with ``ServerError`` (code 1); nothing is changed then. ``no_fail`` skips such elements, but
steps into the wrong container fail nevertheless. Changed lists and maps keep their order.

For servers from 8.1.1; ``ctx.map_keys_in`` and ``ctx.and_where`` from 8.1.2.
"""

from spikewire.aerospike.op.path import *
from spikewire.aerospike.op.path import __all__ as __all__
