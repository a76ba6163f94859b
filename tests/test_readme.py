"""What the README shows runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workcell.commands.cell import Cell
from workcell.errors import WorkcellError

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_there_are_blocks():
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_python_block_runs(number, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec("import numpy as np\nimport workcell as wc\n" + BLOCKS[number], names)
    assert capsys.readouterr().out


def test_the_shell_lines_do_what_is_shown(cell: Cell):
    (block,) = re.findall(r"```\n(> create surface.*?)```", README, re.DOTALL)
    lines = block.strip().split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("> "):
            continue
        text = re.sub(r" {2,}#.*", "", line[2:])
        if text == "?":
            assert cell.do("?")
        elif number + 1 < len(lines) and not lines[number + 1].startswith("> "):
            with pytest.raises(WorkcellError, match=re.escape(lines[number + 1])):
                cell.do(text)
        else:
            cell.do(text)


def test_every_file_it_points_to_is_there():
    root = Path(__file__).resolve().parent.parent
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (root / target).exists(), target
