"""Judging: functions that have judges score and compare candidates, and read their answers."""
