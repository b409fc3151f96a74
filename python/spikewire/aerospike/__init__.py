"""The client for Aerospike.

Programs import it by its public names: ``spikewire``, ``spikewire.op``, ``spikewire.query`` and
others, which are modules beside this package.
"""
