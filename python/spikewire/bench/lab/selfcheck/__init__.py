"""Whether the lab measures what is there: clients that are known, through the same drivers."""
