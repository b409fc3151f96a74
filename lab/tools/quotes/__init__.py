"""Reports of the lab that are kept in ``lab/reports``, and the figures that pages quote from
them.

==============  ==============================================================
``kept``        which reports there are, and how they are added
``best``        our line and the best other client's, of the lines of one table
``blocks``      what each block of a page quotes
``pages``       pages with the text of their blocks
==============  ==============================================================
"""
