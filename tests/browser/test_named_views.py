"""Views of the cell, kept and shown by the page; lamps that light it; frames of a robot."""

from __future__ import annotations

import io
import math
from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench
from PIL import Image

from workcell.pictures.camera import Camera

pytestmark = pytest.mark.browser
VIEW = "3-D view of the cell"


def names(bench: Bench) -> list[str]:
    return bench.ask("workcell.bench.views.list.map((row) => row.name)")


def test_a_view_is_kept_seen_elsewhere_shown_renamed_removed_and_undone(open_bench: Callable[..., Bench]) -> None:
    bench, other = open_bench(), open_bench()
    page = bench.page
    page.get_by_role("application", name=VIEW).focus()
    page.keyboard.press("2")
    page.keyboard.press("Alt+3")
    page.keyboard.press("g")
    bench.rest()
    kept = np.array(bench.ask("workcell.camera()"))
    page.keyboard.press("Alt+u")
    page.get_by_label("Name of the new view").fill("from the side")
    page.get_by_role("button", name="Save this view").click()
    assert bench.answer()["state"] == "done", bench.answer()
    other.until("workcell.bench.views.list.length === 1")
    page.get_by_role("application", name=VIEW).focus()
    page.keyboard.press("Alt+1")
    page.keyboard.press("3")
    bench.rest()
    assert np.abs(np.array(bench.ask("workcell.camera()")) - kept).max() > 0.1
    page.get_by_role("button", name="Show from the side").click()
    bench.until("workcell.bench.panes.now.surfaces === 'hidden-line' && !workcell.bench.panes.now.grid")
    bench.rest()
    assert np.array(bench.ask("workcell.camera()")) == pytest.approx(kept, abs=2e-3)
    # Another window shows it by the menu in the corner of its view.
    other.page.get_by_role("button", name="Views of the cell").click()
    other.page.get_by_role("menuitemcheckbox", name="from the side").click()
    other.rest()
    assert np.array(other.ask("workcell.camera()")) == pytest.approx(kept, abs=2e-3)
    assert other.ask("workcell.bench.panes.now.surfaces") == "hidden-line"
    field = page.get_by_label("Name of from the side")
    field.fill("drawing")
    field.press("Enter")
    other.until("workcell.bench.views.list[0]?.name === 'drawing'")
    page.get_by_role("button", name="Remove drawing").click()
    bench.until("workcell.bench.views.list.length === 0")
    page.get_by_role("button", name="Undo").click()
    bench.until("workcell.bench.views.list[0]?.name === 'drawing'")
    assert bench.faults == []


