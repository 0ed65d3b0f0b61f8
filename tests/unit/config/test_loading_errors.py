"""Errors of a config: one line with file, line and key."""

from pathlib import Path

import pytest

from acm_api.config import loading
from acm_api.files import inputs
from acm_workers.errors import RequestError
from schemas.config.provider import Provider

BASE = """\
input_folder: inputs
output_folder: outputs
instructions_file: instructions.md
providers:
  alpha: {dialect: openai_chat, base_url: "http://127.0.0.1:8077/v1"}
  beta: {dialect: openai, base_url: "https://models.example/v1", key_env: BETA_KEY}
runs:
  - {type: fpf, provider: alpha, model: m1, iterations: 2}
judges:
  - {provider: alpha, model: j1}
criteria: [accuracy, clarity]
pairwise: {enabled: true}
playoffs: {enabled: true}
ranking: {method: auto}
"""


def refusal(folder: Path, text: str, **environ: str) -> tuple[str, str]:
    """Return message and place of the error of a config in ``folder``."""
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "instructions.md").touch()
    if not (folder / "instructions.md").read_bytes():
        (folder / "instructions.md").write_text("Summarise.")
    (folder / "config.yaml").write_text(text)
    with pytest.raises(RequestError) as caught:
        loading.load(folder / "config.yaml", environ)
    assert "\n" not in str(caught.value)
    place = str(caught.value.where).removeprefix(f"{folder}/")
    return str(caught.value).replace(f"{folder}/", ""), place


RUN = "type: fpf, provider: alpha, model: m1, iterations: 2"
JUDGE = "provider: alpha, model: j1"
ALPHA = 'dialect: openai_chat, base_url: "http://127.0.0.1:8077/v1"'

