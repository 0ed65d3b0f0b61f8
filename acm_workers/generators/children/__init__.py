"""Programs that run as children, in environments of their own, and what those consist of."""
