"""Pictures: 100 000 triangles with edges, shaded, 1280 × 720, one thread; the goal is 40 frames per second.

Also the command that makes a picture of a sample cell, from start to end: under 2 seconds.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from harness import compare, missing, span
from workcell.geometry.mesh import Mesh
from workcell.pictures.camera import Camera
from workcell.pictures.render import render
from workcell.pictures.scene import Item, Scene
from workcell.pictures.style import FAST, FIGURE

SIZE = (1280, 720)


def torus(around: int, across: int, ring: float = 0.5, tube: float = 0.2) -> Mesh:
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = u * (2 * math.pi / around), v * (2 * math.pi / across)
    r = ring + tube * np.cos(b)
    vertices = np.stack([r * np.cos(a), r * np.sin(a), tube * np.sin(b)], axis=-1).reshape(-1, 3)

    def index(i, j):
        return (i % around) * across + j % across

    p, q, s, t = index(u, v), index(u + 1, v), index(u + 1, v + 1), index(u, v + 1)
    triangles = np.concatenate([np.stack(c, axis=-1).reshape(-1, 3) for c in ((p, q, s), (p, s, t))])
    # Feature edges: every eighth ring each way, as the borders of faces would be.
    rings = [np.stack([p, t], axis=-1)[::8].reshape(-1, 2), np.stack([p, q], axis=-1)[:, ::8].reshape(-1, 2)]
    return Mesh(vertices, triangles, np.zeros(len(triangles)), edges=np.concatenate(rings))


def cell(meshes: int, around: int, across: int) -> Scene:
    shape = torus(around, across)
    items = []
    for i in range(meshes):
        x, y = i % 4, i // 4
        matrix = np.eye(4)
        turn = 0.7 * i
        matrix[:3, :3] = [
            [1, 0, 0],
            [0, math.cos(turn), -math.sin(turn)],
            [0, math.sin(turn), math.cos(turn)],
        ]
        matrix[:3, 3] = (1.5 * x, 1.5 * y, 0.7)
        items.append(Item(shape, matrix, ("blue", "orange", "teal", "steel")[i % 4]))
    return Scene(tuple(items))


def command() -> None:
    """Time ``workcell render`` of a sample cell, from start to end of the process."""
    walls, works = [], []
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "workcell", "render", "--sample", "puma", "-o", str(Path(folder) / "puma.png")]
        for round_ in range(6):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([sys.executable, *words], check=True, capture_output=True)
            after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
            if round_:  # the first one warms the caches
                walls.append(wall)
                works.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    wall, work = statistics.median(walls), statistics.median(works)
    print("workcell render --sample puma, the whole command (goal: under 2 s, warm)")
    print(f"  wall clock {span(wall)} (best {span(min(walls))}), processor {span(work)} (best {span(min(works))})\n")


def main() -> None:
    scene = cell(8, 125, 50)
    triangles = sum(len(item.mesh.triangles) for item in scene)
    camera = Camera.around(scene.points, math.radians(-60), math.radians(35), margin=0.02)
    orbit = (camera.orbit(1e-3 * i) for i in itertools.count())
    every = dataclasses.replace(FAST, edges="all")
    plain = dataclasses.replace(FAST, edges="none", floor=None, axes=False)
    twice = dataclasses.replace(FAST, samples=2)
    compare(
        {
            "shaded, feature edges": lambda: render(scene, camera, SIZE, FAST),
            "the same, camera moving": lambda: render(scene, next(orbit), SIZE, FAST),
            "shaded, all edges": lambda: render(scene, camera, SIZE, every),
            "shaded, no edges, no floor": lambda: render(scene, camera, SIZE, plain),
            "feature edges, 2×2 samples": lambda: render(scene, camera, SIZE, twice),
            "figure (shadows, 2×2)": lambda: render(scene, camera, SIZE, FIGURE),
        },
        rounds=15,
        title=f"{triangles:,} triangles, {SIZE[0]} × {SIZE[1]}, one thread (goal: 40 frames/s with edges)",
        unit="frames",
    )
    compare(
        {
            "shaded, feature edges": lambda: render(scene, camera, SIZE, FAST),
            "shaded, all edges": lambda: render(scene, camera, SIZE, every),
            "feature edges, moving camera": lambda: render(scene, next(orbit), SIZE, FAST),
        },
        rounds=15,
        title="The same in processor time of the one thread, without the time of other programs",
        unit="frames",
        clock=time.thread_time,
    )
    small = cell(2, 40, 20)
    view = Camera.around(small.points, math.radians(-60), math.radians(35))
    style = dataclasses.replace(FAST, axes=False)
    compare(
        {
            "compiled": lambda: render(small, view, (640, 360), style),
            "plain NumPy twin": lambda: render(small, view, (640, 360), style, "numpy"),
        },
        rounds=3,
        title=f"{sum(len(i.mesh.triangles) for i in small):,} triangles, 640 × 360, feature edges",
        unit="frames",
    )
    command()
    missing("pyrender, pygfx", "they need an OpenGL screen or EGL driver; trimesh draws through pyglet")


if __name__ == "__main__":
    main()
