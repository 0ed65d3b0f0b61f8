"""The commands; each module imports what it needs when a command runs, for quick starts."""
