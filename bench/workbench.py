"""The page in a headless browser, beside a bare three.js page with the same geometry. Ratios count, not times.

Both pages take turns in one browser, with the same camera, canvas and pixel ratio, so that both meet the same load; each
figure is the median of several rounds. On a slow machine the page draws fewer pixels while something moves; here it must
not (``quality=low``). The bare page is described in ``bare_page.py``. What is asked for is printed with each figure.
"""

from __future__ import annotations

import base64
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

import numpy as np

import bare_page
from browser import found, launch
from child_process import Child, workcell
from slow_link import slowed
from workcell.commands.cell import Cell
from workcell.service.client import connect

T = TypeVar("T")
SIZE = {"width": 1280, "height": 800}
ROUNDS = 9
SECONDS = 1.5
BODIES = (50, 2000)
ALL_SHAPES = "!!window.workcell && workcell.bench.shapes.wanted > 0 && workcell.bench.shapes.here === workcell.bench.shapes.wanted"
WHEN = """(() => {
  const look = () => ((%s) ? requestAnimationFrame(() => requestAnimationFrame((now) => (window.seen = now))) : requestAnimationFrame(look));
  requestAnimationFrame(look);
})()"""
"""Notes when something was on the screen [ms since the page was asked for]."""
KEYS = """(async () => {
  const tree = document.querySelector("[role=tree]"), out = [];
  for (let i = 0; i < 40; i++) {
    const begun = performance.now();
    tree.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
    await Promise.resolve();
    document.body.offsetHeight;
    out.push(performance.now() - begun);
    await new Promise((done) => setTimeout(done, 30));
  }
  return out;
})()"""
DROP = """(data) => {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], "large.stl"));
  window.drop = () => document.querySelector(".app").dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true }));
}"""
DRAG = """(slider) => new Promise((done) => {
  const [begun, low, high] = [performance.now(), Number(slider.min), Number(slider.max)];
  let [moves, previews, last] = [0, 0, workcell.bench.ghost.poses];
  const next = (now) => {
    if (workcell.bench.ghost.poses !== last) previews += 1;
    last = workcell.bench.ghost.poses;
    if (now - begun > 4000) return done([moves, previews]);
    slider.valueAsNumber = low + (high - low) * (0.5 + 0.3 * Math.sin((now - begun) / 500));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    moves += 1;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})"""
"""Moves a slider with every frame; counts the movements and the frames with another ghost."""
PULL = """([x, y, shown]) => new Promise((done) => {
  const begun = performance.now(), pane = document.elementFromPoint(x, y), preview = new Function(`return ${shown}`);
  let [moves, previews, last] = [0, 0, preview()];
  const next = (now) => {
    if (preview() !== last) previews += 1;
    last = preview();
    if (now - begun > 4000) return done([moves, previews]);
    const at = { clientX: x + 60 * Math.sin((now - begun) / 500), clientY: y + 20 * Math.sin((now - begun) / 500) };
    pane.dispatchEvent(new PointerEvent("pointermove", { ...at, button: -1, buttons: 1, pointerId: 1, pointerType: "mouse", bubbles: true }));
    moves += 1;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})"""
"""Moves the pointer that holds a handle with every frame; counts the movements and the frames with another preview."""


