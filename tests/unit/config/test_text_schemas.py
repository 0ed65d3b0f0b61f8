"""JSON schemas of generated texts are read and checked before anything is paid."""

import json
from pathlib import Path
from typing import Any

import pytest

from acm_api.config import loading
from acm_workers.errors import RequestError

BASE = """\
input_folder: inputs
output_folder: outputs
instructions_file: instructions.md
providers:
  alpha: {{dialect: openai_chat, base_url: "http://127.0.0.1:8077/v1"{able}}}
runs:
  - {{type: fpf, provider: alpha, model: m1{more}}}
judges: [{{provider: alpha, model: j1}}]
playoffs: {{enabled: {combined}}}
"""
TEXT = {"type": "string"}


def objects(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": [*properties],
        "additionalProperties": False,
    }  # fmt: skip


def load(
    folder: Path, schema: Any, more: str = "", able: str = "", combined: str = "false"
) -> loading.LoadedConfig:
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "s.json").write_text(schema if isinstance(schema, str) else json.dumps(schema))
    more = more or ", json: true, schema: s.json"
    text = BASE.format(more=more, able=able, combined=combined)
    (folder / "config.yaml").write_text(text)
    return loading.load(folder / "config.yaml", {})


def test_a_schema_comes_from_its_file_and_is_part_of_the_identity(tmp_path: Path) -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **objects(
        title=TEXT, parts={"type": "array", "items": objects(mark={"type": "integer", "enum": [1]})}
    )}  # fmt: skip

    config = load(tmp_path, schema).config
    plain = load(tmp_path, schema, more=", json: auto").config

    assert config.runs[0].json_schema == schema
    assert plain.runs[0].json_schema is None
    assert "schema" not in plain.identity()["runs"][0]
    assert config.identity() != plain.identity()


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("{", "s.json is no JSON: "),
        ("[]", "s.json must hold one JSON schema, an object"),
        ({"type": "string"}, "the type at the outermost level must be object"),
        (objects(), "the object at the outermost level needs properties"),
        (objects(a={"type": ["string", "null"]}), "the type at a must be object, array, "),
        (objects(a={"type": "string", "minLength": 3}),
         "not every provider enforces minLength (at a)"),
        (objects(a={"type": "array"}), "the schema at a[] is no object"),
        (objects(a={"type": "string", "enum": [True]}), "the enum at a must list"),
        (objects(a=TEXT) | {"required": []},
         "the object at the outermost level must have all of its properties in required"),
        (objects(a=objects(b=TEXT) | {"additionalProperties": True}),
         "the object at a needs additionalProperties: false"),
    ],
)  # fmt: skip
def test_a_schema_that_not_every_provider_enforces_is_refused(
    tmp_path: Path, schema: Any, message: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, schema)

    assert message in str(caught.value)
    assert str(caught.value.where).endswith("config.yaml:7 (runs.0.schema)")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"more": ", json: true"}, "json: true needs schema, the JSON schema that"),
        ({"more": ", schema: s.json"}, "schema has an effect only with json: true"),
        ({"more": ", json: true, schema: nowhere.json"}, "nowhere.json does not exist"),
        ({"combined": "true"}, "this entry writes JSON: set playoffs.enabled: false"),
        ({"able": ", capabilities: {m1: {json_schema: false}}"},
         "json: true needs answers that follow a schema, and m1 of alpha accepts none; name a model"
         " in jsonify"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_with_json_is_refused(
    tmp_path: Path, changes: dict[str, str], message: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, objects(a=TEXT), **changes)

    assert message in str(caught.value)
