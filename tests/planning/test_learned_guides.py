"""Learning to guide by command: kept in the lines of a program, used by running it, improved by learning again."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import InvalidValue, Refused


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        made.do("add solid ball sphere 80 at 450,250,300")
        made.call("write program", name="reach", text="wait 0.1\nrepeat 1\n  guide Puma 300,550,250 --position\nend")
        yield made


def text_of(cell, name="reach"):
    return str(cell.session.database.entity("program", name).properties["text"])


def test_what_is_learned_is_what_the_program_then_does(cell):
    first = cell.do("run reach").time
    cell.do("undo")
    state = cell.state.to_json()
    answer = cell.do("learn guide reach tries 3 seed 2 --speed")
    assert cell.state.to_json() == state  # nothing moved
    (found,) = answer.learned
    assert found.line == 3
    assert found.before == pytest.approx(first)
    assert len(found.tries) == 4
    assert found.after == min(one.duration for one in found.tries if one.duration is not None) < first
    assert text_of(cell).split("\n")[2].startswith("  guide Puma 300,550,250 speed ")
    assert cell.do("run reach").time == pytest.approx(found.after, abs=1e-12)


def test_it_comes_again_by_its_seed_and_goes_on_from_the_best(cell):
    once = cell.do("learn guide reach tries 2 --dry")
    assert text_of(cell).count("gain") == 0
    assert not once.written
    again = cell.do("learn guide reach tries 2")
    assert again.learned == once.learned
    more = cell.do("learn guide reach tries 1 seed 5")
    assert more.learned[0].before == again.learned[0].after
    assert more.learned[0].after <= again.learned[0].after


def test_learned_constants_live_with_the_program(cell, tmp_path):
    cell.do("learn guide reach tries 1 --keep")
    learned = text_of(cell)
    assert "gain " in learned
    cell.do("modify Puma name Arm")
    assert text_of(cell) == learned.replace("Puma", "Arm")
    cell.do(f'save "{tmp_path}/a.cell"')
    with wc.Cell.open(tmp_path / "a.cell") as other:
        assert text_of(other) == text_of(cell)
        assert other.do("run reach").time == cell.do("run reach").time
    cell.do("undo")
    cell.do("undo")
    cell.do("undo")
    assert "gain " not in text_of(cell)
    cell.do("redo")
    assert text_of(cell) == learned
    assert cell.replayed().snapshot().hash == cell.snapshot().hash


def test_what_cannot_be_learned_from_is_refused_in_one_sentence(cell):
    cell.do('write program still "wait 1"')
    with pytest.raises(Refused, match="Program 'still' has no `guide` step to learn from"):
        cell.do("learn guide still")
    with pytest.raises(InvalidValue, match="at most 200 times; found 300"):
        cell.do("learn guide reach tries 300")
    cell.do('write program asked "let g = 3%0Aguide Puma 300,550,250 gain g --position"')
    with pytest.raises(Refused):
        cell.do("learn guide asked tries 1")
