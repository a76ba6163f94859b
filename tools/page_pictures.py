"""Twelve scenes of the page, each in a real browser on a cell of its own, at moments that are always the same."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

from workcell.service.server import Server
from workcell.workbench.gallery import Gallery
from workcell.workbench.samples import sample

SIZE = (1280, 800)
READY = """
!!window.workcell && workcell.bench.connection.link === "open" && !!workcell.bench.recording.info
&& workcell.bench.shapes.wanted > 0 && workcell.bench.shapes.here === workcell.bench.shapes.wanted
"""
MOST = 150_000
"""The size of a picture, at most [bytes]."""


@dataclass(frozen=True)
class Scene:
    """A picture: its cell, its theme, and what is done before it is taken."""

    cell: str
    act: Callable[[Page], None]
    theme: str = "light"


def until(page: Page, expression: str, patience: float = 90.0) -> None:
    """Wait until an expression is true in the page."""
    for _ in range(round(10 * patience)):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise TimeoutError(expression)


def rest(page: Page) -> None:
    """Wait until the view has been still for half a second: the camera has arrived, and the view is drawn sharp."""
    looks = 0
    for _ in range(900):
        looks = looks + 1 if page.evaluate("workcell.stats().still") else 0
        if looks == 5:
            return
        page.wait_for_timeout(100)
    raise TimeoutError("The view does not come to rest.")


def give(page: Page, *lines: str) -> None:
    """Give commands, and wait until each is answered and its motion was shown."""
    for line in lines:
        page.evaluate("(line) => workcell.bench.log.press(line)", line)
        until(page, "workcell.bench.log.entries.at(-1)?.state === 'done' && !workcell.bench.time.playing")


def panel(page: Page, name: str) -> None:
    """Show a panel."""
    if not page.evaluate(f"workcell.bench.actions.get('window.{name}').on()"):
        page.evaluate(f"workcell.bench.actions.run('window.{name}')")
    until(page, "!document.querySelector('.wait')")


def room(page: Page) -> None:
    """Close the inspector, which has nothing to show."""
    page.evaluate("workcell.bench.layout.right.open = false")


def moment(page: Page, time: float) -> None:
    """Show a time of the recording."""
    page.evaluate(f"workcell.bench.time.seek({time})")


def gallery(page: Page) -> None:
    page.keyboard.press("Control+o")
    page.get_by_role("button").filter(has_text="Hand over").first.wait_for()
    page.evaluate("workcell.bench.help.decline()")
    until(page, "[...document.querySelectorAll('dialog img')].slice(0, 9).every((one) => one.complete)")


def hand_over(page: Page) -> None:
    room(page)
    panel(page, "events")
    moment(page, 12.1)


def pendant(page: Page) -> None:
    panel(page, "pendant")
    until(page, "workcell.bench.connection.status?.warm")  # only then solutions are checked for contacts
    page.get_by_role("button", name="Inverse", exact=True).click()
    solutions = page.get_by_role("list", name="Solutions").get_by_role("button")
    solutions.filter(has_text="free of contacts").first.wait_for(timeout=90e3)
    other = solutions.filter(has_text="left arm").first
    other.scroll_into_view_if_needed()
    other.hover()
    until(page, "workcell.bench.ghost.poses.size > 0")


def program(page: Page) -> None:
    panel(page, "programs")
    page.evaluate("workcell.bench.layout.right.size = 430")
    until(page, "workcell.bench.programs.open === 'pick-and-place'")
    give(page, "break pick-and-place 6")
    page.evaluate("workcell.bench.actions.run('program.run')")
    until(page, "workcell.bench.programs.paused && !workcell.bench.time.playing")


def plots(page: Page) -> None:
    room(page)
    panel(page, "plots")
    page.evaluate("workcell.bench.layout.bottom.size = 300")
    page.evaluate("workcell.bench.plots.keep('first.rec')")
    page.evaluate("workcell.bench.programs.show('hand-over')")
    page.evaluate("void (workcell.bench.programs.runs.percent = 80)")
    page.evaluate("workcell.bench.actions.run('program.run')")
    until(page, "workcell.bench.time.duration > 27")
    until(page, "workcell.bench.log.entries.at(-1)?.state === 'done' && workcell.bench.time.playing")
    page.evaluate("workcell.bench.actions.run('time.play')")
    until(page, "!!workcell.bench.plots.answer.value?.[1] && !workcell.bench.plots.answer.busy")
    page.get_by_role("slider", name="Joint values of Puma_1 over time").wait_for()
    moment(page, 10.0)


def contacts(page: Page) -> None:
    room(page)
    give(page, "set joints Puma 0,-30,-90,0,90,0")
    page.get_by_role("status", name="Contacts").get_by_role("button").first.wait_for()


def pallets(page: Page) -> None:
    room(page)
    panel(page, "gantt")
    page.evaluate("workcell.bench.layout.bottom.size = 175")
    moment(page, 48.0)
    until(page, "(workcell.bench.gantt.value?.rows.length ?? 0) > 0")


def plan(page: Page) -> None:
    panel(page, "programs")
    page.evaluate("workcell.bench.layout.right.size = 430")
    until(page, "workcell.bench.programs.open === 'pick-and-place'")
    page.get_by_role("list", name="Steps of pick-and-place").get_by_text("Move end effector").nth(1).click()
    page.get_by_role("button", name="Plan", exact=True).click()
    until(page, "!!workcell.bench.programs.planned")


def reference(page: Page) -> None:
    page.evaluate("workcell.bench.help.command = 'find-path'")
    page.keyboard.press("Shift+F1")
    page.get_by_role("article", name="The command find-path").wait_for()


def sketch(page: Page) -> None:
    page.get_by_label("3-D view of the cell").focus()
    page.keyboard.press("Alt+k")
    for x, y in ((0, 0), (120, 0), (120, 40), (50, 40), (50, 90), (0, 90)):
        page.get_by_label("Next corner x [mm]").fill(str(x))
        page.get_by_label("Next corner y [mm]").fill(str(y))
        page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Close the loop").click()
    page.get_by_role("button", name="Make the part").and_(page.locator(":enabled")).wait_for()


def four_views(page: Page) -> None:
    room(page)
    page.evaluate("workcell.bench.panes.shown = 4")
    moment(page, 12.1)


def tour(page: Page) -> None:
    page.evaluate("workcell.bench.help.tour(4)")
    page.get_by_role("dialog").wait_for()


SCENES = {
    "gallery": Scene("puma", gallery),
    "hand_over": Scene("hand-over", hand_over),
    "pendant": Scene("puma", pendant),
    "program": Scene("pick-and-place", program),
    "plots": Scene("hand-over", plots, "dark"),
    "contacts": Scene("puma", contacts),
    "pallets": Scene("palletising", pallets),
    "plan": Scene("pick-and-place", plan),
    "sketch": Scene("puma", sketch),
    "four_views": Scene("hand-over", four_views),
    "reference": Scene("puma", reference),
    "tour": Scene("puma", tour, "dark"),
}


def take(browser: Browser, folder: Path, names: list[str]) -> None:
    """Make the pictures of some scenes, or of all."""
    for name in names or SCENES:
        scene = SCENES[name]

        @contextmanager
        def session(cell: str = scene.cell) -> Iterator[Any]:
            with sample(cell) as opened:
                yield opened.session

        with Server(session, samples=Gallery()) as server:
            context = browser.new_context(
                viewport={"width": SIZE[0], "height": SIZE[1]},
                color_scheme="dark" if scene.theme == "dark" else "light",
                reduced_motion="reduce",
            )
            page = context.new_page()
            page.goto(f"{server.url}&quality=high")
            until(page, READY)
            scene.act(page)
            rest(page)  # the panels have their sizes
            page.evaluate("workcell.bench.view.fit('iso')")
            until(page, "workcell.bench.jobs.list.length === 0")
            rest(page)
            image = Image.open(io.BytesIO(page.screenshot()))
            context.close()
        file = folder / f"page_{name}.webp"
        image.convert("RGB").save(file, quality=82, method=6)
        size = file.stat().st_size
        print(f"{file.name}: {size / 1e3:.0f} kB")
        if size > MOST:
            raise SystemExit(f"{file.name} is larger than {MOST / 1e3:.0f} kB.")
