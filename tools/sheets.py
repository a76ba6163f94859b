"""Pictures of the whole page to look at, in out/sheets: scenes and states at every size, light and dark.

``python tools/sheets.py`` makes all of them; names of scenes, such as ``gallery``, and ``states`` make only those.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from page_bench import Bench
from page_states import SIZES, prepared, shown, states
from playwright.sync_api import Browser, Page, sync_playwright

from browser import launch
from page_pictures import READY, SCENES, Scene, give, moment, panel, until
from workcell.service.server import Server
from workcell.workbench.gallery import Gallery
from workcell.workbench.samples import sample

FOLDER = Path(__file__).resolve().parent.parent / "out" / "sheets"
DRAWN = """
[...document.querySelectorAll("img")].every(
  (one) => one.naturalWidth || one.getBoundingClientRect().bottom < 0 || one.getBoundingClientRect().top > innerHeight)
"""
"""Whether all pictures that are seen are here."""


def select(page: Page, *names: str) -> None:
    """Select things by their names, and show the inspector."""
    lines = "workcell.bench.scene.tree.flatMap((one) => [one, ...one.children])"
    found = f"{lines}.filter((one) => {list(names)}.includes(one.name)).map((one) => one.id)"
    page.evaluate(f"workcell.bench.selection.choose({found})")
    page.evaluate("workcell.bench.layout.show('inspector')")


def empty(page: Page) -> None:
    page.keyboard.press("Control+o")
    page.get_by_role("button", name=re.compile("new cell", re.IGNORECASE)).first.click()
    page.wait_for_url(re.compile("cell="))
    page.get_by_text("The scene is empty").first.wait_for()


def checks(page: Page) -> None:
    panel(page, "checks")
    page.evaluate("workcell.bench.layout.bottom.size = 300")
    page.get_by_role("button", name="Check the recording").click()
    until(page, "workcell.bench.jobs.list.length === 0 && workcell.bench.checks.found !== undefined")


def text(page: Page) -> None:
    SCENES["program"].act(page)
    page.get_by_role("button", name="Text", exact=True).click()
    page.locator(".cm-content").wait_for()


def context_menu(page: Page) -> None:
    page.evaluate("workcell.bench.layout.show('tree')")
    page.get_by_role("treeitem", name="Puma").first.click(button="right")
    page.get_by_role("menu").wait_for()


def imported(page: Page) -> None:
    facets = "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 60 0 0 vertex 0 60 9 endloop endfacet"
    with page.expect_file_chooser() as choosing:
        page.evaluate("workcell.bench.actions.run('file.import')")
    stl = f"solid peg {facets} endsolid peg".encode()
    choosing.value.set_files({"name": "peg.stl", "mimeType": "model/stl", "buffer": stl})
    page.get_by_role("dialog", name="Import peg.stl").wait_for()


def refused(page: Page) -> None:
    page.evaluate("workcell.bench.log.press('remove nothing')")
    until(page, "workcell.bench.log.entries.at(-1)?.state === 'error'")
    page.evaluate(
        "workcell.bench.messages.error('Not done', 'A belt of this name is there already. Give another name.')"
    )
    page.evaluate("workcell.bench.messages.saved('line.cell')")


def zone(page: Page) -> None:
    give(page, "add zone gate box 300 300 300 at -600,-600,150 rule keep-out")
    select(page, "gate")


MORE = {
    "text": Scene("pick-and-place", text),
    "checks": Scene("hand-over", checks),
    "weld": Scene("two-arms-one-fixture", lambda page: moment(page, 5.0)),
    "several": Scene("hand-over", lambda page: select(page, "Puma_1", "Puma_2")),
    "robot": Scene("hand-over", lambda page: select(page, "Puma_1")),
    "belt": Scene("running-line", lambda page: panel(page, "signals")),
    "zone": Scene("puma", zone),
    "empty": Scene("puma", empty),
    "context_menu": Scene("puma", context_menu),
    "imported": Scene("puma", imported),
    "refused": Scene("puma", refused),
    "palette": Scene("puma", lambda page: page.keyboard.press("Control+k")),
}
"""Scenes that the docs do not show."""


@contextmanager
def opened(browser: Browser, cell: str, size: tuple[int, int]) -> Iterator[Page]:
    """The page on a new cell, in a window of a size."""

    @contextmanager
    def session() -> Iterator[Any]:
        with sample(cell) as made:
            yield made.session

    with Server(session, samples=Gallery()) as server:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
        page = context.new_page()
        page.goto(server.url)
        until(page, READY)
        Bench(page, page.url, []).rest()
        yield page
        context.close()


def keep(page: Page, name: str, size: tuple[int, int], rest: Callable[[], None]) -> None:
    """Take a state in both themes."""
    print(f"{size[0]}x{size[1]}: {name}", flush=True)
    until(page, DRAWN)
    for theme in ("light", "dark"):
        page.evaluate(f"void (workcell.bench.preferences.theme = '{theme}')")
        rest()
        page.screenshot(path=FOLDER / f"{name.replace(' ', '_')}_{size[0]}x{size[1]}_{theme}.png")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    scenes = SCENES | MORE
    wanted = sys.argv[1:] or [*scenes, "states"]
    with sync_playwright() as play:
        browser = launch(play)
        for size in SIZES:
            for name in wanted:
                with opened(browser, scenes[name].cell if name in scenes else "puma", size) as page:
                    bench = Bench(page, page.url, [])
                    if name in scenes:
                        scenes[name].act(page)
                        keep(page, name, size, bench.rest)
                        continue
                    prepared(bench)
                    for state in states(bench):
                        with shown(bench, state):
                            keep(page, state, size, bench.rest)


if __name__ == "__main__":
    main()
