"""A comparison from outside: the cluster, the cells and their order, a process for each."""
