"""The page on GPT Researcher, tried by a newcomer."""

from pathlib import Path

from tests.support import fake_researcher, researcher_page, simulator


def test_the_commands_of_the_page_run_in_order(tmp_path: Path) -> None:
    installed = fake_researcher.install(tmp_path / "gptr")
    with simulator.running(latency_s=0.02) as provider:
        port = provider.url.rpartition(":")[2].partition("/")[0]
        ran = researcher_page.entered(tmp_path / "home", port, installed)

    assert ran.returncode == 0, ran.stderr
    assert "likely:" in ran.stdout
    assert researcher_page.candidates(tmp_path / "home") == ["combine", "dr", "fpf", "gptr", "ma"]
    assert (tmp_path / "home" / "try" / "winners" / "locks.winner.md").exists()
