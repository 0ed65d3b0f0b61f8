"""Combined candidates: one document made from several."""

import prompts
from acm_workers.generators import combine
from acm_workers.generators.combine import ParentText
from acm_workers.generators.text import Brief
from schemas.config.variant import Model
from tests.support.scripted import Scripted, scripted_texts


def combined(caller: Scripted, *parents: ParentText) -> str:
    model = Model(provider="beta", model="m2")
    brief = Brief("Summarise.", "Be brief.", "The moon.")
    return combine.write(caller, model, brief, parents).text


def test_combined_candidate_is_written_from_both_parents_and_their_criticism() -> None:
    caller = scripted_texts(["# Better moon"])

    found = combined(caller, ParentText("Text one.", ["dull", "dull"]), ParentText("Text two."))

    prompt = caller.requests[0].messages[0].content
    assert found == "# Better moon"
    assert (caller.requests[0].provider, caller.requests[0].model) == ("beta", "m2")
    assert caller.requests[0].max_tokens is None
    for name, given in [
        ("INSTRUCTIONS", "Summarise."),
        ("GUIDELINES", "Be brief."),
        ("SOURCE", "The moon."),
        ("CANDIDATE A", "Text one."),
        ("CANDIDATE B", "Text two."),
        ("CRITICISM A", "- dull"),
    ]:
        assert prompts.block(name, given) in prompt
    assert "CRITICISM B" not in prompt


def test_long_criticism_is_cut_with_a_mark() -> None:
    caller = scripted_texts(["# Better moon"])

    combined(
        caller, ParentText("One."), ParentText("Two.", [f"{n} wrong" for n in range(2000)] + [" "])
    )

    prompt = caller.requests[0].messages[0].content
    criticism = prompt.split("<<<CRITICISM B ")[1].split("\n", 1)[1].split("\n<<<END")[0]
    assert len(criticism) == 4000
    assert criticism.endswith("\n[… cut here …]")


def test_every_parent_is_shown_with_its_criticism() -> None:
    caller = scripted_texts(["# Better moon"])
    parents = [ParentText("One."), ParentText("Two.", ["dull"]), ParentText("Three.", ["short"])]

    combined(caller, *parents)

    prompt = caller.requests[0].messages[0].content
    assert prompt.startswith("Three writers were given")
    assert "better than all of them" in prompt
    for name, given in [
        ("CANDIDATE A", "One."),
        ("CANDIDATE B", "Two."),
        ("CANDIDATE C", "Three."),
        ("CRITICISM B", "- dull"),
        ("CRITICISM C", "- short"),
    ]:
        assert prompts.block(name, given) in prompt
    assert prompt.count("# What critics said") == 1
    assert "CRITICISM A" not in prompt
