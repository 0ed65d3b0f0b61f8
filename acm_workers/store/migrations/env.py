"""Alembic's environment, which runs migrations on the given connection."""

from alembic import context

from acm_workers.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
