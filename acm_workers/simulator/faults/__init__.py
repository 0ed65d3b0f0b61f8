"""The faults a simulated provider can show: one file for each family of the catalogue."""
