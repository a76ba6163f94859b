"""From `workcell` to the first frame of the sample cell in an open browser, and the pauses of the event loop."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from browser import found, launch
from child_process import workcell

ROUNDS = 5
BUDGET = 3.0
ALL_SHAPES = "workcell.bench.shapes.here === workcell.bench.shapes.wanted"


def main() -> int:
    if found() is None:
        print("No Chromium: the first frame cannot be timed here.")
        return 0
    from playwright.sync_api import sync_playwright

    rows = []
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for number in range(ROUNDS + 1):
            row = once(browser)
            if number:  # the first one warms the caches
                rows.append(row)
        browser.close()
    for place, what in enumerate(("address printed", "first frame", "all shapes")):
        column = [row[place] for row in rows]
        print(
            f"{what:16} median {statistics.median(column):5.2f} s   best {min(column):5.2f}   worst {max(column):5.2f}"
        )
    print(f"longest pause of the event loop {max(row[3] for row in rows) * 1e3:.1f} ms; the budget is 50 ms")
    print(f"the budget for the first frame is {BUDGET:.0f} s; WebGL is drawn by the processor here")
    return 0


def once(browser: object) -> tuple[float, float, float, float]:
    page = browser.new_page(viewport={"width": 1280, "height": 800})  # type: ignore[attr-defined]
    begun = time.perf_counter()
    with workcell("--no-browser", "--port", "0") as process:
        address = process.address()
        printed = time.perf_counter() - begun
        page.goto(address)
        frame = until(page, "!!window.workcell && workcell.firstFrame() > 0") - begun
        shapes = until(page, ALL_SHAPES) - begun
        until(page, "workcell.bench.connection.measure(false).then((status) => status.warm)")
        page.keyboard.press("Space")
        until(page, "workcell.bench.time.time > 2")
        pause = page.evaluate("workcell.bench.connection.measure(false)")["longestPause"]
        page.close()
    return printed, frame, shapes, float(pause)


def until(page: object, expression: str) -> float:
    while not page.evaluate(expression):  # type: ignore[attr-defined]
        time.sleep(0.005)
    return time.perf_counter()


if __name__ == "__main__":
    raise SystemExit(main())
