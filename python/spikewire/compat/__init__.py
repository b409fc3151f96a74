"""Faces of other clients over the engine of this package: programs move with one import."""
