"""Implements ``spikewire.builder``.

| module | contents |
|---|---|
| ``start`` | where chains begin |
| ``step`` | keys, options and the chain to which every step belongs |
| ``rows`` | steps on keys: executed at once, or streamed |
| ``streams`` | windows of keys in flight, for streams of steps and ``get_stream`` |
| ``read``, ``write``, ``plain`` | the verbs |
| ``scan`` | scans and index queries |
| ``results`` | results of rows, and error handling |
| ``blocking``, ``asynchronous`` | the classes for users, with the types their methods return |
"""
