"""The benchmark lab: one client under load, or several clients doing the same work."""
