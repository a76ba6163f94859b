"""The order of work in random cells: 50 targets on boxes around an arm, the spin of the tool free.

``python bench/order.py`` prints, for each cell, the certified cycle as a part of that of the nearest neighbour with the
nearest branch, the bound, and the seconds. ``--long SECONDS`` also searches that long for the best certified cycle, and a
fifth of it for the best cycle that ignores contacts; ``--seeds`` and ``--robots`` choose the cells.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import statistics
import time
from dataclasses import replace

import numpy as np

import workcell as wc
from workcell.collision.bodies import CollisionModel
from workcell.errors import Refused, WorkcellError
from workcell.planning.configurations import configurations
from workcell.planning.find_path import STEP, find_path
from workcell.planning.move_times import MoveTimes
from workcell.planning.order import order_of_work
from workcell.planning.planners import Query
from workcell.planning.space import space_of
from workcell.planning.tool_freedom import FREE_SPIN, NO_FREEDOM
from workcell.planning.transit import proved
from workcell.planning.work import WorkTarget, ways_to_work
from workcell.spatial import rotations
from workcell.world.snapshot import Snapshot

STANDOFF = 0.17
"""How far the flange stays away from a face [m]: the gripper is before it."""
_DRAWS = 12
"""How often targets are drawn, sixty for each that is wanted: where boxes stand far out, few are in reach."""


def reach_of(arm: wc.Robot) -> float:
    """How far the tool comes from the axis of the first joint [m]."""
    Q = np.random.default_rng(0).uniform(arm.limits[:, 0], arm.limits[:, 1], (2000, arm.n))
    xyz = arm.fk_batch(Q)[:, :3, 3]
    return float(np.hypot(xyz[:, 0], xyz[:, 1]).max())


def random_cell(name: str, seed: int, count: int, spin: bool) -> tuple[Snapshot, list[WorkTarget]]:
    """A cell with four boxes around an arm, and targets that the arm can take on their faces."""
    rng = np.random.default_rng(seed)
    cell, arm = wc.Cell(), wc.robot(name)
    reach = reach_of(arm)
    cell.add_robot(name, name="Arm")
    boxes: list[tuple[wc.Pose, np.ndarray]] = []
    while len(boxes) < 4:
        size = np.array([*rng.uniform(0.12, 0.3, 2), rng.uniform(0.1, 0.35)]) * reach
        angle, far = rng.uniform(-2.2, 2.2), rng.uniform(0.5, 0.75) * reach
        X = wc.Pose.from_xyz(far * np.cos(angle), far * np.sin(angle), 0.5 * size[2])
        X = X @ wc.Pose.from_rotation(rotations.about("z", rng.uniform(0.0, np.pi)))
        apart = [
            np.linalg.norm((X.xyz - Y.xyz)[:2]) - 0.5 * np.hypot(*size[:2]) - 0.5 * np.hypot(*other[:2])
            for Y, other in boxes
        ]
        if min(apart, default=1.0) > 0.05 * reach:
            boxes.append((X, size))
            cell.add_solid(wc.solids.box(*size), name=f"box{len(boxes)}", at=X)
    snapshot = cell.snapshot()
    state = snapshot.initial
    space = space_of(snapshot, state, "Arm")
    home = state.joints["Arm"]
    query = Query(space, space.scene(), home, home[None], 0, STEP, np.inf, np.inf)
    X_base_world = snapshot.base_pose(state, "Arm").inverse()
    taken: list[wc.Pose] = []
    for _ in range(_DRAWS):
        poses = [_drawn(rng, *boxes[rng.integers(len(boxes))]) for _ in range(60 * count)]
        Q, which = configurations(arm, np.array([(X_base_world @ pose).matrix for pose in poses]))
        taken += [poses[place] for place in np.unique(which[~query.touching(Q)])]
        if len(taken) >= count:
            break
    else:
        raise Refused(f"{name}, cell {seed}: only {len(taken)} of {count} targets are free of contacts.")
    freedom = FREE_SPIN if spin else NO_FREEDOM
    return snapshot, [WorkTarget(f"t{k + 1}", pose, freedom) for k, pose in enumerate(taken[:count])]


def _drawn(rng: np.random.Generator, X: wc.Pose, size: np.ndarray) -> wc.Pose:
    """A pose of the tool at a random place of a box, square to one of its faces."""
    normal, place = np.zeros(3), rng.uniform(-0.45, 0.45, 3) * size
    axis = rng.integers(3)
    normal[axis] = 1.0 if axis == 2 else rng.choice([-1.0, 1.0])
    place[axis] = normal[axis] * (0.5 * size[axis] + STANDOFF)
    down = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]])
    turn = down if axis == 2 else rotations.about_vector(np.cross([0, 0, -1.0], -normal), 0.5 * np.pi) @ down
    return X @ wc.Pose.from_rotation(turn @ rotations.about("z", rng.uniform(-np.pi, np.pi)), place)


def by_hand(snapshot: Snapshot, targets: list[WorkTarget], spins: bool, soonest: bool) -> tuple[float, float]:
    """The nearest neighbour with the nearest branch: how long its cycle takes, contacts ignored, and free of contacts [s].

    The next target is the one nearest to the tool, with the joint values nearest to the arm's; or with ``soonest`` whatever
    target and configuration is reached soonest. With ``spins`` the tool takes the best of its spins too, otherwise the
    one that was taught. Moves that touch something become the shortest of three paths that `find_path` finds.
    """
    arm, home = snapshot.robot("Arm").robot, snapshot.initial.joints["Arm"]
    space = space_of(snapshot, snapshot.initial, "Arm")
    query = Query(space, space.scene(), home, home[None], 0, STEP, np.inf, np.inf)
    base = snapshot.base_pose(snapshot.initial, "Arm").inverse()
    asked = targets if spins else [replace(target, freedom=NO_FREEDOM) for target in targets]
    ways = ways_to_work(arm, base, asked, home, 4000 // len(targets), query, "Arm")
    times = MoveTimes.of(snapshot.robot("Arm"))
    rows, left = [home], set(range(len(targets)))
    place = snapshot.tool_pose(snapshot.initial, "Arm").xyz
    while left:
        near = left if soonest else {min(left, key=lambda k: float(np.linalg.norm(targets[k].pose.xyz - place)))}
        found = {}
        for job in near:
            own = ways.approach[ways.first[job] : ways.first[job + 1]]
            far = times.between(rows[-1][None], own)[0] if soonest else np.abs(own - rows[-1]).max(axis=1)
            found[job] = float(far.min()), own[int(far.argmin())]
        job = min(found, key=lambda k: found[k][0])
        rows.append(found[job][1])
        place = targets[job].pose.xyz
        left.remove(job)
    rows.append(home)
    straight = sum(times.move(a, b).duration for a, b in itertools.pairwise(rows))
    return straight, sum(free_time(snapshot, space.model, times, a, b) for a, b in itertools.pairwise(rows))


def free_time(snapshot: Snapshot, model: CollisionModel, times: MoveTimes, a: np.ndarray, b: np.ndarray) -> float:
    """How long a move takes that touches nothing [s]; that of the straight move where none is found, for the baseline's good."""
    motion, state = times.move(a, b), snapshot.initial
    if motion.duration == 0.0 or proved(model, state, "Arm", motion).free:
        return motion.duration
    found = []
    for seed in range(3):
        with contextlib.suppress(WorkcellError):
            plan = find_path(snapshot, state, "Arm", b, start=a, seed=seed, budget=1e6, effort=100_000, explain=False)
            found.append(plan.duration)
    return min(found, default=motion.duration)


