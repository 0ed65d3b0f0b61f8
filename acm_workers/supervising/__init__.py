"""What `acm worker` does: one Celery process per provider, started, watched and ended."""
