"""The page beside a bare three.js page with the same bodies, in the same browser: frames a second while the view turns.

The bare page draws one instanced mesh and one set of instanced edges for each shape, and nothing else. Rounds take
turns, so that both pages meet the same load; the ratio is what counts. On a slow machine the page draws fewer pixels
while it moves; the bare page does not. A key in the tree and an edit until it is in the picture are timed, too.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import workcell
from workcell.commands.cell import Cell

THREE = Path(workcell.__file__).parent / "workbench" / "app" / "node_modules" / "three" / "build"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SIZE = {"width": 1280, "height": 800}
ROUNDS = 3
SECONDS = 2.0
BODIES = (50, 2000)
BARE = """<!doctype html><style>body{margin:0;background:#e8edf2}canvas{display:block}</style><canvas></canvas>
<script type="module">
import * as THREE from "./three.module.js";
const [count, width, height] = new URLSearchParams(location.search).get("of").split(",").map(Number);
const renderer = new THREE.WebGLRenderer({ canvas: document.querySelector("canvas"), alpha: true });
renderer.setSize(width, height, false);
const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(32, width / height, 0.05, 100);
camera.up.set(0, 0, 1);
scene.add(new THREE.HemisphereLight(), new THREE.DirectionalLight("#fff", 2));
const surface = new THREE.MeshLambertMaterial({ color: "#8fa3b5" });
const line = new THREE.LineBasicMaterial({ color: "#27313c" });
for (const [high, every] of [[0.06, 0], [0.04, 1]]) {
  const places = [...Array(count).keys()].filter((i) => (i % 4 ? 1 : 0) === every);
  const box = new THREE.BoxGeometry(0.04, 0.04, high);
  const faces = new THREE.InstancedMesh(box, surface, places.length);
  const edges = new THREE.InstancedMesh(new THREE.EdgesGeometry(box), line, places.length);
  Object.assign(edges, { isMesh: false, isLine: true, isLineSegments: true });
  places.forEach((i, k) => {
    const at = new THREE.Matrix4().makeTranslation(1 + 0.06 * (i % 50), -1.2 + 0.06 * Math.floor(i / 50), 0.03);
    faces.setMatrixAt(k, at);
    edges.setMatrixAt(k, at);
  });
  faces.frustumCulled = edges.frustumCulled = false;
  scene.add(faces, edges);
}
let angle = 0;
window.turn = () => {
  angle += 0.01;
  camera.position.set(2.4 + 5 * Math.cos(angle), 5 * Math.sin(angle), 3);
  camera.lookAt(2.4, 0, 0);
  renderer.render(scene, camera);
};
window.ready = true;
</script>"""
RATE = """(turn) => new Promise((done) => {
  const end = performance.now() + %f;
  let frames = 0;
  const next = (now) => (now < end ? (frames++, turn(), requestAnimationFrame(next)) : done(frames));
  requestAnimationFrame(next);
})""" % (1e3 * SECONDS)
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


def main() -> int:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or not THREE.is_dir():
        print("No Chromium, or the packages of the page are not installed: nothing is measured.")
        return 0
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for count in BODIES:
            measure(browser, count, Path(folder))
        browser.close()
    return 0


def measure(browser: Any, count: int, folder: Path) -> None:
    cell = folder / f"{count}.cell"
    with Cell.create(cell) as made:
        for i in range(count):
            made.do(
                f"add solid b{i} box 40 40 {40 if i % 4 else 60} at {1000 + 60 * (i % 50)},{-1200 + 60 * (i // 50)},30"
            )
    with served(cell) as url, bare_page(folder) as bare_url:
        page = browser.new_page(viewport=SIZE)
        page.goto(url)
        until(page, "!!window.workcell && workcell.bench.shapes.wanted > 0")
        until(page, "workcell.bench.shapes.here === workcell.bench.shapes.wanted")
        width, height = page.evaluate(
            "(({ clientWidth: w, clientHeight: h }) => [w, h])(document.querySelector('canvas'))"
        )
        bare = browser.new_page(viewport=SIZE)
        bare.goto(f"{bare_url}?of={count},{width},{height}")
        until(bare, "window.ready")
        rounds = []
        for number in range(ROUNDS + 1):
            ours = rate(page, "() => workcell.bench.view.orbit(0.01, 0)")
            theirs = rate(bare, "() => window.turn()")
            if number:  # the first one warms
                rounds.append((ours, theirs))
        keys = page.evaluate(KEYS)
        begun = time.perf_counter()
        page.get_by_label("Command", exact=True).fill("add solid late box 100 100 100 at 0,-800,50")
        page.keyboard.press("Enter")
        until(page, "workcell.bench.scene.lists.bodies.some((body) => body.name === 'late')")
        until(page, "workcell.bench.shapes.here === workcell.bench.shapes.wanted")
        edit = time.perf_counter() - begun
        nodes = page.evaluate("document.querySelectorAll('*').length")
        mine, other = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(
            f"{count:5} bodies: {mine:5.1f} frames/s, bare page {other:5.1f}, ratio {mine / other:4.2f} (asked 0.8); key in the tree "
            f"median {statistics.median(keys):.1f} ms, worst {max(keys):.1f} (asked 50); edit to picture {edit:.2f} s; {nodes} elements",
            flush=True,
        )
        page.close()
        bare.close()


def rate(page: Any, turn: str) -> float:
    page.bring_to_front()
    return float(page.evaluate(f"({RATE})({turn})")) / SECONDS


def until(page: Any, expression: str) -> None:
    while not page.evaluate(expression):
        time.sleep(0.01)


@contextlib.contextmanager
def served(cell: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "workcell", "open", str(cell), "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextlib.contextmanager
def bare_page(folder: Path) -> Iterator[str]:
    """Serve a page that has nothing but three."""
    for file in THREE.glob("three.*.js"):
        shutil.copy(file, folder)
    (folder / "bare.html").write_text(BARE)
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/bare.html"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


if __name__ == "__main__":
    raise SystemExit(main())
