"""Output for people in a terminal, and the same values as JSON."""
