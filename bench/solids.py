"""Booleans: ours beside OCP used bare, manifold3d, trimesh, and build123d in an environment of its own.

build123d brings another copy of the kernel, so it runs as a child process, beside bare OCP there. Make its
environment once with ``python -m venv .venv-build123d && .venv-build123d/bin/pip install build123d``, or name its
Python in the variable BUILD123D_PYTHON; without it those rows are left out, and the script reports it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np

from harness import compare, span
from workcell.geometry import derive, recipe, solids
from workcell.geometry.kernel.occ import proof
from workcell.geometry.kernel.occ.build import Builder
from workcell.geometry.kernel.requests import PropertiesRequest
from workcell.geometry.kernel.worker import CadWorker
from workcell.spatial.pose import Pose

PLACES = [(0.05 * (i - 2.5), 0.05 * (j - 2.5)) for i in range(6) for j in range(6)]
FINE = 2e-5

CHILD = """
import statistics, time
import build123d as b
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
places = [(50.0 * (i - 2.5), 50.0 * (j - 2.5)) for i in range(6) for j in range(6)]
def build():
    pins = [b.Pos(x, y, 0) * b.Cylinder(10, 40) for x, y in places]
    return b.Box(340, 340, 20) - pins
def bare():
    shape = BRepPrimAPI_MakeBox(gp_Pnt(-170, -170, -10), 340.0, 340.0, 20.0).Shape()
    for x, y in places:
        tool = BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, -20), gp_Dir(0, 0, 1)), 10.0, 40.0).Shape()
        shape = BRepAlgoAPI_Cut(shape, tool).Shape()
    return shape
times = {"build": [], "bare": []}
build(); bare()
for _ in range(5):
    for name, run in (("build", build), ("bare", bare)):
        start = time.perf_counter(); run(); times[name].append(time.perf_counter() - start)
