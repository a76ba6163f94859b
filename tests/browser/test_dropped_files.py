"""Files that are dropped on the page or chosen in the menu are read into the cell."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

import workcell as wc
from mesh_files import WEDGE, collada
from workcell.commands.cell import Cell

pytestmark = pytest.mark.browser

URDF = """<robot name="pole"><link name="base"><visual><geometry><mesh filename="meshes/post.stl"/></geometry></visual></link>
<link name="tip"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def lines(bench: Bench) -> list[str]:
    """The commands of the console, once all are answered."""
    bench.until("workcell.bench.log.entries.every((one) => one.state !== 'busy')")
    return list(bench.ask("workcell.bench.log.entries.map((one) => one.line)"))


@pytest.fixture
def peg(tmp_path_factory) -> dict[str, bytes]:
    """A peg as STEP, and as STL."""
    folder = tmp_path_factory.mktemp("parts")
    for name in ("peg.step", "peg.stl"):
        wc.solids.cylinder(0.03, 0.2).save(folder / name)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_part_stands_where_it_was_dropped_and_the_same_name_again_beside_it(
    open_bench: Callable[..., Bench], peg: dict[str, bytes]
) -> None:
    bench = open_bench()
    page = bench.page
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    spot = bench.ask("workcell.screen([0.9, -0.6, 0])")
    bench.drop({"peg.step": peg["peg.step"]}, spot)
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 1}")
    (line,) = lines(bench)
    assert line.startswith("import assembly peg dropped:/peg.step on ")
    where = [float(value) for value in line.split(" on ")[1].split(",")]
    assert where == pytest.approx([900, -600, 0], abs=30)
    bench.until("workcell.bench.selection.node?.name === 'peg'")
    bench.drop({"peg.stl": peg["peg.stl"]})
    question = page.get_by_role("dialog", name="Import peg.stl")
    expect(question.get_by_label("Unit of peg.stl")).to_have_value("mm")
    expect(question.get_by_label("Unit of peg.stl")).to_contain_text("m: size 60000 ×")
    question.get_by_label("Unit of peg.stl").select_option("cm")
    question.get_by_role("button", name="Import").click()
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 2}")
    assert lines(bench)[-1] == "import solid peg-2 dropped:/peg.stl cm --beside"
    bench.type("undo")
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 1}")
    bench.answer()
    assert "peg-2" not in bench.ask("[...workcell.bench.scene.picture.nodes.values()].map((node) => node.name)")
    bench.drop({"peg.stl": peg["peg.stl"]})
    expect(question.get_by_label("Unit of peg.stl")).to_have_value("cm")  # remembered
    page.keyboard.press("Escape")
    bench.type(lines(bench)[-2])  # the line of the console can be repeated
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 2}")


def test_ten_files_are_one_step_and_the_view_shows_them(
    open_bench: Callable[..., Bench], peg: dict[str, bytes]
) -> None:
    bench = open_bench()
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    camera = bench.ask("workcell.camera()")
    files = {f"part {number}.v1.step": peg["peg.step"] for number in range(9)}
    bench.drop({**files, "notes.docx": b"no shape", "photo.png": b"no shape"})
    bench.until("workcell.bench.messages.list.some((one) => one.text.includes('photo.png is a picture'))")
    assert bench.ask("workcell.bench.messages.list.some((one) => one.text.includes('docx'))")
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 9}")
    bench.until("workcell.bench.log.entries.at(-1).line === 'end'")
    bench.until(f"JSON.stringify(workcell.camera()) !== '{json.dumps(camera, separators=(',', ':'))}'")
    bench.type("undo")
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before}")


SEEN = """(() => {
  const { left, right, top, bottom } = document.querySelector("[data-view]").getBoundingClientRect();
  const eye = workcell.camera().slice(0, 3);
  const poses = workcell.bench.scene.lists.bodies.map((body) => workcell.pose(body.id).slice(12, 15));
  return poses.every((at) => {
    const [x, y] = workcell.screen(at);
    return x > left && x < right && y > top && y < bottom && Math.hypot(...eye.map((value, i) => value - at[i])) > 2;
  });
})()"""
"""Whether the origins of all bodies are in the picture, and the camera stands far from them."""


