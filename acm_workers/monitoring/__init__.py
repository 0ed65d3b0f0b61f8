"""The state of machines, processes and queues."""
