"""The page as the tests hold it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Error, Page

PATIENCE = 90.0
"""How long to wait for anything [s]: long, since two slow cores draw, simulate and tessellate at once."""
REST = """(patience) => new Promise((done, failed) => {
  let looks = 0;
  const end = performance.now() + 1000 * patience;
  const look = () => {
    looks = workcell.stats().still ? looks + 1 : 0;
    if (looks === 4) done();
    else if (performance.now() > end) failed(new Error("the view is not still"));
    else setTimeout(look, 20);
  };
  look();
})"""
"""Waits until the view has been still for a moment."""
DROP = """([sent, at]) => {
  const carried = new DataTransfer();
  for (const [name, data] of sent) carried.items.add(new File([new Uint8Array(data)], name));
  const [clientX, clientY] = at ?? [1, 1];
  const under = at ? document.elementFromPoint(...at) : document.querySelector(".app");
  under.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, clientX, clientY }));
}"""
PICTURE = """workcell.bench.connection.link === "open"
  && workcell.bench.connection.ask({ type: "fetch-state" }).then(() => true, () => false)"""
"""Waits until the page has the picture of every change so far: the server publishes them before it answers this."""


@dataclass
class Bench:
    """The page and the address of its server."""

    page: Page
    url: str
    faults: list[str]

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        return self.page.evaluate(expression)

    def until(self, expression: str, patience: float = PATIENCE) -> Any:
        """Wait until an expression is true in the page; returns its value."""
        end = time.monotonic() + patience
        while not (value := self._asked(expression)):
            assert time.monotonic() < end, f"waited {patience:.0f} s for {expression}"
            time.sleep(0.02)
        return value

    def _asked(self, expression: str) -> Any:
        """The value of an expression, or None while the page is being loaded anew."""
        try:
            return self.ask(expression)
        except Error as error:
            if "Execution context was destroyed" not in error.message:
                raise
            return None

    def drop(self, files: dict[str, bytes], at: tuple[float, float] | None = None) -> None:
        """Drop files on the page, as the file manager does: at a point of the window, or beside the view."""
        self.page.evaluate(DROP, [[[name, list(data)] for name, data in files.items()], at])

    def rest(self) -> None:
        """Wait until the view is still: the camera has arrived, and the last frame is drawn at full sharpness."""
        self.page.evaluate(REST, PATIENCE)

    def type(self, line: str) -> None:
        """Give a command in the console; `answer` waits until it is answered."""
        self.page.get_by_label("Command", exact=True).fill(line)
        self.page.keyboard.press("Enter")

    def answer(self) -> dict[str, Any]:
        """The last entry of the console, once it is answered and the page shows what it did; answers come before pictures."""
        self.until("workcell.bench.log.entries.at(-1).state !== 'busy'")
        self._asked(PICTURE)
        entry: dict[str, Any] = self.ask("({...workcell.bench.log.entries.at(-1)})")
        return entry
