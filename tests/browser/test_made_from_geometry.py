"""Targets come from faces and edges that are picked, curves and walls from points that are pressed in the view."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hand_moves import dragged, grasped, lines, pointed, told
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
PREVIEW = "(workcell.layer('making')?.drawn ?? 0)"


def from_above(bench: Bench) -> None:
    """Look down, near enough to press on the crate and beside it, with no other card in the view."""
    bench.ask("workcell.bench.preferences.view.contacts && workcell.bench.actions.run('view.contacts')")
    bench.ask("workcell.bench.view.fit('top')")
    bench.rest()


def test_targets_come_from_a_picked_face_and_edge(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(bench, "add solid crate box 400 300 200 at 500,-700,100")
    from_above(bench)
    page.get_by_role("button", name="Pick faces").click()
    pointed(bench, (0.52, -0.65, 0.2), click=True)
    offers = page.get_by_role("group", name="With crate.top")
    offers.get_by_role("button", name="Targets over this face").click()
    card = page.get_by_role("form", name="Targets over crate.top")
    card.get_by_label("Rows apart [mm]").fill("150")
    card.get_by_label("Spacing [mm]").fill("100")
    card.get_by_label("Stand-off [mm]").fill("20")
    page.keyboard.press("Enter")
    expect(card.get_by_role("status")).to_have_text("10 targets")
    bench.until(f"{PREVIEW} === 10")
    assert "targets over-face crate top to path1 rows 150 spacing 100 gap 20" in card.inner_text()
    card.get_by_role("button", name="Make targets").click()
    bench.until("workcell.bench.selection.node?.name === 'path1'")
    assert bench.until(f"workcell.bench.targets.list.length === 10 && {PREVIEW} === 0")
    page.get_by_role("button", name="Undo", exact=True).click()
    bench.until("workcell.bench.targets.list.length === 0")

    pointed(bench, (0.52, -0.65, 0.2), click=True)
    offers.get_by_role("button", name="A target here").click()
    bench.until("workcell.bench.selection.node?.name === 'target1'")
    assert lines(bench)[-1] == "add target target1 520,-650,200 euler fanuc_wpr 180,0,0 on crate"

    page.get_by_role("button", name="Pick edges").click()
    bench.ask("workcell.bench.view.fit('iso')")
    bench.rest()
    x, y = bench.ask("workcell.screen([0.5, -0.85, 0.2])")
    page.mouse.click(x, y, button="right")
    page.get_by_role("menu").get_by_role("menuitem", name="Targets along this edge").click()
    card = page.get_by_role("form", name="Targets along crate, front and top")
    card.get_by_label("Spacing [mm]").fill("150")
    card.get_by_label("Equal distances").check()
    expect(card.get_by_role("status")).to_have_text("4 targets")
    told(bench, "modify object:crate name box2")
    expect(page.get_by_role("form", name="Targets along box2, front and top")).to_be_visible()
    told(bench, "remove object:box2 --deep")
    card = page.get_by_role("form", name="Targets along")
    expect(card.get_by_role("status")).to_contain_text("is no longer in the cell")
    assert card.get_by_role("button", name="Make targets").is_disabled()
    card.get_by_role("button", name="Cancel").click()
    assert card.count() == 0
    assert bench.faults == []


def test_a_target_turns_into_the_face_that_it_is_dragged_onto(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    told(bench, "add solid crate box 400 300 200 at 500,-700,100", "add target here 200,-1000,300")
    bench.ask("workcell.bench.view.fit('front')")
    bench.rest()
    grasped(bench, "here")
    dragged(bench, "", (0.5, -1.0, 0.1))
    bench.until("workcell.bench.log.entries.at(-1).line.startsWith('place here at')")
    bench.answer()
    pose = "workcell.bench.moving.held?.pose.elements"
    bench.until(f"Math.abs(({pose}?.[9] ?? 0) - 1) < 1e-6 && Math.abs({pose}[13] + 0.85) < 1e-6")
    assert bench.faults == []


def test_curves_and_walls_are_drawn_in_the_view_or_typed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(bench, "add solid crate box 400 300 200 at 500,-700,100")
    from_above(bench)
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("a")
    page.get_by_role("dialog").get_by_role("tab", name="More").click()
    page.get_by_label("Kind of thing").select_option("curve")
    page.get_by_role("button", name="Draw …").click()
    card = page.get_by_role("form", name="Draw a curve")
    card.wait_for()
    for point in ((0.4, -0.75, 0.2), (0.5, -0.65, 0.2), (0.6, -0.75, 0.2)):
        pointed(bench, point, click=True)
    card.get_by_label("z of point 2 [mm]").fill("300")
    page.keyboard.press("Enter")
    card.get_by_role("button", name="Make the curve").click()
    bench.until("workcell.bench.selection.node?.name === 'curve1'")
    assert lines(bench)[-1] == "create curve curve1 through (400,-750,200) (500,-650,300) (600,-750,200)"
    page.get_by_label("Control point of curve1").select_option(label="2")  # it can be edited at once
    bench.until("workcell.bench.forms.chosen?.column === 1")
    page.get_by_role("button", name="Targets …").click()
    page.get_by_role("form", name="Targets along curve1").get_by_role("button", name="Make targets").click()
    bench.until("workcell.bench.selection.node?.name === 'path1'")

    page.get_by_role("button", name="Model", exact=True).click()
    page.get_by_role("menu").get_by_role("menuitem", name="Draw a wall").click()
    card = page.get_by_role("form", name="Draw a wall")
    card.wait_for()
    pointed(bench, (0.1, -0.75, 0), click=True)
    card.get_by_role("button", name="Add a point").click()
    for axis, value in (("x", "900"), ("y", "-750")):
        card.get_by_label(f"{axis} of point 2 [mm]").fill(value)
        page.keyboard.press("Enter")
    card.get_by_label("Height of the wall [mm]").fill("1.5m")
    page.keyboard.press("Enter")
    card.get_by_role("button", name="Make the wall").click()
    bench.until("workcell.bench.selection.node?.name === 'wall1'")
    assert lines(bench)[-1] == "add zone wall1 box 800 50 1500 at 500,-750,750 rule keep-out"
    bench.ask("workcell.bench.actions.run('make.patch')")
    page.get_by_role("form", name="Draw a patch").get_by_label("Name of the patch").press("Escape")
    expect(page.get_by_role("form", name="Draw a patch")).to_have_count(0)
    assert bench.faults == []


def test_the_card_of_a_grid_takes_values_back_and_makes_none_without_its_carrier(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(bench, "add solid crate box 400 300 200 at 500,-700,100")
    page.get_by_role("tree").get_by_text("crate", exact=True).click()
    bench.ask("workcell.bench.actions.run('make.grid')")
    card = page.get_by_role("form", name="Grid of targets")
    command = card.locator("code")
    expect(command).to_contain_text("on crate")
    card.get_by_text("More").click()
    stagger, link = card.get_by_label("Stagger [mm]"), card.get_by_label("Link", exact=True)
    for field, text, word in ((stagger, "25", "stagger 25"), (link, "3", "link 3")):
        field.fill(text)
        expect(command).to_contain_text(word)
        field.press("Escape")
        expect(command).not_to_contain_text(word)
    expect(stagger).to_have_value("0")
    expect(link).to_have_value("")
    link.fill("3")
    link.press("Enter")
    expect(command).to_contain_text("link 3")
    link.fill("")
    link.press("Enter")
    expect(command).not_to_contain_text("link")  # empty again, for the last one
    expect(link).to_have_attribute("aria-invalid", "false")
    told(bench, "remove object:crate --deep")
    expect(card.get_by_role("status")).to_contain_text("What carries the targets was removed")
    expect(card.get_by_role("button", name="Make targets")).to_be_disabled()
    card.get_by_label("Carried by").select_option("the world")
    expect(card.get_by_role("button", name="Make targets")).to_be_enabled()
    expect(command).not_to_contain_text("crate")
    assert bench.faults == []


def test_a_card_that_is_asked_for_while_it_is_open_takes_points(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    from_above(bench)
    card = bench.page.get_by_role("form", name="Draw a wall")
    for _ in range(2):
        bench.ask("workcell.bench.actions.run('make.wall')")
        card.wait_for()
        bench.until("!!workcell.bench.making.takes")
        pointed(bench, (0.2, -0.4, 0), click=True)
        expect(card.get_by_role("list", name="Points").get_by_role("listitem")).to_have_count(1)
    assert bench.faults == []
