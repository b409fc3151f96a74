"""Submodules of `aerospike_helpers.batch`."""
