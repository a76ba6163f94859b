"""Sizes of boxes, cylinders and the like: listed, changed, and what follows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.errors import Refused, WorkcellError
from workcell.world.operations import is_operation


@pytest.fixture
def cell() -> Iterator[Cell]:
    with Cell() as opened:
        for line in (
            "create scene hall",
            "add solid crate box 200 200 200 at 500,0,100",
            "add solid peg cylinder 20 100 --movable",
            "face attach peg bottom to crate top",
            "add target spot 500,0,200 rotate 180,0,0 on crate",
        ):
            opened.do(line)
        yield opened


def place(cell: Cell, name: str) -> np.ndarray:
    return np.array(cell.do(f"where {name}").matrix)[:3, 3] * 1e3


def test_another_size_moves_what_stands_on_the_face_and_undo_takes_it_back(cell: Cell) -> None:
    before = cell.do("sizes crate").blocks
    assert str(cell.do("modify crate shape box 200 200 400")) == "shape of 'crate' changed"
    assert str(cell.do("sizes crate")) == "crate: 1 named shape\n  crate-solid: box 200 200 400"
    np.testing.assert_allclose(place(cell, "crate"), (500, 0, 100), atol=1e-9)  # the centre stays
    np.testing.assert_allclose(place(cell, "peg"), (500, 0, 350), atol=1e-6)  # on the top, which rose by 100
    np.testing.assert_allclose(place(cell, "spot"), (500, 0, 200), atol=1e-9)  # where it was on the crate
    cell.do("undo")
    assert cell.do("sizes crate").blocks == before
    np.testing.assert_allclose(place(cell, "peg"), (500, 0, 250), atol=1e-6)
    cell.do("redo")
    np.testing.assert_allclose(place(cell, "peg"), (500, 0, 350), atol=1e-6)


def test_a_face_that_goes_with_the_shape_is_reported(cell: Cell) -> None:
    answer = str(cell.do("modify crate shape sphere 100"))
    assert "'peg' stands on a face that no longer exists" in answer


def test_a_shared_block_is_changed_only_by_its_own_name(cell: Cell) -> None:
    cell.do("copy crate as twin")
    with pytest.raises(Refused, match=r"also a part of crate. `modify block:crate-solid shape …` changes it for all"):
        cell.do("modify twin shape box 1 1 1")
    assert cell.do("sizes twin").blocks[0].others == ("crate",)
    assert "object 'crate', object 'twin' follow" in str(cell.do("modify block:crate-solid shape box 100 100 100"))
    assert cell.do("sizes twin").blocks[0].sizes == cell.do("sizes crate").blocks[0].sizes == (0.1, 0.1, 0.1)


def test_what_is_combined_of_several_is_changed_by_its_parts(cell: Cell) -> None:
    cell.do("add solid plate box 300 300 20 at 0,0,10")
    cell.do("add solid drill cylinder 30 100 at 0,0,10")
    cell.do("merge bored difference of plate of drill")
    listed = {one.block: (one.shape, one.placed) for one in cell.do("sizes bored").blocks}
    assert sorted(shape for shape, _ in listed.values()) == ["box", "cylinder"]
    with pytest.raises(Refused, match="Object 'bored' is made of 2 blocks: "):
        cell.do("modify bored shape box 1 1 1")
    whole = next(one for one in cell.database.entities() if one.kind == "block" and is_operation(one.shape))
    with pytest.raises(Refused, match=f"Block '{whole.name}' is made of .*; change those, and it follows"):
        cell.do(f'modify block:"{whole.name}" shape box 1 1 1')
    volume = cell.do("measure bored").volume
    drill = next(name for name, (shape, _) in listed.items() if shape == "cylinder")
    cell.do(f'modify block:"{drill}" shape cylinder 60 100')
    assert cell.do("measure bored").volume == pytest.approx(volume - np.pi * 0.02 * (0.06**2 - 0.03**2), rel=1e-9)


def test_an_empty_object_and_bad_sizes_are_refused_and_change_nothing(cell: Cell) -> None:
    cell.do("create object empty")
    with pytest.raises(Refused, match=r"^Object 'empty' has no block with a shape of its own\.$"):
        cell.do("modify empty shape box 1 1 1")
    before = cell.do("sizes crate")
    for wrong in ("box 0 1 1", "box 1 1", "cylinder -1 2", "cube 3"):
        with pytest.raises(WorkcellError):
            cell.do(f"modify crate shape {wrong}")
    assert cell.do("sizes crate") == before
