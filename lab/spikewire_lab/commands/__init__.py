"""The commands `spikewire bench`, `compare` and `compare-cql`."""
