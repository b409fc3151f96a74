"""``spikewire top``: live command statistics of a running program, in the terminal.

| module | what it holds |
|---|---|
| ``scrape`` | reading a program's metrics from its Prometheus endpoint |
| ``view`` | rates, latencies and nodes between two scrapes |
| ``screen`` | tables, by rich |
| ``terminal`` | text from elsewhere, with its control characters escaped |
| ``command`` | the command |
"""