SHAPE = [
    ("output_folder:", "outptu_folder:",
     "unknown key outptu_folder; did you mean output_folder?", ":2 (outptu_folder)"),
    ("ranking:", "evall: {}\nranking:", "unknown key evall; did you mean eval?", ":14 (evall)"),
    ("ranking:", "zzz: {}\nranking:", "unknown key zzz", ":14 (zzz)"),
    (RUN, "type: fpf, provider: alpha, modle: m1",
     "unknown key modle in runs.0; did you mean model?", ":8 (runs.0.modle)"),
    (RUN, "type: fpf, provider: alpha, model: m1, require: {groundin: none}",
     "unknown key groundin in runs.0.require; did you mean grounding?",
     ":8 (runs.0.require.groundin)"),
    (ALPHA, ALPHA + ", rpm: 60",
     f"unknown key rpm in providers.alpha (known: {', '.join(sorted(Provider.model_fields))})",
     ":5 (providers.alpha.rpm)"),
    (ALPHA, ALPHA + ", request_per_minute: 60",
     "unknown key request_per_minute in providers.alpha; did you mean requests_per_minute?",
     ":5 (providers.alpha.request_per_minute)"),
    (ALPHA, ALPHA + ", api_key: secret",
     "unknown key api_key in providers.alpha; keys come from the environment, named by key_env",
     ":5 (providers.alpha.api_key)"),
    (ALPHA, ALPHA + ", prices: {m1: {inptu: 1, output: 2}}",
     "unknown key inptu in providers.alpha.prices.m1; did you mean input?",
     ":5 (providers.alpha.prices.m1.inptu)"),
    ("ranking: {method: auto}", "ranking: {top_n: {cout: 3}}",
     "unknown key cout in ranking.top_n; did you mean count?", ":14 (ranking.top_n.cout)"),
    ("ranking: {method: auto}", "ranking: {elo: {start: 3}}",
     "unknown key start in ranking.elo (known: initial, k, order)", ":14 (ranking.elo.start)"),
    ("{enabled: true}\nplayoffs", "{enabled: true, judges: [{provider: alpha, mode: x}]}\nplayoffs",
     "unknown key mode in pairwise.judges.0; did you mean model?",
     ":12 (pairwise.judges.0.mode)"),
    ("iterations: 2", "iterations: 0",
     "runs.0.iterations must be at least 1, not 0", ":8 (runs.0.iterations)"),
    ("iterations: 2", "iterations: two",
     'runs.0.iterations must be a whole number, not "two"', ":8 (runs.0.iterations)"),
    ("iterations: 2", 'iterations: "2"',
     'runs.0.iterations must be a whole number, not "2"', ":8 (runs.0.iterations)"),
    ("iterations: 2", "iterations: true",
     "runs.0.iterations must be a whole number, not true", ":8 (runs.0.iterations)"),
    ("iterations: 2", "iterations: 1.5",
     "runs.0.iterations must be a whole number, not 1.5", ":8 (runs.0.iterations)"),
    ("iterations: 2", "iterations: null",
     "runs.0.iterations must be a whole number, not null", ":8 (runs.0.iterations)"),
    ("iterations: 2", "temperature: 3",
     "runs.0.temperature must be at most 2, not 3", ":8 (runs.0.temperature)"),
    ("model: m1", "model: 4", "runs.0.model must be text; put it in quotes (it reads as 4)",
     ":8 (runs.0.model)"),
    ("model: m1", "model: no", "runs.0.model must be text; put it in quotes (it reads as false)",
     ":8 (runs.0.model)"),
    ("iterations: 2", "json: autoo",
     'runs.0.json must be true or false or auto, not "autoo"; did you mean auto?',
     ":8 (runs.0.json)"),
    ("{method: auto}", "{method: elow}",
     "ranking.method must be auto or posterior or combined or elo or score or bradley_terry,"
     ' not "elow"; did you mean elo?',
     ":14 (ranking.method)"),
    ("pairwise: {enabled: true}", "pairwise: {enabled: 1}",
     "pairwise.enabled must be true or false, not 1", ":12 (pairwise.enabled)"),
    ("pairwise: {enabled: true}", "pairwise: true",
     "pairwise must be a mapping of keys, not true", ":12 (pairwise)"),
    ("criteria: [accuracy, clarity]", "criteria: accuracy",
     'criteria must be a list, not "accuracy"', ":11 (criteria)"),
    ("criteria: [accuracy, clarity]", "criteria: []", "criteria must not be empty",
     ":11 (criteria)"),
    ("criteria: [accuracy, clarity]", "criteria: [{name: x, min: 5, max: 5}]",
     "criteria.0: max must be at least one step above min", ":11 (criteria.0)"),
    ("criteria: [accuracy, clarity]", f"criteria: [{'x' * 70}]",
     "criteria.0.name must be at most 64 characters long", ":11 (criteria.0)"),
    ("criteria: [accuracy, clarity]", "criteria: [5]",
     "criteria.0 must be a mapping of keys, not 5", ":11 (criteria.0)"),
    ("  - {" + RUN + "}", "  []", "runs must not be empty", ":7 (runs)"),
    ("ranking:", "cache: maybe\nranking:",
     'cache must be reuse or refresh or off, not "maybe"', ":14 (cache)"),
    ("input_folder: inputs\n", "", "input_folder is missing", " (input_folder)"),
    ("output_folder: outputs\n", "", "output_folder is missing", " (output_folder)"),
    ("instructions_file: instructions.md\n", "", "instructions_file is missing",
     " (instructions_file)"),
    ("runs:\n  - {" + RUN + "}\n", "", "runs is missing", " (runs)"),
    ("judges:\n  - {" + JUDGE + "}\n", "",
     "judges is missing: name at least one model that judges, or set the key of a provider"
     " that has a default judge (OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY,"
     " OPENROUTER_API_KEY)", " (judges)"),
    ("model: m1, ", "", "runs.0.model is missing", ":8 (runs.0.model)"),
    ("input_folder: inputs", "input_folder: ''", "input_folder must not be empty",
     ":1 (input_folder)"),
]  # fmt: skip

