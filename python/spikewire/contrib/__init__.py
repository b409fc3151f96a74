"""Parts for frameworks, each of which needs the framework that it is for.

| module | what it holds |
|---|---|
| ``django`` | a cache for Django, and with it its sessions |
"""
