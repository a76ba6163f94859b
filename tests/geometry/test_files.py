from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from workcell.errors import FileProblem, InvalidShape, InvalidValue, UnknownName, WorkcellError
from workcell.geometry import properties, solids
from workcell.geometry.formats import files, gltf_read, obj, stl
from workcell.geometry.formats.gltf import mesh_to_glb
from workcell.geometry.mesh import Mesh


@pytest.fixture(scope="module")
def plate():
    return solids.box(0.7, 0.2, 0.01) - solids.cylinder(0.05, 0.1)


def test_a_plate_of_700_mm_is_700_in_step_and_comes_back_as_it_was(plate, tmp_path):
    said = plate.save(tmp_path / "plate.step")
    assert said == "plate.step: STEP, exact, in millimetres"
    text = (tmp_path / "plate.step").read_text()
    assert "350." in text
    assert "MILLI" in text
    again = solids.load(tmp_path / "plate.step")
    assert again.volume == pytest.approx(plate.volume, rel=1e-9)
    assert again.is_valid
    assert all("-" in name for name in again.faces.names)
    assert solids.load(tmp_path / "plate.step").faces.names == again.faces.names


@pytest.mark.parametrize(
    ("name", "unit"), [("a.stl", "mm"), ("a.stl", "inch"), ("a.obj", "m"), ("a.glb", None), ("a.gltf", None)]
)
def test_meshes_come_back_closed_in_the_unit_that_was_said(plate, tmp_path, name, unit):
    said = plate.save(tmp_path / name, 1e-4, unit or "mm")
    assert (unit or "metres") in said
    again = solids.load(tmp_path / name, unit)
    mesh = again.mesh()
    assert mesh.closed
    assert again.volume == pytest.approx(properties.of_mesh(plate.mesh(1e-4)).volume, rel=1e-5)
    low, high = mesh.bounds
    assert high - low == pytest.approx([0.7, 0.2, 0.01], abs=1e-6)


def test_ascii_stl_and_obj_keep_every_digit(plate):
    mesh = plate.mesh(1e-3)
    again = stl.read(stl.write(mesh, 1e-3, ascii_text=True), 1e-3)
    assert properties.of_mesh(again).volume == pytest.approx(properties.of_mesh(mesh).volume, rel=1e-12)
    again = obj.read(obj.write(mesh, 1.0), 1.0)
    assert properties.of_mesh(again).volume == pytest.approx(properties.of_mesh(mesh).volume, rel=1e-12)
    assert set(again.face_names) == set(mesh.face_names)


def test_obj_reads_polygons_negative_indices_and_groups():
    text = b"o cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\ng floor\nf -5/1 -2//3 -3 -4\ng roof\nf 1 2 5\n"
    mesh = obj.read(text, 1.0)
    assert mesh.face_names == ("floor", "roof")
    assert len(mesh.triangles) == 3
    assert not mesh.closed


def test_an_open_mesh_is_read_as_such_and_can_be_shown_but_not_weighed(tmp_path):
    cube = solids.box(1, 1, 1).mesh()
    holed = Mesh(cube.vertices, cube.triangles[1:], cube.face_of_triangle[1:], cube.face_names)
    (tmp_path / "open.stl").write_bytes(stl.write(holed, 1.0))
    solid = solids.load(tmp_path / "open.stl", "m")
    assert not solid.mesh().closed
    assert len(solid.mesh().triangles) == 11
    assert not solid.is_valid
    with pytest.raises(InvalidShape, match="open along 3 edges"):
        solid.volume