KNOWN_HERE = "(known: alpha, anthropic, beta, google, openai, openaidp, openrouter)"

MEANING = [
    ("provider: alpha, model: m1", "provider: alpah, model: m1",
     "unknown provider alpah; did you mean alpha? " + KNOWN_HERE,
     ":8 (runs.0.provider)"),
    (JUDGE, "provider: zzz, model: j1",
     "unknown provider zzz " + KNOWN_HERE,
     ":10 (judges.0.provider)"),
    ("playoffs: {enabled: true}",
     "playoffs: {models: [{provider: alpha, model: m}, {provider: gamma, model: m}]}",
     "unknown provider gamma " + KNOWN_HERE,
     ":13 (playoffs.models.1.provider)"),
    ("pairwise: {enabled: true}", "pairwise: {judges: [{provider: bta, model: m}]}",
     "unknown provider bta; did you mean beta? " + KNOWN_HERE,
     ":12 (pairwise.judges.0.provider)"),
    ("model: m1", "model: ' '", "model must not be empty", ":8 (runs.0.model)"),
    (f"  - {{{JUDGE}}}", f"  - {{{JUDGE}}}\n  - {{{JUDGE}, weight: 2}}",
     "two judges have the name alpha:j1; give one of them another name", ":11 (judges.1.name)"),
    (f"  - {{{JUDGE}}}", f"  - {{name: eve, {JUDGE}}}\n  - {{name: eve, {JUDGE}}}",
     "two judges have the name eve; give one of them another name", ":11 (judges.1.name)"),
    (JUDGE, JUDGE + ", system_prompt: ' '",
     "system_prompt must not be empty; leave it out for the shipped one",
     ":10 (judges.0.system_prompt)"),
    (JUDGE, JUDGE + ", weight: 0", "every judge has weight 0, so none would judge",
     ":9 (judges)"),
    (f"  - {{{JUDGE}}}", "  []",
     "judges is missing: name at least one model that judges, or set the key of a provider"
     " that has a default judge (OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY,"
     " OPENROUTER_API_KEY)",
     ":9 (judges)"),
    ("pairwise: {enabled: true}", "pairwise: {judges: []}",
     "pairwise.judges must not be empty; null stands for the judges that score",
     ":12 (pairwise.judges)"),
    ("pairwise: {enabled: true}",
     "pairwise: {judges: [{name: 'alpha:j1', provider: alpha, model: j2}]}",
     "judge alpha:j1 is another model here than in judges; rename one",
     ":12 (pairwise.judges.0.name)"),
    ("[accuracy, clarity]", "[accuracy, {name: accuracy, weight: 1}]",
     "two criteria have the name accuracy; rename one", ":11 (criteria.1.name)"),
    ("[accuracy, clarity]", "[house style, House-Style]",
     "criteria house style and House-Style are too alike to tell apart; rename one",
     ":11 (criteria.1)"),
    ("[accuracy, clarity]", "['!!!']", "criterion '!!!' needs a letter in its name",
     ":11 (criteria.0)"),
    ("[accuracy, clarity]", "[{name: a, weight: 0}, {name: b, weight: 0}]",
     "every criterion has weight 0, so nothing would count", ":11 (criteria)"),
    ("alpha: {dialect", "'my server': {dialect",
     "provider 'my server' needs a name of letters, digits, dots and dashes",
     ":5 (providers.my server)"),
    ("http://127.0.0.1:8077/v1", "ftp://127.0.0.1/v1",
     "base_url of provider alpha must begin with http:// or https:// and name a host",
     ":5 (providers.alpha.base_url)"),
    ("http://127.0.0.1:8077/v1", "127.0.0.1:8077/v1",
     "base_url of provider alpha must begin with http:// or https:// and name a host",
     ":5 (providers.alpha.base_url)"),
    ("http://127.0.0.1:8077/v1", "http://127.0.0.1:port/v1",
     "base_url of provider alpha is not a valid address", ":5 (providers.alpha.base_url)"),
    ("http://127.0.0.1:8077/v1", "http://me:pass@127.0.0.1/v1",
     "base_url of provider alpha must not contain a user name or password",
     ":5 (providers.alpha.base_url)"),
    ("http://127.0.0.1:8077/v1", "http://127.0.0.1/v 1",
     "base_url of provider alpha must not contain blanks", ":5 (providers.alpha.base_url)"),
    ("http://127.0.0.1:8077/v1", "http://127.0.0.1/v1?version=2",
     "base_url of provider alpha must end with its path, without ? or #",
     ":5 (providers.alpha.base_url)"),
    ("output_folder: outputs", f"output_folder: {'x' * 300}",
     "output_folder cannot be used: file name too long", ":2 (output_folder)"),
    ("http://127.0.0.1:8077/v1", "http://10.0.0.7/v1",
     "provider alpha needs key_env, the name of the environment variable with its key; only "
     "servers on this machine go without", ":5 (providers.alpha)"),
    ("key_env: BETA_KEY", "key_env: sk-12345",
     "key_env of provider beta must be the name of an environment variable",
     ":6 (providers.beta.key_env)"),
    ("provider: alpha, model: m1", "provider: beta, model: m1",
     "environment variable BETA_KEY, the key of provider beta, is not set",
     ":6 (providers.beta.key_env)"),
    ("provider: alpha, model: m1", "provider: openai, model: m1",
     "environment variable OPENAI_API_KEY, the key of provider openai, is not set",
     ":8 (runs.0.provider)"),
    ("input_folder: inputs", "input_folder: inptus", "input folder inptus does not exist",
     ":1 (input_folder)"),
    ("input_folder: inputs", "input_folder: instructions.md",
     "input folder instructions.md is a file, not a folder", ":1 (input_folder)"),
    ("output_folder: outputs", "output_folder: ./inputs/../inputs",
     "output_folder must not be the input folder", ":2 (output_folder)"),
    ("output_folder: outputs", "output_folder: instructions.md",
     "output_folder instructions.md is a file, not a folder", ":2 (output_folder)"),
    ("instructions_file: instructions.md", "instructions_file: intructions.md",
     "intructions.md does not exist", ":3 (instructions_file)"),
    ("instructions_file: instructions.md", "instructions_file: inputs",
     "inputs is a folder, not a file", ":3 (instructions_file)"),
    ("providers:", "guidelines_file: style.md\nproviders:", "style.md does not exist",
     ":4 (guidelines_file)"),
    ("criteria: [accuracy, clarity]", "criteria_file: criteria.yaml",
     "criteria.yaml does not exist", ":11 (criteria_file)"),
    ("criteria: [accuracy, clarity]", "criteria: [clarity]\ncriteria_file: criteria.yaml",
     "criteria_file and criteria exclude each other; keep one of them", ":12 (criteria_file)"),
    ("criteria: [accuracy, clarity]", "criteria_file: 5",
     "criteria_file must be the path of a file", ":11 (criteria_file)"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message", "place"), [*SHAPE, *MEANING])
def test_mistake_is_named_with_file_line_and_key(
    tmp_path: Path, old: str, new: str, message: str, place: str
) -> None:
    assert BASE.count(old) >= 1

    told = refusal(tmp_path, BASE.replace(old, new, 1))

    assert told == (message, f"config.yaml{place}")


def test_what_this_version_lacks_is_refused_with_file_line_and_key(tmp_path: Path) -> None:
    told = refusal(tmp_path, BASE.replace("type: fpf", "type: openaidp"))

    assert told == (
        "openaidp is a provider: write type: fpf, provider: openaidp",
        "config.yaml:8 (runs.0.type)",
    )


def test_the_first_of_several_mistakes_is_told(tmp_path: Path) -> None:
    text = BASE.replace("iterations: 2", "iterations: 0").replace("auto}", "best}")

    assert refusal(tmp_path, text)[1] == "config.yaml:8 (runs.0.iterations)"


def test_a_misspelled_key_is_told_before_the_one_that_is_missing_for_it(tmp_path: Path) -> None:
    text = BASE.replace("runs:", "run:").replace("judges:", "juges:")

    assert refusal(tmp_path, text)[0] == "unknown key run; did you mean runs?"


@pytest.mark.parametrize("key", [" ", "abc def", "abc\n", "schlüssel"])
def test_a_key_that_no_header_takes_is_refused_without_showing_it(tmp_path: Path, key: str) -> None:
    message, place = refusal(
        tmp_path, BASE.replace("provider: alpha", "provider: beta"), BETA_KEY=key
    )

    assert message.startswith("environment variable BETA_KEY, the key of provider beta, ")
    assert key.strip() == "" or key not in message
    assert place == "config.yaml:6 (providers.beta.key_env)"


@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        ("OPENAI_API_KEY", "may be sent to api.openai.com, not to models.example"),
        ("PGPASSWORD", "is not named like a key"),
        ("ACM_API_TOKEN", "is a setting of ACM"),
    ],
)
def test_config_that_sends_another_secret_is_refused(
    tmp_path: Path, variable: str, reason: str
) -> None:
    text = BASE.replace("provider: alpha", "provider: beta").replace("BETA_KEY", variable)

    message, place = refusal(tmp_path, text, **{variable: "a-secret-value"})

    assert message.startswith(f"provider beta: {variable} {reason}")
    assert place == "config.yaml:6 (providers.beta.key_env)"


