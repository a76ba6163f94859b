"""Arms are built by hand: from a DH table, and of solids with joints on their faces."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def typed(bench: Bench, label: str, value: float) -> None:
    """Type a number into a field, press Enter, and wait for the answer of its command."""
    field = bench.page.get_by_label(label, exact=True)
    before = bench.ask("workcell.bench.log.entries.length")
    field.fill(f"{value:g}")
    field.press("Enter")
    bench.until(f"workcell.bench.log.entries.length > {before}")
    entry = bench.answer()
    assert entry["state"] == "done", entry


def asked(bench: Bench, line: str) -> str:
    """The answer to a command."""
    bench.type(line)
    entry = bench.answer()
    assert entry["state"] == "done", entry
    return str(entry["text"])


def tool_of(bench: Bench, robot: str, joints: str) -> tuple[float, ...]:
    """Where the tool of a robot is [mm], by `fk`."""
    found = re.search(r"tool +(\S+) +(\S+) +(\S+)", asked(bench, f"fk {robot} {joints}"))
    assert found
    return tuple(float(one) for one in found.groups())


def test_an_arm_of_three_joints_is_built_from_its_table(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("button", name="Model", exact=True).click()
    page.get_by_role("menuitem", name="Build an arm").click()
    page.get_by_label("Name of the new arm").fill("crane")
    page.get_by_label("Number of joints").fill("3")
    page.get_by_role("button", name="Begin").click()
    table = page.get_by_role("table", name="DH table of crane")
    expect(table).to_contain_text("joint 1 has no frame and no lengths", timeout=90_000)
    finish = page.get_by_role("button", name="Finish the robot")
    expect(finish).to_be_disabled()
    rows = ((0, 400, 0, 90), (0, 0, 300, 0), (0, 0, 250, 0))
    for joint, (theta, d, a, alpha) in enumerate(rows, start=1):
        typed(bench, f"alpha of joint {joint} [deg]", alpha)
        expect(page.get_by_label(f"theta of joint {joint} [deg]", exact=True)).to_have_value(f"{theta:g}")
        typed(bench, f"d of joint {joint} [mm]", d)
        if a:
            typed(bench, f"a of joint {joint} [mm]", a)
    typed(bench, "Upper limit of joint 2 [deg]", 120)
    expect(page.get_by_text("Hand at home")).to_contain_text("z 400.0")
    typed_base = page.get_by_label("Base x [mm]", exact=True)
    typed_base.fill("2000")
    typed_base.press("Enter")
    expect(finish).to_be_enabled(timeout=90_000)
    finish.click()
    expect(page.get_by_role("treeitem", name="crane")).to_be_visible(timeout=90_000)

    # By hand: the arm stands upright in the plane that joint 1 turns.
    q1, q2, q3 = (math.radians(v) for v in (30, 40, -60))
    reach = 300 * math.cos(q2) + 250 * math.cos(q2 + q3)
    height = 400 + 300 * math.sin(q2) + 250 * math.sin(q2 + q3)
    expected = (2000 + reach * math.cos(q1), reach * math.sin(q1), height)
    assert tool_of(bench, "crane", "30,40,-60") == pytest.approx(expected, abs=0.01)
    page.get_by_role("treeitem", name="crane").click()
    typed(bench, bench.ask("workcell.bench.selection.robot.joints[0].name") + " [°]", 25)  # on the pendant
    assert "joints 25.000 deg" in asked(bench, "where crane")

    # The finished arm is drafted again, and a longer one takes its place.
    page.get_by_role("button", name="Model", exact=True).click()
    page.get_by_role("menuitem", name="Build an arm").click()
    page.get_by_label("Draft a copy of a robot").select_option("crane")
    expect(page.get_by_label("a of joint 3 [mm]", exact=True)).to_have_value("250", timeout=90_000)
    typed(bench, "a of joint 3 [mm]", 450)
    expect(page.get_by_label("Replaces")).to_have_value("crane")
    expect(finish).to_be_enabled(timeout=90_000)
    finish.click()
    bench.until("workcell.bench.workshop.tool === ''")
    assert tool_of(bench, "crane", "0,0,0") == pytest.approx((2000 + 300 + 450, 0, 400), abs=0.01)
    assert bench.ask("workcell.bench.scene.lists.robots.map((robot) => robot.name)") == ["Puma", "crane"]
    assert bench.faults == []


def test_a_robot_is_assembled_of_solids_with_joints_on_their_faces(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    asked(bench, "add solid column cylinder 100 500 at 2000,0,250")
    asked(bench, "add solid beam box 400 80 80 at 2000,800,40")
    page.get_by_role("treeitem", name="column").click()
    page.get_by_role("button", name="Joints …").click()
    page.get_by_label("Add a link").select_option("beam")
    for label, face in (("joint i of column", "bottom"), ("joint i+1 of column", "top"), ("joint i of beam", "bottom")):
        choice = page.get_by_label(f"Face: {label}", exact=True)
        expect(choice).to_be_enabled(timeout=90_000)
        before = bench.ask("workcell.bench.log.entries.length")
        choice.select_option(face)
        bench.until(f"workcell.bench.log.entries.length > {before}")
        assert bench.answer()["state"] == "done"
    expect(page.get_by_role("group", name="Link column")).to_contain_text("d 500 mm", timeout=90_000)
    typed(bench, "Upper limit of beam [deg]", 90)
    page.get_by_label("Name of the robot").fill("crane")
    assemble = page.get_by_role("button", name="Assemble the robot")
    expect(assemble).to_be_enabled(timeout=90_000)
    assemble.click()
    expect(page.get_by_role("treeitem", name="crane")).to_be_visible(timeout=90_000)
    asked(bench, "move-joints-absolute crane 45")
    where = asked(bench, "where crane")
    assert "joints 45" in where
    assert bench.ask("workcell.bench.scene.lists.nodes.map((node) => node.name).includes('beam')") is False
    assert bench.faults == []
