"""The modules of ``tools/generate.py``.

``table`` reads the files in ``tools/verbs``; each of the other modules generates one kind of file
from the table.
"""
