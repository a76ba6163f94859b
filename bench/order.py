"""The order of work in random cells: 50 targets on boxes around an arm, the spin of the tool free.

``python bench/order.py`` prints, for each cell, the cycle as a part of that of the nearest neighbour with the nearest
branch, the bound, and the seconds. ``--long SECONDS`` also searches that long for the best cycle; ``--seeds`` and
``--robots`` choose the cells.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.collision.supports import going
from workcell.planning.configurations import configurations
from workcell.planning.move_times import MoveTimes
from workcell.planning.order import order_of_work
from workcell.planning.order_search import OrderSearch
from workcell.planning.tool_freedom import FREE_SPIN, NO_FREEDOM
from workcell.planning.work import Ways, WorkTarget, ways_to_work
from workcell.spatial import rotations
from workcell.world.snapshot import Snapshot

STANDOFF = 0.17
"""How far the flange stays away from a face [m]: the gripper is before it."""


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
    model = collision_model(snapshot, warn=False)
    model = model.asking(model.pairs, going(model, state, ["Arm"]))
    X_base_world = snapshot.base_pose(state, "Arm").inverse()
    poses = [_drawn(rng, *boxes[rng.integers(len(boxes))]) for _ in range(20 * count)]
    Q, which = configurations(arm, np.array([(X_base_world @ pose).matrix for pose in poses]))
    free = np.unique(which[~check_batch(model, {"Arm": Q}, state).touching])[:count]
    freedom = FREE_SPIN if spin else NO_FREEDOM
    return snapshot, [WorkTarget(f"t{k + 1}", poses[place], freedom) for k, place in enumerate(free)]


def _drawn(rng: np.random.Generator, X: wc.Pose, size: np.ndarray) -> wc.Pose:
    """A pose of the tool at a random place of a box, square to one of its faces."""
    normal, place = np.zeros(3), rng.uniform(-0.45, 0.45, 3) * size
    axis = rng.integers(3)
    normal[axis] = 1.0 if axis == 2 else rng.choice([-1.0, 1.0])
    place[axis] = normal[axis] * (0.5 * size[axis] + STANDOFF)
    down = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]])
    turn = down if axis == 2 else rotations.about_vector(np.cross([0, 0, -1.0], -normal), 0.5 * np.pi) @ down
    return X @ wc.Pose.from_rotation(turn @ rotations.about("z", rng.uniform(-np.pi, np.pi)), place)


def by_hand(snapshot: Snapshot, targets: list[WorkTarget], ways: Ways) -> float:
    """The nearest neighbour with the nearest branch: the target nearest to the tool, the joint values nearest to the arm's."""
    placed = snapshot.robot("Arm")
    times = MoveTimes.of(placed)
    home = snapshot.initial.joints["Arm"]
    q, total, left = home, 0.0, set(range(len(targets)))
    place = snapshot.tool_pose(snapshot.initial, "Arm").xyz
    while left:
        job = min(left, key=lambda k: float(np.linalg.norm(targets[k].pose.xyz - place)))
        rows = ways.approach[ways.first[job] : ways.first[job + 1]]
        best = rows[int(np.abs(rows - q).max(axis=1).argmin())]
        total += float(times.between(q[None], best[None])[0, 0])
        q, place = best, targets[job].pose.xyz
        left.remove(job)
    return total + float(times.between(q[None], home[None])[0, 0])


def searched(snapshot: Snapshot, ways: Ways, seconds: float) -> float:
    """The best cycle without proofs that a long search finds [s]."""
    times, home = MoveTimes.of(snapshot.robot("Arm")), snapshot.initial.joints["Arm"][None]
    Q = ways.approach
    enter = times.between(home, Q)[0]
    search = OrderSearch(times.between(Q, Q), enter, enter.copy(), np.zeros(len(Q)), ways.first)
    began, seed, best = time.monotonic(), 1, np.inf
    while time.monotonic() - began < seconds:
        best = min(best, search.best(seed, runs=2, moves=100_000).time)
        seed += 1
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="*", default=["irb1600", "ur10e", "kr5"])
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--long", type=float, default=0.0)
    parser.add_argument("--no-spin", action="store_true")
    given = parser.parse_args()
    print(f"{'cell':12} {'ways':>5} {'by hand':>8} {'soonest':>8} {'cycle':>8} {'certified':>9} {'/ hand':>7} {'/ soonest':>9} "
          f"{'bound':>7} {'/ long':>7} {'around':>6} {'seconds':>8}")  # fmt: skip
    shares = []
    for name in given.robots:
        for seed in given.seeds:
            snapshot, targets = random_cell(name, seed, given.targets, not given.no_spin)
            plain = order_of_work(snapshot, snapshot.initial, "Arm", targets, certified=False)
            found = order_of_work(snapshot, snapshot.initial, "Arm", targets)
            arm, home = wc.robot(name), snapshot.initial.joints["Arm"]
            base = snapshot.base_pose(snapshot.initial, "Arm").inverse()
            ways = ways_to_work(arm, base, targets, home, 4000 // len(targets))
            hand = by_hand(snapshot, targets, ways)
            best = searched(snapshot, ways, given.long) if given.long else float("nan")
            shares.append(found.time / hand)
            around = sum(one.how == "around" for one in found.transits)
            print(f"{name:9} {seed:2} {len(ways.turn):5} {hand:8.2f} {plain.neighbour:8.2f} {plain.time:8.2f} {found.time:9.2f} "
                  f"{found.time / hand:7.3f} {found.time / plain.neighbour:9.3f} {found.bound / found.time:7.3f} "
                  f"{plain.time / best:7.3f} {around:6} {found.seconds:8.2f}", flush=True)  # fmt: skip
    print(f"median of the certified cycle / by hand: {statistics.median(shares):.3f}")


if __name__ == "__main__":
    main()
