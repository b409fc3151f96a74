"""What happened when: operations, errors, latencies and memory, interval by interval.

==============  ==============================================================
``contract``    what a result says of it, and how long an interval is
``marks``       what a worker of a closed loop notes as it goes
``timeline``    all workers of a process, summed by interval
``ended``       what is known of the calls of an open loop
``memory``      the resident memory at the end of each interval
``lines``       a line for each second while a run goes on
``hlog``        HDR interval logs
==============  ==============================================================
"""