@dataclass
class Served:
    """A server and its process."""

    url: str
    process: Child

    def processor_time(self) -> float:
        """What the server has used of the processor [s]."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    if found() is None or not bare_page.MODULES.is_dir():
        print("No Chromium, or the packages of the page are not installed: nothing is measured.")
        return 0
    from playwright.sync_api import sync_playwright

    chosen = set(sys.argv[1:])
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for name, measure in MEASURES.items():
            if not chosen or name in chosen:
                with tempfile.TemporaryDirectory() as folder:
                    measure(browser, Path(folder))
        browser.close()
    return 0


# ---- beside the bare page --------------------------------------------------------------------------------------


def first_frame(browser: Any, folder: Path) -> None:
    """From the address to the first frame with every shape, without anything in the cache of the browser."""
    with served() as server, beside(browser, server, folder) as bare:

        def once(url: str, complete: str) -> float:
            context = browser.new_context(viewport=SIZE)
            page = context.new_page()
            page.add_init_script(WHEN % complete)
            page.goto(url)
            seen = float(until(page, "window.seen"))
            context.close()
            return seen

        rounds = interleaved(lambda: once(server.url, ALL_SHAPES), lambda: once(bare, "window.ready"))
        say("first frame of the sample", rounds, "ms", "at most 1.5")


def playing(browser: Any, folder: Path) -> None:
    """Frames a second while a robot moves beside many bodies."""
    for count in BODIES:
        cell = folder / f"{count}.cell"
        many_bodies(cell, count)
        with served(cell) as server, beside(browser, server, folder) as bare_url:
            page, bare = opened(browser, server.url), browser.new_page(viewport=SIZE)
            bare.goto(bare_url)
            until(bare, "window.ready")
            page.evaluate("workcell.bench.time.loop = true")

            sides = (
                (page, "workcell.stats().frames", "workcell.bench.time.play()", "workcell.bench.time.pause()"),
                (bare, "window.drawn()", "window.play(true)", "window.play(false)"),
            )
            rounds = interleaved(*(partial(frames, *side) for side in sides))
            say(f"playing beside {count} bodies", [(one[0], two[0]) for one, two in rounds], "frames/s", "at least 0.8")
            say("   processor time of the browser", [(one[1], two[1]) for one, two in rounds], "ms a frame", "")
            page.close()
            bare.close()


def frames(page: Any, count: str, play: str, pause: str) -> tuple[float, float]:
    """Play for a while; return the frames a second, and the processor time of the browser for each [ms]."""
    page.bring_to_front()
    page.evaluate(play)
    page.wait_for_timeout(500)
    begun, used, before = time.perf_counter(), browser_time(), page.evaluate(count)
    page.wait_for_timeout(1e3 * SECONDS)
    drawn = page.evaluate(count) - before
    took, spent = time.perf_counter() - begun, browser_time() - used
    page.evaluate(pause)
    return drawn / took, 1e3 * spent / drawn


def browser_time() -> float:
    """What the browser has used of the processor [s]: all of its processes."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
            fields = rest.split()
            parents[int(stat.parent.name)] = int(fields[1])
            if "chrom" in name:
                used[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def own(process: int) -> bool:
        while process not in (0, os.getpid()):
            process = parents.get(process, 0)
        return process != 0

    return sum(seconds for process, seconds in used.items() if own(process))


# ---- the page alone --------------------------------------------------------------------------------------------


def tree(browser: Any, folder: Path) -> None:
    """An arrow key in a tree of 2,000 things, an edit until it is in the picture, and what the document holds."""
    cell = folder / "many.cell"
    many_bodies(cell, 2000)
    with served(cell) as server:
        page = opened(browser, server.url)
        keys = page.evaluate(KEYS)
        begun = time.perf_counter()
        page.get_by_label("Command", exact=True).fill("add solid late box 100 100 100 at 0,-800,50")
        page.keyboard.press("Enter")
        until(page, f"workcell.bench.scene.lists.bodies.some((body) => body.name === 'late') && {ALL_SHAPES}")
        edit = time.perf_counter() - begun
        nodes = page.evaluate("document.querySelectorAll('*').length")
        print(
            f"2,000 things: a key in the tree {statistics.median(keys):.1f} ms, worst {max(keys):.1f} (asked: at most 50); "
            f"an edit is seen after {edit:.2f} s; {nodes} elements in the document",
            flush=True,
        )
        page.close()


def dropped(browser: Any, _folder: Path) -> None:
    """A file of 200,000 triangles, from the drop until it is drawn; the question about its unit is answered at once."""
    took = []
    with served() as server:
        for number in range(3):
            page = opened(browser, server.url)
            page.evaluate(DROP, base64.b64encode(ring(200_000, 0.3 + 0.01 * number)).decode())
            before = page.evaluate("workcell.bench.scene.lists.bodies.length")
            begun = time.perf_counter()
            page.evaluate("window.drop()")
            page.get_by_role("button", name="Import", exact=True).click()  # the question about the unit
            until(page, f"{ALL_SHAPES} && workcell.bench.scene.lists.bodies.length === {before + 1}")
            took.append(time.perf_counter() - begun)
            page.close()
    print(f"200,000 triangles: shown {statistics.median(took):.2f} s after the drop (asked: at most 3)", flush=True)


def idle(browser: Any, _folder: Path) -> None:
    """Messages and frames while nothing happens."""
    with served() as server:
        page = browser.new_page(viewport=SIZE)
        seen: list[object] = []

        def note(frame: object) -> None:
            seen.append(frame)

        page.on(
            "websocket",
            lambda socket: [socket.on(kind, note) for kind in ("framesent", "framereceived")],
        )
        page.goto(server.url)
        until(page, f"{ALL_SHAPES} && workcell.bench.contacts.asked.took > 0")
        page.wait_for_timeout(4000)
        seen.clear()
        before, used = page.evaluate("workcell.stats().frames"), server.processor_time()
        page.wait_for_timeout(10_000)
        drawn = page.evaluate("workcell.stats().frames") - before
        share = (server.processor_time() - used) / 10.0
        print(
            f"10 s idle: {len(seen)} messages, {drawn} frames drawn (asked: none); server {100 * share:.1f} % of a core",
            flush=True,
        )
        page.close()


def drag(browser: Any, _folder: Path) -> None:
    """Previews while a slider of the pendant, the handle on its tool and a thing are dragged, and what they cost the server."""
    with served() as server:
        page = opened(browser, server.url)
        until(page, "workcell.bench.connection.measure(false).then((status) => status.warm)")
        page.keyboard.press("p")
        slider = page.get_by_role("slider", name="J1", exact=True).or_(page.locator("input[type=range]")).first
        previewed("a slider", server, lambda: slider.evaluate(DRAG))
        page.get_by_label("Handle in the view").select_option("move")
        pulled(page, server, "the hand", "handle", "workcell.bench.pendant.tool", "workcell.bench.ghost.poses")
        page.get_by_label("Handle in the view").select_option("off")
        page.get_by_label("Command", exact=True).fill("add solid crate box 200 200 200 at 900,-300,600")
        page.keyboard.press("Enter")
        until(page, f"workcell.bench.scene.lists.bodies.some((body) => body.name === 'crate') && {ALL_SHAPES}")
        page.evaluate("workcell.bench.selection.selectWhenThere(['object', 'crate'])")
        page.evaluate("workcell.bench.actions.run('hand.move')")
        until(page, "workcell.bench.moving.held?.node.name === 'crate'")
        pulled(page, server, "a thing", "moving", "workcell.bench.moving.held.pose", "workcell.bench.moving.motion")
        page.close()


def pulled(page: Any, server: Served, what: str, layer: str, pose: str, shown: str) -> None:
    """Drag a handle by its middle."""
    until(page, f"!!workcell.layer('{layer}') && workcell.stats().still")
    x, y = page.evaluate(f"workcell.screen({pose}.elements.slice(12, 15))")
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y)
    until(page, f"workcell.layer('{layer}').grabs")
    page.mouse.down()
    previewed(what, server, lambda: page.evaluate(PULL, [x, y, shown]))
    page.keyboard.press("Escape")
    page.mouse.up()


