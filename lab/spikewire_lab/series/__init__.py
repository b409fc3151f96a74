"""Results over time: operations, errors, latencies and memory for each interval.

==============  ==============================================================
``contract``    the fields of a result, and the length of an interval
``marks``       what a worker of a closed loop records as it runs
``timeline``    all workers of a process, summed by interval
``ended``       the calls of an open loop
``memory``      the resident memory at the end of each interval
``lines``       a line for each second of a run
``hlog``        HDR interval logs
==============  ==============================================================
"""
