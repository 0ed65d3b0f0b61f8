"""What `acm api` serves."""
