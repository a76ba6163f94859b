"""The pendant, as a person uses it: joints, jogging, every inverse solution, targets, the handle in the view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from page_bench import Bench
from playwright.sync_api import Locator, expect

from workcell.robots.formats import wld
from workcell.robots.formats.wld_objects import targets_in
from workcell.service.client import connect

pytestmark = pytest.mark.browser

CASE_ONE = Path(__file__).parent.parent / "data" / "robots" / "irb6400.wld"


def opened(open_bench: Callable[..., Bench], *lines: str) -> Bench:
    bench = open_bench(width=1366, height=768)
    for line in lines:
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    bench.page.get_by_role("tab", name="Pendant").click()
    bench.until("workcell.bench.pendant.tool")
    return bench


def typed(bench: Bench, label: str, value: float) -> None:
    field = bench.page.get_by_label(label, exact=True)
    field.fill(f"{value:.6f}")
    field.press("Enter")


def last_line(bench: Bench) -> str:
    assert bench.answer()["state"] == "done", bench.answer()
    return str(bench.answer()["line"])


def test_joints_jogs_and_home_are_commands_that_move_the_robot(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench)
    names = bench.ask("workcell.bench.pendant.robot.joints.map((joint) => joint.name)")
    typed(bench, f"{names[0]} [°]", 20)
    bench.until("workcell.bench.log.entries.length === 1")
    assert last_line(bench).startswith("move-joints-absolute Puma 20,")
    bench.until("Math.abs(workcell.bench.pendant.robot.values[0] - Math.PI / 9) < 1e-6")
    before = bench.ask("workcell.bench.scene.picture.robots.values().next().value.values")
    bench.page.get_by_role("button", name="World", exact=True).click()
    bench.page.get_by_role("button", name="z forward", exact=True).click()
    bench.until("workcell.bench.log.entries.length === 2")
    assert last_line(bench) == "move-hand Puma 0,0,10 along world"
    with connect(bench.url) as client:
        now = client.state.joints["Puma"]
        assert not np.allclose(now, before)
        arm = client.call("fk", robot="Puma", joints=before).value["tool"][2][3]
        assert client.call("fk", robot="Puma").value["tool"][2][3] - arm == pytest.approx(0.01, abs=1e-6)
    bench.page.get_by_label("at once", exact=False).check()
    bench.page.get_by_role("button", name="z back", exact=True).click()
    bench.until("workcell.bench.log.entries.length === 3")
    assert last_line(bench).startswith("set hand Puma ")
    bench.until(f"Math.abs(workcell.bench.pendant.robot.values[1] - {before[1]}) < 1e-5")
    bench.page.get_by_role("button", name="Home", exact=True).click()
    bench.until("workcell.bench.log.entries.length === 4")
    assert last_line(bench) == "home Puma"
    assert bench.faults == []


def test_a_dragged_joint_shows_a_ghost_and_moves_the_robot_once(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench)
    name = bench.ask("workcell.bench.pendant.robot.joints[1].name")
    slider = bench.page.get_by_role("slider", name=name)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    bench.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    bench.page.mouse.down()
    for part in (0.52, 0.55, 0.6):
        bench.page.mouse.move(box["x"] + part * box["width"], box["y"] + box["height"] / 2)
    links = bench.until("workcell.bench.ghost.poses.size")
    assert links >= 6
    assert bench.ask("workcell.bench.log.entries.length") == 0
    bench.page.mouse.up()
    bench.until("workcell.bench.log.entries.length === 1")
    assert last_line(bench).startswith("move-joints-absolute Puma")
    bench.until("workcell.bench.ghost.poses.size === 0")
    assert bench.faults == []


def test_case_one_is_built_learned_and_simulated_by_hand(open_bench: Callable[..., Bench]) -> None:
    """Everything by the page: no command is typed, and no client helps."""
    wanted = targets_in(wld.read(CASE_ONE))
    bench = open_bench(width=1366, height=768)
    page = bench.page
    page.get_by_role("application").first.focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    bench.until("workcell.bench.scene.picture.bodies.size === 0")
    added(bench, "Robot", "IRB", (0, 0, 0), lambda dialog: dialog.get_by_label("Find a robot").fill("6400"))
    assert last_line(bench) == "create robot IRB irb6400 at 0,0,0"

    def sized(dialog: Locator) -> None:
        for axis, size in zip("xyz", (300.5, 1100.5, 350), strict=True):
            typed(bench, f"Size {axis} [mm]", size)

    added(bench, "Shape", "cube", (1550, 100, 700), sized)
    assert last_line(bench).startswith("add solid cube box 300.5 1100.5 350 at 1550,100,700")
    page.get_by_role("tab", name="Pendant").click()
    bench.until("workcell.bench.pendant.tool")
    page.get_by_label("at once", exact=False).check()
    page.get_by_label("Names of the angles").select_option("ding_ypr")
    for number, target in enumerate(wanted):
        x, y, z = target.pose.xyz * 1e3
        angles = np.degrees(target.pose.angles("ding_ypr"))
        for name, value in zip(("x", "y", "z"), (x, y, z), strict=True):
            typed(bench, f"{name} of the wanted pose [mm]", value)
        for name, value in zip(("yaw", "pitch", "roll"), angles, strict=True):
            typed(bench, f"{name} of the wanted pose [°]", value)
        page.get_by_role("button", name="Inverse", exact=True).click()
        solutions = page.get_by_role("list", name="Solutions").get_by_role("button")
        expect(solutions).to_have_count(8, timeout=90_000)
        done = bench.ask("workcell.bench.log.entries.length")
        page.get_by_role("button", name="Solution 4:" if target is wanted[-1] else "Solution 8:").click()
        bench.until(f"workcell.bench.log.entries.length === {done + 1}")
        assert last_line(bench).startswith("set joints IRB ")
        page.get_by_label("Name of the target").fill(f"P{number}")
        page.get_by_role("button", name="Learn target").click()
        bench.until(f"workcell.bench.log.entries.length === {done + 2}")
        assert last_line(bench) == f"learn target P{number} from IRB"
        page.get_by_role("button", name="Clear", exact=True).click()
    page.get_by_label("Name of the path").fill("case")
    page.get_by_role("button", name="New path").click()
    for number in range(len(wanted)):
        page.get_by_label("Append a target to case").select_option(f"P{number}")
        bench.until(f"workcell.bench.log.entries.at(-1).line === 'targets append P{number} to case'")
        assert bench.answer()["state"] == "done", bench.answer()
    listed = page.get_by_role("list", name="Targets of case").get_by_role("listitem")
    expect(listed).to_have_count(len(wanted), timeout=90_000)
    page.get_by_role("button", name="Run along case").click()
    bench.until(f"workcell.bench.log.entries.at(-2).line === 'move-end-effector IRB P{len(wanted) - 1}'")
    assert last_line(bench) == "end"
    bench.until("workcell.bench.time.duration > 0 && !workcell.bench.time.playing")
    begun = bench.ask(
        "workcell.bench.recording.info.events.filter(({ kind }) => kind === 'move').map(({ time }) => time)"
    )
    ends = [*begun[1:], bench.ask("workcell.bench.time.duration")]
    for target, end in zip(wanted, ends, strict=True):
        bench.ask(f"workcell.bench.time.seek({end})")
        joints = [round(float(value), 6) for value in target.joints]
        bench.until(f"{joints}.every((value, i) => Math.abs(value - workcell.bench.pendant.joints[i]) < 4e-6)")
    assert bench.faults == []


def added(
    bench: Bench, tab: str, name: str, at: tuple[float, float, float], chosen: Callable[[Locator], object]
) -> None:
    """Add a thing by the dialog."""
    done = bench.ask("workcell.bench.log.entries.length")
    bench.page.get_by_role("banner").get_by_role("button", name="Add …").click()
    dialog = bench.page.get_by_role("dialog", name="Add to the cell")
    dialog.get_by_role("tab", name=tab).click()
    dialog.get_by_label("Name of the new thing").fill(name)
    chosen(dialog)
    for axis, value in zip("xyz", at, strict=True):
        typed(bench, f"Position {axis} [mm]", value)
    if tab == "Robot":
        expect(dialog.get_by_role("option")).to_have_count(1, timeout=90_000)
    dialog.get_by_role("button", name="Add", exact=True).click()
    bench.until(f"workcell.bench.log.entries.length === {done + 1}")
    assert bench.answer()["state"] == "done", bench.answer()
    expect(dialog).to_have_count(0, timeout=90_000)


def test_the_tool_frame_of_an_arm_goes_to_its_fingers_and_back(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench, "clear all", "create robot Arm ur10e")
    choice = bench.page.get_by_role("combobox", name="Tool frame")
    expect(choice).to_have_value("flange")
    height = "workcell.bench.pendant.tool.elements[14]"
    flange = bench.ask(height)
    choice.select_option("the fingers")
    bench.until(f"Math.abs({height} - {flange} + 0.13) < 1e-6")  # it points down, and grips 130 mm below its flange
    assert last_line(bench) == "modify Arm tool_point grip"
    choice.select_option("the flange")
    bench.until(f"Math.abs({height} - {flange}) < 1e-6")
    bench.type("create tool vac vacuum-2x2")
    bench.type("fit tool vac to Arm")
    expect(choice).to_be_hidden()
