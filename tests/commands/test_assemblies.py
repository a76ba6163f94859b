"""Assemblies in and out: real names as labels, the tree, colours and instances, in STEP and glTF."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import Refused, WorkcellError
from workcell.geometry import solids
from workcell.geometry.assembly import Assembly, AssemblyGroup, AssemblyPart, Instance, rows_of
from workcell.geometry.formats.files import assembly_from_bytes, assembly_to_step
from workcell.geometry.solid import Solid
from workcell.spatial.pose import Pose
from workcell.world.names import check_name, legal_name


@pytest.fixture
def cell():
    return wc.Cell()


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: float = 0.0) -> tuple[float, ...]:
    return rows_of((Pose.from_xyz(x, y, z) @ Pose.from_axis_angle((0, 0, 1), turn)).matrix)


RED, BLUE, GREEN = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 128 / 255, 0.0)
CAR = Assembly(
    "Wagen 整车",
    (
        AssemblyPart("Part1.1", solids.box(0.1, 0.2, 0.05).recipe, RED),
        AssemblyPart("Колесо", solids.cylinder(0.03, 0.02).recipe, None),
        AssemblyPart("Part1.1", solids.box(0.02, 0.02, 0.02).recipe, GREEN),
        AssemblyPart("", solids.sphere(0.01).recipe, None),
        AssemblyPart("block", solids.cone(0.01, 0.03).recipe, None),
    ),
    (
        Instance(0, "Part1.1", at()),
        Instance(1, "Achse.1", at(0.1, 0, 0), None, True),
        Instance(1, "Achse.1", at(-0.1, 0, 0, 0.5), BLUE, True),
        Instance(2, "Part1.1.1", at(0, 0, 0.2)),
        Instance(3, "ชิ้นส่วน/7", at(0, 0, 0.3), RED),
        Instance(4, "…", at(0, 0, 0.4)),
    ),
    (
        AssemblyGroup("轮", (Instance(1, "rim", at()), Instance(2, "nut 1;2", at(0.01)))),
        AssemblyGroup("Achse", (Instance(0, "l", at(0, 0.1), None, True), Instance(0, "r", at(0, -0.1), GREEN, True))),
    ),
)
"""Nested, duplicate, dotted, unnamed and non-Latin; a group in a group, each used twice; colours at every level."""


def tree(assembly: Assembly) -> Counter:
    """Every leaf: the names down to it, its part, its colour, its place and its volume."""
    volumes = {id(part): round(Solid(part.recipe).volume * 1e9, 2) for part in assembly.parts}
    return Counter(
        (
            leaf.path,
            leaf.part.name,
            leaf.colour and tuple(round(255 * v) for v in leaf.colour),
            tuple(np.round(leaf.matrix[:3].reshape(-1), 6) + 0.0),
            volumes[id(leaf.part)],
        )
        for leaf in assembly.leaves()
    )


def shape(assembly: Assembly) -> tuple[object, ...]:
    return len(assembly.parts), sorted((g.name, len(g.instances)) for g in assembly.groups), len(assembly.instances)


def test_a_step_file_keeps_the_tree_and_every_name(cell, tmp_path: Path) -> None:
    (tmp_path / "car.step").write_bytes(assembly_to_step(CAR).data)
    told = str(cell.do(f"import assembly car {tmp_path}/car.step"))
    assert told == "object 'car' created from car.step: 5 parts, 2 sub-assemblies, used 12 times"
    database = cell.database
    for kind in ("block", "object"):
        for entity in database.entities(kind):
            check_name(entity.name)
    assert database.entity("block", "car-Колесо").properties["label"] == "Колесо"
    assert database.entity("block", "car-Part1-1").properties["label"] == "Part1.1"
    assert database.entity("object", "car").properties["label"] == "Wagen 整车"
    # The car and its two copies of an axle (as it is, and blue) with a wheel each way.
    assert {e.name for e in database.entities("object")} >= {"car", "car-Achse", "car-轮"}
    cell.do(f"export solid car {tmp_path}/again.step")
    before, again = (
        assembly_from_bytes((tmp_path / f"{name}.step").read_bytes(), ".step") for name in ("car", "again")
    )
    assert tree(again) == tree(before)
    assert len(again.parts) == len(before.parts)
    assert again.name == "Wagen 整车"
    assert b"\\X2\\" in (tmp_path / "again.step").read_bytes()
    (tmp_path / "again.step").read_bytes().decode("ascii")


@pytest.mark.parametrize("ending", ["glb", "gltf"])
def test_a_gltf_file_keeps_the_tree_and_every_name(cell, tmp_path: Path, ending: str) -> None:
    (tmp_path / "car.step").write_bytes(assembly_to_step(CAR).data)
    cell.do(f"import assembly car {tmp_path}/car.step")
    cell.do(f"export solid car {tmp_path}/car.{ending}")
    cell.do(f"import assembly copy {tmp_path}/car.{ending}")
    cell.do(f"export solid copy {tmp_path}/again.{ending}")
    before, again = (
        assembly_from_bytes((tmp_path / f"{one}.{ending}").read_bytes(), f".{ending}") for one in ("car", "again")
    )
    assert tree(again) == tree(before)
    step = assembly_from_bytes((tmp_path / "car.step").read_bytes(), ".step")
    assert {key[:3] for key in tree(before)} == {key[:3] for key in tree(step)}
    assert before.name == step.name
    one, other = cell.do("measure car"), cell.do("measure copy")
    assert other.volume == pytest.approx(one.volume, rel=2e-2)
    assert other.centroid == pytest.approx(one.centroid, abs=1e-3)


def test_one_shape_in_many_places_stays_one(cell, tmp_path: Path) -> None:
    for line in (
        "create block pin cylinder 5 30", "create object row", "create object rack",
        *(f"attach pin to row as p{i} translate {20 * i},0,0" for i in range(6)),
        *(f"attach row to rack as r{i} translate 0,{30 * i},0" for i in range(5)),
    ):  # fmt: skip
        cell.do(line)
    assert cell.do("measure rack").volume == pytest.approx(30 * cell.do("measure pin").volume)
    for ending in ("step", "glb"):
        told = str(cell.do(f"export solid rack {tmp_path}/rack.{ending}"))
        assert "1 part in 30 places" in told
        found = assembly_from_bytes((tmp_path / f"rack.{ending}").read_bytes(), f".{ending}")
        assert shape(found) == (1, [("row", 6)], 5)
        cell.do(f"import assembly {ending} {tmp_path}/rack.{ending}")
        assert len(cell.database.relations(cell.database.entity("object", f"{ending}-row"))) == 6
    assert (tmp_path / "rack.step").read_bytes().count(b"MANIFOLD_SOLID_BREP(") == 1


def test_labels_are_shown_searched_and_survive(cell, tmp_path: Path) -> None:
    (tmp_path / "car.step").write_bytes(assembly_to_step(CAR).data)
    cell.do(f"import assembly car {tmp_path}/car.step")
    assert '"Колесо"' in str(cell.do("show car tree"))
    assert 'l: object car-轮 "轮"' in str(cell.do("show car tree"))
    assert "  label: Part1.1" in str(cell.do("show car-Part1-1 full"))
    assert 'block car-Part1-1 "Part1.1"' in str(cell.do("show car-Part1-1 brief"))
    assert "car-Part1-1" in str(cell.do("query label Part1*"))
    assert "Part1-1-1" in str(cell.do('query-relations label "Part1.1.1"'))
    cell.do("modify car-Колесо name wheel")
    assert cell.database.entity("block", "wheel").properties["label"] == "Колесо"
    cell.do('modify wheel label "Wheel #2"')
    cell.do("undo")
    assert cell.database.entity("block", "wheel").properties["label"] == "Колесо"
    cell.do("redo")
    cell.do(f"export solid car {tmp_path}/renamed.step")
    found = assembly_from_bytes((tmp_path / "renamed.step").read_bytes(), ".step")
    assert "Wheel #2" in {part.name for part in found.parts}
    cell.do("copy car as twin --deep")
    assert {e.properties.get("label") for e in cell.database.entities("block")} >= {"Part1.1", "Wheel #2"}
    cell.do(f"save {tmp_path}/kept.celltext")
    other = wc.Cell()
    other.do(f"load {tmp_path}/kept.celltext")
    assert other.database.entity("block", "wheel").properties["label"] == "Wheel #2"
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_scene_keeps_the_trees_of_its_objects_and_the_links_of_its_robots(cell, tmp_path: Path) -> None:
    (tmp_path / "car.step").write_bytes(assembly_to_step(CAR).data)
    cell.do(f"import assembly car {tmp_path}/car.step")
    cell.do("place car at 1000,0,500 rotate 0,0,30")
    cell.do("create robot Puma puma560")
    cell.do(f"export solid main {tmp_path}/all.glb")
    found = assembly_from_bytes((tmp_path / "all.glb").read_bytes(), ".glb")
    assert {one.name for one in found.instances} == {"car", "Puma"}
    paths = {leaf.path for leaf in found.leaves()}
    assert ("car", "Achse.1", "l", "rim") in paths
    assert {path[0] for path in paths if path[-1].startswith("Puma/")} == {"Puma"}


def test_a_nested_object_moves_is_measured_copied_and_removed_with_the_whole(cell) -> None:
    for line in (
        "create block cube1 box 10 10 10", "create object inner", "create object outer",
        "attach cube1 to inner as a translate 5,0,0", "attach inner to outer as i1", "attach cube1 to outer as top",
        "attach inner to outer as i2 rotate 0,0,90 translate 100,0,0", "place outer at 0,0,500",
    ):  # fmt: skip
        cell.do(line)
    body = cell.snapshot().bodies[0]
    assert len(body.pieces) == 3
    assert max(piece.solid.mesh().bounds[1][0] for piece in body.pieces) == pytest.approx(0.105)
    with pytest.raises(WorkcellError, match="part of"):
        cell.do("attach outer to inner")
    cell.do("modify cube1 shape box 20 20 20")
    assert cell.do("measure outer").volume == pytest.approx(3 * 8e-6)
    assert len(cell.snapshot().bodies[0].pieces) == 3
    cell.do("remove outer --deep")
    assert cell.database.names("block") == []
    cell.do("undo")
    assert cell.do("measure outer").volume == pytest.approx(3 * 8e-6)


def test_a_broken_mesh_is_repaired_on_request_and_the_answer_lists_it(cell, tmp_path: Path) -> None:
    mesh = solids.box(0.1, 0.1, 0.1).mesh()
    corners = mesh.vertices[mesh.triangles][1:]
    corners = np.concatenate([corners, corners[:1], corners[1:2, ::-1]]) * 1e3
    lines = [
        "facet normal 0 0 0\nouter loop\n"
        + "\n".join("vertex {} {} {}".format(*p) for p in one)
        + "\nendloop\nendfacet"
        for one in corners
    ]
    (tmp_path / "cube.stl").write_text("solid cube\n" + "\n".join(lines) + "\nendsolid cube\n")
    assert "open along" in str(cell.do(f"import solid broken {tmp_path}/cube.stl mm"))
    told = str(cell.do(f"import solid whole {tmp_path}/cube.stl mm --repair"))
    assert "a mesh of 12 triangles, closed" in told
    assert "2 duplicate triangles removed" in told
    assert "1 hole of 3 edges closed" in told
    assert cell.do("measure whole").volume == pytest.approx(1e-3)
    told = str(cell.do("repair broken"))
    assert told.startswith("broken: 2 duplicate triangles removed")
    assert cell.do("measure broken").volume == pytest.approx(1e-3)
    assert str(cell.do("repair broken")) == "broken: nothing to repair"
    cell.do("undo")
    cell.do("undo")
    with pytest.raises(WorkcellError):
        cell.do("measure broken")
    cell.do("create block exact box 10 10 10")
    with pytest.raises(Refused, match="'exact' is not a mesh; only meshes from files can be repaired"):
        cell.do("repair exact")
    assert "nothing to repair" in str(cell.do(f"import solid fine {_stl(cell, tmp_path)} mm --repair"))


def _stl(cell, tmp_path: Path) -> Path:
    cell.do("create block ball sphere 10")
    cell.do(f"export solid ball {tmp_path}/ball.stl")
    return tmp_path / "ball.stl"


@given(st.text(max_size=120))
def test_every_text_gives_a_legal_name(text: str) -> None:
    name = legal_name(text)
    assert check_name(name) == name
    assert legal_name(name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Part1.1", "Part1-1"), ("", "part"), ("деталь", "деталь"), ("部品 №3", "部品 -3"), ("..", "part"), ("_x", "x"),
        ("block", "block-1"), ("WORLD", "WORLD-1"), ("Café", "Café"), ("a/b\\c:d", "a-b-c-d"), ("M8 x 20", "M8 x 20"),
    ],
)  # fmt: skip
def test_names_stay_readable(text: str, name: str) -> None:
    assert legal_name(text) == name
