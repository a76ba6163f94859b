"""The page about solids runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "solids.md"


def test_every_example_of_the_page_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    told = capsys.readouterr().out
    assert "2 parts, used 2 times" in told
    assert "volume" in told


def test_every_command_that_the_page_names_exists():
    from workcell.commands.language.registry import registry

    known = {command.name.split()[0] for command in registry().commands}
    for block in re.findall(r'cell\.do\(f?"(\w[\w-]*)', PAGE.read_text(encoding="utf-8")):
        assert block in known, block
