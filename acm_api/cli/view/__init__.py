"""Output for users in a terminal, and the same values as JSON."""
