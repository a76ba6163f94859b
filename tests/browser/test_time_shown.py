"""The time that the page shows: now, or a moment of the recording."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = [pytest.mark.browser, pytest.mark.real_time]
MOVE = "move-joints-relative Puma 40,0,0,0,0,0"


def hand(bench: Bench) -> str:
    return str(bench.ask("workcell.bench.scene.lists.bodies.find((body) => body.name === 'Puma/link 6').id"))


def seen(bench: Bench, body: str) -> np.ndarray:
    """Where a body is drawn [m]."""
    return np.array(bench.ask(f"workcell.pose({body!r})")).reshape(4, 4).T[:3, 3]


def now(bench: Bench, body: str) -> np.ndarray:
    """Where a body is in the cell [m]."""
    return np.array(bench.ask(f"workcell.bench.scene.picture.bodies.get({body!r}).pose.slice(0, 3)"))


def time_is(bench: Bench, mode: str) -> bool:
    return bool(bench.until(f"workcell.bench.time.mode === {mode!r} && !workcell.bench.time.playing"))


def test_a_new_window_and_a_reload_show_where_the_robot_is(open_bench: Callable[..., Bench]) -> None:
    one = open_bench()
    body = hand(one)
    start = seen(one, body)
    one.type(MOVE)
    assert one.answer()["state"] == "done"
    assert time_is(one, "now")  # after the motion was played once
    assert np.linalg.norm(now(one, body) - start) > 0.3
    two = open_bench()
    for bench in (one, two):
        bench.until(f"Math.abs(workcell.pose({body!r})[12] - {now(one, body)[0]}) < 1e-6")
        np.testing.assert_allclose(seen(bench, body), now(bench, body), atol=1e-6)
        assert bench.page.get_by_role("button", name="Now").get_attribute("aria-pressed") == "true"
    two.page.reload()
    two.until("!!window.workcell && workcell.bench.shapes.wanted > 0")
    two.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")
    two.until(f"workcell.pose({body!r}).length === 16")
    np.testing.assert_allclose(seen(two, body), now(two, body), atol=1e-6)
    assert (one.faults, two.faults) == ([], [])


def test_a_loaded_recording_is_played_and_a_move_leads_back_to_now(
    open_bench: Callable[..., Bench], forget: Callable[[str], None]
) -> None:
    bench = open_bench()
    forget("run.rec")
    body = hand(bench)
    for line in (MOVE, "save-recording run.rec", "reset", "load-recording run.rec"):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.time.mode === 'playback' && workcell.bench.time.time > 0.2")
    bench.page.get_by_text("Loaded recording").wait_for()
    assert time_is(bench, "playback")  # its end is not now
    assert np.linalg.norm(seen(bench, body) - now(bench, body)) > 0.3
    bench.type("move-joints-relative Puma -15,0,0,0,0,0")
    assert bench.answer()["state"] == "done"
    assert time_is(bench, "now")
    np.testing.assert_allclose(seen(bench, body), now(bench, body), atol=1e-6)
    assert bench.faults == []


def test_an_edit_that_playback_hides_is_announced_and_one_press_shows_it(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page, body = bench.page, hand(bench)
    bench.type(MOVE)
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.time.duration > 0")
    assert time_is(bench, "now")
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    bench.until("workcell.bench.time.mode === 'playback' && workcell.bench.time.time === 0")
    with connect(bench.url) as other:
        other.do("set joints Puma 90,0,0,0,0,0")
    bench.until("workcell.bench.time.missed === 1")
    assert np.linalg.norm(seen(bench, body) - now(bench, body)) > 0.3
    expect(page.get_by_role("status").get_by_text("Puma moved (by ")).to_be_visible()
    page.get_by_role("status").get_by_role("button", name="Show now").click()
    assert time_is(bench, "now")
    bench.until(f"Math.abs(workcell.pose({body!r})[12] - {now(bench, body)[0]}) < 1e-6")
    assert bench.faults == []


def test_a_robot_is_moved_by_hand_only_from_where_it_is_now(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    bench.type(MOVE)
    assert bench.answer()["state"] == "done"
    assert time_is(bench, "now")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Pendant").click()
    first = bench.ask("workcell.bench.pendant.robot.joints[0].name")
    field, slider = page.get_by_label(f"{first} [°]", exact=True), page.get_by_role("slider", name=first)
    expect(field).to_have_value("40")
    page.keyboard.press("Home")  # the start of the recording
    expect(field).to_have_value("0")
    jog, home = (
        page.get_by_role("button", name="z forward", exact=True),
        page.get_by_role("button", name="Home", exact=True),
    )
    tool = page.get_by_label("x of the tool [mm]", exact=True)
    for control in (field, slider, jog, home, tool):
        expect(control).to_be_disabled()
    page.keyboard.press("Shift+Home")
    assert bench.answer()["line"] == MOVE
    expect(page.get_by_role("button", name="Learn target")).to_be_enabled()
    page.get_by_role("note", name="Playback").get_by_role("button", name="Show now").click()
    expect(field).to_have_value("40")
    field.fill("10")
    field.press("Enter")
    bench.until("workcell.bench.log.entries.length === 2")
    assert bench.answer()["line"].startswith("move-joints-absolute Puma 10,")
    expect(field).to_have_value("10")
    assert bench.faults == []


def test_the_inspector_and_the_status_bar_follow_the_units(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.get_by_role("tree").get_by_text("box", exact=True).click()
    panel, status = page.get_by_label("Selection", exact=True), page.get_by_label("Status", exact=True)
    expect(panel.get_by_label("x of the thing [mm]", exact=True)).to_have_value("940", timeout=90_000)
    bench.type("units m rad")
    expect(panel.get_by_label("x of the thing [m]", exact=True)).to_have_value("0.94", timeout=10_000)
    assert panel.get_by_text("rad", exact=True).is_visible()
    assert status.get_by_text("m, rad", exact=True).is_visible()
    page.get_by_role("tree").get_by_text("Puma", exact=True).click()
    expect(panel.get_by_label("elbow [rad]", exact=True)).to_have_value("-1.5708", timeout=10_000)


def test_nothing_is_drawn_and_nothing_is_asked_while_nothing_changes(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.until("workcell.bench.contacts.asked.took > 0")  # contacts are asked for once after the start
    bench.page.wait_for_timeout(1500)
    bench.ask("window.sent = 0, WebSocket.prototype.send = () => (window.sent += 1), 0")
    before = bench.ask("workcell.stats()")
    bench.page.wait_for_timeout(1500)
    after = bench.ask("workcell.stats()")
    assert (after["ticks"], after["frames"]) == (before["ticks"], before["frames"])
    assert bench.ask("window.sent") == 0
