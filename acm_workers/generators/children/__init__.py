"""Programs that run as children, and the separate environments that they run in."""
