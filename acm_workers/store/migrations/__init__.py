"""Alembic's steps from an empty store to the present one."""
