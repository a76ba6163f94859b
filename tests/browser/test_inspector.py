"""Tree and inspector, as a person uses them: add, rename, move, copy, remove; targets are drawn and follow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser


def done(bench: Bench, count: int) -> str:
    """The line of the last press, when that many are answered."""
    bench.until(f"workcell.bench.log.entries.length === {count}")
    assert bench.answer()["state"] == "done", bench.answer()
    return str(bench.answer()["line"])


def typed(bench: Bench, label: str, value: str) -> None:
    field = bench.page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")


def test_the_dialog_add_offers_a_free_place_and_a_robot_that_is_listed(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    bench.type("add solid far box 800 600 400 at 2100,0,200")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.scene.lists.nodes.some((node) => node.name === 'far')")
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    page.get_by_role("button", name="Add …").click()
    dialog = page.get_by_role("dialog", name="Add to the cell")
    command = dialog.get_by_label("Command of the Add button")
    expect(command).to_contain_text(" at 2800,0,100 ")  # the box ends at 2500; nothing was typed
    dialog.get_by_role("tab", name="Robot").click()
    field = dialog.get_by_label("Find a robot")
    field.fill("ur10e")
    expect(
        dialog.get_by_role("listbox", name="Robots of the library").get_by_role("option", selected=True)
    ).to_contain_text("UR10e")
    expect(command).to_contain_text(" ur10e at ")
    field.fill("no such robot")
    expect(dialog.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    field.press("Enter")
    expect(dialog).to_be_visible()

    dialog.get_by_role("tab", name="Shape").click()
    typed(bench, "Position x [mm]", "9000")  # out of the picture
    dialog.get_by_role("button", name="Add", exact=True).click()
    seen = "workcell.screen([{}, 0, 0.1]).every((at, i) => at > 0 && at < [innerWidth, innerHeight][i])"
    bench.until(seen.format(9))
    assert bench.ask(seen.format(0)), "the robot is still seen"
    assert bench.faults == []


def test_a_box_is_added_renamed_moved_and_undone(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page, tree = bench.page, bench.page.get_by_role("tree")
    page.get_by_role("button", name="Add …").click()
    dialog = page.get_by_role("dialog", name="Add to the cell")
    dialog.get_by_label("Name of the new thing").fill("crate")
    typed(bench, "Size x [mm]", "300")
    dialog.get_by_role("button", name="Add", exact=True).click()
    assert done(bench, 1).startswith("add solid crate box 300 200 200 at ")
    expect(dialog).to_have_count(0)
    panel = page.get_by_label("Selection", exact=True)
    panel.get_by_role("heading", name="crate", exact=True).wait_for(timeout=90_000)  # it is selected
    typed(bench, "Name", "big crate")
    assert done(bench, 2) == 'modify crate name "big crate"'
    tree.get_by_text("big crate", exact=True).wait_for(timeout=90_000)
    z = page.get_by_label("z of the thing [mm]", exact=True)
    expect(z).to_have_value("100", timeout=90_000)
    z.fill("777")
    z.press("Escape")
    expect(z).to_have_value("100")
    typed(bench, "z of the thing [mm]", "450")
    assert done(bench, 3).startswith('place "big crate" at ')
    with connect(bench.url) as client:
        assert client.call("where", thing='"big crate"').value["matrix"][2][3] == pytest.approx(0.45)
        page.get_by_role("button", name="Undo").click()
        done(bench, 4)
        expect(z).to_have_value("100", timeout=90_000)
        assert client.call("where", thing='"big crate"').value["matrix"][2][3] == pytest.approx(0.1)
    expect(panel.get_by_role("list", name="Parts")).to_contain_text("block:crate-solid")
    panel.get_by_role("button", name="Copy").click()
    assert done(bench, 8) == "end"  # a copy is one step
    assert bench.ask("workcell.bench.log.entries.at(-2).line").startswith('place "big crate-1" at ')
    panel.get_by_role("heading", name="big crate-1", exact=True).wait_for(timeout=90_000)
    panel.get_by_role("button", name="Remove").click()
    assert done(bench, 9) == 'remove "big crate-1" --deep'
    expect(tree.get_by_text("big crate-1", exact=True)).to_have_count(0, timeout=90_000)
    assert bench.faults == []


def test_targets_are_drawn_follow_what_they_hang_on_and_can_be_selected(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    for line in ("add solid pallet box 400 300 100 at 900,900,50", "add target spot 900,900,300 on pallet"):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    node = "[...workcell.bench.scene.picture.nodes.values()].find((one) => one.name === 'spot')?.id"
    drawn = f"workcell.layer('marks')?.at({node}).map((value) => Math.round(1000 * value)).join()"
    bench.until(f"{drawn} === '900,900,300'")
    bench.type("place pallet at 500,900,50")
    bench.until(f"{drawn} === '500,900,300'")
    bench.type("undo")
    bench.until(f"{drawn} === '900,900,300'")
    bench.page.get_by_label("Find in the cell", exact=True).fill("spot")
    bench.page.get_by_role("tree").get_by_text("spot", exact=True).click()
    typed(bench, "x of the thing [mm]", "950")
    bench.until(f"{drawn} === '950,900,300'")
    bench.type("place pallet at 500,900,50")  # it still hangs on the pallet
    bench.until(f"{drawn} === '550,900,300'")
    bench.page.get_by_label("Selection", exact=True).get_by_role("button", name="Hide").click()
    bench.until(f"{drawn} === ''")
    assert bench.faults == []


def test_what_is_being_typed_about_a_thing_that_somebody_removes_is_no_command(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench(width=1366, height=768)
    bench.type("add solid Puma box 100 100 100 at 900,0,50")  # its name is also that of the robot
    assert bench.answer()["state"] == "done", bench.answer()
    bench.type("create tool gun vacuum-2x2")
    bench.type("fit tool gun to robot:Puma")
    assert bench.answer()["state"] == "done", bench.answer()
    bench.page.get_by_label("Find in the cell", exact=True).fill("gun")
    bench.page.get_by_role("tree").get_by_text("gun", exact=True).click()
    field = bench.page.get_by_label("x of the TCP", exact=False).first
    field.fill("44")
    with connect(bench.url) as client:
        client.do("take-off robot:Puma")
    expect(field).to_have_count(0, timeout=90_000)
    bench.page.keyboard.press("Escape")
    bench.page.get_by_role("banner").get_by_role("button", name="Add …").click()
    bench.page.get_by_role("dialog").get_by_role("tab", name="More").click()
    expect(bench.page.get_by_role("combobox", name="Carried by")).to_be_visible(timeout=90_000)
    assert not [one for one in bench.ask("workcell.bench.log.entries.map((one) => one.line)") if "tcp" in one]
    assert bench.faults == []
