"""The engine that executes runs: workers, messages, the sweep and leader election."""
