"""A part is sketched, extruded, changed, attached and grasped, and bored, as a person does it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

L_SHAPE = [(0, 0), (70, 0), (70, 40), (40, 40), (40, 70), (0, 70)]
SCALE, CENTRE = 2.0, (80, 60)  # pixels per mm, and the mm in the middle of a new sheet


def pointed(bench: Bench, corner: tuple[float, float]) -> None:
    """Move the pointer to a point of the sketch plane [mm]."""
    box = bench.page.get_by_role("application", name="Sketch plane").bounding_box()
    assert box is not None
    x, y = corner
    left = box["x"] + box["width"] / 2 + (x - CENTRE[0]) * SCALE
    bench.page.mouse.move(left, box["y"] + box["height"] / 2 - (y - CENTRE[1]) * SCALE)
    expect(bench.page.locator("output.where")).to_contain_text(f"x {x:g}")


def clicked(bench: Bench, *corners: tuple[float, float]) -> None:
    """Click points of the sketch plane [mm]."""
    for corner in corners:
        pointed(bench, corner)
        bench.page.mouse.down()
        bench.page.mouse.up()


def dragged(bench: Bench, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press at a point of the sketch plane [mm], and let go at another."""
    pointed(bench, start)
    bench.page.mouse.down()
    pointed(bench, end)
    bench.page.mouse.up()


def typed(bench: Bench, label: str, value: float) -> None:
    """Type a number into a field and press Enter."""
    field = bench.page.get_by_label(label, exact=True)
    field.fill(f"{value:g}")
    field.press("Enter")


def asked(bench: Bench, line: str) -> str:
    """The answer to a command."""
    bench.type(line)
    entry = bench.answer()
    assert entry["state"] == "done", entry
    return str(entry["text"])


def volume(bench: Bench, thing: str) -> float:
    """The volume of a thing [mm³], as `measure` states it."""
    found = re.search(r"volume ([\d.]+) mm³", asked(bench, f"measure {thing}"))
    assert found
    return float(found[1])


def settled(bench: Bench) -> None:
    bench.until(
        "workcell.bench.workshop.tool === '' && workcell.bench.log.entries.every((entry) => entry.state !== 'busy')"
    )
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")


def test_a_part_is_sketched_on_the_table_extruded_changed_and_grasped(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("Alt+k")
    page.get_by_label("Plane", exact=True).select_option("A face of an object")
    page.get_by_label("Object of the face to draw on").select_option("table")
    face = page.get_by_label("Face: the face to draw on")
    expect(face).to_be_enabled(timeout=90_000)
    face.select_option("top.top")
    clicked(bench, *L_SHAPE, L_SHAPE[0])
    expect(page.get_by_label("Length of edge 1 [mm]")).to_have_value("70")
    typed(bench, "Height [mm]", 50)
    steps = bench.ask("workcell.bench.log.entries.length")
    make = page.get_by_role("button", name="Make the part")
    expect(make).to_be_enabled(timeout=90_000)
    make.click()
    settled(bench)
    assert bench.ask(f"workcell.bench.log.entries.slice({steps}).map((entry) => entry.line.split(' ')[0])") == [
        *["group", "create", "extrude", "place", "face", "place", "modify", "end"]
    ]
    assert volume(bench, "part-1") == pytest.approx((70 * 40 + 40 * 30) * 50)
    assert "carried by table" in asked(bench, "where part-1")

    page.get_by_role("button", name="Edit sketch").click()
    typed(bench, "Length of edge 1 [mm]", 60)
    expect(page.get_by_label("Length of edge 3 [mm]")).to_have_value("20")
    expect(page.get_by_role("button", name="Change the part")).to_be_enabled(timeout=90_000)
    page.get_by_role("button", name="Change the part").click()
    settled(bench)
    assert volume(bench, "part-1") == pytest.approx((60 * 40 + 40 * 30) * 50)
    typed(bench, "Height of part-1 [mm]", 40)
    bench.answer()
    assert volume(bench, "part-1") == pytest.approx((60 * 40 + 40 * 30) * 40)

    page.get_by_role("button", name="Pick with Puma").click()
    settled(bench)
    assert "picked part-1" in bench.answer()["text"]
    assert "carried by Puma" in asked(bench, "where part-1")
    for _ in range(4):  # the grasp, the height, the dimension, and the part as one step
        page.get_by_role("button", name="Undo").click()
        bench.answer()
    bench.until("!workcell.bench.scene.lists.nodes.some((node) => node.name === 'part-1')")
    assert bench.faults == []


def test_a_sketch_that_crosses_itself_is_refused_and_repaired(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("Alt+k")
    plane = page.get_by_role("application", name="Sketch plane")
    for x, y in ((0, 0), (60, 0), (0, 50), (60, 50)):  # typed, without the mouse
        typed(bench, "Next corner x [mm]", x)
        typed(bench, "Next corner y [mm]", y)
        page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Close the loop").click()
    expect(page.get_by_role("alert")).to_contain_text("crosses edge", timeout=90_000)
    expect(page.get_by_role("button", name="Make the part")).to_be_disabled()
    plane.focus()
    plane.press("Control+z")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Rectangle").click()
    dragged(bench, (20, 0), (40, 50))
    page.get_by_role("button", name="Revolve").click()
    expect(page.get_by_role("button", name="Make the part")).to_be_enabled(timeout=90_000)
    page.get_by_role("button", name="Make the part").click()
    settled(bench)
    assert volume(bench, "part-1") == pytest.approx(math.pi * (40**2 - 20**2) * 50, rel=1e-8)
    assert bench.faults == []


def test_a_cylinder_is_subtracted_from_a_plate_as_they_stand(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    asked(bench, "add solid plate box 200 100 20 at 900,-500,60 rotate 0,0,30")
    asked(bench, "add solid drill cylinder 15 80 at 900,-500,60")
    page.get_by_role("treeitem", name="plate").click()
    page.get_by_role("button", name="Combine …").click()
    page.get_by_role("button", name="Leave plate out").click()  # though it is selected
    rows = page.get_by_role("list", name="Objects to combine").get_by_role("listitem")
    expect(rows).to_have_count(0)
    page.get_by_label("Add an object").select_option("drill")
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    bench.rest()  # the panel has another width than the dock in its place
    page.mouse.click(*bench.ask("workcell.screen([0.961, -0.465, 0.07])"))  # a click in the view adds the plate again
    expect(rows).to_contain_text([re.compile("drill.*is kept"), re.compile("plate.*is subtracted")])
    page.get_by_role("button", name="Keep plate instead of drill").click()
    expect(rows).to_contain_text([re.compile("plate.*is kept"), re.compile("drill.*is subtracted")])
    page.get_by_label("Name of the result").fill("bored")
    page.get_by_role("region", name="Unite, subtract, intersect").locator("footer").get_by_role(
        "button", name="Subtract"
    ).click()
    settled(bench)
    assert volume(bench, "bored") == pytest.approx(200 * 100 * 20 - math.pi * 15**2 * 20, rel=1e-8)
    names = bench.ask("workcell.bench.scene.lists.nodes.map((node) => node.name)")
    assert "bored" in names
    assert not {"plate", "drill"} & set(names)
    page.get_by_role("button", name="Undo").click()
    bench.until("workcell.bench.scene.lists.nodes.some((node) => node.name === 'plate')")
    assert bench.faults == []
