"""Clients under a spike: a load in phases, by schedule, while nodes fail."""
