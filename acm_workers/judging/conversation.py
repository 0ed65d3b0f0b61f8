"""The conversation with one judge about one question: requests for answers, copies and repairs."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import prompts
from acm_workers.calls import evidence
from acm_workers.calls.caller import Caller, whole_answer
from acm_workers.calls.evidence import PreviousAnswers
from acm_workers.errors import EvidenceMissing, JsonNotPossible, ParameterRefused
from acm_workers.judging.problems import AnswerProblem
from acm_workers.providers.catalog import capabilities, json_modes
from acm_workers.providers.catalog.capabilities import Capabilities
from acm_workers.providers.catalog.json_modes import JsonForm
from prompts import own
from schemas.calls import CallStage, Completion, Effort, Evidence, Message, Request
from schemas.config.judging import Criterion, Jsonify, Judge
from schemas.config.variant import JsonMode, RequiredEvidence
from schemas.record import Record
from schemas.run import Run

SOURCE_LIMIT = 24_000
"""Maximum length of the source in a judge's prompt, in characters."""

_NO_TEXT = "(no text)"
"""Replaces an answer without text, because some providers reject an empty message."""


class JudgingContext(Record):
    """The context of all questions to a judge about a document.

    Attributes:
        source: The document that the writers worked from, if it is known.
        json_mode: Whether a schema is sent; see ``providers.catalog.json_modes``.
        able: Capabilities of the judge's model.
        jsonify: The model that converts prose to JSON if the judge's model cannot answer in JSON.
        jsonify_able: Capabilities of the ``jsonify`` model.
        attempts: Maximum number of answers that are read for one verdict.
        missing_score: Value of scores that no answer gives; if absent, a missing score is an error.
    """

    instructions: str
    guidelines: str | None = None
    source: str | None
    criteria: tuple[Criterion, ...]
    json_mode: JsonMode = "auto"
    able: Capabilities = Capabilities()
    jsonify: Jsonify | None = None
    jsonify_able: Capabilities = Capabilities()
    attempts: int = 4
    missing_score: float | None = None

    @classmethod
    def of_run(
        cls, run: Run, source: str | None, judge: Judge, criteria: tuple[Criterion, ...]
    ) -> "JudgingContext":
        """Return the context of ``judge`` in a run."""
        config, jsonify = run.config, run.config.jsonify
        return cls(
            instructions=run.instructions,
            guidelines=run.guidelines,
            source=source,
            criteria=criteria,
            json_mode=config.json_mode if judge.json_mode is None else judge.json_mode,
            able=capabilities.of(config.providers[judge.provider], judge.model),
            jsonify=jsonify,
            jsonify_able=(
                Capabilities()
                if jsonify is None
                else capabilities.of(config.providers[jsonify.provider], jsonify.model)
            ),
            attempts=config.retries.attempts,
            missing_score=config.missing_score,
        )

    def prompt_values(self) -> dict[str, Any]:
        """Return the values that all prompts of judges share."""
        return {
            "criteria": self.criteria,
            "instructions": self.instructions,
            "guidelines": self.guidelines,
            "source": None if self.source is None else _excerpt(self.source),
            "cut": self.source is not None and len(self.source) > SOURCE_LIMIT,
        }

    def texts(self, *candidates: str) -> tuple[str, ...]:
        """Return all texts that a judge of ``candidates`` is shown."""
        return (*candidates, self.source or "", self.instructions, self.guidelines or "")


def _excerpt(source: str) -> str:
    """Return the beginning of the source, with a mark where it is cut."""
    omitted = len(source) - SOURCE_LIMIT
    return (
        source
        if omitted <= 0
        else (f"{source[:SOURCE_LIMIT]}\n[… {omitted} characters left out …]")
    )


