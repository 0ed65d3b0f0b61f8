"""What one provider still allows in all, and for each model that has limits of its own."""

from typing import Any

from acm_workers.limits.interface import Permit, Reason
from acm_workers.limits.quota import Quota
from schemas.config.provider import ModelLimits, Provider


class Quotas:
    """The limits of a provider and of its models; each start has to keep to both."""

    def __init__(self, provider: Provider) -> None:
        self._whole = Quota(provider)
        self._models: dict[str, Quota] = {}
        self.configure(provider)

    def configure(self, provider: Provider) -> None:
        """Keep to the limits of ``provider`` from the next start on; what is under way counts."""
        self._whole.configure(provider)
        before, self._models = self._models, {}
        for name, limits in provider.models.items():
            own = of_model(provider, limits)
            self._models[name] = before.get(name) or Quota(own)
            self._models[name].configure(own)

    def lets_pass(self, model: str, now: float, tokens: int) -> bool:
        """Return whether those who ask for other models may pass one who waits for ``model``.

        That is so where nothing but the model's own limits holds it up.
        """
        if model not in self._models:
            return False
        return self._whole.free(now) is None and self._whole.earliest(now, tokens)[0] <= now

    def free(self, model: str, now: float) -> float | None:
        """Return None if a place in flight is free, else when one falls back at the latest."""
        lapses_at = self._whole.free(now)
        own = self._models.get(model)
        if own is None:
            return lapses_at
        own_at = own.free(now)
        if lapses_at is None or own_at is None:
            return own_at if lapses_at is None else lapses_at
        return max(lapses_at, own_at)

    def earliest(self, model: str, now: float, tokens: int) -> tuple[float, Reason | None]:
        """Return when the rates let one with ``tokens`` start, and which of them binds."""
        chance = self._whole.earliest(now, tokens)
        own = self._models.get(model)
        if own is None:
            return chance
        own_chance = own.earliest(now, tokens)
        return own_chance if own_chance[0] > chance[0] else chance

    def take(self, turn: Permit, since: float) -> None:
        """Note that ``turn`` starts at its time, having waited since ``since``."""
        self._whole.take(turn.id, turn.start_at, since, turn.tokens)
        own = self._models.get(turn.model)
        if own is not None:
            own.take(turn.id, turn.start_at, since, turn.tokens)

    def settle(self, model: str, key: int, actual_tokens: int) -> None:
        """Replace the estimated tokens of ``key``."""
        self._whole.settle(key, actual_tokens)
        own = self._models.get(model)
        if own is not None:
            own.settle(key, actual_tokens)

    def release(self, model: str, key: int) -> None:
        """Give back the place of ``key``."""
        self._whole.release(key)
        own = self._models.get(model)
        if own is not None:
            own.release(key)

    def hold(self, until: float) -> None:
        """Let nobody start before ``until``."""
        self._whole.hold(until)

    def state(self, now: float) -> dict[str, Any]:
        """Return limits and use, those of single models under ``models``."""
        models = {name: budget.state(now) for name, budget in self._models.items()}
        return {**self._whole.state(now), "models": models}


def of_model(provider: Provider, limits: ModelLimits) -> Provider:
    """Return ``provider`` with the limits of one of its models in place of its own."""
    update = limits.model_dump()
    update["max_in_flight"] = limits.max_in_flight or provider.max_in_flight
    return provider.model_copy(update=update)
