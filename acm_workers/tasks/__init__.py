"""Thin Celery tasks: claim, call a plain function, save."""

from acm_workers.tasks import batches, control, generate, judge

__all__ = ["batches", "control", "generate", "judge"]
