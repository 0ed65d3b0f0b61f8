"""Estimates of the calls of one unit: likely and highest amounts; pure.

The likely amount assumes that calls succeed at once, with texts and answers of the usual length.
The highest amount assumes that every answer has to be repaired, that every request is repeated as
often as the config allows, and that each request is billed.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, NoReturn

from acm_workers.calls import budget, evidence
from acm_workers.calls.caller import MOST_CONTINUATIONS
from acm_workers.errors import PermanentError
from acm_workers.generators import combine, fpf
from acm_workers.generators.combine import ParentText
from acm_workers.generators.researcher import (
    MOST_REPORT_BYTES,
    MOST_REQUEST_BYTES,
    MOST_RETRIES,
)
from acm_workers.generators.text import Brief
from acm_workers.judging import compare, score
from acm_workers.judging.conversation import SOURCE_LIMIT, JudgingContext
from acm_workers.pipeline import paid_providers, planned_units
from acm_workers.pipeline.call_amounts import AmountRange, CallAmounts, CallEstimate
from acm_workers.pipeline.planned_units import PlannedUnits
from acm_workers.providers import tokens
from acm_workers.providers.catalog import capabilities, consumption, json_modes, prices, research
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import CallStage, Request
from schemas.config.config import Config
from schemas.config.judging import Jsonify, Judge
from schemas.config.research import RETRIEVER
from schemas.config.variant import JsonMode, Model, Variant
from schemas.lanes import ChildKind

_COPY_PROMPT = 300
_MOST_COPY_PROMPT = 8_000
"""Upper bound of the tokens of a conversion prompt without its prose."""

_REPAIR_PROMPT = 8_000
"""Upper bound of the tokens that describe the problem of an earlier answer."""

_READ_PER_WRITTEN = 2
"""Upper bound of one model's tokens for a token of another model."""

_SUMMARY = 60
"""Likely tokens of a judge's general remarks."""

_CRITICISM = 200
"""Likely tokens of the judges' criticism of one parent."""

_MOST_CRITICISM = combine.CRITICISM_LIMIT * 4
"""Upper bound of the tokens of criticism; a character has up to four bytes."""

_PAUSING = ("anthropic", "google")
"""Dialects whose answers can pause during searches."""

_LIMITED_SEARCHES = ("openai", "openai_chat", "anthropic")
"""Dialects that limit the searches of an answer."""

_RESEARCH_S = 600.0
"""Likely time of a background answer."""

_EXTERNAL_S = 180.0
"""Likely time of a text by FilePromptForge, from the logs of its users."""

_UNKNOWN_TEXT = 1_500
"""Likely tokens of a candidate if its model and text are unknown."""

_MILLION = 1_000_000


class SourceTokens(NamedTuple):
    """Tokens of a source, as sent to a writer and as sent to a judge."""

    written_from: AmountRange
    judged_by: AmountRange

    @classmethod
    def of(cls, text: str) -> "SourceTokens":
        """Measure ``text``."""
        shown = text[:SOURCE_LIMIT]
        return cls(
            AmountRange(tokens.likely(text), tokens.most(text)),
            AmountRange(tokens.likely(shown), tokens.most(shown)),
        )


