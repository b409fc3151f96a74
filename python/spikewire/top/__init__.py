"""``spikewire top``: what the commands of a running program come to, live in the terminal.

| module | what it holds |
|---|---|
| ``scrape`` | the metrics of a program, read from its endpoint for Prometheus |
| ``view`` | what is shown of two of them: rates, latencies, nodes |
| ``screen`` | that as tables, by rich |
| ``command`` | the command |
"""
