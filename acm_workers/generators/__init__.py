"""Generators: functions that have models write candidates."""
