"""Judging: functions that ask judges to score and compare candidates, and read their answers."""
