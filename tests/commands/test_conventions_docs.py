"""The page of conventions shows every way to write a transformation, and its examples do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from workcell.commands.language.transforms import FORMS

PAGE = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")
ROWS = {m[1]: m[2] for m in re.finditer(r"^\| `(\w+) [^`]*` \|.*\| `([^`]+)` \|$", PAGE, re.M) if m[1] in FORMS}


def test_every_step_is_on_the_page():
    assert set(ROWS) == set(FORMS)


TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
EXPECTED = {
    "translate": (np.eye(3), (0.1, 0.0, 0.05)),
    "rotate": (np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]), (0, 0, 0)),
    "scale": (np.diag([1, 1, -1]), (0, 0, 0)),
    "euler": (np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), (0, 0, 0)),
    "axis": (TURN, (0.1, -0.1, 0.0)),
    "points": (TURN, (0.005, 0.0, 0.0)),
    "quaternion": (TURN, (0, 0, 0)),
    "matrix": (TURN, (0.1, 0.0, 0.05)),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_example_of_a_step_is_the_map_that_it_says(cell, form):
    cell.do("create block part box 10 10 10")
    cell.do("create object whole")
    cell.do(f"attach part to whole as it {ROWS[form]}")
    matrix = cell.database.relations(cell.database.entity("object", "whole"))[0].matrix
    turn, shift = EXPECTED[form]
    assert matrix[:3, :3] == pytest.approx(turn, abs=1e-4)
    assert matrix[:3, 3] == pytest.approx(shift, abs=1e-9)
