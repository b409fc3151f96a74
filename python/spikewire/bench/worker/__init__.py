"""The process of one client: its job, the loops that put it under load, and what is measured."""
