"""Of `aerospike_helpers`."""
