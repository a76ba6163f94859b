"""The example planner with rules drives an arm through the Agent language."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "blocks_planner.py"


def test_rules_build_the_tower():
    pytest.importorskip("clips", reason="clipspy is not installed")
    done = subprocess.run([sys.executable, str(EXAMPLE)], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "b goes onto far",
        "a goes onto right",
        "c goes onto middle",
        "b goes onto c",
        "a goes onto b",
        "5 moves; the tower is built: {'a': 'b', 'b': 'c', 'c': 'middle'}",
    ]
