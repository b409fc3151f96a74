"""The APIs of other clients, over the engine of this package: programs migrate with one changed
import.
"""
