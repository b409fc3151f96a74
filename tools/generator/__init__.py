"""What ``tools/generate.py`` is made of.

``table`` reads the files in ``tools/verbs``; each of the other modules writes one kind of file from
what it read.
"""
