"""`spikewire lab`: the field's published studies run again, and what they give as pages."""
