"""Comparison of two saved reports of one recipe: `spikewire lab compare`."""
