"""Files that are dropped on the page or chosen in the menu are read into the cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_bench import Bench

import workcell as wc

pytestmark = pytest.mark.browser

URDF = """<robot name="pole"><link name="base"><visual><geometry><mesh filename="meshes/post.stl"/></geometry></visual></link>
<link name="tip"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def drop(bench: Bench, files: dict[str, bytes]) -> None:
    """Drop files on the page, as the file manager does."""
    sent = [[name, list(data)] for name, data in files.items()]
    bench.page.evaluate(
        """(sent) => {
          const carried = new DataTransfer();
          for (const [name, data] of sent) carried.items.add(new File([new Uint8Array(data)], name));
          document.querySelector(".app").dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true }));
        }""",
        sent,
    )


def test_a_dropped_step_file_stands_in_the_scene(open_bench: Callable[..., Bench], tmp_path_factory) -> None:
    file = tmp_path_factory.mktemp("parts") / "peg.step"
    wc.solids.cylinder(0.03, 0.2).save(file)
    bench = open_bench()
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    drop(bench, {"peg.step": file.read_bytes()})
    bench.until(f"workcell.bench.scene.lists.bodies.length > {before}")
    assert bench.answer()["state"] == "done", bench.answer()
    assert bench.ask("workcell.bench.log.entries.map((one) => one.line.split(' ')[0])") == ["import", "place"]
    drop(bench, {"notes.docx": b"no shape"})
    bench.until("workcell.bench.messages.list.some((one) => one.tone === 'error')")
    assert "docx" in bench.ask("workcell.bench.messages.list.find((one) => one.tone === 'error').text")


def test_a_robot_and_its_meshes_are_read_together(open_bench: Callable[..., Bench], tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("arm")
    (folder / "meshes").mkdir()
    wc.solids.cylinder(0.05, 0.4).save(folder / "meshes" / "post.stl")
    (folder / "pole.urdf").write_text(URDF)
    bench = open_bench()
    sent = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*.*"))}
    bench.page.evaluate(
        """(sent) => workcell.bench.take(
          sent.map(([path, data]) => ({ path, file: new File([new Uint8Array(data)], path.split("/").at(-1)) })))""",
        [[name, list(data)] for name, data in sent.items()],
    )
    bench.until("workcell.bench.scene.lists.robots.length === 2")
    assert bench.answer()["line"].startswith("import robot pole ")
    assert bench.faults == []
