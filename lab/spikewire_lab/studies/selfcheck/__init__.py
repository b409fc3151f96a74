"""Checks that the lab measures correctly: clients with known results, run by the same drivers."""
