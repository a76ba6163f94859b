"""The page about pictures runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import workcell as wc

PAGE = Path(__file__).parents[2] / "docs" / "pictures.md"


def test_the_example_in_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    exec(compile(block, str(PAGE), "exec"), {})


def test_the_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = re.findall(r"```\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)[0]
    with wc.Cell() as cell:
        cell.do("add solid peg cylinder 30 200 at 300,0,200")
        cell.do("add solid fence box 1000 20 800 at 0,700,400")
        for line in block.strip().splitlines():
            for typed in re.split(r"\s{3,}", line)[0].split(" ; "):
                cell.do(typed)
    assert {path.name for path in tmp_path.glob("*.png")} == {"close.png", "plan.png", "lines.png", "bare.png"}
