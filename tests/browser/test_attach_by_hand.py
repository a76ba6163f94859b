"""Face to face by hand: pick two faces, see the ghost, accept; detach, clone, put down, home."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hand_moves import lines, looked_from, screen, told
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser


def clicked(bench: Bench, point: tuple[float, float, float]) -> None:
    bench.page.mouse.click(*screen(bench, point))


def settled(bench: Bench, count: int) -> str:
    bench.until(f"workcell.bench.log.entries.length === {count}")
    assert bench.answer()["state"] == "done", bench.answer()
    return lines(bench)[-1]


def test_two_blocks_are_attached_face_to_face_and_detached(open_bench: Callable[..., Bench]) -> None:
    bench, second = open_bench(width=1366, height=768), open_bench(width=1024, height=768)
    page = bench.page
    told(bench, "add solid crate box 400 300 200 at 900,-700,100", "add solid peg box 100 80 60 at 300,-900,30")
    looked_from(bench, "0")
    before = len(lines(bench))
    page.get_by_role("button", name="Attach face to face").click()
    expect(page.get_by_text("Pick a face of the thing to attach.")).to_be_visible()
    clicked(bench, (0.3, -0.94, 0.03))
    expect(page.get_by_text("Pick the face to attach peg.front to.")).to_be_visible()
    clicked(bench, (0.3, -0.9, 0.06))  # the same thing is refused
    expect(page.get_by_text("A thing cannot be attached to itself.")).to_be_visible()
    clicked(bench, (0.85, -0.7, 0.2))
    card = page.get_by_role("form", name="Attach face to face")
    expect(card).to_contain_text("peg.front on crate.top", timeout=90_000)
    bench.until("workcell.bench.ghost.poses.size === 1")
    assert len(lines(bench)) == before
    for label, value in (("Turn on the face [°]", "90"), ("Shift along x [mm]", "50")):
        card.get_by_label(label, exact=True).fill(value)
        card.get_by_label(label, exact=True).press("Enter")
    bench.until(
        "Math.abs([...workcell.bench.ghost.poses.values()][0]?.elements[12] - 0.95) < 1e-6"
    )  # turned and shifted
    ghost = np.array(bench.ask("[...workcell.bench.ghost.poses.values()][0].elements")).reshape(4, 4).T
    card.get_by_role("button", name="Attach", exact=True).click()
    assert settled(bench, before + 1).startswith("face attach peg front to crate top rotate ")
    expect(card).to_have_count(0)
    assert bench.ask("workcell.bench.ghost.poses.size + workcell.bench.picking.marked.length") == 0
    with connect(bench.url) as client:
        where = np.array(client.call("where", thing="peg").value["matrix"])
        assert np.allclose(where, ghost, atol=1e-6)
        assert where[:3, 3] == pytest.approx([0.95, -0.7, 0.24])
        client.do("place crate at 900,-500,100")  # the base takes it along
        assert client.call("where", thing="peg").value["matrix"][1][3] == pytest.approx(-0.5)
        client.do("undo")
    second.until(
        "workcell.pose([...workcell.bench.scene.picture.bodies.values()].find((one) => one.name === 'peg').id)[14] > 0.23"
    )
    page.get_by_role("tree").get_by_text("peg", exact=True).click()
    joint = page.get_by_role("group", name="Attached face to face")
    turn = joint.get_by_label("Turn on the face [°]", exact=True)
    expect(turn).to_have_value("90")
    expect(joint.get_by_label("Shift along x [mm]", exact=True)).to_have_value("50")
    turn.fill("30")
    turn.press("Enter")
    assert settled(bench, before + 2) == "face attach peg front to crate top rotate 0,30,0 translate 50,0,0"
    with connect(bench.url) as client:
        assert np.array(client.call("where", thing="peg").value["matrix"])[:3, 3] == pytest.approx([0.95, -0.7, 0.24])
    page.get_by_role("button", name="Undo").click()  # the change is one step
    settled(bench, before + 3)
    expect(turn).to_have_value("90")
    joint.get_by_role("button", name="crate.top").click()
    attached = page.get_by_role("list", name="Attached to crate")
    expect(attached).to_contain_text("peg")
    attached.get_by_role("button", name="Detach peg").click()
    assert settled(bench, before + 4) == "face detach peg"
    expect(page.get_by_role("button", name="Detach")).to_have_count(0, timeout=90_000)
    for count in (5, 6):
        page.get_by_role("button", name="Undo").click()
        settled(bench, before + count)
    with connect(bench.url) as client:
        assert client.call("where", thing="peg").value["matrix"][0][3] == pytest.approx(0.3)
    page.get_by_role("button", name="Attach face to face").click()
    page.keyboard.press("Escape")
    assert bench.ask("workcell.bench.picking.asked ?? null") is None
    assert bench.faults + second.faults == []


def test_a_thing_is_cloned_put_down_and_a_robot_sent_home(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    told(
        bench,
        "add solid slab box 300 300 50 at -900,-900,25",
        "add solid peg box 60 60 40 at -900,-900,400 rotate 0,0,30",
    )
    looked_from(bench, "0")
    page.get_by_role("tree").get_by_text("peg", exact=True).click()
    before = len(lines(bench))
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("PageDown")
    assert settled(bench, before + 1) == "place peg at -900,-900,70 euler fanuc_wpr 0,0,30"
    bench.until("workcell.bench.inspected.pose?.elements[14] < 0.08")
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("Control+d")
    assert settled(bench, before + 5) == "end"  # a clone is one step
    assert lines(bench)[-2].startswith("place peg-1 at -700,-900,70")
    assert lines(bench)[-4:-2] == ["group", "copy peg as peg-1 --deep"]
    bench.until("workcell.bench.moving.held?.node.name === 'peg-1'")
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("PageDown")  # beside the slab: onto the floor
    assert settled(bench, before + 6).startswith("place peg-1 at -700,-900,20 ")
    told(bench, "move-joints-relative Puma 10,0,0,0,0,0")
    page.get_by_role("tree").get_by_text("Puma", exact=True).click()
    page.get_by_role("button", name="Bring home").click()
    assert settled(bench, before + 8) == "home Puma"
    assert bench.faults == []
