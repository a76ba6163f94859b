"""The way of a typed command from its line to its answer: short, and its line is read once."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

import workcell as wc
from workcell.world.names import check_name

ROOM = str(Path(wc.__file__).parent)


@pytest.fixture
def warm():
    """A session that has carried out every kind of line that is measured here."""
    for name in ("cube1", "table"):
        check_name(name)  # it remembers what it has checked
    with wc.Cell() as cell:
        for number in range(2):
            cell.do(f"create block plain{number}")
            cell.do(f"create block box{number} box 800 600 40 colour red")
        yield cell.session


def calls(session, line):
    """The functions of ours that are entered, as (file, function), and how often."""
    entered = Counter()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(ROOM):
            entered[frame.f_code.co_filename, frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        session.do(line)
    finally:
        sys.setprofile(before)
    return entered


@pytest.mark.parametrize(("line", "most"), [("create block cube1", 20), ("create block table box 800 600 40", 28)])
def test_a_new_block_touches_few_files(warm, line, most):
    files = {file for file, _ in calls(warm, line)}
    assert 5 < len(files) <= most, sorted(files)


@pytest.mark.parametrize("line", ["create block cube1", "cr bl table box 800 600 40 colour red", "undo"])
def test_a_line_is_read_once(warm, line):
    entered = calls(warm, line)
    reads = {name: times for (file, name), times in entered.items() if file.endswith("key_tree.py")}
    assert reads["parse"] == 1
    assert (
        sum(times for (file, name), times in entered.items() if file.endswith("tokens.py") and name == "__init__") == 1
    )
