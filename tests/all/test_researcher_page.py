"""The page on GPT Researcher with the real one: it reads sources of a single sentence, too."""

from pathlib import Path

from tests.support import gptr_environment, researcher_page, simulator


def test_the_commands_of_the_page_make_a_text_of_each_generator(tmp_path: Path) -> None:
    installed = gptr_environment.built()
    with simulator.running(latency_s=0.02) as provider:
        port = provider.url.rpartition(":")[2].partition("/")[0]
        ran = researcher_page.entered(tmp_path / "home", port, installed)

    assert ran.returncode == 0, ran.stderr
    assert researcher_page.candidates(tmp_path / "home") == ["combine", "dr", "fpf", "gptr", "ma"]
