"""Monitoring of machines, processes and queues."""
