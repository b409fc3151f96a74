"""The commands `spikewire bench` and `spikewire compare`."""
