"""What `compare_selections.py` and `compare_paths.py` share, and the random draws of the latter."""
