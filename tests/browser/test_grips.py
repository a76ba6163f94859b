"""Lamps are picked and dragged in the view, and the sizes of zones and solids are changed by grips: one command each."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hand_moves import dragged, lines, looked_from, screen, told
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import Client, connect

pytestmark = pytest.mark.browser
PLUS_X = 0  # the first grip of a box


def grip(bench: Bench, number: int) -> tuple[float, float]:
    """Where a grip is in the window."""
    x, y, z = bench.ask(f"workcell.layer('sizes').places[{number}]")
    return screen(bench, (x, y, z))


def pulled(bench: Bench, number: int, far: tuple[float, float, float], release: bool = True) -> None:
    """Drag a grip along a vector of the world [m]."""
    x, y, z = bench.ask(f"workcell.layer('sizes').places[{number}]")
    tx, ty = screen(bench, (x + far[0], y + far[1], z + far[2]))
    mouse = bench.page.mouse
    mouse.move(*grip(bench, number))
    bench.until("workcell.layer('sizes').grabs")
    mouse.down()
    mouse.move(tx, ty, steps=6)
    bench.until("workcell.bench.sizing.readout !== undefined")
    if release:
        mouse.up()


def gripped(bench: Bench, thing: str) -> None:
    """Select a thing in the tree, and show its grips."""
    bench.page.get_by_role("tree").get_by_text(thing, exact=True).click()
    button = bench.page.get_by_role("button", name="Change sizes with grips")
    if button.get_attribute("aria-pressed") != "true":
        button.click()
    bench.until(f"workcell.bench.sizing.held?.node.name === '{thing}' && workcell.layer('sizes').places.length === 6")


def sizes(client: Client, thing: str) -> tuple[list[float], list[float]]:
    """The sizes of a thing and where its middle is [mm]."""
    found = client.call("size-grips", thing=thing).value
    return [round(1000 * one, 3) for one in found["sizes"]], [round(1000 * row[3], 3) for row in found["pose"][:3]]


def done(bench: Bench, count: int) -> str:
    """The last line of the console, when so many are answered."""
    bench.until(f"workcell.bench.log.entries.length === {count}")
    assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.sizing.shown === undefined")
    return lines(bench)[-1]


def test_a_face_of_a_zone_is_dragged_and_the_opposite_one_stays(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(bench, "add zone gate box 300 300 300 at 900,-700,150", "add solid pin cylinder 50 100 at 1400,-700,50")
    looked_from(bench, "0")
    with connect(bench.url) as client:
        gripped(bench, "gate")
        before = len(lines(bench))
        pulled(bench, PLUS_X, (0.2, 0, 0), release=False)
        expect(bench.page.locator("output.readout")).to_have_text("x 500.0 mm")
        bench.page.keyboard.press("Escape")
        bench.until("workcell.bench.sizing.shown === undefined")
        bench.page.mouse.up()
        assert len(lines(bench)) == before
        pulled(bench, PLUS_X, (0.2, 0, 0), release=False)
        client.do("place gate at 900,-700,160")  # somebody else takes it out of the hand
        sentence = r"gate was changed during the drag by .*\(place gate at 900,-700,160\)\. Drag it again"
        expect(bench.page.get_by_role("alert").get_by_text(re.compile(sentence))).to_be_visible()
        bench.page.mouse.up()
        bench.page.get_by_role("button", name="Dismiss").click()  # it may cover a grip
        client.do("place gate at 900,-700,150")
        bench.until("Math.abs((workcell.bench.sizing.held?.pose.elements[14] ?? 0) - 0.15) < 1e-9")
        assert len(lines(bench)) == before
        pulled(bench, PLUS_X, (0.2, 0, 0))
        assert done(bench, before + 1) == "resize gate box 500 300 300 at 1000,-700,150"
        assert sizes(client, "gate") == ([500, 300, 300], [1000, -700, 150])  # from 750 to 1250: the left face stayed
        bench.until("Math.abs(workcell.bench.sizing.held.sizes[0] - 0.5) < 1e-9")
        bench.page.mouse.click(*grip(bench, 4))  # a click on a grip asks for the value: z
        field = bench.page.get_by_label("Size z [mm]", exact=True)
        expect(field).to_be_focused()
        bench.page.keyboard.type("abc")
        bench.page.keyboard.press("Enter")
        expect(bench.page.get_by_role("alert").get_by_text("“abc” cannot be read.")).to_be_visible()
        field.fill("42.05cm")
        bench.page.keyboard.press("Enter")
        done(bench, before + 2)
        assert sizes(client, "gate") == ([500, 300, 420.5], [1000, -700, 210.25])
        bench.page.get_by_role("button", name="Undo").click()
        bench.until(f"workcell.bench.log.entries.length === {before + 3}")
        bench.answer()
        assert sizes(client, "gate") == ([500, 300, 300], [1000, -700, 150])
        gripped(bench, "pin")  # a solid, too: what is round grows evenly, heights from the other end
        pulled(bench, 0, (0.03, 0, 0))
        assert done(bench, before + 4) == "resize pin cylinder 80 100"
        assert sizes(client, "pin") == ([80, 100], [1400, -700, 50])
        told(bench, "copy pin as twin")
        bench.page.get_by_role("tree").get_by_text("pin", exact=True).click()
        expect(bench.page.get_by_text(re.compile("is also a part of twin"))).to_be_visible()
        bench.page.get_by_role("tree").get_by_text("Puma", exact=True).click()
        expect(bench.page.get_by_text("A robot has no sizes to change.")).to_be_visible()
    assert bench.faults == []


def test_a_lamp_is_picked_in_the_view_and_dragged_by_its_handle(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(bench, "create light sun", "place light sun at 600,-600,700")
    bench.until("workcell.bench.lamps.list.length === 1 && workcell.layer('lamps') !== undefined")
    looked_from(bench, "0")
    page.mouse.click(*screen(bench, (0.6, -0.6, 0.7)))
    bench.until("workcell.bench.selection.node?.name === 'sun'")
    expect(page.get_by_role("treeitem", name=re.compile("sun"))).to_have_attribute("aria-selected", "true")
    expect(page.get_by_label("Selection", exact=True).get_by_role("heading", name="sun")).to_be_visible()
    page.get_by_role("button", name="Move with a handle").click()
    bench.until("workcell.bench.moving.held?.node.name === 'sun'")
    before = len(lines(bench))
    node = bench.ask("workcell.bench.selection.id")
    dragged(bench, "x", (0.9, -0.6, 0.7), release=False)
    assert bench.ask(f"workcell.layer('lamps').at('{node}')[0]") == pytest.approx(0.9, abs=0.011)
    page.keyboard.press("Escape")
    bench.until("workcell.bench.moving.motion === undefined")
    page.mouse.up()
    bench.until(f"Math.abs(workcell.layer('lamps').at('{node}')[0] - 0.6) < 1e-6")
    assert len(lines(bench)) == before
    dragged(bench, "x", (0.9, -0.6, 0.7))
    bench.until(f"workcell.bench.log.entries.length === {before + 1}")
    assert bench.answer()["state"] == "done"
    assert lines(bench)[-1].startswith("place sun at 900,-600,700")
    bench.until(f"Math.abs(workcell.layer('lamps').at('{node}')[0] - 0.9) < 1e-6")
    with connect(bench.url) as client:
        assert client.call("lamps").value["lamps"][0]["position"] == pytest.approx([0.9, -0.6, 0.7])
    page.get_by_role("button", name="Turn with a handle").click()
    expect(page.get_by_text("A lamp cannot be turned. To change its direction, move it")).to_be_visible()
    assert bench.faults == []


def test_presses_that_take_several_lines_are_one_step(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(bench, "add solid crate box 200 200 200 at 900,-700,100")

    def steps() -> int:
        return len(client.do("history 500").value["rows"])

    def ended() -> None:
        bench.until(
            "workcell.bench.log.entries.at(-1).line === 'end' && workcell.bench.log.entries.at(-1).state === 'done'"
        )
        bench.ask("workcell.bench.log.clear()")

    with connect(bench.url) as client:
        count = steps()
        page.get_by_role("tree").get_by_text("crate", exact=True).click()
        page.get_by_label("Selection", exact=True).get_by_role("button", name="Copy").click()
        ended()
        assert steps() == count + 1
        bench.ask("workcell.bench.actions.run('window.light')")
        page.get_by_role("button", name="Add a lamp").click()
        ended()
        assert steps() == count + 2
        bench.ask("workcell.bench.panes.shown = 2")
        bench.ask("workcell.bench.actions.run('window.views')")
        page.get_by_role("button", name="Save all panes").click()
        ended()
        assert steps() == count + 3
        bench.type("undo 3")
        assert bench.answer()["state"] == "done"
        assert "crate-1" not in str(client.do("list object"))
        assert not client.call("lamps").value["lamps"]
        assert not client.call("views").value["views"]
    assert bench.faults == []