@pytest.mark.own_process
@pytest.mark.parametrize("steered", [False, True])
def test_a_large_robot_after_a_small_part_is_seen_from_outside(
    open_bench: Callable[..., Bench], peg: dict[str, bytes], tmp_path_factory, steered: bool
) -> None:
    file = tmp_path_factory.mktemp("worlds") / "irb6400.wld"
    with Cell() as cell:
        cell.do("create robot Arm irb6400")
        cell.do(f"export world {file}")
    bench = open_bench()
    page = bench.page
    before = page.url
    bench.ask("workcell.bench.actions.run('file.new')")
    page.wait_for_url(lambda url: url != before, timeout=90_000)
    bench.until("!!(window.workcell && workcell.bench.scene.facts)")
    bench.drop({"peg.step": peg["peg.step"]})
    bench.until("workcell.bench.shapes.wanted === 1 && workcell.bench.shapes.here === 1")
    if steered:
        bench.ask("workcell.bench.view.orbit(0.1, 0.1)")
    bench.drop({"irb6400.wld": file.read_bytes()})
    bench.until("workcell.bench.shapes.wanted > 5 && workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    bench.until(SEEN)


@pytest.mark.own_process
def test_a_dropped_cell_is_opened_or_copied(open_bench: Callable[..., Bench], tmp_path_factory) -> None:
    file = tmp_path_factory.mktemp("cells") / "line.cell"
    with Cell.create(file) as cell:
        cell.do("add solid peg cylinder 20 100")
    bench = open_bench()
    page = bench.page
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    bench.drop({"line.cell": file.read_bytes()})
    page.get_by_role("radio", name="Copy its contents into this cell").check()
    page.get_by_role("button", name="Import").click()
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 1}")
    assert lines(bench)[-1] == "load dropped:/line.cell prefix line- --here"
    bench.drop({"line.cell": file.read_bytes()})
    here = page.url
    page.get_by_role("button", name="Import").click()
    page.wait_for_url(lambda url: url != here, timeout=90_000)
    bench.until("!!(window.workcell && workcell.bench.scene.facts && workcell.bench.scene.lists.bodies.length === 1)")
    tabs = page.get_by_role("navigation", name="Open cells")
    expect(tabs.get_by_role("button", name="line.cell", exact=True)).to_have_attribute("aria-current", "page")
    assert bench.faults == []


def test_a_robot_and_its_meshes_are_read_together(open_bench: Callable[..., Bench], tmp_path_factory) -> None:
    mesh = tmp_path_factory.mktemp("arm") / "post.stl"
    wc.solids.cylinder(0.05, 0.4).save(mesh)
    bench = open_bench()
    bench.drop({"post.stl": mesh.read_bytes(), "pole.urdf": URDF.encode()})
    bench.until("workcell.bench.scene.lists.robots.length === 2")
    assert lines(bench) == ["import robot pole dropped:/pole.urdf --beside"]  # the mesh is not read once more by itself
    assert bench.faults == []


def test_a_text_is_carried_out_as_one_step_or_becomes_a_program(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    script = ["# two parts", "add solid left box 100 100 100", "program turns", "  repeat 2", "    home Puma"]
    script += ["  end", "end", "add solid right box 100 100 wide"]
    bench.drop({"lines.txt": "\n".join(script).encode()})
    answers = page.get_by_role("log", name="Commands and answers")
    expect(answers).to_contain_text("Line 8, column 29 of lines.txt:")
    expect(answers).to_contain_text("The cell is as before the script.")
    assert bench.ask("workcell.bench.scene.lists.bodies.length") == before

    bench.drop({"lines.txt": "\n".join(script).replace("wide", "100").encode()})
    expect(page.get_by_text("Its lines were carried out as commands. Undo takes all of them back.")).to_be_visible()
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 2}")
    assert lines(bench)[-1] == "load dropped:/2/lines.txt"  # the first file keeps its name
    bench.type("undo")
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before}")
    bench.until("!workcell.bench.programs.names.includes('turns')")

    moves = {"moves.txt": b"move-joints-relative Puma 10,0,0,0,0,0\nwait 1"}
    bench.drop(moves)
    question = page.get_by_role("dialog", name="Import moves.txt")
    expect(question.get_by_role("radio", name="Make a program of its lines")).to_be_checked()
    question.get_by_role("button", name="Import").click()
    bench.until("workcell.bench.programs.names.includes('moves')")
    bench.drop(moves)
    question.get_by_role("radio", name="Carry out its lines now").check()
    question.get_by_role("button", name="Import").click()
    bench.until("workcell.bench.recording.info.duration > 1")
    assert lines(bench)[-1] == "load dropped:/moves.txt"
    assert [one for one in bench.faults if "409" not in one] == []  # the browser notes that the first name was taken


def test_files_of_other_programs_come_in_through_the_menu(open_bench: Callable[..., Bench], tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("models")
    for ending in ("obj", "glb"):
        wc.solids.box(0.3, 0.2, 0.1).save(folder / f"of-{ending}.{ending}")
    (folder / "of-dae.dae").write_bytes(collada([(WEDGE, None)]))
    with Cell() as cell:
        cell.do("add solid of-robosim cylinder 20 100")
        cell.do(f"export robosim object:of-robosim {folder / 'of-robosim.robosim'}")
    bench = open_bench()
    page = bench.page
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    for number, file in enumerate(sorted(folder.iterdir()), start=1):
        page.get_by_role("button", name="File", exact=True).click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("menuitem", name="Import a file …").click()
        chooser.value.set_files(file)
        if file.suffix == ".obj":
            page.get_by_role("dialog").get_by_role("button", name="Import").click()
        bench.until(f"workcell.bench.scene.lists.bodies.length === {before + number}")
        assert file.name in lines(bench)[-1]
    assert bench.faults == []