def test_a_view_hides_what_the_window_hid_in_its_pane_only(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    bench.ask(
        "workcell.bench.selection.select(workcell.bench.scene.lists.nodes.find((node) => node.name === 'box').id)"
    )
    page.get_by_role("application", name=VIEW).focus()
    page.keyboard.press("h")
    page.keyboard.press("Control+Shift+V")
    bench.until("workcell.bench.views.list[0]?.hides.includes('box')")
    page.keyboard.press("h")
    drawn = "workcell.layer('solid').bodies"
    bench.until("workcell.bench.selection.hidden.size === 0")
    page.get_by_role("button", name="Views of the cell").click()
    page.get_by_role("menuitemcheckbox", name="view1").click()
    bench.until(f"![...{drawn}.shown()].some((body) => body.info.name === 'box')")
    assert bench.ask("workcell.bench.selection.hidden.size") == 0
    assert bench.faults == []


def test_all_panes_are_kept_as_a_sheet_and_shown_again(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    bench.ask("workcell.bench.actions.run('view.panes-2')")
    page.get_by_role("application", name="3-D view 2 of the cell").focus()
    page.keyboard.press("Alt+4")
    page.keyboard.press("Alt+u")
    page.get_by_label("Name of the new view").fill("plan")
    page.get_by_role("button", name="Save all panes").click()
    bench.until("workcell.bench.views.sheets[0]?.views.length === 2")
    page.get_by_role("application", name="3-D view 2 of the cell").focus()
    page.keyboard.press("Alt+1")  # what was kept is not what is shown
    bench.ask("workcell.bench.actions.run('view.panes-1')")
    page.get_by_role("button", name="Show plan", exact=True).click()
    bench.until("workcell.bench.panes.count === 2 && workcell.bench.panes.list[1].surfaces === 'wireframe'")
    assert bench.ask("workcell.bench.panes.list.map((pane) => pane.view)")[:2] == ["plan-1", "plan-2"]
    assert bench.faults == []


def brightness(bench: Bench) -> float:
    """How bright the top of the table is."""
    bench.rest()
    x, y = bench.ask("workcell.screen([0.75, -0.35, 0.4])")
    picture = np.asarray(Image.open(io.BytesIO(bench.page.screenshot())).convert("L")).astype(float)
    return float(picture[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4].mean())


def test_lamps_light_the_view_and_the_window_has_its_own_brightness(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.get_by_role("application", name=VIEW).focus()
    page.keyboard.press("3")
    page.get_by_role("tab", name="Light").click()
    page.get_by_role("button", name="Add a lamp").click()
    field = page.get_by_label("Brightness of lamp1")
    field.wait_for()
    lit = brightness(bench)
    field.fill("0.2")
    field.press("Enter")
    bench.until("workcell.bench.lamps.list[0]?.brightness === 0.2")
    assert brightness(bench) < lit - 15
    page.get_by_label("Light from all sides").fill("0")
    assert brightness(bench) < lit - 60
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="Remove lamp1").click()
    bench.until("workcell.bench.lamps.list.length === 0")
    assert brightness(bench) > lit - 60
    assert bench.faults == []


def test_the_frames_of_the_selected_robot_stand_where_the_server_has_them_and_follow_playback(
    open_bench: Callable[..., Bench],
) -> None:
    bench = open_bench()
    at = "workcell.layer('frames')?.at('5')"
    bench.ask("workcell.bench.selection.select([...workcell.bench.scene.picture.robots.keys()][0])")
    bench.page.get_by_role("application", name=VIEW).focus()
    bench.page.keyboard.press("Alt+j")
    bench.until("workcell.layer('frames')?.drawn === 8")  # the world, the base and six links
    frames = (
        "workcell.bench.connection.call('joint-frames', { robot: 'Puma' }).then((found) => found.poses[5].slice(0, 3))"
    )
    first = bench.ask(frames)
    assert bench.ask(at) == pytest.approx(first, abs=1e-6)
    bench.type("move-joints-absolute Puma 40,0,-90,0,90,0")
    assert bench.answer()["state"] == "done", bench.answer()
    second = bench.ask(frames)
    assert np.abs(np.array(second) - first).max() > 0.1
    bench.until("!workcell.bench.time.playing")
    bench.until(f"Math.hypot(...{at}.map((x, i) => x - {second}[i])) < 1e-4")
    bench.page.get_by_role("application", name=VIEW).focus()
    bench.page.keyboard.press("Home")
    bench.until(f"Math.hypot(...{at}.map((x, i) => x - {first}[i])) < 1e-4")
    bench.page.keyboard.press("Alt+j")
    bench.until("workcell.layer('frames')?.drawn === 0")
    assert bench.faults == []


def test_a_view_that_is_turned_and_cut_near_the_eye_looks_as_render_draws_it(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    eye, target = (2.0, -2.2, 1.6), (0.2, 0.1, 0.4)
    bench.type("look tilted from 2000,-2200,1600 at 200,100,400 twist 35deg near 2500")
    bench.until("workcell.bench.views.list.length === 1")
    page.get_by_role("button", name="Views of the cell").click()
    page.get_by_role("menuitemcheckbox", name="tilted").click()
    bench.rest()
    box = page.get_by_role("application", name=VIEW).bounding_box()
    camera = Camera(eye, target, math.radians(35), near=2.5)
    for point in ((0.0, 0.0, 0.0), (0.4, 0.3, 0.5), (0.0, 0.5, 1.0)):
        inside = camera.rotation @ (np.array(point) - eye)
        scale = box["height"] / 2 / math.tan(math.radians(15))
        wanted = box["x"] + box["width"] / 2 + scale * inside[0] / inside[2]
        wanted = (wanted, box["y"] + box["height"] / 2 + scale * inside[1] / inside[2])
        seen = bench.ask(f"workcell.screen([{point[0]}, {point[1]}, {point[2]}])")
        assert seen == pytest.approx(wanted, abs=1.0)
    page.get_by_role("application", name=VIEW).focus()
    page.keyboard.press("1")  # from a side: upright and whole again
    bench.until("workcell.bench.panes.now.twist === 0 && workcell.bench.panes.now.near === 0")
    assert bench.faults == []
