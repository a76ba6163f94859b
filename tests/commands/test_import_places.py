"""Imported things stand free, each by one command that is done wholly or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.commands.cell import Cell
from workcell.commands.import_places import GAP, beside, boxes, standing
from workcell.errors import Refused, WorkcellError
from workcell.geometry import solids

side = st.floats(-20.0, 20.0)
size = st.floats(1e-3, 5.0)


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    peg = solids.cylinder(0.03, 0.2)
    for name in ("peg.step", "peg.stl", "peg v1.2.stl", "Lötstück.stl", "peg.glb"):
        peg.save(tmp_path / name)
    return tmp_path


def box_of(cell: Cell, name: str) -> np.ndarray:
    others = {body.name for body in cell.snapshot().bodies} - {name}
    found = boxes(cell.session, others)
    assert found is not None
    return found


def test_files_of_one_name_become_things_of_two_names_that_can_be_used_alone(cell: Cell, parts: Path):
    for file in ("peg.step", "peg.stl", "peg.step", "peg.glb"):
        cell.do(cell.do(f"import-way {file}").text.split("`")[1])
    assert [body.name for body in cell.snapshot().bodies] == ["peg", "peg-2", "peg-3", "peg-4"]
    for name in ("peg", "peg-2", "peg-3", "peg-4"):
        cell.do(f"place {name} at 0,0,0")
        cell.do(f"remove {name} --deep")


@pytest.mark.parametrize(("file", "name"), [("peg v1.2.stl", "peg v1-2"), ("Lötstück.stl", "Lötstück")])
def test_names_of_files_become_names_of_things(cell: Cell, parts: Path, file: str, name: str):
    cell.do(cell.do(f'import-way "{file}"').text.split("`")[1])
    assert [body.name for body in cell.snapshot().bodies] == [name]


@pytest.mark.parametrize("file", ["peg.step", "peg.stl"])
def test_an_import_is_one_step_that_is_repeated_without_the_file(cell: Cell, parts: Path, file: str):
    cell.do("create robot Arm puma560")
    cell.do(cell.do(f"import-way {file}").text.split("`")[1])
    where = box_of(cell, "peg")
    kept = cell.database.history.entries()[-1].command  # where it stands, not how the place was found
    assert " at translate " in kept
    assert "--beside" not in kept
    os.unlink(file)
    again = cell.replayed()
    assert box_of(again, "peg") == pytest.approx(where)
    cell.do("undo")
    assert "peg" not in str(cell.do("list"))
    cell.do("redo")
    assert box_of(cell, "peg") == pytest.approx(where)


def test_a_refused_import_leaves_nothing(cell: Cell, parts: Path):
    Path("broken.stl").write_bytes(b"solid x\nfacet")
    before = str(cell.do("list"))
    for line in (
        "import solid a broken.stl mm --beside",
        "import solid b peg.stl mm on 0,0,0 --beside",
        "import assembly c peg.step at 0,0,0 on 0,0,0",
        "import solid d peg.stl --beside",
    ):
        with pytest.raises(WorkcellError):
            cell.do(line)
        assert str(cell.do("list")) == before
    with pytest.raises(Refused, match="`on` and `--beside` are two answers"):
        cell.do("import solid b peg.stl mm on 0,0,0 --beside")


def test_a_part_stands_beside_everything_or_on_a_point(cell: Cell, parts: Path):
    cell.do("create robot Arm puma560")
    there = boxes(cell.session)
    assert there is not None
    cell.do("import solid one peg.stl mm --beside")
    low, high = box_of(cell, "one")
    assert low[0] >= there[1, 0] + GAP - 1e-9
    assert low[2] == pytest.approx(0.0, abs=1e-6)
    cell.do("import assembly two peg.step on 400,-300,50")
    low, high = box_of(cell, "two")
    assert [*((low + high) / 2)[:2], low[2]] == pytest.approx([0.4, -0.3, 0.05], abs=1e-6)
    cell.do("export robot Arm arm.toml")
    cell.do("import robot Other arm.toml --beside")
    assert cell.snapshot().base_pose(cell.state, "Other").matrix[0, 3] > high[0]


@given(side, size, side, size)
def test_a_free_place_is_free(low: float, width: float, start: float, length: float):
    there = np.array([[start, 0, 0], [start + length, 1, 1]])
    assert low + beside(low, there) >= max(0.0, start + length) + GAP - 1e-6
    own = np.array([[low, low, low], [low + width] * 3])
    assert standing(own, there, None)[2] + low == pytest.approx(0.0)


def test_the_size_of_a_mesh_suggests_its_unit(cell: Cell, parts: Path):
    solids.box(0.0004, 0.0003, 0.0001).save("metres.stl")  # written in mm: 0.4, 0.3, 0.1
    way = cell.do("import-way metres.stl")
    assert way.parameters["unit"] == "m"
    sizes = {one.unit: one.size for one in way.units}
    assert (sizes["mm"], sizes["m"]) == ("0.4 × 0.3 × 0.1 mm", "400 × 300 × 100 mm")
    assert cell.do("import-way peg.stl").parameters["unit"] == "mm"
    assert cell.do("import-way peg.glb").units == ()  # glTF is in metres
