"""The command line: reads the user's files, follows runs, and writes results."""
