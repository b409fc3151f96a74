"""Framework integrations. Each requires its framework.

| module | what it holds |
|---|---|
| ``django`` | a cache for Django, and with it its sessions |
"""