print(statistics.median(times["build"]), statistics.median(times["bare"]))
"""


def plate(fast: float = 0.0) -> recipe.Recipe:
    """Return a plate with 36 holes, as a user writes it: one cut after the other."""
    pin = solids.cylinder(0.01, 0.04)
    pins = [pin.moved(Pose.from_xyz(x, y, 0.0)) for x, y in PLACES]
    if fast:
        return solids.difference(solids.box(0.34, 0.34, 0.02), *pins, fast=fast).recipe
    body = solids.box(0.34, 0.34, 0.02)
    for tool in pins:
        body = body - tool
    return body.recipe


def bare_tools() -> tuple[object, list[object]]:
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    base = BRepPrimAPI_MakeBox(gp_Pnt(-170, -170, -10), 340.0, 340.0, 20.0).Shape()
    tools = [
        BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x * 1e3, y * 1e3, -20), gp_Dir(0, 0, 1)), 10.0, 40.0).Shape()
        for x, y in PLACES
    ]
    return base, tools


def bare_one_by_one() -> object:
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut

    shape, tools = bare_tools()
    for tool in tools:
        shape = BRepAlgoAPI_Cut(shape, tool).Shape()
    return shape


def bare_at_once() -> object:
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
    from OCP.collections import List_TopoDS_Shape

    base, tools = bare_tools()
    arguments, others = List_TopoDS_Shape(), List_TopoDS_Shape()
    arguments.Append(base)
    for tool in tools:
        others.Append(tool)
    cut = BRepAlgoAPI_Cut()
    cut.SetArguments(arguments)
    cut.SetTools(others)
    cut.Build()
    return cut.Shape()


def mixed() -> recipe.Recipe:
    """Return a block with a boss, a bore, a slot and a rounded end: different operations, nothing to fuse."""
    block = solids.box(0.2, 0.1, 0.05) + solids.cylinder(0.04, 0.1).moved(Pose.from_xyz(0.03, 0, 0.03))
    bored = block - solids.cylinder(0.02, 0.3).moved(Pose.from_xyz(0.03, 0, 0))
    slot = bored & solids.cylinder(0.11, 0.5)
    return (slot + solids.sphere(0.03).moved(Pose.from_xyz(-0.08, 0, 0))).recipe


def bare_mixed() -> object:
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeSphere
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    def cylinder(x: float, z: float, r: float, h: float) -> object:
        return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, 0, z - h / 2), gp_Dir(0, 0, 1)), r, h).Shape()

    block = BRepPrimAPI_MakeBox(gp_Pnt(-100, -50, -25), 200.0, 100.0, 50.0).Shape()
    shape = BRepAlgoAPI_Fuse(block, cylinder(30, 30, 40.0, 100.0)).Shape()
    shape = BRepAlgoAPI_Cut(shape, cylinder(30, 0, 20.0, 300.0)).Shape()
    shape = BRepAlgoAPI_Common(shape, cylinder(0, 0, 110.0, 500.0)).Shape()
    return BRepAlgoAPI_Fuse(shape, BRepPrimAPI_MakeSphere(gp_Pnt(-80, 0, 0), 30.0).Shape()).Shape()


def proof_of(tree: recipe.Recipe) -> tuple[float, float]:
    """Return the cost of the proof before the first answer of a worker.

    The kernel's check, and the volume by meshes.
    """
    builder = Builder()
    built = builder.build(tree)
    parts = {"valid": lambda: proof.sound(built.shape)}
    if proof.risky(tree):
        parts["volume"] = lambda: proof.as_large_as_expected(tree, builder.build, built)
    found = compare(parts, rounds=7, quiet=True, clock=time.process_time)
    return found["valid"], found.get("volume", 0.0)


def overhead(name: str, ours: float, bare: float, tree: recipe.Recipe) -> None:
    valid, volume = proof_of(tree)
    print(f"  our layer over bare OCP ({name}): {100 * (ours / bare - 1):+.1f} % (wanted: at most +10 %)")
    print(
        "    (both sides: one thread, no fuzzy value, no glue; ours does not ask whether its own bodies are inside out,"
    )
    print("    and names every face)")
    print(
        f"  apart, once before the first answer, which bare OCP does not do: validity {span(valid)}, "
        f"volume by meshes {span(volume) if volume else 'not needed'} "
        f"({100 * (valid + volume) / bare:+.0f} % of bare OCP)\n"
    )


def main() -> None:
    exact = plate()
    ours = compare(
        {
            "ours, chain fused": lambda: Builder().build(exact),
            "bare OCP, one by one": bare_one_by_one,
            "bare OCP, in one cut": bare_at_once,
        },
        rounds=15,
        title="Plate with 36 holes, exact",
        clock=time.process_time,
    )
    fused, slow, quick = ours.values()
    print(f"  fused against one by one: {slow / fused:.2f}× faster (wanted: at least 3×)")
    overhead("in one cut", fused, quick, exact)

    tree = mixed()
    blend = compare(
        {"ours": lambda: Builder().build(tree), "bare OCP": bare_mixed},
        rounds=25,
        title="Mixed tree, nothing to fuse",
        clock=time.process_time,
    )
    overhead("step by step", blend["ours"], blend["bare OCP"], tree)

    worker = CadWorker()
    try:
        small = PropertiesRequest(solids.box(0.1, 0.1, 0.1).recipe)
        crossing = compare({"a box weighed in the worker": lambda: worker.submit(small)}, rounds=50, title="Crossing")
        print(f"  there and back: {span(next(iter(crossing.values())))}\n")
    finally:
        worker.shutdown()

    import manifold3d as m
    import trimesh

    coarse = plate(FINE)
    assert isinstance(coarse, recipe.Difference)
    meshes = [derive.mesh(part, FINE, lambda *_: None) for part in coarse.parts()]
    arrays = [(mesh.vertices.copy(), mesh.triangles.astype(np.uint64)) for mesh in meshes]

    def manifold() -> object:
        bodies = [m.Manifold(m.Mesh64(*pair)) for pair in arrays]
        return m.Manifold.batch_boolean(bodies, m.OpType.Subtract).to_mesh64()

    def by_trimesh() -> object:
        bodies = [trimesh.Trimesh(v, t.astype(np.int64), process=False) for v, t in arrays]
        return trimesh.boolean.difference(bodies, engine="manifold", check_volume=False)

    from workcell.geometry import fast

    quick_ones = compare(
        {
            "ours, fast=True": lambda: fast.boolean("difference", meshes),
            "manifold3d": manifold,
            "trimesh (manifold)": by_trimesh,
        },
        rounds=15,
        title=f"Plate with 36 holes, meshes within {FINE * 1e3:g} mm ({sum(len(x.triangles) for x in meshes)} triangles)",
    )
    print(
        f"  fast against manifold3d: {quick_ones['ours, fast=True'] / quick_ones['manifold3d']:.2f}× (wanted: ≤ 1.3×)\n"
    )

    python = os.environ.get("BUILD123D_PYTHON", ".venv-build123d/bin/python")
    if not Path(python).exists():
        print("build123d: no environment of its own found; see the first lines of this file.")
        return
    ran = subprocess.run([python, "-c", CHILD], capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"build123d: failed: {ran.stderr.strip().splitlines()[-1:]}")
        return
    build, bare = (float(word) for word in ran.stdout.split()[-2:])
    print("build123d, in its own environment (its bare OCP beside it)")
    print(f"  build123d {span(build)}, bare OCP one by one {span(bare)}: {build / bare:.2f}×")


if __name__ == "__main__":
    main()