def test_setting_of_acm_is_no_key_for_workers_either(tmp_path: Path) -> None:
    text = BASE.replace("provider: alpha", "provider: beta").replace("BETA_KEY", "ACM_API_TOKEN")
    refusal(tmp_path, text)

    with pytest.raises(RequestError, match="ACM_API_TOKEN is a setting of ACM"):
        loading.load(tmp_path / "config.yaml", keys="workers")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe", "instructions.md is not UTF-8 text (byte 1); save it as UTF-8"),
        (b" \n", "instructions.md is empty"),
        (b"a\0b", "instructions.md holds NUL bytes, so it is not a text file"),
    ],
)
def test_instructions_that_are_no_text_are_refused(
    tmp_path: Path, data: bytes, message: str
) -> None:
    (tmp_path / "instructions.md").write_bytes(data)

    assert refusal(tmp_path, BASE) == (message, "config.yaml:3 (instructions_file)")


def test_a_config_that_is_no_mapping_is_refused(tmp_path: Path) -> None:
    told = refusal(tmp_path, "- a\n- b\n")

    assert told == ("a config must be a mapping of keys, such as runs:", "config.yaml:1")


def test_a_missing_config_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"nothing\.yaml does not exist"):
        loading.load(tmp_path / "nothing.yaml")


