"""Thin Celery tasks: claim, call a plain function, save."""

from acm_workers.tasks import control, generate, judge

__all__ = ["control", "generate", "judge"]