class JudgeQuestion(NamedTuple):
    """A question to a judge.

    Attributes:
        template: Template of the user message; rendered with ``values``, ``shape`` and
            ``retry_hints``.
        shape: Description of the answer's form for the prompt.
        schema_name: Name of ``schema``.
        schema: JSON schema of the answer, for providers that enforce schemas.
        prose: Description of a prose answer that another model can convert to JSON.
        copy_shape: Description of the JSON form of the converted answer.
        copy_schema: JSON schema of the converted answer.
        check_copy: Returns the part of a converted answer that its prose supports; its arguments
            are the prose and the converted answer.
    """

    template: str
    values: dict[str, Any]
    shape: str
    schema_name: str
    schema: dict[str, Any]
    prose: str
    copy_shape: str
    copy_schema: dict[str, Any]
    check_copy: Callable[[str, str], str | AnswerProblem]

    def about(
        self, context: JudgingContext, kind: own.Kind, template: str | None, texts: dict[str, str]
    ) -> "JudgeQuestion":
        """Return the question with its texts.

        Args:
            context: Context of the document.
            kind: Kind of the question.
            template: The judge's own template, which replaces the shipped template.
            texts: The candidates, by their names in the shipped template.
        """
        values = context.prompt_values()
        if template is None:
            return self._replace(values=values | texts)
        cut = values.pop("cut")
        task = own.render(kind, template, values, tuple(texts.values()))
        return self._replace(template="judge_own.md.j2", values={"task": task, "cut": cut})


class JsonStrategy(NamedTuple):
    """Selects how JSON is requested from a judge, by the known capabilities of its model.

    Attributes:
        able: Known capabilities of the judge's model.
        has_copier: Whether there is a model that copies prose into JSON.
        copy_schema: Whether that model's provider enforces a schema.
    """

    form: JsonForm
    mode: JsonMode
    model: str
    able: Capabilities
    require: RequiredEvidence
    has_copier: bool
    copy_schema: bool

    @classmethod
    def of(cls, judge: Judge, context: JudgingContext) -> "JsonStrategy":
        """Return the first strategy for ``judge``.

        Raises:
            EvidenceMissing: The judge's model can never give the required evidence.
            JsonNotPossible: The config requires JSON, which no configured model can guarantee.
        """
        unreachable = json_modes.unreachable(context.able, judge.require, judge.model)
        if unreachable is not None:
            raise EvidenceMissing(unreachable)
        return cls(
            form="prompt",
            mode=context.json_mode,
            model=judge.model,
            able=context.able,
            require=judge.require,
            has_copier=context.jsonify is not None,
            copy_schema=context.jsonify_able.json_schema,
        )._with_form(learned=False)

    @property
    def repair_schema(self) -> bool:
        """Return whether a request without search sends a schema to the judge."""
        return self.form == "schema" or (self.mode is not False and self.able.json_schema)

    def without(self, error: ParameterRefused) -> "JsonStrategy":
        """Return the strategy to use after the judge's model refused a parameter.

        Raises:
            ParameterRefused: There is no other strategy.
            JsonNotPossible: No strategy guarantees the JSON that the config requires.
        """
        able = json_modes.learned(self.able, error.parameter)
        if able == self.able:
            raise error
        return self._replace(able=able)._with_form(learned=True)

    def without_copy_schema(self, error: ParameterRefused) -> "JsonStrategy":
        """Return the strategy to use after the model that copies prose refused a schema.

        Raises:
            ParameterRefused: The model refused another parameter.
            JsonNotPossible: The config requires the schema.
        """
        if not self.copy_schema or error.parameter not in ("json_schema", "search_with_schema"):
            raise error
        return self._replace(copy_schema=False)._with_form(learned=True)

    def _with_form(self, *, learned: bool) -> "JsonStrategy":
        wanted = json_modes.form(self.mode, self.able, self.require)
        form: JsonForm | None = wanted
        if not self.has_copier:
            form = json_modes.without_jsonify(wanted, self.mode, learned=learned)
        if form is None:
            reason = json_modes.refusal(self.mode, self.able, self.require, self.model)
            raise JsonNotPossible(reason or f"{self.model} cannot be held to JSON")
        if form == "two_stages" and self.mode is True and not self.copy_schema:
            raise JsonNotPossible("json: true wants a schema, and the model of jsonify takes none")
        return self._replace(form=form)


