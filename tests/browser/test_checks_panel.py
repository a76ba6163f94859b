"""Checks in the page: verdicts on moves, contacts and events on the time line, swept volumes, zones, films."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from page_bench import Bench
from PIL import Image
from playwright.sync_api import expect

from workcell.geometry.formats import stl

pytestmark = pytest.mark.browser
IN_PLAYBACK = re.compile(r"^\d contacts? in playback at \d:\d\d\.\d\d$")
RED = """
(() => {
  const bodies = workcell.layer('solid').bodies;
  const [red, green, blue] = bodies.colourOf(workcell.bench.scene.lists.bodies.find((body) => body.name === %r).id);
  return red > 2 * green && red > 2 * blue;
})()
"""
MOVES = ("30,40,-90,0,90,0", "30,-30,-90,0,90,0")


def opened(open_bench: Callable[..., Bench], *lines: str) -> Bench:
    bench = open_bench(width=1366, height=768)
    for line in lines:
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.connection.status?.warm && !workcell.bench.time.playing")
    bench.page.get_by_role("tab", name="Checks").click()
    return bench


def last(bench: Bench, start: str) -> str:
    bench.until(f"workcell.bench.log.entries.at(-1).line.startsWith({start!r})")
    assert bench.answer()["state"] == "done", bench.answer()
    return str(bench.answer()["line"])


def test_moves_have_verdicts_and_contacts_in_the_list_on_the_time_line_and_in_playback(
    open_bench: Callable[..., Bench],
) -> None:
    bench = opened(open_bench, *(f"move-joints-absolute Puma {joints}" for joints in MOVES))
    page = bench.page
    card = page.get_by_role("status", name="Contacts")
    bench.ask("workcell.bench.time.seek(workcell.bench.time.duration - 0.02)")  # nothing was checked yet
    expect(card.get_by_role("button", name=IN_PLAYBACK)).to_be_visible(timeout=90_000)
    expect(card).to_contain_text("mm deep")
    assert card.get_by_role("button", name="Allow").count() == 0
    bench.until(RED % "table")
    assert bench.until("workcell.layer('contact').points.geometry.drawRange.count") > 0
    page.locator("[data-view]").first.focus()
    page.keyboard.press("d")
    bench.ask("workcell.bench.time.seek(0.1)")
    expect(card).to_contain_text(re.compile(r"mm between .* in playback at 0:00\.10"), timeout=90_000)
    bench.until("workcell.layer('contact').labels.texts[0]")
    page.keyboard.press("d")
    expect(card).to_have_count(0)
    assert not bench.ask(RED % "table")
    page.get_by_role("button", name="Check the recording").click()
    moves = page.get_by_role("list", name="Checked moves").get_by_role("listitem")
    expect(moves).to_have_count(2, timeout=90_000)
    expect(moves.nth(0)).to_contain_text("proved free")
    expect(moves.nth(1)).to_contain_text("touches: ")
    contacts = page.get_by_role("toolbar", name="Contacts on the time line").get_by_role("button")
    first = contacts.first
    assert "table touch" in (first.get_attribute("aria-label") or "")
    first.focus()
    page.keyboard.press("ArrowRight")
    assert contacts.nth(1).evaluate("one => one === document.activeElement")
    first.press("Enter")
    begins = bench.ask("workcell.bench.checks.spans[0].begin")
    bench.until(f"Math.abs(workcell.bench.time.time - {begins}) < 1e-6")
    bench.until(RED % "table")
    bench.ask(f"workcell.bench.time.seek({begins} - 0.05)")
    bench.until("workcell.bench.touching.list.length === 0")
    bench.ask("Object.assign(workcell.bench.time, { speed: 0.1 }).play()")  # it takes longer than to look
    bench.until(f"workcell.bench.time.playing && {RED % 'table'}")
    expect(card.get_by_role("button", name="1 contact in playback", exact=True)).to_be_visible()
    bench.ask("Object.assign(workcell.bench.time, { speed: 10 }).pause()")
    page.get_by_label("Verdicts to list").select_option("free")
    expect(moves).to_have_count(1)
    page.get_by_role("tab", name="Console").click()
    bench.type("home Puma")  # another recording: the verdicts are no longer about it
    last(bench, "home")
    expect(contacts).to_have_count(0)
    assert bench.faults == []


def test_events_are_marks_that_are_filtered_and_pressed(open_bench: Callable[..., Bench]) -> None:
    lines = [
        "create signal lamp",
        *(f"move-joints-absolute Puma {joints}" for joints in MOVES),
        "set-signal lamp 1",
        "home Puma",
    ]
    bench = opened(open_bench, *lines)
    page = bench.page
    marks = page.get_by_role("toolbar", name="Events on the time line").get_by_role("button")
    marks.first.wait_for()
    every = marks.count()
    page.get_by_role("tab", name="Events").click()
    page.get_by_label("Kind of events").select_option("signal")
    expect(marks).to_have_count(1)
    assert every > 1
    marks.first.press("Enter")
    when = bench.ask("workcell.bench.recording.shown[0].time - workcell.bench.recording.start")
    bench.until(f"Math.abs(workcell.bench.time.time - {when}) < 1e-6")
    assert bench.faults == []


def test_a_swept_volume_is_shown_undone_and_written(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench, *(f"move-joints-absolute Puma {joints}" for joints in MOVES))
    page = bench.page
    page.get_by_label("Swept to [s]").fill("0.5")
    page.get_by_label("Swept to [s]").press("Enter")
    page.get_by_role("button", name="Sweep", exact=True).click()
    assert last(bench, "add swept-run") == "add swept-run Puma-swept-1 of Puma from 0 to 0.5 tolerance 50mm as ghost"
    body = "workcell.bench.scene.lists.bodies.find((one) => one.name === 'Puma-swept-1')"
    bench.until(f"{body}?.pieces[0].ghost")
    with page.expect_download() as download:
        page.get_by_role("button", name="STL", exact=True).click()
    assert last(bench, "export solid") == f"export solid Puma-swept-1 download:/{download.value.suggested_filename}"
    mesh = stl.read(Path(download.value.path()).read_bytes(), 1e-3)
    assert len(mesh.triangles) > 1000
    assert np.ptp(mesh.vertices, axis=0).max() == pytest.approx(1.0, abs=0.7)  # an arm, in metres
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    bench.until(f"!{body}")
    assert bench.faults == []


def test_a_zone_is_added_and_changed_by_hand(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench)
    page = bench.page
    page.get_by_label("How motions are watched").select_option("certified")
    assert last(bench, "watch") == "watch certified"
    bench.until("workcell.bench.checks.watch === 'certified'")
    page.get_by_label("Allow undecided motions").check()
    assert last(bench, "watch certified --") == "watch certified --allow-undecided"
    page.get_by_label("Name of the zone").fill("gate")
    page.get_by_label("Size of the zone: x [mm]").fill("300")
    page.get_by_label("Size of the zone: x [mm]").press("Enter")
    page.get_by_role("button", name="Add zone").click()
    assert last(bench, "add zone").startswith("add zone gate box 300 500 500 at ")
    zone = "[...workcell.bench.scene.picture.zones.values()].find((one) => one.name === 'gate')"
    bench.until(zone)
    page.get_by_role("tab", name="Inspector").click()
    page.get_by_label("Rule of gate").select_option("slow-down")
    assert last(bench, "modify") == "modify gate rule slow-down"
    bench.until(f"{zone}.rule === 'slow down'")
    field = page.get_by_label("Speed in gate")
    field.fill("0.4")
    field.press("Enter")
    assert last(bench, "modify gate speed") == "modify gate speed 0.4"
    before = bench.ask(f"{zone}.glb")
    size = page.get_by_label("x of gate [mm]", exact=True)
    size.fill("700")
    size.press("Enter")
    assert last(bench, "modify block") == "modify block:gate-solid shape box 700 500 500"
    bench.until(f"{zone}.glb !== {before!r}")
    place = page.get_by_label("z of the thing [mm]")
    place.fill("900")
    place.press("Enter")
    bench.until(f"Math.abs({zone}.pose[2] - 0.9) < 1e-9")
    robots = page.get_by_label("robots of gate")
    robots.fill("Puma")
    robots.press("Enter")
    assert last(bench, "modify gate robots") == "modify gate robots Puma"
    assert bench.faults == []


def test_a_film_is_taken_from_where_the_window_looks(open_bench: Callable[..., Bench]) -> None:
    bench = opened(open_bench, f"move-joints-absolute Puma {MOVES[0]}")
    page = bench.page
    bench.ask("workcell.bench.actions.run('file.export-film')")
    dialog = page.get_by_role("dialog", name="Export a film")
    dialog.get_by_label("Speed of the film").select_option(label="4×")
    dialog.get_by_label("Frames per second").select_option("5")
    with page.expect_download(timeout=120_000) as download:
        dialog.get_by_role("button", name="Make the film").click()
    line = last(bench, "film ")
    eye = bench.ask("workcell.camera()")
    typed = [float(number) for number in line.split(" from ")[1].split(" at ")[0].split(",")]
    assert np.allclose(typed, 1e3 * np.array(eye[:3]), atol=0.1)
    with Image.open(download.value.path()) as film:
        assert film.size == (640, 360)
        assert getattr(film, "n_frames", 1) > 1
    assert bench.faults == []
