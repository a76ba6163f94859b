"""A bare three.js page with the bodies of a cell: what a browser can do with the same geometry, and nothing else.

It has the same shapes (fetched as GLB files, read by three's loader), the same edges, colours and poses. Bodies that share
a shape are instances of one mesh, all others are meshes. What moves is interpolated between keyframes, as in the page of the workbench.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import workcell
from workcell.service.client import Client

MODULES = Path(workcell.__file__).parent / "workbench" / "app" / "node_modules" / "three"
STEP = 0.02
"""Between two keyframes [s]."""
HTML = """<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#e8edf2}canvas{display:block}</style><canvas></canvas>
<script type="module" src="built.js"></script>"""
SCRIPT = """import * as THREE from "MODULES/build/three.module.js";
import { GLTFLoader } from "MODULES/examples/jsm/loaders/GLTFLoader.js";
const [width, height, ratio] = new URLSearchParams(location.search).get("of").split(",").map(Number);
const { shapes, bodies, tracks, camera: [eye, target] } = await (await fetch("scene.json")).json();
const renderer = new THREE.WebGLRenderer({ canvas: document.querySelector("canvas"), alpha: true });
renderer.setPixelRatio(ratio);
renderer.setSize(width, height, false);
const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(32, width / height, 0.05, 100);
camera.up.set(0, 0, 1);
camera.position.set(...eye);
camera.lookAt(...target);
scene.add(new THREE.HemisphereLight(), new THREE.DirectionalLight("#fff", 2));
const loader = new GLTFLoader();
const loaded = await Promise.all(shapes.map((hash) => loader.loadAsync(`${hash}.glb`)));
const line = new THREE.LineBasicMaterial({ color: "#27313c" });
const pose = ([x, y, z, w, a, b, c]) =>
  new THREE.Matrix4().compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(a, b, c, w), new THREE.Vector3(1, 1, 1));
const users = shapes.map(() => []);
bodies.forEach((body, i) => body.pieces.forEach(({ shape, colour }) => users[shape].push([i, colour])));
const placed = bodies.map(() => []);
shapes.forEach((_, shape) => {
  loaded[shape].scene.traverse((part) => {
    if (!part.isMesh && !part.isLineSegments) return;
    const own = users[shape].length === 1;
    const material = part.isMesh ? new THREE.MeshLambertMaterial() : line;
    const all = own
      ? new (part.isMesh ? THREE.Mesh : THREE.LineSegments)(part.geometry, material)
      : new THREE.InstancedMesh(part.geometry, material, users[shape].length);
    if (!own && !part.isMesh) Object.assign(all, { isMesh: false, isLine: true, isLineSegments: true });
    all.frustumCulled = all.matrixAutoUpdate = false;
    users[shape].forEach(([body, colour], k) => {
      const rgb = new THREE.Color().setRGB(...colour, THREE.SRGBColorSpace);
      if (part.isMesh && own) material.color = rgb;
      else if (part.isMesh) all.setColorAt(k, rgb);
      placed[body].push([all, own ? -1 : k]);
      put([all, own ? -1 : k], pose(bodies[body].pose));
    });
    scene.add(all);
  });
});
function put([mesh, k], matrix) {
  if (k < 0) {
    mesh.matrix.copy(matrix);
    mesh.matrixWorldNeedsUpdate = true;
    return;
  }
  mesh.setMatrixAt(k, matrix);
  mesh.instanceMatrix.needsUpdate = true;
}
const moving = tracks.map(({ body, keys }) => ({ placed: placed[body], keys }));
const count = moving[0]?.keys.length ?? 0;
const [from, to, place] = [new THREE.Quaternion(), new THREE.Quaternion(), new THREE.Vector3()];
const [matrix, one] = [new THREE.Matrix4(), new THREE.Vector3(1, 1, 1)];
let drawn = 0, begun = 0, playing = false;
function draw(now) {
  if (playing) {
    requestAnimationFrame(draw);
    const at = ((now - begun) / 1000 / STEP) % (count - 1), i = Math.floor(at), share = at - i;
    for (const { placed, keys } of moving) {
      const [a, b] = [keys[i], keys[i + 1]];
      place.set(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2]));
      from.set(a[4], a[5], a[6], a[3]).slerp(to.set(b[4], b[5], b[6], b[3]), share);
      matrix.compose(place, from, one);
      for (const one of placed) put(one, matrix);
    }
  }
  renderer.render(scene, camera);
  drawn += 1;
}
window.play = (on) => {
  playing = on && count > 1;
  begun = performance.now();
  requestAnimationFrame(draw);
};
window.drawn = () => drawn;
draw(0);
window.ready = true;
""".replace("STEP", str(STEP)).replace("MODULES", MODULES.as_posix())


def written(folder: Path, url: str, client: Client, camera: tuple[list[float], list[float]]) -> None:
    """Write the page for a cell that is being served: its shapes, its bodies and the motion of its recording."""
    shown = client.look()
    picture, recording = shown.picture, shown.recording
    assert picture is not None
    shapes = sorted({piece.glb for body in picture.bodies.values() for piece in body.pieces})
    numbers = {shape: number for number, shape in enumerate(shapes)}
    bodies = [
        {
            "pose": list(body.pose),
            "pieces": [{"shape": numbers[one.glb], "colour": list(one.colour)[:3]} for one in body.pieces],
        }
        for body in picture.bodies.values()
    ]
    places = {body: number for number, body in enumerate(picture.bodies)}
    moving = list(recording.moving) if recording is not None and recording.duration > 0.0 else []
    tracks: list[dict[str, Any]] = []
    if moving:
        keys = client.poses(recording.start, STEP, int(recording.duration / STEP), moving)
        tracks = [{"body": places[body], "keys": keys[:, k].tolist()} for k, body in enumerate(moving)]
    place, _, query = url.partition("?")
    for shape in shapes:
        with urllib.request.urlopen(f"{place}glb/{shape}?{query}") as answer:
            (folder / f"{shape}.glb").write_bytes(answer.read())
    facts = {"shapes": shapes, "bodies": bodies, "tracks": tracks, "camera": camera}
    (folder / "scene.json").write_text(json.dumps(facts))
    (folder / "bare.html").write_text(HTML)
    (folder / "bare.js").write_text(SCRIPT)
    bundle = [MODULES.parent / ".bin" / "rolldown", folder / "bare.js", "--minify", "-o", folder / "built.js"]
    subprocess.run(bundle, check=True, capture_output=True)


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder; yield the address of the bare page."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/bare.html"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""
