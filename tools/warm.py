"""Compile the batch kernels and start the engines once, so that the first use is fast."""

from __future__ import annotations

import tempfile
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from rich.progress import Progress


def main() -> int:
    """Run the steps in two processes: what takes longest beside all the rest."""
    steps = [name for group in GROUPS for name in group]
    with Progress(transient=True) as progress, ProcessPoolExecutor(2, get_context("spawn")) as pool:
        task = progress.add_task("Warming the caches", total=len(steps))
        # A group is a chain: its later steps use the loops that its earlier ones compile.
        waiting = {pool.submit(run, group[0]): group for group in GROUPS}
        while waiting:
            for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                done.result()
                first, *later = waiting.pop(done)
                progress.update(task, advance=1, description=f"Warmed {first}")
                if later:
                    waiting[pool.submit(run, later[0])] = later
    return 0


def run(name: str) -> None:
    """Compile what one step needs."""
    STEPS[name]()


def kinematics() -> None:
    from workcell.kinematics.warm import warm

    warm()


def move() -> None:
    import numpy as np

    from workcell.motion.limits import Limits
    from workcell.motion.pacing import change_rate
    from workcell.motion.path import JointPath
    from workcell.motion.profiles import linear
    from workcell.motion.steering import supersede
    from workcell.motion.time_law import PacedMotion
    from workcell.motion.timing import time_optimal

    motion = linear(np.zeros(2), np.ones(2), 1.0)
    motion.sample(np.linspace(0.0, 1.0, 5))
    motion.range()
    motion.present(0.5)
    time_optimal(JointPath.polyline([[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]], blend=0.1), Limits.of(2, 1.0, 2.0))
    for limits in (Limits.of(2, 1.0, 2.0), Limits.of(2, 1.0, 2.0, 9.0)):
        supersede(np.zeros(2), None, None, np.ones(2), limits)
        change_rate(PacedMotion.at_full_speed(motion), 0.5, 0.0, limits)


def touch() -> None:
    import numpy as np

    from workcell.collision.batch import check_batch
    from workcell.collision.batch_clearance import least_clearance
    from workcell.collision.bodies import collision_model
    from workcell.collision.certify import certify
    from workcell.collision.check import check
    from workcell.collision.clearance import clearance
    from workcell.collision.free_space import FreeSpace
    from workcell.motion.profiles import linear
    from workcell.workbench.samples import sample

    with sample() as cell:
        model, state = collision_model(cell.snapshot()), cell.state
        here = state.joints["Puma"]
        check(model, state)
        clearance(model, state)
        check_batch(model, {"Puma": np.array([here, here + 0.01])})
        certify(model, {"Puma": linear(here, here + 0.05, 0.3)}, state)
        least_clearance(model, {"Puma": np.array([here, here + 0.01])}, state)
        space = FreeSpace(model, state)
        space.edge_free(space.start, space.start + 0.01, 0.01)
        for line in ("from 500,-500,600 to 500,500,600", "from 0,0,2000 to 500,0,100"):
            cell.do(f"add light-barrier beam{len(line)} {line}")
        cell.do("add distance-sensor height range 2000 at 0,0,2500 rotate 180,0,0")
        cell.do("move-joints-relative Puma 1,0,0,0,0,0")


def guide() -> None:
    from workcell.planning.guidance.links import LinkArm
    from workcell.planning.guidance.obstacles import Solid, Sphere
    from workcell.planning.guidance.runs import guide_links

    arm = LinkArm.of([0.0, 1.0, 1.0], [None, None], [None, None])
    tetrahedron = Solid.tetrahedron([(3, 3, 0), (4, 3, 0), (3, 4, 0), (3, 3, 1)])
    guide_links(arm, arm.posture([0.5, 0.5]), (0.0, 1.5, 0.0), [Sphere((2.0, 2.0, 0.0), 0.5), tetrahedron], time=0.1)


def steer() -> None:
    import workcell as wc

    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("watch yes")
        simulator = wc.Simulator(cell)
    arm = simulator.robot("Puma")
    start = arm.joints
    simulator.every(1e-3, lambda plant: arm.track(start + plant.time))
    simulator.wait(0.02)


def plan() -> None:
    import math

    import numpy as np

    import workcell as wc
    from workcell.planning.constraints import Upright
    from workcell.planning.find_path import find_path

    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints -70,0,-90,0,90,0")
        cell.do("add solid post box 100 100 2000 at 600,0,0")
        goal, upright = np.radians([70, 0, -90, 0, 90, 0]), Upright(math.radians(20))
        find_path(cell.snapshot(), cell.state, "Puma", goal, constraint=upright, budget=300.0)
        cell.do("find-path Puma joints 70,0,-90,0,90,0")  # keeps a roadmap


def order() -> None:
    import workcell as wc

    with wc.Cell() as cell:
        cell.do("create robot Arm irb1600")
        cell.do("add solid plate box 400 600 20 at 700,0,300")
        cell.do("targets grid 2x3 to holes pitch 150,200 on plate at -75,-200,180 rotate 180,0,0")
        cell.do("plan order holes by Arm to drill")


def draw() -> None:
    from workcell.commands.pictures import picture
    from workcell.workbench.samples import sample

    with tempfile.TemporaryDirectory() as folder, sample() as cell:
        picture(cell.session, Path(folder) / "warm.png", ("iso",), (1280, 720))


STEPS = {
    "kinematics": kinematics,
    "motion": move,
    "collision": touch,
    "set-points": steer,
    "planning": plan,
    "orders of targets": order,
    "guidance": guide,
    "solids and pictures": draw,
}
GROUPS = [
    ["collision", "set-points", "planning", "orders of targets"],
    ["kinematics", "motion", "guidance", "solids and pictures"],
]


if __name__ == "__main__":
    raise SystemExit(main())
