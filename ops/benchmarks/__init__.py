"""Benchmarks: each starts its own servers on loopback and prints ratios to a raw client."""
