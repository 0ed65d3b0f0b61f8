"""What models can do and what they cost: dated data."""