def all_refusals(folder: Path, text: str, **environ: str) -> list[tuple[str, str]]:
    """Return message and place of each error of a config in ``folder``."""
    (folder / "config.yaml").write_text(text)
    with pytest.raises(RequestError) as caught:
        loading.load(folder / "config.yaml", environ)
    found = [(str(one), str(one.where)) for one in (caught.value, *caught.value.more)]
    root = f"{folder}/"
    return [(message.replace(root, ""), where.replace(root, "")) for message, where in found]


def test_mistakes_of_all_kinds_are_told_at_once(tmp_path: Path) -> None:
    text = BASE.replace("  - {provider: alpha, model: j1}", "  - {provider: gamma, model: j1}")
    text = text.replace("pairwise: {enabled: true}", "pairwise: {enabled: maybe}")
    text = text.replace(RUN, "type: fpf, provider: beta, model: m1")
    text += "budgte_usd: 3\nguidelines_file: rules.md\n"

    assert all_refusals(tmp_path, text) == [
        ("input folder inputs does not exist", "config.yaml:1 (input_folder)"),
        ("instructions.md does not exist", "config.yaml:3 (instructions_file)"),
        (
            "environment variable BETA_KEY, the key of provider beta, is not set",
            "config.yaml:6 (providers.beta.key_env)",
        ),
        (
            "unknown provider gamma (known: alpha, anthropic, beta, google, openai, openaidp,"
            " openrouter)",
            "config.yaml:10 (judges.0.provider)",
        ),
        (
            'pairwise.enabled must be true or false, not "maybe"',
            "config.yaml:12 (pairwise.enabled)",
        ),
        (
            "unknown key budgte_usd; did you mean budget_usd?",
            "config.yaml:15 (budgte_usd)",
        ),
        ("rules.md does not exist", "config.yaml:16 (guidelines_file)"),
    ]


