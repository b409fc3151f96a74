"""`spikewire lab`: repeats published studies, and reports the results as pages."""