def test_gltf_nodes_with_transforms_are_placed_and_y_up_becomes_z_up():
    mesh = solids.box(0.1, 0.2, 0.3).mesh()
    assert gltf_read.read(mesh_to_glb(mesh, y_up=True)).bounds[1] == pytest.approx([0.05, 0.1, 0.15], abs=1e-7)
    data = mesh_to_glb(mesh)
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    document["nodes"] = [
        {"children": [1], "translation": [1, 0, 0]},
        {"mesh": 0, "scale": [2, 2, -2], "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]},
    ]
    from workcell.geometry.formats.gltf import pack

    moved = gltf_read.read(pack(document, data[28 + size :]), y_up=False)
    assert moved.bounds[0] == pytest.approx([0.8, -0.1, -0.3], abs=1e-6)
    assert properties.of_mesh(moved).volume == pytest.approx(0.006 * 8, rel=1e-5)


GOOD_STL = stl.write(solids.box(1, 1, 1).mesh(), 1.0)
SIGNALLING_STL = GOOD_STL[:96] + bytes.fromhex("0100a07f") + GOOD_STL[100:]
GOOD_ASCII = stl.write(solids.box(1, 1, 1).mesh(), 1.0, ascii_text=True)
GOOD_GLB = mesh_to_glb(solids.box(1, 1, 1).mesh())
NO_ACCESSORS = json.dumps(
    {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    }
).encode()


@pytest.mark.parametrize(
    ("data", "ending", "unit", "said"),
    [
        (GOOD_STL[:-20], ".stl", "mm", r"header claims 12 triangles \(684 bytes\), the file has 664 bytes"),
        (GOOD_ASCII[: len(GOOD_ASCII) // 2], ".stl", "mm", "ASCII STL file is cut short"),
        (b"x" * 80 + (40_000_000).to_bytes(4, "little") + b"0" * 500, ".stl", "mm", r"claims 40000000 triangles"),
        (b"x" * 80 + (0).to_bytes(4, "little"), ".stl", "mm", "holds no triangles"),
        (SIGNALLING_STL, ".stl", "mm", "numbers that are not finite"),
        (b"hello", ".stl", "mm", "is not an STL file"),
        (b"", ".stl", "mm", "is empty"),
        (GOOD_STL, ".stl", None, "does not contain the unit of its numbers; give the unit: mm"),
        (GOOD_STL, ".stl", "parsec", "There is no unit of length called 'parsec'"),
        (b"v 0 0 0\nf 1 2 9\n", ".obj", "mm", r"Line 2 of the OBJ file cannot be read \(vertex 2 of 1\)"),
        (b"v 0 0 zero\n", ".obj", "mm", "Line 1 of the OBJ file"),
        (b"# nothing\n", ".obj", "mm", "holds no faces"),
        (b"this is text, not STEP\n", ".step", None, "does not begin with ISO-10303-21"),
        (b"ISO-10303-21;\nHEADER;\nDATA;\n", ".step", None, "cut short: END-ISO-10303-21 is missing"),
        (GOOD_GLB[:-100], ".glb", None, r"The GLB file is cut short: it claims \d+ bytes"),
        (b"{}", ".gltf", None, "no 'asset'"),
        (b"glTF", ".glb", None, "The glTF file is damaged: it is cut short"),
        (NO_ACCESSORS, ".gltf", None, "The glTF file is damaged: 'accessors' is missing in it."),
        (NO_ACCESSORS[:-9], ".gltf", None, "The glTF file is damaged: its text is not JSON"),
        (GOOD_GLB, ".glb", "mm", "A glTF file is in metres"),
        (GOOD_STL, ".foo", "mm", "There is no kind of shape file"),
    ],
)
def test_bad_files_are_refused_in_one_clear_line(tmp_path, data, ending, unit, said):
    path = tmp_path / f"bad{ending}"
    path.write_bytes(data)
    with pytest.raises(WorkcellError, match=said) as caught:
        solids.load(path, unit)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, FileProblem | InvalidValue | UnknownName)


def test_a_claim_of_two_gigabytes_costs_no_memory(tmp_path):
    import tracemalloc

    path = tmp_path / "claim.stl"
    path.write_bytes(b"x" * 80 + (43_000_000).to_bytes(4, "little") + b"\0" * 1000)
    tracemalloc.start()
    with pytest.raises(FileProblem, match="2150000084 bytes"):
        solids.load(path, "mm")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_a_gltf_file_is_text_with_its_data_inside(tmp_path):
    told = solids.box(0.1, 0.2, 0.3).save(tmp_path / "box.gltf")
    assert told.startswith("box.gltf: glTF, 12 triangles")
    document = json.loads((tmp_path / "box.gltf").read_text())
    assert document["asset"]["version"] == "2.0"
    assert document["buffers"][0]["uri"].startswith("data:application/octet-stream;base64,")
    assert solids.load(tmp_path / "box.gltf").mesh().bounds[1] == pytest.approx([0.05, 0.1, 0.15], abs=1e-7)


def test_a_glb_that_claims_more_than_it_has_is_refused():
    size = struct.unpack_from("<I", GOOD_GLB, 12)[0]
    document = json.loads(GOOD_GLB[20 : 20 + size])
    document["accessors"][0]["count"] = 500_000_000
    from workcell.geometry.formats.gltf import pack

    with pytest.raises(FileProblem, match="it claims 500000000 values"):
        files.from_bytes(pack(document, GOOD_GLB[28 + size :]), ".glb")


def test_a_step_file_without_units_or_shapes_is_refused():
    empty = (
        b"ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n"
        b"FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n#1=CARTESIAN_POINT('',(0.,0.,0.));\nENDSEC;\n"
        b"END-ISO-10303-21;\n"
    )
    with pytest.raises(InvalidValue, match="does not contain the unit"):
        files.from_bytes(empty, ".step")
    with pytest.raises(FileProblem, match="no shape that can be read"):
        files.from_bytes(empty, ".step", "mm").volume


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path, plate):
    with pytest.raises(FileProblem, match="cannot be written"):
        plate.save(tmp_path / "missing" / "a.stl")
    with pytest.raises(UnknownName, match="kind of shape file to write"):
        plate.save(tmp_path / "a.docx")
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_never_raise_anything_but_our_errors():
    rng = np.random.default_rng(7)
    good = {".stl": GOOD_STL, ".glb": GOOD_GLB, ".obj": obj.write(solids.box(1, 1, 1).mesh(), 1.0)}
    for ending, data in good.items():
        for _ in range(60):
            bad = bytearray(data)
            for place in rng.integers(0, len(bad), 8):
                bad[place] = rng.integers(0, 256)
            try:
                files.from_bytes(bytes(bad[: rng.integers(1, len(bad))]), ending, None if ending == ".glb" else "mm")
            except WorkcellError:
                continue
