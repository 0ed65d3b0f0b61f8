"""Several prompts in one config: each entry of ``runs`` is repeated for each of them."""

import copy
from pathlib import Path
from typing import Any, NamedTuple

from acm_api.config.draft import ConfigDraft
from acm_api.config.source import Key

_LIST = "instructions_file"
_KEYS = frozenset({"name", "file", "text"})


class _Prompt(NamedTuple):
    """One entry of the list.

    Attributes:
        text: Text of the prompt; None for the first prompt, which is the instructions of the run.
        key: Key of the entry in the draft.
    """

    name: str
    text: str | None
    key: Key


def expand(draft: ConfigDraft, folder: Path) -> None:
    """Repeat the entries of ``runs`` for each prompt if ``instructions_file`` is a list.

    The first prompt becomes the instructions of the run, which judges see. Entries with separate
    instructions, and entries with existing texts, are not changed.
    """
    listed = draft.data.get(_LIST)
    if not isinstance(listed, list):
        return
    found = [_prompt(draft, folder, entry, (_LIST, index)) for index, entry in enumerate(listed)]
    first = _file_of(listed[0]) if listed else None
    if first is None:
        message = f"{_LIST} as a list begins with a file: its instructions are what judges see"
        draft.problem((_LIST,), message)
        first = "none"
    draft.data[_LIST] = first
    places: list[Key] = [(_LIST, index) for index in range(len(listed))]
    draft.sources.update(zip(places, places, strict=True))
    if places:
        draft.sources[(_LIST,)] = places[0]
    prompts = [one for one in found if one is not None]
    names = [one.name for one in prompts]
    for one in prompts:
        if names.count(one.name) > 1:
            message = f'two prompts are called "{one.name}"; give each a name of its own'
            draft.problem(one.key, message)
    if prompts:
        _repeat(draft, prompts)


def _prompt(draft: ConfigDraft, folder: Path, entry: Any, key: Key) -> _Prompt | None:
    """Return a prompt; for an invalid prompt, add a problem to the draft and return None."""
    values = {"file": entry} if isinstance(entry, str) else entry
    known = isinstance(values, dict) and values.keys() <= _KEYS
    if not known or ("file" in values) == ("text" in values):
        message = "a prompt is a file, or a mapping with file or text, and a name"
        draft.problem(key, message)
        return None
    file, text, name = (values.get(one) for one in ("file", "text", "name"))
    for one in (file, text, name):
        if one is not None and not (isinstance(one, str) and one.strip()):
            draft.problem(key, "file, text and name of a prompt are not empty texts")
            return None
    if name is None:
        name = Path(file).stem if file is not None else f"prompt {int(key[-1]) + 1}"
    if key[-1] == 0:  # the run's own instructions are read like those of any other config
        return _Prompt(name, None, key)
    if file is not None:
        text = draft.read(key, folder / Path(file).expanduser())
        if text is None:
            return None
    return _Prompt(name, text, key)


def _file_of(entry: Any) -> str | None:
    found = entry.get("file") if isinstance(entry, dict) else entry
    return found if isinstance(found, str) and found.strip() else None


def _repeat(draft: ConfigDraft, prompts: list[_Prompt]) -> None:
    entries = draft.data.get("runs")
    if not isinstance(entries, list):
        return
    repeated: list[Any] = []
    origins: list[tuple[int, _Prompt | None]] = []
    for index, entry in enumerate(entries):
        writes = isinstance(entry, dict) and entry.get("type") != "files"
        own = writes and not {"instructions", "instructions_file"}.isdisjoint(entry)
        for prompt in prompts if writes and not own else [None]:
            values = copy.deepcopy(entry)
            if prompt is not None:
                values["prompt"] = prompt.name
                if prompt.text is not None:
                    values["instructions"] = prompt.text
            repeated.append(values)
            origins.append((index, prompt))
    draft.data["runs"] = repeated
    _move(draft.sources, [index for index, _ in origins])
    _move(draft.labels, [index for index, _ in origins])
    for number, (index, prompt) in enumerate(origins):
        draft.sources.setdefault(("runs", number), ("runs", index))
        if prompt is not None:
            for name in ("prompt", "instructions"):
                draft.sources["runs", number, name] = prompt.key


def _move(table: dict[Key, Any], origins: list[int]) -> None:
    """Move the origins of values in ``runs`` to the new places of the entries."""
    known = {key: value for key, value in table.items() if key[0] == "runs" and len(key) > 1}
    for key in known:
        del table[key]
    for number, index in enumerate(origins):
        table |= {
            ("runs", number, *key[2:]): value for key, value in known.items() if key[1] == index
        }
