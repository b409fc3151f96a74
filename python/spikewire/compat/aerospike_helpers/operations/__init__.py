"""Submodules of `aerospike_helpers.operations`."""
