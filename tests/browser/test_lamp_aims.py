"""The point that a lamp shines at: typed in the inspector and in the panel Light, dragged in the view, followed by the light."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hand_moves import Point, lines, looked_from, screen, told
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser
SUN = "workcell.layer('lamps').stage.lights.children.find((one) => one.isDirectionalLight)"
FROM = f"((sun) => sun.position.clone().sub(sun.target.position).normalize().toArray())({SUN})"


def way(position: Point, aim: Point) -> list[float]:
    """The direction from a point to another one."""
    parts = [a - b for a, b in zip(position, aim, strict=True)]
    length = sum(part * part for part in parts) ** 0.5
    return [part / length for part in parts]


def shines(bench: Bench, position: Point, aim: Point) -> None:
    """Wait until the light comes from there."""
    wanted = way(position, aim)
    bench.until(f"((found) => {wanted}.every((value, i) => Math.abs(value - found[i]) < 0.02))({FROM})")


def test_a_lamp_is_aimed_in_the_inspector_and_in_the_panel(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(bench, "create light sun", "place light sun at 600,-600,900")
    bench.until("workcell.bench.lamps.list.length === 1 && workcell.layer('lamps') !== undefined")
    default = bench.ask(FROM)
    page.get_by_role("tree").get_by_text("sun", exact=True).click()
    facts = page.get_by_label("Selection", exact=True).get_by_role("group", name="Aim of sun")
    expect(facts).to_contain_text("the middle of the cell")
    facts.get_by_role("button", name="Aim").click()
    expect(facts.get_by_label("z of the aim of sun")).to_be_visible()
    box = bench.ask("workcell.layer('lamps').stage.box().min.add(workcell.layer('lamps').stage.box().max).toArray()")
    assert bench.until("workcell.bench.lamps.list[0].aim") == pytest.approx([value / 2 for value in box], abs=1e-3)
    for axis, value in (("x", "600"), ("y", "600"), ("z", "900")):
        facts.get_by_label(f"{axis} of the aim of sun").fill(value)
        page.keyboard.press("Enter")
        assert bench.answer()["state"] == "done"
    shines(bench, (0.6, -0.6, 0.9), (0.6, 0.6, 0.9))
    assert lines(bench)[-1] == "modify sun aim 600,600,900"
    with connect(bench.url) as client:
        assert client.call("lamps").value["lamps"][0]["aim"] == pytest.approx([0.6, 0.6, 0.9])
    page.get_by_role("tab", name="Light").click()
    panel = page.get_by_role("tabpanel", name="Light").get_by_role("group", name="Aim of sun")
    panel.get_by_label("y of the aim of sun").fill("-1800")
    page.keyboard.press("Enter")
    shines(bench, (0.6, -0.6, 0.9), (0.6, -1.8, 0.9))
    panel.get_by_role("button", name="At the middle").click()
    expect(facts).to_contain_text("the middle of the cell")
    bench.until(f"((now) => {default}.every((value, i) => Math.abs(value - now[i]) < 1e-6))({FROM})")
    told(bench, "undo")
    shines(bench, (0.6, -0.6, 0.9), (0.6, -1.8, 0.9))
    told(bench, "modify light:sun ambient yes")
    expect(facts).to_have_count(0)
    assert bench.faults == []


def test_the_point_that_a_lamp_shines_at_is_dragged_in_the_view(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(bench, "create light sun", "place light sun at 600,-600,700", "modify sun aim 600,0,200")
    bench.until("workcell.bench.lamps.list[0]?.aim && workcell.layer('lamps') !== undefined")
    looked_from(bench, "0")
    page.mouse.click(*screen(bench, (0.6, -0.6, 0.7)))
    bench.until("workcell.bench.selection.node?.name === 'sun'")
    sun = bench.ask("workcell.bench.selection.id")
    page.mouse.click(*screen(bench, (0.6, 0.0, 0.2)))
    bench.until("workcell.bench.workshop.grip !== undefined && workcell.layer('workshop')?.controls !== undefined")
    assert bench.ask("workcell.bench.selection.id") == sun, "the lamp is still selected"
    before = len(lines(bench))
    far = bench.ask("Math.hypot(...[0.6, 0, 0.2].map((value, i) => value - workcell.camera()[i]))")
    camera = bench.ask("workcell.camera()")
    for release in (False, True):
        page.mouse.move(*screen(bench, (0.6 + 0.05 * far, 0.0, 0.2)))
        bench.until("workcell.layer('workshop').controls.axis === 'X'")
        page.mouse.down()
        page.mouse.move(*screen(bench, (0.3 + 0.05 * far, 0.0, 0.2)), steps=4)
        bench.until(f"Math.abs(workcell.layer('lamps').aimOf('{sun}')[0] - 0.3) < 0.03")
        shines(bench, (0.6, -0.6, 0.7), (0.3, 0.0, 0.2))
        assert len(lines(bench)) == before
        if not release:
            page.keyboard.press("Escape")
            page.mouse.move(*screen(bench, (0.2 + 0.05 * far, 0.0, 0.2)), steps=2)
            shines(bench, (0.6, -0.6, 0.7), (0.6, 0.0, 0.2))
        page.mouse.up()
        assert bench.ask("workcell.camera()") == pytest.approx(camera), "the camera stays, also after a cancelled drag"
    bench.until(f"workcell.bench.log.entries.length === {before + 1}")
    assert bench.answer()["line"].startswith("modify sun aim ")
    shines(bench, (0.6, -0.6, 0.7), (0.3, 0.0, 0.2))
    bench.until("Math.abs(workcell.bench.workshop.grip.pose.elements[12] - 0.3) < 0.03")
    told(bench, "undo")
    bench.until(f"Math.abs(workcell.layer('lamps').aimOf('{sun}')[0] - 0.6) < 1e-6")
    page.get_by_role("tree").get_by_text("table", exact=True).click()
    bench.until("workcell.bench.workshop.grip === undefined")
    assert bench.faults == []
