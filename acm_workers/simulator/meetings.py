"""Which fault a request meets."""

from hashlib import blake2b

from acm_workers.simulator import names, prompt
from acm_workers.simulator.asked import Asked, Dialect, Reply
from acm_workers.simulator.faults.given import Asking, Given
from acm_workers.simulator.faults.registry import UnknownFault, Wish, wishes
from acm_workers.simulator.refused import Refused


class Meetings:
    """The faults that were asked for, by whom they are met.

    Args:
        wished: For all models, as ``faults.registry`` describes.
    """

    def __init__(self, wished: tuple[str, ...]) -> None:
        self._for_all = wishes(wished)
        self._given = Given()

    def wishes(self, model: str, dialect: Dialect) -> tuple[Wish, ...]:
        """Return the faults that requests to ``model`` can meet, its own ones first.

        Raises:
            Refused: Its name asks for one that there is not, or for nothing that is known.
        """
        parsed = names.parse(model)
        if parsed.vain:
            known = "L2.5 (seconds), 500, or a fault such as C7"
            message = f"{model}: @{parsed.vain[0]} means nothing; what may follow an @ is {known}"
            raise Refused(message, 404, code="model_not_found")
        named = parsed.faults
        if not named:
            return self._for_all
        try:
            own = wishes(named)
        except UnknownFault as error:
            raise Refused(f"{model}: {error}", 404, code="model_not_found") from error
        foreign = [wish for wish in own if dialect.NAME not in wish.fault.dialects]
        if foreign:
            message = f"{model}: {foreign[0].fault.number} does not happen in {dialect.NAME}"
            raise Refused(message, 404, code="model_not_found")
        return (*own, *self._for_all)

    def met(
        self, wished: tuple[Wish, ...], asked: Asked, reply: Reply, dialect: Dialect, digest: bytes
    ) -> Wish | None:
        """Return the fault that a request meets now, and note that it does."""
        able = [
            wish
            for wish in wished
            if not wish.poll
            and dialect.NAME in wish.fault.dialects
            and wish.fault.meets(asked, reply)
        ]
        if not able:
            return None
        asking = _asking(asked, dialect, digest)
        for wish in able:
            if self._given.due(wish, asking):
                self._given.give(wish, asking)
                return wish
        return None


def _asking(asked: Asked, dialect: Dialect, digest: bytes) -> Asking:
    parsed = prompt.parse(asked.prompt)
    told = sorted(parsed.blocks.items()) or asked.prompt
    body = {name: value for name, value in asked.body.items() if name != "metadata"}
    return Asking(asked.model, _digest((dialect.NAME, told)), _digest(body), digest)


def _digest(value: object) -> bytes:
    return blake2b(repr(value).encode("utf-8", "replace"), digest_size=16).digest()
