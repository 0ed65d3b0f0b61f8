"""What models were found to refuse, so that it is not sent to them a second time."""

from acm_workers.errors import ParameterRefused
from schemas.calls import Parameter, Request

_OPTIONAL: frozenset[Parameter] = frozenset({"temperature", "reasoning"})
"""What a request can go without; about other parameters whoever asks has to decide."""


class RefusedParameters:
    """Parameters by provider and model, for as long as this process lives."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], frozenset[Parameter]] = {}
        self._refused: dict[tuple[str, str, str, Parameter], ParameterRefused] = {}

    def of(self, request: Request) -> Request:
        """Return ``request`` without what its model is known to refuse.

        Raises:
            ParameterRefused: It asks for the same schema in the same way as one that was refused.
        """
        if request.json_schema is not None:
            self._remember("json_schema", request)
            if request.search:
                self._remember("search_with_schema", request)
        known = self._known.get((request.provider, request.model))
        if known is None or known <= request.left_out:
            return request
        return request.model_copy(update={"left_out": request.left_out | known})

    def learn(self, request: Request, error: ParameterRefused) -> bool:
        """Note what was refused; return whether the request is worth sending without it."""
        parameter = error.parameter
        if parameter not in _OPTIONAL:
            # Another schema may be simple enough, so its name counts.
            where = (request.provider, request.model, request.schema_name, parameter)
            self._refused[where] = error
            return False
        if parameter in request.left_out:
            return False
        place = (request.provider, request.model)
        self._known[place] = self._known.get(place, frozenset()) | {parameter}
        return True

    def _remember(self, parameter: Parameter, request: Request) -> None:
        where = (request.provider, request.model, request.schema_name, parameter)
        told = self._refused.get(where)
        if told is not None:
            raise ParameterRefused(str(told), parameter, told.status)
