"""Pages whose addresses stand in the prompt are no evidence of a search, in any dialect."""

from typing import Any

import pytest

from acm_workers.providers.dialects import anthropic, evidence, google, openai, openai_chat
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Evidence, Message, Request, Source
from tests.support import growth

GIVEN, NEW = "https://given.example/page", "https://new.example/page"


def request(prompt: str = f"Judge this. Its sources: {GIVEN}.") -> Request:
    return Request(
        provider="p", model="m", search=True, messages=(Message(role="user", content=prompt),)
    )


def opened(*urls: str, queries: tuple[str, ...] = ()) -> Completion:
    found = Evidence(
        grounding="sourced", queries=queries, sources=tuple(Source(url=url) for url in urls)
    )
    return Completion(text="", finish_reason="stop", evidence=found)


def of_openai(url: str) -> Completion:
    note = {"type": "url_citation", "url": url, "start_index": 0, "end_index": 5}
    search = {"type": "search", "query": "q", "sources": [{"type": "url", "url": url}]}
    output = [
        {"type": "web_search_call", "status": "completed", "action": search},
        {"type": "message", "content": [{"type": "output_text", "text": "Hello",
                                         "annotations": [note]}]},
    ]  # fmt: skip
    body = {"status": "completed", "output": output}
    return openai.read(ProviderResponse("p", 200, body=body))


def of_anthropic(url: str) -> Completion:
    page = {"type": "web_search_result", "url": url, "title": "T"}
    cited = {"type": "web_search_result_location", "url": url}
    content = [
        {"type": "server_tool_use", "id": "t", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "t", "content": [page]},
        {"type": "text", "text": "Hello", "citations": [cited]},
    ]
    body = {"type": "message", "content": content, "stop_reason": "end_turn"}
    return anthropic.read(ProviderResponse("p", 200, body=body))


def of_google(url: str) -> Completion:
    ground = {
        "webSearchQueries": ["q"],
        "groundingChunks": [{"web": {"uri": url}}],
        "groundingSupports": [{"groundingChunkIndices": [0]}],
    }
    candidate = {"content": {"parts": [{"text": "Hello"}]}, "groundingMetadata": ground}
    return google.read(ProviderResponse("p", 200, body={"candidates": [candidate]}))


def of_chat(url: str) -> Completion:
    note = {"type": "url_citation", "url_citation": {"url": url, "start_index": 0, "end_index": 5}}
    usage = {"server_tool_use_details": {"web_search_requests": 1}}
    body = {"choices": [{"message": {"content": "Hello", "annotations": [note]}}], "usage": usage}
    return openai_chat.read(ProviderResponse("p", 200, body=body))


@pytest.mark.parametrize("answer", [of_openai, of_anthropic, of_google, of_chat])
def test_pages_of_the_prompt_are_neither_sources_nor_cited(answer: Any) -> None:
    given = evidence.beyond_prompt(answer(GIVEN), request()).evidence
    new = evidence.beyond_prompt(answer(NEW), request()).evidence

    assert (given.grounding, given.sources) == ("searched", ())
    assert (new.grounding, [source.url for source in new.sources]) == ("cited", [NEW])


def test_a_model_that_only_opens_what_it_was_given_has_searched_nothing() -> None:
    action = {"type": "open_page", "url": GIVEN}
    output = [{"type": "web_search_call", "status": "completed", "action": action}]
    body = {"status": "completed", "output": output}

    answer = openai.read(ProviderResponse("p", 200, body=body))

    assert evidence.beyond_prompt(answer, request()).evidence == Evidence()
    assert evidence.beyond_prompt(answer, request("Judge.")).evidence.grounding == "sourced"


def test_new_pages_count_beside_those_of_the_prompt() -> None:
    cited = Evidence(grounding="cited", sources=(Source(url=GIVEN, cited=True), Source(url=NEW)))
    answer = Completion(text="", finish_reason="stop", evidence=cited)

    found = evidence.beyond_prompt(answer, request()).evidence

    assert (found.grounding, found.sources) == ("sourced", (Source(url=NEW),))


@pytest.mark.parametrize(
    ("prompt", "url"),
    [
        ("[a](https://a.example/x)", "https://a.example/x"),
        ("see http://www.A.example/x/, then", "https://a.example/x"),
        ("see a.example/x.", "https://www.a.example/x/"),
        ("Do you know https://a.example/x?", "https://a.example/x?utm_source=openai"),
        ("https://a.example/x?utm_source=web&id=3", "https://a.example/x?id=3#part"),
        ("https://a.example/caf%C3%A9", "https://a.example/caf\u00e9"),
        ("https://a.example/b_(c) and", "https://a.example/b_(c)"),
        ("https://a.example", "https://a.example/"),
        ("https://a.example/xy https://a.example/x#1", "https://a.example/x"),
    ],
)
def test_an_address_is_known_again_in_another_spelling(prompt: str, url: str) -> None:
    assert evidence.beyond_prompt(opened(url), request(prompt)).evidence.sources == ()


@pytest.mark.parametrize(
    ("prompt", "url"),
    [
        ("https://a.example/xy", "https://a.example/x"),
        ("https://a.example/x/y", "https://a.example/x"),
        ("https://a.example/x.html", "https://a.example/x"),
        ("https://a.example/x?id=4", "https://a.example/x?id=3"),
        ("https://a.example/x?id=4", "https://a.example/x"),
        ("https://a.example/x", "https://a.example/"),
        ("https://a.example/x", "https://b.example/x"),
        ("https://ba.example/x", "https://a.example/x"),
        ("https://sub.a.example/x", "https://a.example/x"),
        ("https://a.example:81/x", "https://a.example"),
    ],
)
def test_another_address_is_not_taken_for_it(prompt: str, url: str) -> None:
    assert evidence.beyond_prompt(opened(url), request(prompt)).evidence.grounding == "sourced"


def test_addresses_in_earlier_answers_of_the_model_are_not_the_prompt() -> None:
    asked = request("Judge.")
    said = Message(role="assistant", content=f"I found {GIVEN}.")

    asked = asked.model_copy(update={"messages": (*asked.messages, said)})

    assert evidence.beyond_prompt(opened(GIVEN), asked).evidence.grounding == "sourced"


@pytest.mark.parametrize("part", ["a.example/x", "?utm_a=", "utm_", "%41", "www.", "a"])
def test_work_on_prompts_grows_no_faster_than_they_do(part: str) -> None:
    answer = opened("https://a.example/x", "https://" + "a" * 500 + "/")

    assert growth.is_linear(
        lambda prompt: evidence.beyond_prompt(answer, request(prompt)),
        lambda size: part * (size // len(part)),
        40_000,
    )
