"""Reports of the lab that are kept in ``docs/benchmarks``, and what pages quote of them.

==============  ==============================================================
``kept``        which reports there are, and how one gets there
``best``        ours and the best other client, of the lines of one table
``blocks``      what each block of a page quotes
``pages``       pages with the text of their blocks
==============  ==============================================================
"""
