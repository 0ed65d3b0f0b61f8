"""The code that depends on drivers: connections, prepared statements, and driver errors."""
