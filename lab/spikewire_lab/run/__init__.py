"""Runs comparisons: starts the cluster, orders the cells, runs each in a process of its own."""
