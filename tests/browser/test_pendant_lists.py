"""What the pendant shows before a move: contacts of every solution and of the ghost, the reach; targets and paths."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def opened(open_bench: Callable[..., Bench], *lines: str) -> Bench:
    bench = open_bench(width=1366, height=768)
    for line in lines:
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    bench.page.get_by_role("tab", name="Pendant").click()
    bench.until("workcell.bench.pendant.tool && workcell.bench.connection.status?.warm")
    return bench


def pressed(bench: Bench, line: str) -> None:
    """Wait until the last command of the console is this one, and done."""
    bench.until(f"workcell.bench.log.entries.at(-1).line === {line!r}")
    assert bench.answer()["state"] == "done", bench.answer()


def test_every_solution_names_what_it_touches_and_its_ghost_is_red_there(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench, "add solid post box 60 60 900 at 250,-60,450")
    page = bench.page
    for label, value in (
        ("x of the wanted pose [mm]", 550),
        ("y of the wanted pose [mm]", 150),
        ("z of the wanted pose [mm]", 650),
    ):
        page.get_by_label(label).fill(str(value))
        page.get_by_label(label).press("Enter")
    page.get_by_role("button", name="Inverse", exact=True).click()
    solutions = page.get_by_role("list", name="Solutions").get_by_role("button")
    solutions.first.wait_for()
    names = [solutions.nth(i).get_attribute("aria-label") or "" for i in range(solutions.count())]
    asked = bench.ask("workcell.bench.pendant.inverse.ranked.map(({ one }) => one.free)")
    assert [" touches " in name for name in names] == [not free for free in asked]
    assert True in asked
    assert False in asked
    solutions.nth(asked.index(False)).hover()
    bench.until("workcell.bench.ghost.contacts.length > 0")
    card = page.get_by_role("status", name="Contacts")
    expect(card).to_contain_text("would touch")
    red = "workcell.layer('ghost-arm').group.children.filter((one) => one.material.color.r > 0.7 && one.material.color.g < 0.3).length"
    assert bench.until(red) < bench.ask("workcell.layer('ghost-arm').group.children.length")
    solutions.nth(asked.index(True)).hover()
    bench.until("workcell.bench.ghost.poses.size > 0 && workcell.bench.ghost.contacts.length === 0")
    page.mouse.move(600, 300)
    expect(card).to_have_count(0)
    assert bench.faults == []


def test_the_reach_is_drawn_on_request_and_follows_the_robot(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench)
    button = bench.page.get_by_role("button", name="Reach", exact=True)
    button.click()
    shown = bench.until("workcell.bench.reach.value")
    assert button.get_attribute("aria-pressed") == "true"
    bench.page.get_by_text("the tool reaches").wait_for()
    at = "workcell.layer('reach')?.group.matrix.elements[12]"
    bench.until("!!workcell.layer('reach')")
    assert bench.ask(at) == pytest.approx(shown["frame"][0][3])
    bench.type("place Puma at 300,0,0")
    bench.until(f"Math.abs({at} - {shown['frame'][0][3]} - 0.3) < 1e-9")
    button.click()
    bench.until("!workcell.layer('reach')?.group.visible")
    assert bench.faults == []


def test_targets_and_paths_are_renamed_ordered_checked_and_undone(open_bench: Callable[..., Bench]) -> None:
    pose = "euler fanuc_wpr 180,0,180"
    bench = opened(
        open_bench, f"add target T1 550,150,600 {pose}", f"add target T2 550,0,600 {pose}", "add target far 9000,0,0"
    )
    page = bench.page
    page.get_by_label("Name of the path").fill("weld")
    page.get_by_role("button", name="New path").click()
    pressed(bench, "create path weld")
    order = page.get_by_role("list", name="Targets of weld").get_by_role("listitem")
    for name in ("T1", "T2", "far"):
        page.get_by_label("Append a target to weld").select_option(name)
        pressed(bench, f"targets append {name} to weld")
    expect(order).to_contain_text(["T1", "T2", "far"])
    page.get_by_label("mark what Puma reaches").check()
    page.get_by_text("1 not reached").wait_for()
    assert order.nth(2).get_by_role("img").get_attribute("aria-label").startswith("not reached: ")
    assert order.nth(0).get_by_role("img").get_attribute("aria-label").startswith("reached")
    page.get_by_role("button", name="Move far up in weld").click()
    pressed(bench, "targets reorder weld 3 to 2")
    expect(order).to_contain_text(["T1", "far", "T2"])
    order.nth(1).get_by_role("button", name="far", exact=True).press("Alt+ArrowUp")
    pressed(bench, "targets reorder weld 2 to 1")
    expect(order).to_contain_text(["far", "T1", "T2"])
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    expect(order).to_contain_text(["T1", "far", "T2"])
    page.get_by_role("button", name="Take far out of weld").click()
    pressed(bench, "targets leave weld 2")
    expect(order).to_have_count(2)
    page.get_by_role("list", name="Targets", exact=True).get_by_role("button", name="T2", exact=True).click()
    field = page.get_by_label("Name of T2", exact=True)
    field.fill("corner")
    field.press("Enter")
    pressed(bench, "modify T2 name corner")
    expect(order).to_contain_text(["T1", "corner"])
    page.get_by_role("button", name="Go to T1", exact=True).click()
    pressed(bench, "move-end-effector Puma T1")
    assert bench.faults == []