def previewed(what: str, server: Served, dragged: Callable[[], list[int]]) -> None:
    used, begun = server.processor_time(), time.perf_counter()
    moves, previews = dragged()
    wall = time.perf_counter() - begun
    share = (server.processor_time() - used) / wall
    print(
        f"drag of {what}: {previews / wall:.0f} previews a second for {moves / wall:.0f} movements (asked: at least 30); "
        f"server {100 * share:.0f} % of a core (asked: at most 30)",
        flush=True,
    )


def click(browser: Any, _folder: Path) -> None:
    """From the click on the hand-over in the gallery until it moves; play is pressed as soon as it can be."""
    took = []
    for _ in range(3):
        with served() as server:
            page = opened(browser, server.url)
            until(page, "workcell.bench.connection.measure(false).then((status) => status.warm)")
            page.get_by_role("button", name="Open a cell").click()
            sample = page.get_by_role("list", name="Samples").get_by_role("button", name="Two Pumas hand over a sphere")
            sample.wait_for()
            page.wait_for_timeout(1000)
            begun = time.perf_counter()
            sample.click(no_wait_after=True)
            page.wait_for_url("**cell=*")
            page.get_by_role("button", name="Play", exact=True).click()
            until(page, "!!window.workcell && workcell.bench.time.playing && workcell.bench.time.time > 0")
            took.append(time.perf_counter() - begun)
            page.close()
    print(
        f"hand-over: plays {statistics.median(took):.2f} s after the click in the gallery (asked: at most 3)",
        flush=True,
    )


