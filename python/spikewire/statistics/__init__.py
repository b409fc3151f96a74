"""What clients and sessions count and report, as plain data.

``spikewire.metrics`` has the public names.

| module | contents |
|---|---|
| ``stats`` | ``Stats``: the counters and gauges of a client |
| ``events`` | rare events, for a listener |
| ``control`` | ``client.metrics``: turning on, resetting, listening |
| ``log`` | events as log messages |
| ``combined`` | the sums of several clients |
"""
