"""What a person should know about the bodies is told with every answer about collisions."""

from __future__ import annotations

import pytest

from workcell.collision.bodies import ImplausibleSize, collision_model
from workcell.workbench.samples import sample, sample_names

OPEN = """solid open
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0.2 0 0
vertex 0 0.2 0
endloop
endfacet
endsolid open
"""


@pytest.fixture
def puma(cell):
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    return cell


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ("30000 20000 10000", "thing is 30 m long: was it given in millimetres?"),
        ("0.2 0.2 0.2", "thing is 0.0002 m long: was it given in kilometres or scaled by 1/1000?"),
        ("1 1 1", "thing is 0.001 m long"),
    ],
)
def test_units_off_by_a_thousand_are_told_of_ordinary_sizes(puma, size, told):
    puma.do(f"add solid thing box {size} at 0,0,60000")
    assert told in str(puma.do("contacts"))
    with pytest.warns(ImplausibleSize, match=told[:12]):
        collision_model(puma.snapshot())


def test_without_robots_the_other_bodies_tell_what_is_usual(cell):
    cell.do("add solid one box 200 200 200")
    cell.do("add solid other box 300 200 200 at 500,0,0 --movable")
    cell.do("add solid thing box 0.2 0.2 0.2 at 1000,0,0")
    assert collision_model(cell.snapshot(), warn=False).notes == (
        "thing is 0.0002 m long: was it given in kilometres or scaled by 1/1000? Lengths are metres.",
    )


@pytest.mark.parametrize("name", sample_names())
def test_nothing_in_the_samples_looks_wrong(name):
    assert collision_model(sample(name).snapshot(), warn=False).notes == ()


def test_a_hall_a_screw_and_a_long_track_are_plausible(puma):
    puma.do("add solid floor box 10000 8000 20 at 0,0,-1000")
    puma.do("add solid screw cylinder 3 8 at 0,0,3000")
    assert puma.do("contacts").notes == []


def test_every_answer_tells_the_notes(puma, tmp_path):
    (tmp_path / "open.stl").write_text(OPEN)
    puma.do(f"import solid scan {tmp_path}/open.stl m")
    puma.do("place scan at 0,3000,300")
    puma.do("move-joints-absolute Puma 2,0,-90,0,90,0")
    note = "scan is an open mesh: it is treated as a surface, without an inside."
    questions = ("contacts", "clearance", "clearance between Puma and scan", "certify Puma 0,0,-90,0,90,0")
    for line in (*questions, "check recording", "least-clearance", "free-share Puma 5"):
        found = puma.do(line)
        assert list(found.notes) == [note]
        assert note in str(found)
