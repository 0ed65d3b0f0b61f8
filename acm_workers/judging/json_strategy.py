"""How a judge is asked for JSON, and how that changes when a model refuses it."""

from typing import NamedTuple

from acm_workers.errors import EvidenceMissing, JsonNotPossible, ParameterRefused
from acm_workers.judging.context import Context
from acm_workers.providers.catalog.capabilities import Capabilities
from acm_workers.providers.dialects import json_modes
from acm_workers.providers.dialects.json_modes import Form
from schemas.config.judging import Judge
from schemas.config.variant import JsonMode, RequiredEvidence


class JsonStrategy(NamedTuple):
    """How a judge is asked.

    Attributes:
        able: What its model can do, as far as is known by now.
        copies: Whether there is a model that puts its prose into JSON.
        copy_schema: Whether that model's server holds it to a schema.
    """

    form: Form
    mode: JsonMode
    model: str
    able: Capabilities
    require: RequiredEvidence
    copies: bool
    copy_schema: bool

    @property
    def schema(self) -> bool:
        """Return whether the judge is sent a schema in a call without search."""
        return self.form == "schema" or (self.mode is not False and self.able.json_schema)

    def without(self, error: ParameterRefused) -> "JsonStrategy":
        """Return the way after the judge's model refused this one.

        Raises:
            ParameterRefused: There is no other way.
            JsonNotPossible: There is none by which the JSON that is insisted on can be had.
        """
        able = json_modes.learned(self.able, error.parameter)
        if able == self.able:
            raise error
        return _checked(self._replace(able=able), learned=True)

    def without_copy_schema(self, error: ParameterRefused) -> "JsonStrategy":
        """Return the way after the model that puts prose into JSON refused a schema.

        Raises:
            ParameterRefused: It was not the schema.
            JsonNotPossible: The schema is insisted on.
        """
        if not self.copy_schema or error.parameter not in ("json_schema", "search_with_schema"):
            raise error
        return _checked(self._replace(copy_schema=False), learned=True)


def of(judge: Judge, context: Context) -> JsonStrategy:
    """Return how ``judge`` is asked first.

    Raises:
        EvidenceMissing: Its model can never give the evidence that is required.
        JsonNotPossible: The config insists on JSON that nobody can be held to.
    """
    never = json_modes.unreachable(context.able, judge.require, judge.model)
    if never is not None:
        raise EvidenceMissing(never)
    way = JsonStrategy(
        form="prompt",
        mode=context.json_mode,
        model=judge.model,
        able=context.able,
        require=judge.require,
        copies=context.jsonify is not None,
        copy_schema=context.jsonify_able.json_schema,
    )
    return _checked(way, learned=False)


def _checked(way: JsonStrategy, *, learned: bool) -> JsonStrategy:
    wanted = json_modes.form(way.mode, way.able, way.require)
    form = wanted if way.copies else json_modes.without_jsonify(wanted, way.mode, learned=learned)
    if form is None:
        why = json_modes.refusal(way.mode, way.able, way.require, way.model)
        raise JsonNotPossible(why or f"{way.model} cannot be held to JSON")
    if form == "two_stages" and way.mode is True and not way.copy_schema:
        raise JsonNotPossible("json: true wants a schema, and the model of jsonify takes none")
    return way._replace(form=form)
