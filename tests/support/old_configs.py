"""Configs in the shapes that ACM 1, its presets and llm-doc-eval had."""

from typing import NamedTuple


class OldConfig(NamedTuple):
    """A config, files beside it, and what is said of it.

    Attributes:
        refused: The reasons of a refusal, each by its beginning, in order; empty if it plans.
        told: Parts of notes.
    """

    text: str
    refused: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    files: dict[str, str] = {}  # noqa: RUF012  never changed


_FOLDERS = "input_folder: ./inputs\noutput_folder: ./outputs\ninstructions_file: instructions.md\n"
_RUN = "runs:\n  - {type: fpf, provider: openai, model: gpt-5.6-luna}\n"
_BASE = _FOLDERS + _RUN
_JUDGES = "  judges: [{provider: openai, model: gpt-5.6-sol}]\n"
_EVAL = "eval:\n  auto_run: true\n" + _JUDGES
_EVALUATOR = """\
llm_api: {max_concurrent_llm_calls: 4, timeout_seconds: 120}
retries: {attempts: 3, base_delay_seconds: 2, max_delay_seconds: 10, jitter: true}
judge_defaults: {temperature: 0.0, max_tokens: 1024, enable_grounding: false}
models:
  model_a: {provider: openai, model: gpt-4.1}
  model_b: {provider: gemini, model: gemini-3.5-flash}
single_doc_eval: {trial_count: 3, criteria_file: criteria.yaml}
pairwise_eval: {trial_count: 2, criteria_file: criteria.yaml, enable_grounding: true}
"""
_CRITERIA = "criteria:\n  - factuality\n  - {name: relevance, description: On topic, weight: 2.0}\n"
_SHUT = "gemini-1.5-pro of google was shut down after 2025-09-24; the nearest living model is "

