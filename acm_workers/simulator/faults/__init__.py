"""The faults of a simulated provider, with one file for each family of the catalogue."""
