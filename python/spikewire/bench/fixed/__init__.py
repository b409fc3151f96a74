"""Fixed work: so many calls in so many rounds, each of them timed."""