CONFIGS: dict[str, OldConfig] = {
    "fpf with eval": OldConfig(_BASE + _EVAL, told=("always asked models to search and to think",)),
    "eval without auto_run": OldConfig(
        _BASE + "eval:\n  iterations: 2\n" + _JUDGES, told=("eval has no auto_run: true: nothing",)
    ),
    "eval switched off": OldConfig(
        _BASE + "eval: {auto_run: false}\n", told=("eval.auto_run is false",)
    ),
    "no eval at all": OldConfig(_BASE + "iterations_default: 2\n", told=("default ones judge",)),
    "eval that is null": OldConfig(_BASE + "eval:\n", told=("default ones judge",)),
    "config of llm-doc-eval beside": OldConfig(
        _BASE + "eval: {auto_run: true, config_path: ./e/config.yaml}\n",
        files={"e/config.yaml": _EVALUATOR, "e/criteria.yaml": _CRITERIA},
        told=("config.yaml: accepted, without effect in this version: llm_api.timeout",),
    ),
    "config of llm-doc-eval that is not there": OldConfig(
        _BASE + "eval: {auto_run: true, config_path: ./e/config.yaml}\n",
        told=("does not exist, so it names no judges", "default ones judge"),
    ),
    "config of llm-doc-eval with mistakes": OldConfig(
        _BASE + "eval: {auto_run: true, config_path: e.yaml}\n",
        files={"e.yaml": "models: {a: 3}\nllm_apy: {}\nevaluation: {mode: all}\n"},
        refused=(
            "unknown key llm_apy; did you mean llm_api?",
            "models.a must have a provider and a model",
            "evaluation.mode must be both, single or pairwise, not 'all'",
        ),
    ),
    "config of llm-doc-eval and own judges": OldConfig(
        _BASE + _EVAL + "  config_path: e.yaml\n", files={"e.yaml": _EVALUATOR,
        "criteria.yaml": _CRITERIA}, told=("are not used: the config names others",),
    ),
    "sections of llm-doc-eval in the config": OldConfig(
        _BASE + "eval: {auto_run: true}\n" + _EVALUATOR.replace("retries", "# retries"),
        files={"criteria.yaml": _CRITERIA},
    ),
    "mode pairwise": OldConfig(
        _BASE + _EVAL + "  mode: pairwise\n", told=("candidates are compared, and not scored",)
    ),
    "mode single with top n": OldConfig(_BASE + _EVAL + "  mode: single\n  pairwise_top_n: 3\n"),
    "iterations by type": OldConfig(
        _BASE + _EVAL + "iterations: {fpf: 2, gptr: 1, dr: 0, ma: 0}\n"
    ),
    "models beside runs": OldConfig(
        _BASE + _EVAL + "additional_models: [{provider: google, model: gemini-3.5-flash},"
        ' "anthropic:claude-sonnet-5-5"]\n'
    ),
    "models beside runs of the wrong shape": OldConfig(
        _BASE + _EVAL + "additional_models: [gpt-4o]\n",
        refused=("additional_models.0 must have a provider and a model",),
    ),
    "playoffs with top n": OldConfig(
        _BASE + _EVAL + "  playoffs: {enabled: true, top_n: 3}\n",
        told=("eval.playoffs.top_n is without effect, as it was: the best two are combined",),
    ),
    "playoffs of today with top n": OldConfig(
        _BASE + _EVAL + "playoffs: {top_n: 4}\n", told=("playoffs.parents: 4 combines more",)
    ),
    "own instructions to combine": OldConfig(
        _BASE + _EVAL + "combine: {enabled: true, models: [{provider: openai, model:"
        " gpt-5.6-sol}]}\ncombine_instructions_file: combine.md\n",
        files={"combine.md": "Make one of both."},
    ),
    "own instructions to combine that are not there": OldConfig(
        _BASE + _EVAL + "combine_instructions_file: combine.md\n",
        refused=("ROOT/combine.md does not exist",),
    ),
    "a key given twice": OldConfig(
        _BASE + _EVAL + "one_file_only: false\none_file_only: true\nbudgt: 3\n",
        refused=("unknown key budgt", "key one_file_only is given twice"),
    ),
    "empty entries": OldConfig(
        _FOLDERS + "runs:\n  -\n  - {type: fpf, provider: openai, model: gpt-5.6-luna}\n" + _EVAL
        + "guidelines_file:\ncombine:\n  models: [null]\n",
        told=("runs: empty entries are left out",),
    ),
    "paths of windows": OldConfig(
        _BASE.replace("./inputs", "'.\\inputs'") + _EVAL,
        told=("input_folder: .\\inputs is read as",),
    ),
    "paths of a windows drive": OldConfig(
        _BASE.replace("./inputs", "'C:\\me\\inputs'").replace("./outputs", "'D:/out'") + _EVAL,
        refused=(
            "input_folder: C:\\me\\inputs is a path of Windows; name the folder on this machine",
            "output_folder: D:/out is a path of Windows; name the folder on this machine",
        ),
    ),
    "one file only": OldConfig(
        _BASE + _EVAL + "one_file_only: true\n", told=("stopped after its first document",)
    ),
    "models that are shut down": OldConfig(
        _FOLDERS + "runs:\n  - {type: fpf, provider: google, model: gemini-1.5-pro}\n"
        "  - {type: fpf, provider: google, model: gemini-1.5-pro}\n" + _EVAL,
        refused=(_SHUT, _SHUT),
    ),
    "models that nobody knows": OldConfig(
        _BASE.replace("gpt-5.6-luna", "gpt-9") + _EVAL,
        refused=("unknown model gpt-9 of openai",),
    ),
    "a provider that is not there any more": OldConfig(
        _BASE.replace("provider: openai", "provider: perplexity") + _EVAL,
        refused=("unknown provider perplexity",),
    ),
    "a provider's other name": OldConfig(
        _BASE.replace("openai, model: gpt-5.6-luna", "gemini, model: gemini-3.5-flash") + _EVAL,
        told=("runs.0: provider gemini is google here",),
    ),
    "concurrency, policies and logs": OldConfig(
        _BASE + _EVAL + "  log: {console_level: high}\n"
        "concurrency: {gpt_researcher: {enabled: true, max_concurrent_reports: 3,"
        " launch_delay_seconds: 1.0}, multi_agent: {enabled: true}}\n"
        "policies: {concurrency: {gpt_researcher: {enforce: true,"
        " max_concurrent_reports_cap: 2}}}\n"
        "acm: {log: {file_level: low}}\nfollow_guidelines: true\nmax_sections: 5\n",
        told=(
            "concurrency.gpt_researcher: at most 2 at once, as policies.concurrency.gpt_researcher",
            "max_sections",
        ),
    ),
    "a preset in a config": OldConfig(
        _BASE + _EVAL + "enable: {fpf: true, gptr: false, evaluation: true, pairwise: false}\n"
        "fpf: {grounding: {max_results: 5}, google: {max_tokens: 4000}, reasoning: {effort: low},"
        " web_search: {search_context_size: high}}\nTEMPERATURE: 0.4\nTOTAL_WORDS: 1000\n"
        "ma: {max_sections: 3}\n",
        told=("TOTAL_WORDS", "fpf.grounding, fpf.web_search"),
    ),
    "settings of ACM 2": OldConfig(
        _BASE + "eval_judges:\n  - {provider: openai, model: gpt-5.6-sol, weight: 2.0}\n"
        "  - {provider: google, model: gemini-3.5-flash}\neval_iterations: 4\neval_timeout: 120\n"
        "eval_max_concurrent: 4\nelo_k_factor: 16\nelo_initial: 1200\ntop_n_count: 2\n"
        "top_n_threshold: 0.5\ntop_n_min: 1\ntop_n_max: 4\npost_combine_eval: {enabled: true,"
        " judges: [gpt-5.6-sol], iterations: 2, criteria: [coherence, accuracy]}\n"
        "eval_config: {criteria: [{name: accuracy, weight: 0.4}, policy]}\n",
        told=("without effect in this version: eval_timeout",),
    ),
    "settings of ACM 2 that cannot be": OldConfig(
        _BASE + "eval_judges: [{provider: openai, model: gpt-5.6-sol}]\njudges:"
        " [{provider: openai, model: gpt-5.6-sol}]\npost_combine_eval: {enabled: false, judges:"
        " [gpt-4o], pairwse: true}\ntop_n_threshold: 7\n",
        refused=(
            "eval_judges and judges say the same thing; keep one of them",
            "post_combine_eval.enabled: combined candidates are always judged",
            "post_combine_eval.judges.0: no judge has the model gpt-4o; give its provider",
            "unknown key pairwse in post_combine_eval; did you mean pairwise?",
            "ranking.top_n.threshold must be at most 1, not 7",
        ),
    ),
    "judges and models in a word": OldConfig(
        _BASE + "eval: {auto_run: true, mode: config, pairwise_top_n: 0, judges:"
        " ['openai:gpt-5.6-sol', 'gemini:gemini-3.5-flash']}\n"
        "combine: {enabled: true, models: ['openai:gpt-5.6-sol']}\n",
        told=("eval.mode is config", "eval.pairwise_top_n is 0: all", "provider gemini is google"),
    ),
    "a judge in a word without a provider": OldConfig(
        _BASE + "eval: {auto_run: true, judges: [gpt-5.6-sol]}\n",
        refused=('judges.0 must be a mapping of keys, not "gpt-5.6-sol"',),
    ),
    "a config of FilePromptForge": OldConfig(
        "concurrency: {enabled: true, max_concurrency: 24, qps: 0.4}\ngrounding: {max_results: 5}\n"
        "provider: openai\nmodel: gpt-5\nreasoning: {effort: high}\njson: false\n",
        refused=("ROOT/config.yaml is a configuration of FilePromptForge: its provider and",),
    ),
    "a file of presets": OldConfig(
        "quick: {iterations_default: 1, runs: []}\nlong: {enable: {fpf: true}}\n",
        refused=("ROOT/config.yaml holds presets (quick, long) and no config: `acm init FOLDER",),
    ),
    "many mistakes at once": OldConfig(
        _BASE.replace("gpt-5.6-luna", "gpt-9") + "iteration_default: 2\neval:\n"
        "  auto_run: yes please\n  pairwise_topn: 3\n  judges: [{provider: opnai, model: x}]\n"
        "combine: {enabled: maybe}\n",
        refused=(
            "unknown model gpt-9 of openai",
            "unknown key iteration_default; did you mean iterations_default?",
            "eval.auto_run must be true or false, not 'yes please'",
            "unknown key pairwise_topn in eval; did you mean pairwise_top_n?",
            "unknown provider opnai; did you mean openai?",
            'playoffs.enabled must be true or false, not "maybe"',
        ),
    ),
}  # fmt: skip
