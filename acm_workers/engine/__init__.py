"""What keeps runs moving: workers, messages, the sweep and its leader."""
