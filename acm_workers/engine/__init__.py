"""Moves runs forward: workers, messages, the sweep and its leader."""
