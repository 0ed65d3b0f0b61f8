"""Benchmarks, each of which starts its own servers on loopback and prints figures with targets."""
