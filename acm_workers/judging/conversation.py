"""The talk with one judge over one verdict: fresh questions, second stages, repair turns."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import prompts
from acm_workers.calls import continuation, evidence, retry_hints
from acm_workers.calls.caller import Caller
from acm_workers.calls.retry_hints import Before
from acm_workers.errors import ParameterRefused
from acm_workers.judging import json_strategy
from acm_workers.judging.context import Context
from acm_workers.judging.faults import Fault
from schemas.calls import CallStage, Completion, Effort, Evidence, Message, Request
from schemas.config.judging import Jsonify, Judge

_NO_TEXT = "(no text)"
"""Stands for an answer without text: some providers refuse an empty turn."""


class Question(NamedTuple):
    """What a judge is asked.

    Attributes:
        template: Of the user's turn; it gets ``values``, ``shape`` and ``remarks``.
        shape: What the answer must look like, in words.
        schema_name: Name of ``schema``.
        schema: What it must look like, for providers that hold models to it.
        prose: What the answer must hold if it is put into JSON in a second stage, in words.
        copy_shape: What comes out of that stage, in words.
        copy_schema: The same, as a schema.
        kept: Returns what is kept of a copy, given the prose first.
    """

    template: str
    values: dict[str, Any]
    shape: str
    schema_name: str
    schema: dict[str, Any]
    prose: str
    copy_shape: str
    copy_schema: dict[str, Any]
    kept: Callable[[str, str], str | Fault]


class Conversation:
    """One judge and one question, until the answer can be read.

    Attributes:
        evidence: What the last fresh answer proves.
        text: The last answer, as it is to be read; prose until ``in_json`` was called.
    """

    def __init__(self, caller: Caller, judge: Judge, context: Context, question: Question) -> None:
        self.evidence = Evidence()
        self.text = ""
        self._caller = caller
        self._judge = judge
        self._jsonify = context.jsonify
        self._question = question
        self._way = json_strategy.of(judge, context)
        self._effort = judge.effort
        self._max_tokens: int | None = judge.max_tokens
        self._prose: str | None = None
        self._last: Request | None = None

    @property
    def two_stages(self) -> bool:
        """Return whether the judge writes prose that another model puts into JSON."""
        return self._way.form == "two_stages" and self._jsonify is not None

    def fresh(self, before: Before) -> Completion:
        """Ask the question, and return what the judge itself answers."""
        self._prose = None
        if before.lacking is not None and "reasoning" in before.lacking.missing:
            self._effort = evidence.more(self._effort)
        found, request = self._send(lambda: self._question_turn(before), "main")
        self._max_tokens = request.max_tokens
        self.evidence, self.text = found.evidence, found.text
        return found

    def in_json(self) -> str | Fault:
        """Return the fresh answer as JSON, which takes a second stage if it is prose."""
        if not self.two_stages or self._jsonify is None:
            return self.text
        self._prose, jsonify = self.text, self._jsonify
        return self._kept(self._send(lambda: self._copy_turn(jsonify), "jsonify")[0])

    def repair(self, fault: Fault) -> str | Fault:
        """Send the last answer back with what is wrong with it; return the next one."""
        before, said = self._last, self.text
        if before is None:
            raise ValueError("nothing was asked yet")
        return self._kept(self._send(lambda: self._repair_turn(before, said, fault), "repair")[0])

    def _kept(self, found: Completion) -> str | Fault:
        self.text = found.text
        if self._prose is None:
            return found.text
        left = self._question.kept(self._prose, found.text)
        if isinstance(left, str):
            self.text = left
        return left

    def _send(self, make: Callable[[], Request], stage: CallStage) -> tuple[Completion, Request]:
        """Send what ``make`` makes, in another way if the model refuses this one."""
        copying = self._prose is not None and self._jsonify is not None
        whose = self._jsonify if copying and self._jsonify is not None else self._judge
        while True:
            try:
                request, found = continuation.answer(
                    self._caller, make(), stage, most_tokens=2 * whose.max_tokens
                )
            except ParameterRefused as error:
                way = self._way
                self._way = way.without_copy_schema(error) if copying else way.without(error)
            else:
                self._last = request
                return found, request

    def _question_turn(self, before: Before) -> Request:
        judge, question = self._judge, self._question
        prompt = prompts.render(
            question.template,
            **question.values,
            shape=question.prose if self.two_stages else question.shape,
            remarks=retry_hints.text(judge.require, before),
        )
        system = judge.system_prompt or _system()
        return Request(
            provider=judge.provider,
            model=judge.model,
            messages=(
                Message(role="system", content=system),
                Message(role="user", content=prompt),
            ),
            max_tokens=self._max_tokens,
            temperature=judge.temperature,
            json_schema=question.schema if self._way.form == "schema" else None,
            schema_name=question.schema_name,
            search=judge.require.search,
            max_searches=judge.max_searches,
            reasoning=judge.require.reasoning,
            effort=self._effort,
        )

    def _copy_turn(self, jsonify: Jsonify) -> Request:
        question = self._question
        prompt = prompts.render("jsonify.md.j2", assessment=self._prose, shape=question.copy_shape)
        return Request(
            provider=jsonify.provider,
            model=jsonify.model,
            messages=(Message(role="user", content=prompt),),
            max_tokens=jsonify.max_tokens,
            json_schema=question.copy_schema if self._way.copy_schema else None,
            schema_name=question.schema_name,
        )

    def _repair_turn(self, before: Request, said: str, fault: Fault) -> Request:
        question, copying = self._question, self._prose is not None
        turn = prompts.render(
            "repair.md.j2",
            problem=fault.problem,
            hint=fault.hint,
            shape=question.copy_shape if copying else question.shape,
        )
        talk = (
            *before.messages,
            Message(role="assistant", content=said if said.strip() else _NO_TEXT),
            Message(role="user", content=turn),
        )
        schema = question.copy_schema if copying else question.schema
        sent = self._way.copy_schema if copying else self._way.schema
        changes = {
            "messages": talk,
            "json_schema": schema if sent else None,
            "search": False,
            "reasoning": "none",
            "effort": _less(before),
        }
        return before.model_copy(update=changes)


def _less(request: Request) -> Effort | None:
    """Return the effort of a repair turn: little, where any was asked for."""
    return None if request.effort is None and request.reasoning == "none" else "low"


@functools.cache
def _system() -> str:
    return prompts.render("judge_system.md.j2")