def test_what_follows_from_a_mistake_is_not_told_as_another_one(tmp_path: Path) -> None:
    (tmp_path / "inputs").mkdir()
    (tmp_path / "instructions.md").write_text("Summarise.")
    text = BASE.replace("model: j1", "modle: j1")
    text = text.replace('base_url: "http://127.0.0.1:8077/v1"', "base_url: 5")

    assert all_refusals(tmp_path, text) == [
        (
            "providers.alpha.base_url must be text; put it in quotes (it reads as 5)",
            "config.yaml:5 (providers.alpha.base_url)",
        ),
        ("unknown key modle in judges.0; did you mean model?", "config.yaml:10 (judges.0.modle)"),
    ]


def test_a_config_without_its_required_keys_is_told_of_each(tmp_path: Path) -> None:
    found = all_refusals(tmp_path, "judges: []\nproviders: {}\n")

    missing = {message.partition(" is missing")[0] for message, _ in found}
    assert {"input_folder", "output_folder", "instructions_file", "runs"} <= missing


def test_a_plan_needs_no_key_and_tells_which_is_missing(tmp_path: Path) -> None:
    text = BASE.replace("provider: alpha, model: j1", "provider: beta, model: j1")
    refusal(tmp_path, text)  # a run needs it

    loaded = loading.load(tmp_path / "config.yaml", {}, keys="later")

    assert loaded.notes == (
        "environment variable BETA_KEY, the key of provider beta, is not set;"
        " run, resume, rejudge and doctor need it",
    )


def test_inputs_are_checked_with_everything_else(tmp_path: Path) -> None:
    refusal(tmp_path, BASE.replace("iterations: 2", "iterations: 0"))

    with pytest.raises(RequestError) as caught:
        loading.load(tmp_path / "config.yaml", {}, also=inputs.of_config)

    told = [str(one) for one in (caught.value, *caught.value.more)]
    assert told[0].startswith("runs.0.iterations must be at least 1")
    assert "holds no documents" in told[1]


def test_a_fault_after_an_entry_that_is_left_out_is_told_at_its_own_line(tmp_path: Path) -> None:
    entries = [
        "{type: fpff, provider: alpha, model: m1}",
        "{type: fpf, model: m1}",
        "{type: fpf, provider: nobody, model: m1}",
        "{type: fpf, provider: alpha, model: m1, json: true}",
    ]
    (tmp_path / "inputs").mkdir()
    (tmp_path / "instructions.md").write_text("Write.")
    (tmp_path / "config.yaml").write_text(
        "input_folder: inputs\noutput_folder: out\ninstructions_file: instructions.md\n"
        "providers: {alpha: {dialect: openai_chat, base_url: 'http://127.0.0.1:1/v1'}}\n"
        "judges: [{provider: alpha, model: j1}]\nruns:\n"
        + "".join(f"  - {entry}\n" for entry in entries)
    )

    with pytest.raises(RequestError) as caught:
        loading.load(tmp_path / "config.yaml", {})

    told = [
        (one.where or "").partition("config.yaml:")[2] for one in (caught.value, *caught.value.more)
    ]
    assert sorted(told) == [
        "10 (runs.3.json)", "7 (runs.0.type)", "8 (runs.1.provider)", "9 (runs.2.provider)"
    ]  # fmt: skip
