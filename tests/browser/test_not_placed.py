"""What stands nowhere has a line in the tree and is drawn beside the cell; it is picked, followed and placed there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from hand_moves import Point, dragged, grasped, lines, looked_from, pointed, told
from page_bench import Bench
from playwright.sync_api import Browser, Locator, expect
from server_process import free_port, serving, window

from workcell.commands.cell import Cell

pytestmark = pytest.mark.browser
SPARE = "create block spare box 300 300 300 colour red"
PLATE = "create surface plate contour (0,0) (400,0) (400,300) (0,300) hole (100,100) (300,100) (300,200) (100,200)"
CAMERA = "workcell.camera()"
Box = tuple[Point, Point]


def loose(bench: Bench, name: str) -> str:
    """The id of a loose thing, once it is drawn."""
    line = f"workcell.bench.scene.tree.find((one) => one.id === 'loose')?.children.find((one) => one.name === '{name}')?.id"
    found: str = bench.until(f"(workcell.bench.loose.places.has({line}) && {line}) || ''")
    return found


def box(bench: Bench, layer: str, ids: str = "") -> Box:
    """The box around what a layer draws: all of it, or some."""
    low, high = bench.ask(
        f"((one) => [one.min.toArray(), one.max.toArray()])(workcell.layer('{layer}').bodies.box({ids}))"
    )
    return low, high


def shelved(bench: Bench, name: str) -> Box:
    return box(bench, "shelf", f"new Set(['{loose(bench, name)}'])")


def apart(one: Box, two: Box) -> bool:
    return any(one[0][i] > two[1][i] + 0.1 or two[0][i] > one[1][i] + 0.1 for i in (0, 1))


def middle(one: Box) -> Point:
    x, y, z = ((low + high) / 2 for low, high in zip(*one, strict=True))
    return x, y, z


def inspector(bench: Bench) -> Locator:
    return bench.page.get_by_label("Selection", exact=True)


def pose(bench: Bench, name: str) -> list[float]:
    """Where a body is drawn [m]."""
    body = bench.until(f"workcell.bench.scene.lists.bodies.find((body) => body.name === '{name}')?.id ?? ''")
    bench.until(f"workcell.pose('{body}').length === 16")
    return [round(value, 6) for value in bench.ask(f"workcell.pose('{body}')")[12:15]]


def test_what_nothing_uses_is_in_the_tree_and_a_block_is_placed_from_there(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    told(bench, PLATE, SPARE, "create tool cups vacuum-2x2", "draft robot arm 2")
    tree = bench.page.get_by_role("tree")
    expect(tree.get_by_text("Not placed")).to_be_visible()
    for name in ("plate", "cups", "arm"):
        expect(tree.get_by_text(name, exact=True)).to_be_visible()
    tree.get_by_text("spare", exact=True).click()
    expect(bench.page.get_by_role("group", name="Block spare")).to_be_visible()
    low, high = shelved(bench, "spare")
    cups = loose(bench, "cups")
    before = bench.ask("workcell.bench.scene.lists.bodies.length")
    inspector(bench).get_by_role("button", name="Place", exact=True).click()
    bench.until(f"workcell.bench.scene.lists.bodies.length === {before + 1}")
    assert pose(bench, "spare") == pytest.approx(middle((low, high)), abs=1e-6), "where the view showed it"
    assert sum("place block:spare at" in line for line in lines(bench)) == 1
    bench.until("workcell.bench.selection.node?.kind === 'object' && workcell.bench.selection.node.name === 'spare'")
    bench.until("workcell.bench.scene.tree.find((one) => one.id === 'loose').children.length === 3")
    bench.until(f"workcell.layer('shelf').bodies.box(new Set(['{cups}'])).max.x < {low[0] - 0.1}")  # it makes room
    bench.type("undo")
    bench.until("workcell.bench.scene.tree.find((one) => one.id === 'loose').children.length === 4")
    assert shelved(bench, "spare") == (low, high)
    tree.get_by_text("plate", exact=True).click()
    expect(inspector(bench)).to_contain_text("the view shows it beside the cell.")
    assert inspector(bench).get_by_role("button", name="Place", exact=True).count() == 0
    tree.get_by_text("arm", exact=True).click()
    expect(inspector(bench)).to_contain_text("not drawn: it has no shape")
    assert not bench.faults


def test_loose_things_stand_beside_the_cell_and_are_picked_there(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    told(bench, "loose")  # the console has its height
    looked_from(bench, "0")
    before, cell = bench.ask(CAMERA), box(bench, "solid")
    told(bench, PLATE, SPARE, "create block ball sphere 100", "create tool cups vacuum-2x2")
    drawn = [shelved(bench, name) for name in ("plate", "spare", "ball", "cups")]
    for one, two in combinations([cell, *drawn], 2):
        assert apart(one, two)
    assert [low[2] for low, _ in drawn] == pytest.approx([0, 0, 0, 0], abs=1e-6), "they stand on the floor"
    layer = "workcell.layer('shelf').bodies"
    assert bench.ask(f"{layer}.group.children[0].visible") is False, "nothing of it is opaque"
    assert bench.ask(CAMERA) == pytest.approx(before, abs=1e-6), "the camera stays"
    looked_from(bench, "f")
    assert bench.ask(CAMERA) == pytest.approx(before, abs=1e-6), "everything is the cell without them"

    looked_from(bench, "3")
    spare = loose(bench, "spare")
    for _ in range(3):
        bench.page.keyboard.press("-")
    looked_from(bench, "ArrowUp")
    pointed(bench, middle(drawn[1]))
    bench.until(f"workcell.bench.selection.hover === '{spare}'")
    expect(bench.page.locator(".under").get_by_text("spare", exact=True)).to_be_visible()
    pointed(bench, middle(drawn[1]), click=True)
    bench.until(f"workcell.bench.selection.id === '{spare}'")
    expect(bench.page.get_by_role("treeitem", selected=True)).to_contain_text("spare")
    assert bench.until("workcell.layer('shelf').named.join()") == "spare"
    accent = bench.ask(f"{layer}.accent.toArray()")
    edges = f"((one) => one.pieces[0].lines.getColorAt(one.pieces[0].edges, {layer}.accent.clone()).toArray())"
    assert bench.ask(f"{edges}({layer}.drawn.get('{spare}'))") == pytest.approx(accent, abs=0.01)
    (x, y, _), (right, top, _) = drawn[0]
    pointed(bench, ((x + right) / 2, (y + top) / 2, 0.0), click=True)  # through the hole of the plate
    bench.until("workcell.bench.selection.id === ''")
    pointed(bench, (x + 0.05, (y + top) / 2, 0.0), click=True)
    bench.until(f"workcell.bench.selection.id === '{loose(bench, 'plate')}'")

    bench.page.get_by_role("tree").get_by_text("ball", exact=True).click()
    looked_from(bench, "f")
    assert bench.ask(CAMERA)[3:] == pytest.approx(middle(drawn[2]), abs=0.05), "the selected one is fitted"
    assert not bench.faults


def test_loose_things_follow_the_cell_and_other_windows(open_bench: Callable[..., Bench]) -> None:
    one, two = open_bench(), open_bench()
    told(one, SPARE)
    spare = loose(two, "spare")
    assert shelved(one, "spare") == shelved(two, "spare")
    told(one, "modify spare shape box 300 300 500")
    for bench in (one, two):
        bench.until(f"Math.abs(workcell.layer('shelf').bodies.box(new Set(['{spare}'])).max.z - 0.5) < 1e-6")
    told(one, "modify spare name other")
    for bench in (one, two):
        assert loose(bench, "other") == spare
    one.page.get_by_role("tree").get_by_text("other", exact=True).click()
    two.until(f"workcell.layer('shelf').bodies.drawn.get('{spare}').mark === 'theirs'")
    beside = shelved(one, "other")
    told(two, f"add solid wall box 100 2000 200 at {1000 * beside[0][0]:.0f},0,100")  # where it stands
    for bench in (one, two):
        bench.until(f"workcell.layer('shelf').bodies.box(new Set(['{spare}'])).max.x < {beside[0][0] - 0.1}")
    for line, there in (("undo", True), ("undo", True), ("undo", False), ("redo", True)):
        told(one, line)  # the name, the size, the block
        two.until(f"workcell.bench.loose.places.has('{spare}') === {'true' if there else 'false'}")
    assert not one.faults
    assert not two.faults


def test_loose_things_are_hidden_one_by_one_or_all_at_once(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    told(bench, SPARE, PLATE)
    at = middle(shelved(bench, "spare"))
    spare = loose(bench, "spare")
    looked_from(bench, "3")
    for _ in range(3):
        bench.page.keyboard.press("-")
    looked_from(bench, "ArrowUp")
    bench.page.get_by_role("tree").get_by_text("spare", exact=True).click()
    inspector(bench).get_by_role("button", name="Hide", exact=True).click()
    bench.page.keyboard.press("Escape")
    pointed(bench, at, click=True)
    assert bench.ask("workcell.bench.selection.id") == ""
    bench.page.get_by_role("tree").get_by_role("button", name="Show spare").click(force=True)
    pointed(bench, at, click=True)
    assert bench.ask("workcell.bench.selection.id") == spare
    bench.page.get_by_role("button", name="View", exact=True).click()
    bench.page.get_by_role("menuitemcheckbox", name="Loose things beside the cell").click()
    bench.until("workcell.bench.loose.places.size === 0")
    expect(inspector(bench)).to_contain_text("Loose things are not drawn now")
    pointed(bench, at, click=True)
    assert bench.ask("workcell.bench.selection.id") == ""
    bench.page.reload()
    bench.until("!!window.workcell && !!workcell.bench.scene.tree?.find((one) => one.id === 'loose')")
    bench.page.wait_for_timeout(700)
    assert bench.ask("workcell.bench.loose.shapes.length") == 0, "the browser keeps it"
    bench.page.keyboard.press("Alt+l")
    loose(bench, "spare")
    assert not bench.faults


def test_a_loose_block_is_dragged_into_the_cell(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    told(bench, "create block spare box 200 200 200")
    low, high = shelved(bench, "spare")
    looked_from(bench, "1")
    for _ in range(2):
        bench.page.keyboard.press("-")
    looked_from(bench, "ArrowUp")
    grasped(bench, "spare")
    x, y, z = middle((low, high))
    dragged(bench, "x", (x - 0.3, y, z), release=False)
    bench.until(f"Math.abs(workcell.layer('shelf').bodies.box().min.x - {low[0] - 0.3}) < 0.06")
    assert bench.ask("workcell.bench.scene.lists.bodies.some((body) => body.name === 'spare')") is False
    bench.page.mouse.up()
    bench.until("workcell.bench.scene.lists.bodies.some((body) => body.name === 'spare')")
    assert pose(bench, "spare") == pytest.approx((x - 0.3, y, z), abs=0.06)
    assert sum(line.startswith("place block:spare at") for line in lines(bench)) == 1
    bench.until(
        "workcell.bench.moving.held?.node.kind === 'object' && workcell.bench.moving.held.node.name === 'spare'"
    )
    told(bench, "undo")
    assert shelved(bench, "spare") == (low, high)
    assert not bench.faults


@pytest.fixture
def crowded(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A cell with 2,000 loose blocks; `received` has the bytes of each message."""
    path = tmp_path_factory.mktemp("crowded") / "crowded.cell"
    with Cell.create(path) as cell:
        cell.do("add solid table box 800 600 40")
        for i in range(2000):
            cell.do(f"create block b{i} box 40 40 {20 + i % 30}")
    with serving(path, free_port()) as (url, _), window(browser, url) as bench:
        received: list[int] = []

        def count(frame: str | bytes) -> None:
            received.append(len(frame))

        bench.page.on("websocket", lambda socket: socket.on("framereceived", count) and None)
        bench.page.reload()
        bench.until("!!window.workcell && workcell.bench.loose.places.size === 100")
        bench.received = received  # type: ignore[attr-defined]
        yield bench


