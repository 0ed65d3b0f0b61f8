"""What knows drivers: connections, prepared statements, and driver errors."""
