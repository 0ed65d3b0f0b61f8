"""Generators: functions that write candidates with models."""
