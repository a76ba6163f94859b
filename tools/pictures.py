"""Make the images that README and docs show: the workbench in a real browser, and the sample cell without a screen."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workcell.commands.pictures import picture
from workcell.service.server import Server
from workcell.workbench.samples import sample

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)  # fmt: skip


def main() -> int:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sample() as cell:
        picture(cell.session, IMAGES / "puma.png", ("iso",), (1280, 720))
    print("puma.png")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        print("No Chromium: the picture of the workbench was not made (`apt-get install chromium`).")
        return 1
    workbench(found)
    print("workbench.png")
    return 0


@contextmanager
def session() -> Iterator[Any]:
    with sample() as cell:
        yield cell.session


def workbench(browser: str) -> None:
    from playwright.sync_api import sync_playwright

    with Server(session) as server, sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=browser, args=list(FLAGS))
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(server.url)
        page.wait_for_timeout(6000)
        page.keyboard.press("Space")
        page.wait_for_timeout(5200)
        page.keyboard.press("Space")
        page.wait_for_timeout(1200)
        page.screenshot(path=IMAGES / "workbench.png")
        chromium.close()


if __name__ == "__main__":
    raise SystemExit(main())
