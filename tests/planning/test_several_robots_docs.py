"""The example and the page about several robots."""

import importlib.util
import re
from pathlib import Path

import workcell as wc

ROOT = Path(__file__).parents[2]


def test_the_example_runs(tmp_path):
    spec = importlib.util.spec_from_file_location("two_arms", ROOT / "examples/two_arms_one_fixture.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with example.main(tmp_path) as cell:
        assert "proved" in str(cell.do("check recording"))
        assert "enter-zone" in str(cell.do("steps left"))
    assert (tmp_path / "two_arms.svg").read_text(encoding="utf-8").startswith("<")


def test_the_lines_of_the_page_run():
    page = (ROOT / "docs/several-robots.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```\n(.*?)```", page, re.DOTALL) if block.startswith(">")]
    assert len(blocks) == 2
    for block in blocks:
        cell = wc.Cell()
        answers = [str(cell.do(line[2:])) for line in block.splitlines() if line.startswith("> ")]
        for line in block.splitlines():
            if not line.startswith("> "):
                assert any(line in answer for answer in answers), line
        assert answers[-1].startswith("proved")
