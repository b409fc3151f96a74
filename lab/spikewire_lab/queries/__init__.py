"""Comparisons of scans: how fast whole sets are read, and how scans affect single records.

The flags: ``flags``, and ``commands/queries``; what is compared: ``cells``; one comparison from
start to end: ``lab``, with ``gets`` for single records during scans; in the process that reads:
``worker``, ``background``, ``readers``, ``consumers``, ``memory``; results: ``contract/queries``,
``lines``, ``table``.
"""
