"""The process of one client: its job, the loops that generate load, and what is measured."""
