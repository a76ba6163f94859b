"""COLLADA files: every kind of run gives the same mesh; unit, axes, nodes and colours count; damage is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mesh_files import WEDGE, collada
from workcell.errors import FileProblem, WorkcellError
from workcell.geometry import solids
from workcell.geometry.formats import collada as reader
from workcell.geometry.mesh import Mesh
from workcell.geometry.properties import of_mesh
from workcell.geometry.recipe import Triangles
from workcell.spatial.pose import Pose

CUP = (solids.box(0.2, 0.3, 0.4) - solids.cylinder(0.05, 0.5)).mesh(1e-3)


def same(one: Mesh, other: Mesh) -> bool:
    """Whether two meshes have the same triangles, in any order."""

    def rows(mesh: Mesh) -> np.ndarray:
        corners = np.round(mesh.vertices[mesh.triangles], 9) + 0.0
        first = np.lexsort(corners.transpose(2, 0, 1)[::-1], axis=1)[:, 0]
        turned = np.stack([corners[np.arange(len(corners)), (first + k) % 3] for k in range(3)], axis=1)
        flat = turned.reshape(len(turned), 9)
        return flat[np.lexsort(flat.T[::-1])]

    return len(one.triangles) == len(other.triangles) and np.allclose(rows(one), rows(other), atol=1e-9)


@pytest.mark.parametrize("form", ["triangles", "polylist", "polygons", "trifans", "tristrips"])
@pytest.mark.parametrize("mesh", [WEDGE, CUP], ids=["box", "cup"])
def test_every_kind_of_run_is_the_same_mesh(form: str, mesh: Mesh) -> None:
    found = reader.read(collada([(mesh, None)], form))
    assert same(found, mesh)
    assert found.closed


def test_polygons_of_many_corners_and_long_strips_close_up() -> None:
    corners = "0 1 2 3 7 6 5 4 0 4 5 1 1 5 6 2 2 6 7 3 3 7 4 0"
    points = "0 0 0 0 1 0 1 1 0 1 0 0 0 0 1 0 1 1 1 1 1 1 0 1"
    text = collada([(WEDGE, None)], "polylist").decode()
    head, _, rest = text.partition('<float_array id="a0"')
    _, _, rest = rest.partition("</float_array>")
    rest = rest.replace(f'count="{len(WEDGE.vertices)}" stride="3"', 'count="8" stride="3"')
    text = f'{head}<float_array id="a0" count="24">{points}</float_array>{rest}'
    begin, end = text.index("<polylist"), text.index("</polylist>") + len("</polylist>")
    quads = f'<polylist count="6"><input semantic="VERTEX" source="#v0" offset="0"/><vcount>4 4 4 4 4 4</vcount><p>{corners}</p></polylist>'
    cube = reader.read((text[:begin] + quads + text[end:]).encode())
    assert cube.closed
    assert of_mesh(cube).volume == pytest.approx(1.0)
    strip = '<tristrips count="1"><input semantic="VERTEX" source="#v0" offset="0"/><p>3 2 7 6 5 2 1 3 0 7 4 5 0 1</p></tristrips>'
    cube = reader.read((text[:begin] + strip + text[end:]).encode())
    assert cube.closed
    assert abs(of_mesh(cube).volume) == pytest.approx(1.0)


@pytest.mark.parametrize("unit", [1.0, 0.001, 0.0254])
def test_the_unit_of_the_file_counts(unit: float) -> None:
    assert same(reader.read(collada([(CUP, None)], unit=unit)), CUP)


@pytest.mark.parametrize(
    ("up", "turn"),
    [("Z_UP", np.eye(3)), ("Y_UP", [[1, 0, 0], [0, 0, -1], [0, 1, 0]]), (None, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])],
)
def test_the_axis_that_is_up_becomes_z(up: str | None, turn: object) -> None:
    found = reader.read(collada([(CUP, None)], up=up))
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    assert same(found, CUP.transformed(matrix))
    x_up = reader.read(collada([(CUP, None)], up="X_UP"))
    assert np.allclose(x_up.bounds[1] - x_up.bounds[0], [0.3, 0.2, 0.4])


def test_nodes_place_in_their_order() -> None:
    node = "<translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>1 1 2</scale>"
    found = reader.read(collada([(CUP, None)], node=node))
    pose = Pose.from_xyz(1, 2, 3) @ Pose.from_axis_angle((0, 0, 1), np.pi / 2)
    assert same(found, CUP.transformed(pose.matrix @ np.diag([1.0, 1.0, 2.0, 1.0])))
    rows = " ".join(str(v) for v in (pose.matrix @ np.diag([1.0, 1.0, -2.0, 1.0])).reshape(-1))
    mirrored = reader.read(collada([(CUP, None)], node=f"<matrix>{rows}</matrix>"))
    assert of_mesh(mirrored).volume == pytest.approx(2.0 * of_mesh(CUP).volume)


def test_materials_become_parts_with_colours() -> None:
    found = reader.read_assembly(collada([(WEDGE, (0.5, 0.25, 1.0)), (CUP, None)]))
    assert [part.colour for part in found.parts] == [(0.5, 0.25, 1.0), None]
    assert isinstance(found.parts[1].recipe, Triangles)
    assert same(found.parts[1].recipe.mesh(), CUP)


def test_a_file_is_loaded_as_a_solid(tmp_path: Path) -> None:
    place = tmp_path / "cup.dae"
    place.write_bytes(collada([(CUP, None)], unit=0.01))
    assert solids.load(place).volume == pytest.approx(of_mesh(CUP).volume)
    with pytest.raises(WorkcellError, match=r"cup.dae: A COLLADA file contains its own unit; it cannot be read in mm"):
        solids.load(place, "mm")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t[:400], "cut short"),
        (lambda t: t.replace("COLLADA", "KML"), "not a COLLADA file"),
        (lambda t: t.replace("<?xml", "<!DOCTYPE x []><?xml"), "declares XML entities"),
        (lambda t: t.replace('url="#g0"', 'url="#gone"'), "refers to '#gone'"),
        (lambda t: t.replace("<p>0 0", "<p>999 0"), "vertex that does not exist"),
        (lambda t: t.replace("<p>0 0 ", "<p>0 "), "cut short|damaged"),
        (lambda t: t.replace('meter="1.0"', 'meter="0"'), "must be above zero"),
        (lambda t: t.replace("instance_geometry", "instance_controller"), "skinned"),
        (lambda t: t.replace("<triangles", "<lines").replace("</triangles", "</lines"), "no triangles"),
        (lambda t: t.replace("0.15", "nan"), "not finite"),
        (lambda t: t.replace("Z_UP", "W_UP"), "up axis"),
    ],
)
def test_what_is_damaged_is_refused(change: object, words: str) -> None:
    text = change(collada([(WEDGE, None)]).decode())  # type: ignore[operator]
    with pytest.raises(FileProblem, match=words):
        reader.read(text.encode())


def test_nodes_in_a_circle_are_refused() -> None:
    text = collada([(WEDGE, None)], node='<instance_node url="#loop"/>').decode().replace("<node>", '<node id="loop">')
    with pytest.raises(FileProblem, match="form a circle"):
        reader.read(text.encode())


def test_random_damage_is_never_a_traceback() -> None:
    rng = np.random.default_rng(5)
    data = collada([(CUP, (0.1, 0.2, 0.3))], "polylist")
    for _ in range(150):
        hurt = bytearray(data)
        for place in rng.integers(0, len(data), rng.integers(1, 6)):
            hurt[place] = rng.integers(32, 127)
        try:
            reader.read_assembly(bytes(hurt[: rng.integers(1, len(hurt) + 1)] if rng.random() < 0.3 else hurt))
        except WorkcellError:
            continue
