"""The menu of the right button: in the tree and in the view, by pointer, key and finger."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hand_moves import looked_from, told
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_line_of_the_tree_has_a_menu_that_keys_go_through(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    line = page.get_by_role("treeitem").filter(has_text="table").first
    line.click(button="right")
    menu = page.get_by_role("menu", name="table")
    menu.get_by_role("menuitem", name="Hide or show the selection").wait_for()
    assert menu.get_by_text("Ctrl D").count() == 1
    page.keyboard.press("Escape")
    assert menu.count() == 0
    assert bench.ask("document.activeElement.getAttribute('role')") == "tree"
    page.keyboard.press("Shift+F10")
    menu.wait_for()
    page.keyboard.press("ArrowUp")
    assert bench.until("document.activeElement.textContent.includes('Remove the selection')")
    page.keyboard.press("Escape")
    page.keyboard.press("F2")
    bench.until("document.activeElement.getAttribute('aria-label') === 'Name'")
    assert not bench.faults


def test_a_press_in_the_view_opens_the_menu_inside_of_the_window_and_a_drag_does_not(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench(has_touch=True)
    page = bench.page
    view = page.get_by_role("application")
    box = view.bounding_box()
    assert box is not None
    x, y = bench.ask("workcell.screen([0, 0, 0.4])")
    page.mouse.move(x, y)
    page.mouse.down(button="right")
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.move(x, y, steps=4)
    page.mouse.up(button="right")
    assert page.get_by_role("menu").count() == 0
    page.mouse.click(x, y, button="right")
    page.get_by_role("menu", name="Puma").get_by_role("menuitem", name="Bring home").wait_for()
    page.keyboard.press("Escape")
    assert bench.ask("document.activeElement.getAttribute('role')") == "application"
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] - 3, button="right")
    menu = page.get_by_role("menu", name="The cell")
    menu.wait_for()
    assert bench.ask(
        "(({ right, bottom }) => right <= innerWidth && bottom <= innerHeight)"
        "(document.querySelector('[role=menu]').getBoundingClientRect())"
    )
    page.keyboard.press("Escape")
    fingers = page.context.new_cdp_session(page)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    page.get_by_role("menu", name="Puma").wait_for()
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert bench.ask("workcell.bench.selection.node.kind") == "robot"  # the finger that goes picks no link
    assert page.get_by_role("menu", name="Puma").count() == 1
    assert not bench.faults


def test_the_menu_of_several_things_keeps_them_selected_while_edges_are_picked(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench()
    page = bench.page
    told(bench, "add solid crate box 400 300 200 at 900,-700,100", "add solid peg box 100 80 60 at 300,-900,30")
    looked_from(bench, "0")
    page.get_by_role("button", name="Pick edges").click()
    tree, names = page.get_by_role("tree"), "workcell.bench.selection.things.map((one) => one.name).join()"
    tree.get_by_text("peg", exact=True).click()
    tree.get_by_text("crate", exact=True).click(modifiers=["Control"])
    for point in ([0.9, -0.7, 0.2], [0.9, -0.85, 0.2]):  # in the middle of a face, and at an edge
        page.mouse.click(*bench.ask(f"workcell.screen({point})"), button="right")
        expect(page.get_by_role("menu").get_by_role("menuitem", name="Remove the selection")).to_be_enabled()
        assert bench.ask(names) == "peg,crate"
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_have_count(0)
    tree.get_by_text("peg", exact=True).click()
    page.mouse.click(*bench.ask("workcell.screen([0.9, -0.7, 0.2])"), button="right")  # no edge is there
    expect(page.get_by_role("menu", name="crate")).to_be_visible()
    assert bench.ask(names) == "crate"
    assert not bench.faults
