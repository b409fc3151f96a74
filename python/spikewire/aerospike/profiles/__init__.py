"""Implements ``spikewire.profiles``; clients and datasets with a profile are in ``views``.

| module | what it holds |
|---|---|
| ``kinds`` | kinds of operations, and which options a profile may set for them |
| ``sections`` | a profile's keywords, for type checkers |
| ``profile`` | ``Profile``, what it derives from, what it makes of a call |
| ``modes`` | the consistency mode of a call's namespace |
| ``sources``, ``store`` | ``Profiles``: those of a TOML or YAML file, reloaded while in use |
| ``explain`` | what a call would use, and from where |
"""
