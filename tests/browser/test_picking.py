"""Faces and edges are picked in the view by the mouse: alone, in a crowd of equal shapes, on a robot and in playback."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hand_moves import looked_from, pointed, told
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_faces_and_edges_are_named_and_chosen(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page, status = bench.page, bench.page.get_by_label("Status", exact=True)
    told(bench, "add solid crate box 400 300 200 at 900,-700,100")
    looked_from(bench, "0")
    page.get_by_role("button", name="Pick faces").click()
    pointed(bench, (0.9, -0.7, 0.2))
    expect(status).to_contain_text("crate.top")
    pointed(bench, (0.9, -0.85, 0.1), click=True)
    expect(status).to_contain_text("crate.front")
    expect(status).to_contain_text("80000.0 mm²", timeout=90_000)
    expect(status).to_contain_text("normal 0.000 -1.000 0.000")
    expect(page.get_by_label("Selection", exact=True).get_by_role("heading", name="crate", exact=True)).to_be_visible()
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("x")
    pointed(bench, (0.9, -0.85, 0.2), click=True)
    expect(status).to_contain_text("crate.front + crate.top")
    expect(status).to_contain_text("length 400.0 mm")
    page.keyboard.press("Escape")
    assert bench.ask("workcell.bench.picking.chosen ?? workcell.bench.selection.node ?? ''") == ""
    page.keyboard.press("b")
    pointed(bench, (0.9, -0.7, 0.2), click=True)
    assert bench.ask("workcell.bench.selection.node.name") == "crate"
    told(bench, "add solid moon sphere 20000 at 0,60000,0")  # many triangles: the pointer is followed all the same
    assert bench.until("workcell.stats().triangles > 300_000")
    bench.until("!workcell.layer('solid').slow")
    looked_from(bench, "0")
    pointed(bench, (0, 40, 0))
    expect(status).to_contain_text("moon")
    page.get_by_role("button", name="Pick faces").click()
    pointed(bench, (1, 40.025, 1))
    expect(status).to_contain_text("moon.")
    assert bench.faults == []


def test_a_face_is_picked_in_a_crowd_and_asked_for(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(bench, *(f"add solid c{i} box 80 80 80 at {120 * i - 800},-900,40" for i in range(14)))
    looked_from(bench, "3")
    bench.page.keyboard.press("v")
    for i in (3, 5, 13):
        pointed(bench, (0.12 * i - 0.8, -0.9, 0.08))
        expect(bench.page.get_by_label("Status", exact=True)).to_contain_text(f"c{i}.top")
    bench.page.keyboard.press("b")
    bench.ask(
        "void workcell.bench.picking.ask('face', 'Pick a face', () => '').then((spot) => (window.answer = spot ?? 'none'))"
    )
    expect(bench.page.get_by_role("status").filter(has_text="Pick a face")).to_be_visible()
    bench.page.keyboard.press("Escape")
    assert bench.until("window.answer") == "none"
    bench.ask(
        "void workcell.bench.picking.ask('face', 'Pick another').then(async (spot) => (window.answer = await workcell.bench.picking.named(spot)))"
    )
    pointed(bench, (0.12 * 5 - 0.8, -0.9, 0.08), click=True)
    assert bench.until("window.answer?.faces?.join()") == "top"
    assert bench.ask("[window.answer.node.name, ...window.answer.facts.centre]") == pytest.approx(["c5", 0, 0, 0.04])
    assert bench.ask("workcell.bench.selection.id") == ""
    assert bench.faults == []


def test_a_face_of_a_moving_body_is_picked_where_it_is_shown(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(bench, "move-joints-relative Puma 90,0,0,0,0,0")
    bench.ask("workcell.bench.time.pause()")
    bench.ask("workcell.bench.time.seek(workcell.bench.time.duration / 2)")
    bench.until("workcell.bench.time.mode === 'playback' && workcell.bench.recording.chunks > 0")
    bench.rest()
    page = bench.page
    page.get_by_role("button", name="Pick faces").click()
    name = "(() => { const { bodies } = workcell.bench.scene.picture; return [...bodies.values()].find((b) => b.link === 2); })()"
    for fraction in (0.3, 0.8):
        bench.ask(f"workcell.bench.time.seek({fraction} * workcell.bench.time.duration)")
        bench.rest()
        middle = bench.ask(
            f"(() => {{ const box = workcell.layer('solid').bodies.box(new Set([{name}.id]));"
            " return [(box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2, (box.min.z + box.max.z) / 2]; })()"
        )
        pointed(bench, tuple(middle))
        bench.until("workcell.bench.picking.hover !== undefined")
        apart = bench.ask(
            "(() => { const { body } = workcell.bench.picking.hover; const drawn = workcell.layer('picked').group.children[0];"
            " return Math.max(...workcell.pose(body).map((v, i) => Math.abs(v - drawn.matrix.elements[i]))); })()"
        )
        assert apart < 1e-6
    assert bench.faults == []