def test_of_many_loose_things_the_newest_are_drawn_and_the_selected_one(crowded: Bench) -> None:
    received: list[int] = crowded.received  # type: ignore[attr-defined]
    expect(crowded.page.get_by_role("treeitem").filter(has_text="Not placed")).to_contain_text("newest 100 drawn")
    assert crowded.ask("workcell.stats().calls") <= 12
    assert crowded.ask("document.querySelectorAll('*').length") < 1500
    ids = crowded.ask("workcell.bench.scene.tree.find((one) => one.id === 'loose').children.map((one) => one.id)")
    assert len(ids) == 2000
    assert crowded.ask(f"workcell.bench.loose.places.has('{ids[-1]}') && !workcell.bench.loose.places.has('{ids[5]}')")
    crowded.ask(f"workcell.bench.selection.select('{ids[5]}')")
    crowded.until(f"workcell.bench.loose.places.has('{ids[5]}') && workcell.bench.loose.places.size === 101")
    assert crowded.until("workcell.layer('shelf').named.join()") == "b5"
    crowded.page.wait_for_timeout(700)
    received.clear()
    told(crowded, "place table at 100,0,0")
    crowded.page.wait_for_timeout(1500)
    assert 0 < sum(received) < 20_000, "what has not changed is not sent again"
