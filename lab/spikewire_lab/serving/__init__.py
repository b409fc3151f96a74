"""Serving: features read for an HTTP request, with and without a model, under load."""
