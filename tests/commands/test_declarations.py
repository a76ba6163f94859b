"""Every command is declared with examples that run, and what is generated from them is up to date."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import msgspec
import pytest

from workcell.commands.cell import Cell
from workcell.commands.documents import schema
from workcell.commands.language.registry import registry
from workcell.commands.language.writing import shown_line

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = registry().commands


def test_there_are_commands():
    assert len(COMMANDS) > 30


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_a_command_has_examples_that_run_and_results_that_serialise(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = [line for line in command.examples if not line.startswith("> ")]
    assert shown, f"{command.name} has no example"
    with Cell(who="example") as cell:
        used = False
        for line in command.examples:
            text = line.removeprefix("> ")
            parsed, values = registry().tree.parse(text, cell.session)
            assert shown_line(cell.session, parsed, values)
            used = (
                used or parsed is command or f'"{command.name} ' in text
            )  # or it is a step of a program that is written
            result = cell.do(text)
            assert str(result)
            msgspec.json.encode(msgspec.to_builtins(result))
        assert used, f"no example of {command.name} uses it"
        if cell.session.group is not None:
            cell.do("end")
        assert cell.replayed().database.rows() == cell.database.rows()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_a_command_explains_itself(command):
    assert command.help
    assert command.help[0].islower()
    assert not command.help.endswith(".")
    assert command.run.__doc__
    unexplained = [shown for shown, _, meaning in command.explained() if not meaning]
    assert not unexplained, f"{command.name} does not explain {unexplained}"
    described = schema(command)
    assert set(described["required"]) <= set(described["properties"])


def test_generated_files_are_up_to_date():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "tools" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert generate.GENERATED
    for path, write in generate.GENERATED.items():
        assert path.read_text(encoding="utf-8") == write(), f"{path.name} is stale: run `make docs`"
