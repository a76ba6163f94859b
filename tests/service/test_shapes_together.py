"""The shapes of a cell are fetched together: one file after the other, in the order that was asked for."""

from __future__ import annotations

import gzip

import pytest

from workcell.errors import UnknownName, WorkcellError
from workcell.geometry.solids import box
from workcell.service.shapes import TOGETHER, Shapes


@pytest.fixture
def shapes() -> Shapes:
    return Shapes()


def names_of(shapes: Shapes, count: int) -> list[str]:
    return [shapes.announce(box(0.01 * (k + 1), 0.02, 0.03)) for k in range(count)]


def lengths(data: bytes) -> list[int]:
    """The lengths of GLB files that lie one after the other, as their own headers have them."""
    found = []
    while data:
        assert data[:4] == b"glTF"
        found.append(int.from_bytes(data[8:12], "little"))
        data = data[found[-1] :]
    return found


def test_shapes_come_in_the_order_that_was_asked_for(shapes: Shapes) -> None:
    first, second, third = names_of(shapes, 3)
    alone = {name: shapes.glb(name) for name in (first, second, third)}
    asked = [third, first, second, first]
    together = shapes.glb(",".join(asked))
    assert together == b"".join(alone[name] for name in asked)
    assert lengths(together) == [len(alone[name]) for name in asked]
    packed = shapes.gzipped(",".join(asked))
    assert shapes.gzipped(",".join(asked)) is packed  # made once
    assert gzip.decompress(packed) == together


def test_one_unknown_shape_refuses_all(shapes: Shapes) -> None:
    (known,) = names_of(shapes, 1)
    for names in (f"{known},nothing", f"nothing,{known}", f"{known},", ","):
        with pytest.raises(UnknownName, match="No shape of this cell has the hash"):
            shapes.glb(names)


def test_there_is_a_most_that_is_fetched_together(shapes: Shapes) -> None:
    names = names_of(shapes, TOGETHER + 1)
    assert len(lengths(shapes.glb(",".join(names[:TOGETHER])))) == TOGETHER
    with pytest.raises(WorkcellError, match=f"{TOGETHER + 1} shapes were requested at once; the limit is {TOGETHER}"):
        shapes.glb(",".join(names))