def searched(snapshot: Snapshot, targets: list[WorkTarget], seconds: float, certified: bool) -> float:
    """The shortest cycle that a long search finds, with other seeds and ten times the work in each of them [s]."""
    began, seed, best = time.monotonic(), 1, np.inf
    while time.monotonic() - began < seconds:
        found = order_of_work(
            snapshot, snapshot.initial, "Arm", targets, seed=seed, thorough=10, certified=certified, path_budget=2.0
        )
        best = min(best, found.time)
        seed += 1
    return best


def row_of(name: str, seed: int, count: int, spin: bool, long: float) -> tuple[float, float, float]:
    """Print the row of one cell; its cycle as parts of two baselines, and the processor time that it took [s]."""
    snapshot, targets = random_cell(name, seed, count, spin)
    order_of_work(snapshot, snapshot.initial, "Arm", targets[:3])  # compiled code is loaded
    began, wall = time.process_time(), time.monotonic()
    found = order_of_work(snapshot, snapshot.initial, "Arm", targets)
    took, waited = time.process_time() - began, time.monotonic() - wall
    taught, spins, soonest = (by_hand(snapshot, targets, *how) for how in ((False, False), (True, False), (True, True)))
    best = searched(snapshot, targets, long, True) if long else float("nan")
    unproved = searched(snapshot, targets, 0.2 * long, False) if long else float("nan")
    around = sum(one.how == "around" for one in found.transits)
    assert found.certified
    shares = [found.time / one[1] for one in (taught, spins, soonest)]
    ignoring = [found.time / one[0] for one in (taught, spins, soonest)]
    print(f"{name:9} {seed:5} {len(targets):4} {found.time:7.2f} " + " ".join(f"{one:7.3f}" for one in (*shares, *ignoring)) +
          f" {found.time / best:6.3f} {found.time / unproved:7.3f} {found.bound / found.time:6.3f} {around:6} {took:7.2f} {waited:7.2f}",
          flush=True)  # fmt: skip
    return shares[1], shares[2], took


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="*", default=["irb1600", "ur10e", "puma560", "kr5"])
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--long", type=float, default=0.0)
    parser.add_argument("--no-spin", action="store_true")
    given = parser.parse_args()
    print("Cycles free of contacts, as parts of three baselines: the nearest target with the nearest branch in the taught spin, in\n"
          "every spin, and whatever target and configuration is reached soonest; each free of contacts (first three), and with\n"
          "contacts ignored (next three). Seconds of processor and of wall time.\n"
          f"{'cell':15} {'of':>4} {'cycle':>7} {'/taught':>7} {'/spins':>7} {'/soon.':>7} {'taught*':>7} {'spins*':>7} {'soon.*':>7} "
          f"{'/long':>6} {'/unpr.':>7} {'bound':>6} {'around':>6} {'cpu s':>7} {'wall s':>7}")  # fmt: skip
    rows = []
    for name in given.robots:
        for seed in given.seeds:
            try:
                rows.append(row_of(name, seed, given.targets, not given.no_spin, given.long))
            except WorkcellError as error:
                print(f"{name:9} {seed:5} {error}", flush=True)
    spins, soonest, seconds = zip(*rows, strict=True)
    for label, shares in (("every spin", spins), ("soonest", soonest)):
        print(f"cycle / nearest neighbour, {label}: median {statistics.median(shares):.3f}, worst {max(shares):.3f}; at most "
              f"0.85 in {sum(share <= 0.85 for share in shares)} of {len(shares)}")  # fmt: skip
    print(f"processor time: worst {max(seconds):.1f} s")


if __name__ == "__main__":
    main()
