"""Several things are selected in the tree and in the view, by mouse, keyboard and touch, and dealt with as one step."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hand_moves import dragged, lines, looked_from, screen, told
from page_bench import Bench
from playwright.sync_api import Locator, expect

from workcell.service.client import Client, connect

pytestmark = pytest.mark.browser
STAGE = (
    "add solid crate box 200 200 200 at 900,-700,100",
    "add solid lamp cylinder 40 100",
    "face attach lamp bottom to crate top",
    "add solid peg box 100 100 100 at 1400,-700,50",
    "add target spot 900,-1100,50",
)


def row(bench: Bench, name: str) -> Locator:
    return bench.page.get_by_role("treeitem", name=re.compile(rf"\b{name}\b"))


def name(bench: Bench, thing: str) -> Locator:
    return bench.page.get_by_role("tree").get_by_text(thing, exact=True)


def selected(bench: Bench) -> list[str]:
    """The names of what is selected, in its order."""
    found: list[str] = bench.ask(
        "workcell.bench.selection.ids.map((id) => workcell.bench.scene.node(id)?.name ?? 'gone')"
    )
    return found


def staged(bench: Bench) -> None:
    told(bench, *STAGE)
    looked_from(bench, "0")


def at(client: Client, thing: str) -> list[float]:
    """Where a thing is [mm]."""
    rows = client.call("moves-with", thing=thing).value["pose"]
    return [round(1000 * one[3], 3) for one in rows[:3]]


def steps(client: Client) -> int:
    """How many steps the history has."""
    return len(client.do("history 500").value["rows"])


def test_the_tree_takes_one_more_a_range_and_everything(open_bench: Callable[..., Bench]) -> None:
    bench, other = open_bench(), open_bench()
    staged(bench)
    page = bench.page
    tree = page.get_by_role("tree")
    expect(tree).to_have_attribute("aria-multiselectable", "true")
    name(bench, "crate").click()
    name(bench, "peg").click(modifiers=["Control"])
    assert selected(bench) == ["crate", "peg"]
    expect(row(bench, "crate")).to_have_attribute("aria-selected", "true")
    expect(row(bench, "lamp")).to_have_attribute("aria-selected", "false")
    other.until("[...workcell.bench.selection.others.values()][0]?.length === 2")
    expect(row(other, "crate").get_by_role("img", name=re.compile("Selected by"))).to_be_visible()
    expect(row(other, "peg").get_by_role("img", name=re.compile("Selected by"))).to_be_visible()
    name(bench, "crate").click(modifiers=["Control"])
    assert selected(bench) == ["peg"]
    name(bench, "crate").click()
    name(bench, "peg").click(modifiers=["Shift"])
    assert selected(bench) == ["crate", "lamp", "peg"]
    tree.focus()
    name(bench, "crate").click()
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    assert selected(bench) == ["crate", "lamp", "peg"]
    page.keyboard.press("Shift+ArrowUp")
    assert selected(bench) == ["crate", "lamp"]
    page.keyboard.press("Control+ArrowDown")  # only the focus goes on
    assert selected(bench) == ["crate", "lamp"]
    page.keyboard.press("Control+Space")
    assert selected(bench) == ["crate", "lamp", "peg"]
    page.keyboard.press("Control+a")
    everything = selected(bench)
    assert {"crate", "lamp", "peg", "spot", "Puma"} <= set(everything)
    assert "example1" not in everything  # a program is not drawn
    page.keyboard.press("Escape")
    assert selected(bench) == []
    with connect(bench.url) as client:
        bench.ask("workcell.bench.selection.select('')")
        name(bench, "crate").click()
        name(bench, "peg").click(modifiers=["Control"])
        client.do("modify peg name pin")
        name(bench, "pin").wait_for()
        assert selected(bench) == ["crate", "pin"]
        client.do("remove pin --deep")
        bench.until("workcell.bench.selection.ids.length === 1")
        assert selected(bench) == ["crate"]
    assert bench.faults + other.faults == []


def test_the_view_takes_one_more_and_what_a_rectangle_holds_or_touches(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    staged(bench)
    page = bench.page
    looked_from(bench, "1")  # from the front: x to the right, z up
    page.mouse.click(*screen(bench, (0.95, -0.8, 0.05)))
    bench.until("workcell.bench.selection.ids.length === 1")
    page.keyboard.down("Control")
    page.mouse.click(*screen(bench, (1.42, -0.75, 0.05)))
    page.keyboard.up("Control")
    assert selected(bench) == ["crate", "peg"]
    page.keyboard.press("Escape")
    left, right = screen(bench, (0.75, -0.7, 0.5)), screen(bench, (1.4, -0.7, -0.1))
    before = bench.ask("workcell.camera()")
    page.keyboard.down("Shift")
    page.mouse.move(*left)
    page.mouse.down()
    page.mouse.move(*right, steps=4)
    page.mouse.up()
    bench.until("workcell.bench.selection.ids.length > 0")
    assert set(selected(bench)) >= {"crate", "lamp"}
    assert "peg" not in selected(bench)  # only half of it is in the rectangle
    page.keyboard.up("Shift")
    page.keyboard.press("Escape")
    page.keyboard.down("Shift")
    page.mouse.move(*right)
    page.mouse.down()
    page.mouse.move(*left, steps=4)
    page.keyboard.press("Escape")  # takes the rectangle back
    page.mouse.up()
    assert selected(bench) == []
    page.mouse.move(*right)
    page.mouse.down()
    page.mouse.move(*left, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    bench.until("workcell.bench.selection.ids.length > 0")
    assert {"crate", "lamp", "peg"} <= set(selected(bench))
    assert bench.ask("workcell.camera()") == pytest.approx(before, abs=1e-6)  # the camera stood still
    assert bench.faults == []


def test_several_move_turn_and_come_back_as_one_step(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    staged(bench)
    page = bench.page
    with connect(bench.url) as client:
        for thing in ("lamp", "spot", "crate", "peg"):
            name(bench, thing).click(modifiers=["Control"])
        page.get_by_role("button", name="Move with a handle").click()
        bench.until("workcell.bench.moving.held?.taking.length === 3")
        assert bench.ask("workcell.bench.moving.held.node.name") == "peg"
        before, count = len(lines(bench)), steps(client)
        dragged(bench, "x", (1.6, -0.7, 0.05), release=False)
        bench.page.keyboard.press("Escape")
        bench.until("workcell.bench.moving.motion === undefined")
        page.mouse.up()
        assert selected(bench) == ["lamp", "spot", "crate", "peg"]
        assert len(lines(bench)) == before
        dragged(bench, "x", (1.6, -0.7, 0.05))
        bench.until(f"workcell.bench.log.entries.length === {before + 1}")
        assert bench.answer()["state"] == "done", bench.answer()
        assert lines(bench)[-1].startswith("place peg at 1600,-700,50 taking ")
        assert at(client, "peg") == [1600, -700, 50]
        assert at(client, "crate") == [1100, -700, 100]
        assert at(client, "lamp") == [1100, -700, 250]  # carried, and not moved twice
        assert at(client, "spot") == [1100, -1100, 50]
        assert steps(client) == count + 1
        bench.until("workcell.bench.moving.motion === undefined")
        page.get_by_role("button", name="Undo").click()
        bench.until(f"workcell.bench.log.entries.length === {before + 2}")
        assert bench.answer()["state"] == "done"
        assert at(client, "crate") == [900, -700, 100]
        assert at(client, "spot") == [900, -1100, 50]
        name(bench, "example1").click(modifiers=["Control"])
        expect(page.get_by_text("example1: a program has no place of its own.")).to_be_visible()
        assert bench.ask("workcell.bench.moving.held ?? null") is None
    assert bench.faults == []


def test_the_inspector_sets_colour_and_properties_of_all_and_names_who_has_none(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench(width=1366, height=768)
    staged(bench)
    page = bench.page
    panel = page.get_by_label("Selection", exact=True)
    with connect(bench.url) as client:
        for thing in ("crate", "peg"):
            name(bench, thing).click(modifiers=["Control"])
        expect(panel.get_by_role("heading", name="2 things")).to_be_visible()
        expect(panel.get_by_text("2 objects")).to_be_visible()
        count = steps(client)
        panel.get_by_label("Colour of all").evaluate(
            "(field) => { field.value = '#ff8800'; field.dispatchEvent(new Event('change', { bubbles: true })); }"
        )
        bench.until(
            "workcell.bench.log.entries.at(-1).line === 'end' && workcell.bench.log.entries.at(-1).state === 'done'"
        )
        assert steps(client) == count + 1
        assert "#ff8800" in client.do("show crate").text.lower()
        assert "#ff8800" in client.do("show peg").text.lower()
        panel.get_by_role("button", name=re.compile("^Distance")).click()
        expect(page.get_by_label("Contacts").get_by_text(re.compile("350.0 mm between"))).to_be_visible(timeout=90_000)
        name(bench, "spot").click(modifiers=["Control"])
        expect(panel.get_by_role("heading", name="3 things")).to_be_visible()
        expect(panel.get_by_text("spot is a target and has no colour of its own.")).to_be_visible()
        expect(panel.get_by_label("Colour of all")).to_be_disabled()
        panel.get_by_role("button", name="Remove spot from the selection").click()
        assert selected(bench) == ["crate", "peg"]
        panel.get_by_role("button", name=re.compile("^Hide or show")).click()
        assert bench.ask("workcell.bench.selection.hidden.size") == 2
        panel.get_by_role("button", name=re.compile("^Only these")).click()
        assert bench.ask("workcell.bench.selection.hidden.size") > 2
        page.get_by_role("button", name="Edit", exact=True).click()
        page.get_by_role("menuitem", name=re.compile("Show everything")).click()
        count = steps(client)
        panel.get_by_role("button", name=re.compile("^Clone")).click()
        bench.until("workcell.bench.selection.ids.length === 2 && workcell.bench.selection.node.name === 'peg-1'")
        assert steps(client) == count + 1
        assert selected(bench) == ["crate-1", "peg-1"]
        assert at(client, "peg-1") == [1600, -700, 50]
        panel.get_by_role("button", name=re.compile("^Remove: ")).click()
        bench.until("workcell.bench.selection.ids.length === 0")
        assert steps(client) == count + 2
        client.do("undo 2 --any")
        assert steps(client) == count + 2  # undone steps are still listed
        assert "crate-1" not in str(client.do("list object"))
    assert bench.faults == []


def test_a_robot_and_its_link_are_one_thing_and_playback_moves_nothing(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    staged(bench)
    told(bench, "move-joints-relative Puma 20,0,0,0,0,0")
    page = bench.page
    name(bench, "Puma").click()
    page.keyboard.press("ArrowRight")
    name(bench, "Link 2").click(modifiers=["Control"])
    name(bench, "peg").click(modifiers=["Control"])
    assert selected(bench) == ["Puma", "Link 2", "peg"]
    expect(page.get_by_label("Selection", exact=True).get_by_role("heading", name="2 things")).to_be_visible()
    page.get_by_role("button", name="Move with a handle").click()
    bench.until("workcell.bench.moving.held?.taking.length === 1")
    bench.until("workcell.bench.time.duration > 0 && !workcell.bench.time.playing")
    bench.ask("workcell.bench.time.seek(0.1)")
    expect(page.get_by_text("Press Show now to move things.")).to_be_visible()
    assert bench.ask("workcell.bench.moving.held ?? null") is None
    assert bench.faults == []


def test_a_finger_selects_several_with_the_toggle(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1024, height=768, has_touch=True)
    staged(bench)
    page = bench.page
    looked_from(bench, "1")
    toggle = page.get_by_role("button", name="Select several")
    toggle.tap()
    expect(toggle).to_have_attribute("aria-pressed", "true")
    page.touchscreen.tap(*screen(bench, (0.95, -0.8, 0.05)))
    bench.until("workcell.bench.selection.ids.length === 1")
    page.touchscreen.tap(*screen(bench, (1.42, -0.75, 0.05)))
    bench.until("workcell.bench.selection.ids.length === 2")
    assert selected(bench) == ["crate", "peg"]
    page.touchscreen.tap(*screen(bench, (0.95, -0.8, 0.05)))
    bench.until("workcell.bench.selection.ids.length === 1")
    assert selected(bench) == ["peg"]
    assert bench.faults == []
