"""Alembic migrations from an empty store to the current tables."""
