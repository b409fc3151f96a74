"""Fixed work: a given number of calls in a given number of rounds, each call timed."""
