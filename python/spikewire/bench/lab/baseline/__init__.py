"""Two saved reports of one recipe against each other: `spikewire lab compare`."""