class Conversation:
    """Asks one judge one question, until its answer can be read.

    Attributes:
        evidence: The evidence of the judge's last own answer.
        text: The last answer; prose until ``in_json`` was called.
    """

    def __init__(
        self, caller: Caller, judge: Judge, context: JudgingContext, question: JudgeQuestion
    ) -> None:
        self.evidence = Evidence()
        self.text = ""
        self._caller = caller
        self._judge = judge
        self._jsonify = context.jsonify
        self._question = question
        self._strategy = JsonStrategy.of(judge, context)
        self._effort = judge.effort
        self._max_tokens: int | None = judge.max_tokens
        self._prose: str | None = None
        self._last: Request | None = None

    @property
    def two_stages(self) -> bool:
        """Return whether the judge writes prose that another model copies into JSON."""
        return self._strategy.form == "two_stages" and self._jsonify is not None

    def ask(self, previous: PreviousAnswers) -> Completion:
        """Ask the question again in a new conversation, and return the judge's own answer."""
        self._prose = None
        if previous.lacking is not None and "reasoning" in previous.lacking.kinds:
            self._effort = evidence.higher_effort(self._effort)
        answer, request = self._send(lambda: self._question_request(previous), "main")
        self._max_tokens = request.max_tokens
        self.evidence, self.text = answer.evidence, answer.text
        return answer

    def in_json(self) -> str | AnswerProblem:
        """Return the judge's answer as JSON; another model copies it if it is prose."""
        if not self.two_stages or self._jsonify is None:
            return self.text
        self._prose, jsonify = self.text, self._jsonify
        return self._checked(self._send(lambda: self._copy_request(jsonify), "jsonify")[0])

    def repair(self, problem: AnswerProblem) -> str | AnswerProblem:
        """Send the last answer back with its problem, and return the next answer."""
        before, text = self._last, self.text
        if before is None:
            raise ValueError("nothing was asked yet")
        answer, _ = self._send(lambda: self._repair_request(before, text, problem), "repair")
        return self._checked(answer)

    def _checked(self, answer: Completion) -> str | AnswerProblem:
        self.text = answer.text
        if self._prose is None:
            return answer.text
        checked = self._question.check_copy(self._prose, answer.text)
        if isinstance(checked, str):
            self.text = checked
        return checked

    def _send(
        self, new_request: Callable[[], Request], stage: CallStage
    ) -> tuple[Completion, Request]:
        """Send a request, by another strategy if the model refuses a parameter."""
        copying = self._prose is not None and self._jsonify is not None
        asked = self._jsonify if copying and self._jsonify is not None else self._judge
        while True:
            try:
                request, answer = whole_answer(
                    self._caller, new_request(), stage, most_tokens=2 * asked.max_tokens
                )
            except ParameterRefused as error:
                strategy = self._strategy
                self._strategy = (
                    strategy.without_copy_schema(error) if copying else strategy.without(error)
                )
            else:
                self._last = request
                return answer, request

    def _question_request(self, previous: PreviousAnswers) -> Request:
        judge, question = self._judge, self._question
        prompt = prompts.render(
            question.template,
            **question.values,
            shape=question.prose if self.two_stages else question.shape,
            retry_hints=evidence.retry_hints(judge.require, previous),
        )
        return Request(
            provider=judge.provider,
            model=judge.model,
            messages=(
                Message(role="system", content=judge.system_prompt or _system_prompt()),
                Message(role="user", content=prompt),
            ),
            max_tokens=self._max_tokens,
            temperature=judge.temperature,
            json_schema=question.schema if self._strategy.form == "schema" else None,
            schema_name=question.schema_name,
            search=judge.require.search,
            max_searches=judge.max_searches,
            reasoning=judge.require.reasoning,
            effort=self._effort,
        )

    def _copy_request(self, jsonify: Jsonify) -> Request:
        question = self._question
        prompt = prompts.render("jsonify.md.j2", assessment=self._prose, shape=question.copy_shape)
        return Request(
            provider=jsonify.provider,
            model=jsonify.model,
            messages=(Message(role="user", content=prompt),),
            max_tokens=jsonify.max_tokens,
            json_schema=question.copy_schema if self._strategy.copy_schema else None,
            schema_name=question.schema_name,
        )

    def _repair_request(self, before: Request, text: str, problem: AnswerProblem) -> Request:
        question, copying = self._question, self._prose is not None
        prompt = prompts.render(
            "repair.md.j2",
            problem=problem.description,
            hint=problem.hint,
            shape=question.copy_shape if copying else question.shape,
        )
        schema = question.copy_schema if copying else question.schema
        sent = self._strategy.copy_schema if copying else self._strategy.repair_schema
        # A repair needs little thinking, and none where none was asked for.
        effort: Effort | None = "low"
        if before.effort is None and before.reasoning == "none":
            effort = None
        changes = {
            "messages": (
                *before.messages,
                Message(role="assistant", content=text if text.strip() else _NO_TEXT),
                Message(role="user", content=prompt),
            ),
            "json_schema": schema if sent else None,
            "search": False,
            "reasoning": "none",
            "effort": effort,
        }
        return before.model_copy(update=changes)


@functools.cache
def _system_prompt() -> str:
    return prompts.render("judge_system.md.j2")
