"""What machines and processes there are, what waits for them, and who is missing."""
