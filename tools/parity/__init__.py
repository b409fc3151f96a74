"""Compares the public names of Python, Node.js and Rust, for the pages on parity."""
