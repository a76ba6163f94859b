"""The programs in docs/programs.md and the README run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import workcell as wc
from workcell.commands.language.statement_reader import STATEMENTS
from workcell.commands.language.step_reader import step_types
from workcell.commands.script import run_script
from workcell.programs.functions import FUNCTIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")


def test_the_lines_of_the_page_run():
    first, *others = re.findall(r"```\n(create robot.*?)```", PAGE, re.DOTALL)
    with wc.Cell() as cell:
        run_script(cell.session, first)
        assert cell.state.signals["ready"] == 1.0
    for block in others:
        with wc.Cell() as cell:
            run_script(cell.session, block)


def test_the_python_of_the_page_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert "MoveJointsRelative" in capsys.readouterr().out
    assert len(names["again"].simulator.recording.moves) == 2


def test_the_page_names_every_command_that_steps_through_runs():
    from workcell.commands.language.registry import registry

    words = set(re.findall(r"[\w-]+", PAGE))
    assert {one.name for one in registry().commands if one.family == "stepping"} <= words


def test_the_page_names_every_word_step_and_function():
    words = set(re.findall(r"[\w-]+", PAGE))
    assert set(STATEMENTS) <= words
    assert set(FUNCTIONS) <= words
    assert {name for name in step_types() if name not in ("comment", "for-each", "set joints")} <= words


def test_the_program_of_the_readme_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```\n(> program tidy.*?)```", readme, re.DOTALL)
    lines = [re.sub(r"^(> |\.\.\. )", "", line) for line in block.strip().split("\n")]
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        run_script(cell.session, lines)
        assert cell.state.joints["Puma"] == pytest.approx(cell.snapshot().initial.joints["Puma"])
