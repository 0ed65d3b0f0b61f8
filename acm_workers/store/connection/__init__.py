"""Driver-specific code: connections, prepared statements and driver errors."""