class CallEstimator:
    """Estimates the calls of the units of one run.

    Args:
        config: Config of the run.
        instructions: Instructions for the candidates.
        guidelines: Guidelines for writers and judges.
        at: Start of the run; prices and the catalog depend on it.
        given: Existing candidates.
    """

    def __init__(
        self,
        config: Config,
        instructions: str,
        guidelines: str | None,
        at: datetime,
        given: Iterable[str] = (),
    ) -> None:
        self._config = config
        self._providers = paid_providers.of(config)
        self._brief = Brief(instructions, guidelines, "")
        self._at = at
        self._text = self._candidate([SourceTokens.of(text).written_from for text in given])

    def kinds(self, units: PlannedUnits) -> list[CallEstimate]:
        """Return the kinds of calls of one unit; none if its model lacks a required capability."""
        if isinstance(units.entry, Variant) and units.entry.engine == "external":
            return [_external(units.entry)]
        if isinstance(units.entry, Variant) and units.entry.child_kind is not None:
            return list(self._research(units.entry, units.entry.child_kind))
        request = self._captured(units)
        if request is None:
            return []
        entry, attempts = units.entry, self._config.retries.attempts
        found: CallEstimate
        if not isinstance(entry, Judge):
            # An answer that is cut off is requested again once; the larger limit stays.
            answers = attempts + (request.max_tokens is not None)
            calls = AmountRange(1, answers * self._repeats(request))
            found = _batched(units, self._kind(units, request, calls))
            return [found, *self._put_into_json(units, found)]
        mode = self._json_mode(entry)
        # Each answer is requested with max_tokens and with twice as many at the most. A model can
        # refuse a schema, and a schema together with search.
        refused = 0 if mode is False else 1 + entry.require.search
        calls = AmountRange(1, (2 * attempts + refused) * self._repeats(request))
        found = _batched(units, self._kind(units, request, calls))
        if self._config.jsonify is None or mode is False:
            return [found]
        return [found, self._copying(units, entry, self._config.jsonify, found)]

    def likely(self, kind: CallEstimate, source: SourceTokens) -> CallAmounts:
        """Return the amounts of a unit's calls if they succeed at once."""
        if kind.external:
            return CallAmounts(kind.calls.likely, None, None, None, None)
        read = kind.prompt.likely + kind.texts * self._text.likely
        read += 0 if kind.source is None else getattr(source, kind.source).likely
        found = kind.searches.likely * kind.search_tokens.likely
        usd = self._likely_usd(kind, read, found)
        once = CallAmounts(1, read + found, kind.answer.likely, kind.searches.likely, usd)
        return once.times(kind.calls.likely)

    def most(self, kind: CallEstimate, source: SourceTokens) -> CallAmounts:
        """Return the highest amounts of a unit's calls."""
        if kind.external:
            return CallAmounts(kind.calls.most, None, None, None, None)
        calls, answer, searches = kind.calls.most or 0, kind.answer.most, kind.searches.most
        provider = self._providers[kind.provider]
        text = self._text.most if kind.texts else 0
        if answer is None or searches is None or text is None or kind.prompt.most is None:
            price = prices.known(provider, kind.model, self._at)
            free = price is not None and not (price.input or price.output or price.search)
            written = None if answer is None else calls * answer
            return CallAmounts(calls, None, written, None, 0.0 if free else None)
        found = searches * (kind.search_tokens.most or 0)
        read = kind.prompt.most + kind.texts * text
        read += 0 if kind.source is None else getattr(source, kind.source).most
        # Repairs repeat the answer; a continued one is read again with what it had found.
        read += answer + found + (MOST_CONTINUATIONS * (answer + found) if searches else 0)
        bound = prices.CallBound(round(read), round(answer), round(searches))
        usd = prices.at_most(provider, kind.model, bound, self._at)
        return CallAmounts(1, read, answer, searches, usd).times(calls)

    def _likely_usd(self, kind: CallEstimate, read: float, found: float) -> float | None:
        known = prices.of_batch if kind.batched else prices.known
        price = known(self._providers[kind.provider], kind.model, self._at)
        fee = None if price is None else prices.search_fee(price, round(kind.searches.likely))
        if price is None or fee is None:
            return None
        each = price.input if price.search_input is None else price.search_input
        millionths = read * price.input + found * each + kind.answer.likely * price.output
        return millionths / _MILLION + fee

    def _candidate(self, given: Sequence[AmountRange]) -> AmountRange:
        """Return the tokens of a candidate as sent to judges.

        Args:
            given: Texts of the existing candidates.
        """
        written = [units for units in planned_units.of_document(self._config)
                   if not isinstance(units.entry, Judge)]  # fmt: skip
        longest: list[int | None] = []
        for units in written:
            if isinstance(units.entry, Variant) and units.entry.child_kind is not None:
                longest.append(MOST_REPORT_BYTES // _READ_PER_WRITTEN)
            elif (request := self._captured(units)) is not None:
                longest.append(self._most_answer(request))
        likely = [one.likely for one in given] + [
            consumption.of(self._config.providers[one.provider], one.model, self._at).text
            for one in self._config.calling_writers
            for _ in range(one.iterations)
        ]
        most = [_READ_PER_WRITTEN * one for one in longest if one is not None]
        if not likely or len(most) < len(longest):
            return AmountRange(sum(likely) / len(likely) if likely else _UNKNOWN_TEXT, None)
        return AmountRange(
            sum(likely) / len(likely), max([*most, *(one.most or 0 for one in given)])
        )

    def _kind(self, units: PlannedUnits, request: Request, calls: AmountRange) -> CallEstimate:
        provider = self._config.providers[request.provider]
        values = consumption.of(provider, request.model, self._at)
        usual = self._usual_answer(units, request)
        answer = AmountRange(usual, self._most_answer(request))
        searches = self._searches(request) if request.search else AmountRange(0, 0)
        background = capabilities.of(provider, request.model).background
        parents = self._config.most_parents if units.stage == "combine" else 0
        prompt = "\n\n".join(message.content for message in request.messages)
        most_prompt = tokens.most(prompt) + budget.overhead_tokens(request)
        judged = isinstance(units.entry, Judge)
        return CallEstimate(
            provider=request.provider,
            model=request.model,
            calls=calls,
            prompt=AmountRange(
                tokens.likely(prompt) + parents * _CRITICISM,
                most_prompt + _REPAIR_PROMPT + parents * _MOST_CRITICISM,
            ),
            source="judged_by" if judged else "written_from",
            texts={"generate": 0, "score": 1, "combine": parents}.get(units.stage, 2),
            answer=answer,
            searches=searches,
            search_tokens=AmountRange(values.search_tokens, budget.SEARCH_TOKENS),
            seconds=(
                _RESEARCH_S if background else values.seconds + usual / values.tokens_per_second
            ),
        )

    def _research(self, variant: Variant, kind: ChildKind) -> Iterator[CallEstimate]:
        """Yield the calls of GPT Researcher, which the gateway counts and limits."""
        options, provider = variant.research, self._config.providers[variant.provider]
        assert options is not None  # noqa: S101  tells the type checker
        use = research.usual(kind, options)
        values = consumption.of(provider, variant.model, self._at)
        attempts = (1 + MOST_RETRIES) * self._config.retries.attempts
        most = options.max_calls * attempts
        calls_s = use.chat_calls * values.seconds + use.output_tokens / values.tokens_per_second
        nothing = AmountRange(0, 0)
        yield CallEstimate(
            provider=variant.provider,
            model=variant.model,
            calls=AmountRange(use.chat_calls, most),
            prompt=AmountRange(use.input_tokens / use.chat_calls, MOST_REQUEST_BYTES),
            source=None,
            texts=0,
            answer=AmountRange(
                use.output_tokens / use.chat_calls,
                capabilities.of(provider, variant.model).max_output,
            ),
            searches=nothing,
            search_tokens=nothing,
            seconds=calls_s / use.chat_calls,
            unit_s=use.start_s + use.in_turn * calls_s,
        )
        if options.embedding is not None:
            yield CallEstimate(
                provider=variant.provider,
                model=options.embedding,
                # Each of the calls that a candidate may make can be either one.
                calls=AmountRange(use.embedding_calls, most),
                prompt=AmountRange(use.embedding_tokens / use.embedding_calls, MOST_REQUEST_BYTES),
                source=None,
                texts=0,
                answer=nothing,
                searches=nothing,
                search_tokens=nothing,
                seconds=values.seconds,
            )
        retriever = self._config.retriever
        if retriever is not None and retriever.is_booked:
            yield CallEstimate(
                provider=RETRIEVER,
                model=retriever.type,
                calls=AmountRange(use.searches, research.most_searches(kind, options) * attempts),
                prompt=nothing,
                source=None,
                texts=0,
                answer=nothing,
                searches=AmountRange(1, 1),
                search_tokens=nothing,
                seconds=0.0,  # the unit's time has it
            )

    def _copying(
        self, units: PlannedUnits, judge: Judge, jsonify: Jsonify, judging: CallEstimate
    ) -> CallEstimate:
        """Return the calls that convert prose to JSON, which any judge may need."""
        request = Request(
            provider=jsonify.provider,
            model=jsonify.model,
            messages=(),
            max_tokens=jsonify.max_tokens,
        )
        able = capabilities.of(self._config.providers[judge.provider], judge.model)
        form = json_modes.form(self._json_mode(judge), able, judge.require)
        sends = (2 * self._config.retries.attempts + 1) * self._repeats(request)
        found = self._kind(units, request, AmountRange(int(form == "two_stages"), sends))
        prose = judging.answer.most
        most = None if prose is None else _MOST_COPY_PROMPT + _READ_PER_WRITTEN * prose
        prompt = AmountRange(_COPY_PROMPT + found.answer.likely, most)
        return found._replace(prompt=prompt, source=None, texts=0)

    def _put_into_json(self, units: PlannedUnits, writing: CallEstimate) -> Iterator[CallEstimate]:
        """Yield the calls that convert a text to JSON if its model cannot follow a schema."""
        entry, jsonify = units.entry, self._config.jsonify
        if not isinstance(entry, Variant) or entry.json_schema is None or jsonify is None:
            return
        able = capabilities.of(self._config.providers[entry.provider], entry.model)
        if json_modes.form(True, able, entry.require) != "two_stages":
            return
        request = Request(
            provider=jsonify.provider,
            model=jsonify.model,
            messages=(),
            max_tokens=jsonify.max_tokens,
        )
        attempts = self._config.retries.attempts
        found = self._kind(units, request, AmountRange(1, (attempts + 1) * self._repeats(request)))
        prose = writing.answer.most
        most = None if prose is None else _MOST_COPY_PROMPT + _READ_PER_WRITTEN * prose
        prompt = AmountRange(_COPY_PROMPT + writing.answer.likely, most)
        yield found._replace(prompt=prompt, source=None, texts=0)

    def _repeats(self, request: Request) -> int:
        """Return how often one request may be sent."""
        provider = self._config.providers[request.provider]
        attempts = self._config.retries.attempts
        # A parameter that a model refuses is left out, and the attempts begin anew.
        optional = (request.temperature is not None) + _thinks(request)
        paused = request.search and provider.dialect in _PAUSING
        background = capabilities.of(provider, request.model).background
        sends = attempts * (1 + optional) * (1 + MOST_CONTINUATIONS * paused)
        return sends * (attempts if background else 1)

    def _most_answer(self, request: Request) -> int | None:
        """Return the maximum tokens of one answer to a request; None if unknown."""
        provider = self._config.providers[request.provider]
        limit = None if request.max_tokens is None else 2 * request.max_tokens
        if limit is None and self._config.budget_usd is not None:
            # The effort is raised where evidence of thinking is missing.
            sent = request.model_copy(update={"effort": "high"}) if _thinks(request) else request
            limit = budget.bounded(sent, provider, self._at).max_tokens
        most = capabilities.of(provider, request.model).max_output
        return most if limit is None else min(limit, most or limit)

    def _searches(self, request: Request) -> AmountRange:
        provider = self._config.providers[request.provider]
        usual = consumption.usual_searches(provider, request.model, self._at)
        most = request.max_searches
        if most is None and self._config.budget_usd is not None:
            most = budget.bounded(request, provider, self._at).max_searches
        limited = provider.dialect in _LIMITED_SEARCHES
        return AmountRange(usual if most is None else min(usual, most), most if limited else None)

    def _usual_answer(self, units: PlannedUnits, request: Request) -> float:
        """Return the likely tokens of an answer; thinking is billed as text."""
        entry, provider = units.entry, self._config.providers[request.provider]
        values = consumption.of(provider, request.model, self._at)
        written: float = values.text
        if units.stage == "score":
            criteria = self._config.criteria_of(combined=units.combined)
            written = len(criteria) * values.score + _SUMMARY
        elif units.stage == "compare":
            written = values.verdict
        if not isinstance(entry, Model) and request.messages:
            written += consumption.thinking_tokens(
                provider, request.model, request.effort, entry.require, self._at
            )
        return written if request.max_tokens is None else min(written, request.max_tokens)

    def _json_mode(self, judge: Judge) -> JsonMode:
        return self._config.json_mode if judge.json_mode is None else judge.json_mode

    def _captured(self, units: PlannedUnits) -> Request | None:
        """Return the first request of a unit, with empty texts; None if it sends no request."""
        try:
            self._work(units)
        except _CapturedRequest as captured:
            return captured.request
        except PermanentError:
            pass  # its model cannot do what is asked
        return None

    def _work(self, units: PlannedUnits) -> None:
        config, entry, caller = self._config, units.entry, _Capturing()
        provider = config.providers[entry.provider]
        able = capabilities.of(provider, entry.model)
        if isinstance(entry, Variant):
            brief = self._brief
            if entry.instructions is not None:
                brief = brief._replace(instructions=entry.instructions)
            fpf.write(caller, entry, brief, able, jsonify=config.jsonify)
        elif isinstance(entry, Model):
            parents, own = [ParentText("")] * config.most_parents, config.playoffs.instructions
            combine.write(caller, entry, self._brief, parents, own_instructions=own)
        else:
            jsonify = config.jsonify
            context = JudgingContext(
                instructions=self._brief.instructions,
                guidelines=self._brief.guidelines,
                source="",
                criteria=config.criteria_of(combined=units.combined),
                json_mode=self._json_mode(entry),
                able=able,
                jsonify=jsonify,
                jsonify_able=(
                    Capabilities()
                    if jsonify is None
                    else capabilities.of(config.providers[jsonify.provider], jsonify.model)
                ),
            )
            if units.stage == "score":
                score.score(caller, entry, context, "")
            else:
                compare.compare(caller, entry, context, "", "")


def _batched(units: PlannedUnits, kind: CallEstimate) -> CallEstimate:
    """Return the calls of a unit, the first of which may be sent in a batch.

    If the batched request fails, it is sent again individually.
    """
    if not units.batched or kind.calls.most is None:
        return kind
    return kind._replace(
        batched=True, calls=kind.calls._replace(most=kind.calls.most + 1), seconds=0.0
    )


def _external(variant: Variant) -> CallEstimate:
    """Return the processes of FilePromptForge: one, and another one after a crash or a refusal."""
    unknown, most = AmountRange(0, None), 2 + evidence.MOST_RETRIES
    return CallEstimate(
        provider=variant.provider,
        model=variant.model,
        calls=AmountRange(1, most),
        prompt=unknown,
        source=None,
        texts=0,
        answer=unknown,
        searches=unknown,
        search_tokens=unknown,
        seconds=_EXTERNAL_S,
        external=True,
    )


def _thinks(request: Request) -> bool:
    return request.effort is not None or request.reasoning != "none"


class _CapturedRequest(Exception):
    """Carries the request that a unit would send."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.request = request


class _Capturing:
    """A ``Caller`` that sends nothing."""

    def complete(self, request: Request, stage: CallStage = "main") -> NoReturn:
        """Raise the request."""
        raise _CapturedRequest(request)