def slow_link(browser: Any, _folder: Path) -> None:
    """An edit of one window until another shows it, while a third has a fast link and, in turns, a slow one."""
    fast, slow = 5e6, 20e3
    with served() as server, slowed(server.url, fast) as link:
        one, two, _third = (opened(browser, url) for url in (server.url, server.url, link.url))

        def edit(number: int, rate: float) -> float:
            link.rate = rate
            begun = time.perf_counter()
            one.evaluate(f"workcell.bench.log.press('add solid s{number} box 50 50 50 at {-500 - 60 * number},0,25')")
            until(two, f"workcell.bench.scene.lists.bodies.some((body) => body.name === 's{number}')")
            return time.perf_counter() - begun

        numbers = iter(range(1000))
        rounds = interleaved(lambda: edit(next(numbers), slow), lambda: edit(next(numbers), fast))
        beside_slow, beside_fast = (1e3 * statistics.median(column) for column in zip(*rounds, strict=True))
        ratio = statistics.median(slowly / quickly for slowly, quickly in rounds)
        print(
            f"an edit in one window is seen in another after {beside_slow:.0f} ms while a third has a link of 20 kB/s, "
            f"and {beside_fast:.0f} ms while that has a fast one, ratio {ratio:.2f} (asked: not slower)",
            flush=True,
        )


MEASURES: dict[str, Callable[[Any, Path], None]] = {
    "first-frame": first_frame,
    "playing": playing,
    "tree": tree,
    "dropped": dropped,
    "idle": idle,
    "drag": drag,
    "click": click,
    "slow-link": slow_link,
}


# ---- helpers ---------------------------------------------------------------------------------------------------


def many_bodies(cell: Path, count: int) -> None:
    """Make a cell with a robot that moves, and many bodies beside it."""
    with Cell.create(cell) as made:
        made.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        for i in range(count):
            high = 40 if i % 4 else 60
            made.do(f"add solid b{i} box 40 40 {high} at {1200 + 60 * (i % 50)},{-1200 + 60 * (i // 50)},30")


def ring(triangles: int, radius: float) -> bytes:
    """Return a torus as a binary STL file."""
    around = int((triangles / 2) ** 0.5)
    along = -(-triangles // (2 * around))
    u, v = np.meshgrid(
        np.linspace(0, 2 * np.pi, along, endpoint=False),
        np.linspace(0, 2 * np.pi, around, endpoint=False),
        indexing="ij",
    )
    wide = radius + 0.3 * radius * np.cos(v)
    points = 1e3 * np.stack([wide * np.cos(u), wide * np.sin(u), 0.3 * radius * np.sin(v)], axis=-1)
    a, b = points, np.roll(points, -1, axis=0)
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    faces = np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 9)
    rows = np.zeros(len(faces), dtype=[("n", "<f4", 3), ("p", "<f4", 9), ("more", "<u2")])
    rows["p"] = faces
    return bytes(80) + len(faces).to_bytes(4, "little") + rows.tobytes()


@contextlib.contextmanager
def served(cell: Path | None = None) -> Iterator[Served]:
    """Start a server on a cell, or on the sample."""
    place = ["open", str(cell)] if cell else []
    with workcell(*place, "--no-browser", "--port", "0") as process:
        yield Served(process.address(), process)


@contextlib.contextmanager
def beside(browser: Any, server: Served, folder: Path) -> Iterator[str]:
    """Yield the address of a bare page with the geometry, the canvas and the camera of the page."""
    page = opened(browser, server.url)
    page.wait_for_timeout(1000)
    width, height = page.evaluate("(({ clientWidth: w, clientHeight: h }) => [w, h])(document.querySelector('canvas'))")
    camera = page.evaluate("workcell.camera()")
    page.close()
    with connect(server.url) as client:
        if client.look().picture.robots:  # type: ignore[union-attr]
            client.do("move-joints-relative Puma 90,20,20,0,0,0")
            client.do("move-joints-relative Puma -90,-20,-20,0,0,0")
        bare_page.written(folder, server.url, client, (camera[:3], camera[3:]))
    with bare_page.serving(folder) as url:
        yield f"{url}?of={width},{height},1"


def opened(browser: Any, url: str) -> Any:
    page = browser.new_page(viewport=SIZE)
    page.goto(f"{url}&quality=low")
    until(page, ALL_SHAPES)
    return page


def interleaved(ours: Callable[[], T], theirs: Callable[[], T]) -> list[tuple[T, T]]:
    """Measure in turns; the first round warms and is not counted."""
    return [(ours(), theirs()) for _ in range(ROUNDS + 1)][1:]


def say(what: str, rounds: list[tuple[float, float]], unit: str, asked: str) -> None:
    mine, other = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(one / two for one, two in rounds)
    wanted = f" (asked: {asked})" if asked else ""
    print(f"{what}: {mine:.1f} {unit}, bare page {other:.1f}, ratio {ratio:.2f}{wanted}", flush=True)


def until(page: Any, expression: str) -> Any:
    while not (value := page.evaluate(expression)):
        time.sleep(0.01)
    return value


if __name__ == "__main__":
    raise SystemExit(main())
