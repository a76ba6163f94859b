"""The Python of the pages on finding a way and on the order of work runs, each block by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = [
    (page, number, block)
    for page in ("planning.md", "order-of-work.md", "guidance.md")
    for number, block in enumerate(
        re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL), start=1
    )
]


def test_there_are_blocks_to_run():
    assert {page for page, _, _ in BLOCKS} == {"planning.md", "order-of-work.md", "guidance.md"}


@pytest.mark.parametrize(("page", "number", "block"), BLOCKS, ids=[f"{page}-{number}" for page, number, _ in BLOCKS])
def test_a_block_runs_alone(page, number, block):
    exec(compile(block, f"{page}, block {number}", "exec"), {})
