"""Things are moved by their handles with the mouse: one command each, typed, cancelled, snapped, undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hand_moves import dragged, grasped, grip, lines, looked_from, screen, told
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser
STAGE = (
    "add solid crate box 400 300 200 at 900,-700,100",
    "add solid lamp cylinder 60 200",
    "face attach lamp bottom to crate top",
    "add target spot 900,-700,450 on lamp",
)


def at(client: Any, thing: str) -> list[float]:
    """Where a thing is [mm]."""
    matrix = client.call("where", thing=thing).value["base"]
    return [round(1000 * row[3], 3) for row in matrix[:3]]


def settled(bench: Bench, count: int) -> str:
    """The line of the last command, when so many are answered and the drag is over."""
    bench.until(f"workcell.bench.log.entries.length === {count}")
    assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.moving.motion === undefined && workcell.bench.moving.held !== undefined")
    return lines(bench)[-1]


def body(bench: Bench, name: str) -> list[float]:
    """Where the body of a thing is drawn [mm]."""
    found: list[float] = bench.ask(
        f"workcell.pose([...workcell.bench.scene.picture.bodies.values()].find((one) => one.name === '{name}').id)"
        ".slice(12, 15).map((value) => Math.round(1000 * value))"
    )
    return found


def test_a_drag_is_one_command_and_takes_along_what_stands_and_hangs_on_the_thing(
    open_bench: Callable[..., Bench],
) -> None:
    bench, second = open_bench(width=1366, height=768), open_bench(width=1024, height=768)
    told(bench, *STAGE)
    looked_from(bench, "0")
    grasped(bench, "crate")
    before = len(lines(bench))
    dragged(bench, "x", (1.2, -0.7, 0.1), release=False)
    shown = bench.page.locator("output.readout")
    expect(shown).to_have_text("x +300.0 mm")
    assert body(bench, "crate") == [1200, -700, 100]
    assert body(bench, "lamp") == [1200, -700, 300]
    node = "[...workcell.bench.scene.picture.nodes.values()].find((one) => one.name === 'spot').id"
    bench.until(f"Math.round(1000 * workcell.layer('marks')?.at({node})[0]) === 1200")
    assert body(second, "crate") == [900, -700, 100]
    assert len(lines(bench)) == before
    bench.page.mouse.up()
    assert settled(bench, before + 1) == "place crate at 1200,-700,100"
    expect(shown).to_have_count(0)
    with connect(bench.url) as client:
        assert at(client, "crate") == [1200, -700, 100]
        assert at(client, "spot") == [1200, -700, 450]
        second.until(
            "workcell.pose([...workcell.bench.scene.picture.bodies.values()].find((one) => one.name === 'lamp').id)[12] > 1.19"
        )
        bench.page.get_by_role("button", name="Undo").click()
        settled(bench, before + 2)
        assert at(client, "crate") == [900, -700, 100]
    bench.until("workcell.bench.moving.held.pose.elements[12] < 0.91")
    assert bench.faults + second.faults == []


def test_escape_takes_a_drag_back_and_values_are_typed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(bench, *STAGE)
    looked_from(bench, "0")
    grasped(bench, "crate")
    before = len(lines(bench))
    dragged(bench, "y", (0.9, -0.3, 0.1), release=False)
    assert body(bench, "crate")[1] > -600
    bench.page.keyboard.press("Escape")
    bench.until("workcell.bench.moving.motion === undefined")
    bench.page.mouse.up()
    bench.page.wait_for_timeout(300)
    assert body(bench, "crate") == [900, -700, 100]
    assert len(lines(bench)) == before
    assert bench.ask("workcell.bench.selection.node.name") == "crate"
    bench.page.mouse.click(*grip(bench, "y"))  # a click on an arrow asks for the value
    field = bench.page.get_by_label("Move along y [mm]", exact=True)
    expect(field).to_be_focused()
    bench.page.keyboard.type("123.4")
    bench.until("Math.abs(workcell.bench.moving.motion.elements[13] - 0.1234) < 1e-9")
    bench.page.keyboard.press("Enter")
    assert settled(bench, before + 1) == "place crate at 900,-576.6,100"
    grasped(bench, "crate", "Turn with a handle")
    bench.ask("workcell.bench.moving.own = true")
    bench.ask("workcell.bench.preferences.handle({ angle: Math.PI / 6 })")
    mouse = bench.page.mouse
    bench.until("Math.abs(workcell.bench.moving.held.pose.elements[13] + 0.5766) < 1e-6")  # it is drawn where it went
    bench.rest()
    x, y = bench.ask(
        "(() => { const p = workcell.bench.moving.held.pose.elements.slice(12, 15); const d = Math.hypot(...p.map((v, i) =>"
        " v - workcell.camera()[i])); return workcell.screen([p[0] + 0.045 * d, p[1] - 0.051 * d, p[2]]); })()"
    )
    mouse.move(x, y)
    bench.until("workcell.layer('moving').grabs")
    mouse.down()
    mouse.move(x + 30, y, steps=4)
    bench.page.keyboard.press("4")  # a digit during the drag asks for the value, too
    expect(bench.page.get_by_label("Turn about z [°]", exact=True)).to_be_focused()
    bench.page.keyboard.type("5")
    bench.page.keyboard.press("Enter")
    mouse.up()
    assert settled(bench, before + 2) == "place crate at 900,-576.6,100 euler fanuc_wpr 0,0,45"
    assert bench.faults == []


def test_the_middle_of_the_handle_lays_a_thing_onto_what_is_under_the_pointer(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(
        bench,
        "add solid slab box 600 600 50 at 1000,-900,425",
        "add solid peg box 80 60 40 at 300,-900,20 rotate 0,10,0",
    )
    looked_from(bench, "0")
    grasped(bench, "peg")
    before = len(lines(bench))
    dragged(bench, "", (1.05, -0.95, 0.45), release=False)
    assert bench.ask("workcell.bench.moving.caught.kind") == "face"
    bench.page.mouse.up()
    line = settled(bench, before + 1)
    with connect(bench.url) as client:
        assert at(client, "peg")[2] == 470  # on the slab, upright, and in the plane on the grid
        x, y, _ = at(client, "peg")
        assert (x % 10, y % 10) == (0, 0)
        assert abs(x - 1050) < 30, line
        assert abs(y + 950) < 30, line
        x, y = screen(bench, (0.705, -0.605, 0.45))  # near its corner
        mouse = bench.page.mouse
        mouse.move(*grip(bench, ""))
        bench.until("workcell.layer('moving').grabs")
        mouse.down()
        mouse.move(x + 40, y, steps=3)
        mouse.move(x, y, steps=3)
        bench.until("workcell.bench.moving.caught?.kind === 'corner'")
        mouse.up()
        settled(bench, before + 2)
        assert at(client, "peg")[:2] == [700, -600]
        bench.page.keyboard.down("Control")  # nothing snaps
        dragged(bench, "x", (0.9237, -0.6, 0.47))
        bench.page.keyboard.up("Control")
        settled(bench, before + 3)
        assert at(client, "peg")[0] % 10 != 0
    assert bench.faults == []


def test_targets_zones_and_robots_have_handles_and_others_a_reason(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(
        bench,
        *STAGE,
        "add zone gate box 300 300 300 at -600,-600,150",
        "add solid cup cylinder 30 60 at 600,-300,530 --movable",
    )
    looked_from(bench, "0")
    with connect(bench.url) as client:
        grasped(bench, "spot")
        before = len(lines(bench))
        dragged(bench, "x", (1.0, -0.7, 0.45))
        assert settled(bench, before + 1).endswith(" --hanging")
        client.do("place crate at 900,-800,100")
        assert at(client, "spot") == [1000, -800, 450]  # it still hangs on the lamp
        grasped(bench, "gate")
        before = len(lines(bench))
        dragged(bench, "y", (-0.6, -0.9, 0.15), release=False)
        assert bench.ask("workcell.layer('ghost').group.children[0].matrix.elements[13]") == pytest.approx(
            -0.9, abs=0.011
        )
        bench.page.mouse.up()
        assert settled(bench, before + 1).startswith("place gate at -600,-9")
        grasped(bench, "Puma")
        base = at(client, "Puma")
        dragged(bench, "x", (-0.2, 0, 0))
        settled(bench, before + 2)
        assert at(client, "Puma")[0] < base[0] - 100
    bench.page.get_by_role("tree").get_by_text("example1", exact=True).click()
    expect(bench.page.get_by_text("A program has no place of its own.")).to_be_visible()
    told(bench, "move-joints-relative Puma 20,0,0,0,0,0")
    bench.until("workcell.bench.time.duration > 0 && !workcell.bench.time.playing")
    bench.ask("workcell.bench.time.seek(0.1)")
    bench.page.get_by_role("tree").get_by_text("crate", exact=True).click()
    expect(bench.page.get_by_text("Press Show now to move things.")).to_be_visible()
    assert bench.ask("workcell.bench.moving.held ?? null") is None
    bench.page.get_by_role("button", name="Show now").first.click()
    bench.until("workcell.bench.moving.held?.node.name === 'crate'")
    assert bench.faults == []
