"""Guidance: microseconds for one period, of the thesis' method beside its listing in plain NumPy, and of an arm in a cell.

The peer is the thesis' listing written down in NumPy, one call for one period, for the planar example and cylinders as
obstacles. Both compute the same rates. An arm of a cell is timed among growing numbers of bodies: only the decision, and
with it the plant and its recording. No other program guides an arm so; for the arm there is no peer.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import workcell as wc
from harness import compare
from workcell.errors import DeadEnd
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.links import LinkArm
from workcell.planning.guidance.obstacles import Cylinder, Packed
from workcell.planning.guidance.runs import guide_links
from workcell.planning.guidance.step import step
from workcell.simulation.guided_wish import Wish
from workcell.simulation.guiding import Guiding, guiding

POSTS = ((4.4, 5.0), (9.0, 5.5), (7.5, 1.5))
GOAL = np.array([6.8, 8.0, 0.0])
SPEED, TOP, REACH, POWER = 0.4, 2.0, 0.4, 3
ARM = LinkArm.of([0.0] + [2.0] * 6, [0.0] * 6, [(-3.14, 3.14)] * 6)


def listing(theta: np.ndarray) -> np.ndarray:
    """Return the rates of the planar example as the subroutines POS, GUIDE, OBSTACLE, CYLIN and VEL do."""
    n = len(theta)
    angle = np.cumsum(theta)
    ways = 2.0 * np.stack([np.cos(angle), np.sin(angle), np.zeros(n)], axis=1)
    points = np.vstack([np.zeros(3), np.cumsum(ways, axis=0)])
    wanted = np.zeros((n + 1, 3))
    kept, before = np.zeros((len(POSTS), 3)), np.zeros(len(POSTS), dtype=int)
    unit, along, third, third_speed = np.zeros(3), 0.0, np.zeros(3), 0.0
    for m in range(n, -1, -1):
        p1 = points[m]
        p2 = points[m - 1] if m > 0 else p1
        for k, (x, y) in enumerate(POSTS):
            g, acts = _cylinder(p1, p2, np.array([x, y, 0.0]), kept[k], before[k], m == 0)
            kept[k], before[k] = g, acts
            wanted[m] += g
        if m == n:
            away = GOAL - p1
            pull = away / np.linalg.norm(away)
            wanted[m] += pull * min(max(SPEED - wanted[m] @ pull, 0.0), TOP * SPEED)
        else:
            wanted[m] += (along - wanted[m] @ unit) * unit
        if m > 0:
            unit = (p1 - p2) / np.linalg.norm(p1 - p2)
            along = float(wanted[m] @ unit)
            if m == 2:
                third, third_speed = unit, along
    wanted[0] = 0.0
    normal = points[1] / np.linalg.norm(points[1])
    way = wanted[1] - (wanted[1] @ normal) * normal
    wanted[1] = way * third_speed / (way @ third)
    rates, spin, speed = np.zeros(n), 0.0, np.zeros(3)
    for i in range(n):
        left = wanted[i + 1] - speed - spin * np.array([-ways[i, 1], ways[i, 0], 0.0])
        rates[i] = (left[1] * np.cos(angle[i]) - left[0] * np.sin(angle[i])) / 2.0
        spin += rates[i]
        speed = speed + spin * np.array([-ways[i, 1], ways[i, 0], 0.0])
    return rates


def _cylinder(
    p1: np.ndarray, p2: np.ndarray, axis: np.ndarray, kept: np.ndarray, before: int, base: bool
) -> tuple[np.ndarray, int]:
    """Return the influence of an upright cylinder on the outer end of a link, and whether it acts between the ends."""
    link = p2 - p1
    place = 0.0 if base else float((axis - p1) @ link / (link @ link))
    if place > 1.0:
        return np.zeros(3), 0
    inner = place >= 0.0 and not base
    away = p1 + max(place, 0.0) * link - axis
    far = float(np.hypot(away[0], away[1]))
    gap = far - 1.5
    size = 2.0 * REACH * max(REACH - gap, 0.0) / gap**POWER
    g = size * away / far
    if inner and before:
        g = (g + kept) / 2.0
    elif before and not inner and size < np.linalg.norm(kept):
        g = kept.copy()
    return g, int(inner)


def thesis(rounds: int) -> None:
    """Compare our step with the listing in NumPy, along the run of the planar example."""
    posts = [Cylinder((x, y, -5.0), (x, y, 5.0), 1.5) for x, y in POSTS]
    start = ARM.posture([1.44, -2.88, 2.88, -2.88, 2.88, -2.88])
    known = Constants(reading="listing")
    run = guide_links(ARM, start, GOAL, posts, known, period=0.1)
    packed = Packed.of(posts)
    worst = max(
        float(np.abs(listing(x[13:19]) - step(ARM, x, GOAL, packed, known).rates[13:19]).max()) for x in run.states
    )
    print(f"rates of both along {run.steps} steps differ by {worst:.1e} at most")
    compare(
        {
            "our step": lambda: [step(ARM, x, GOAL, packed, known) for x in run.states],
            "listing in NumPy": lambda: [listing(x[13:19]) for x in run.states],
        },
        rounds,
        "one period of the thesis' method, planar example",
        len(run.states),
        "periods",
        clock=time.thread_time,
    )


def cell_with(bodies: int) -> wc.Cell:
    """A Puma among spheres, boxes and cylinders at random."""
    cell, rng = wc.Cell(), np.random.default_rng(7)
    cell.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
    for i in range(bodies):
        turn, far, high = rng.uniform(-3.1, 3.1), rng.uniform(450, 1000), rng.uniform(-300, 900)
        if abs(turn) < 0.6:
            high = -300.0 - 60.0 * rng.uniform()
        kind = ("sphere 60", "box 100 80 120", "cylinder 50 150")[i % 3]
        cell.do(f"add solid s{i} {kind} at {far * np.cos(turn):.0f},{far * np.sin(turn):.0f},{high:.0f}")
    cell.do("add solid near sphere 60 at 620,60,420")
    return cell


def arm(bodies: int, method: str, rounds: int) -> None:
    """Time the periods of a guided Puma among bodies: the decision, and the whole."""
    cell = cell_with(bodies)
    pose = wc.Pose.from_xyz(0.55, 0.25, 0.45)
    whole, decided, count, outcome = [], [], 0, ""
    original = Guiding._look_and_go
    spent = [0.0]

    def timed(self: Guiding, *given: object) -> None:
        begin = time.thread_time()
        original(self, *given)  # type: ignore[arg-type]
        spent[0] += time.thread_time() - begin

    Guiding._look_and_go = timed  # type: ignore[method-assign]
    try:
        for _ in range(rounds + 1):
            simulator = wc.Simulator(cell)
            moves = guiding(Wish("Puma", pose, position=True, tolerance=2e-3, method=method), simulator)  # type: ignore[arg-type]
            spent[0], begin, count = 0.0, time.thread_time(), 0
            try:
                while count < moves.count:
                    moves.begin(simulator, count)
                    count += 1
            except DeadEnd:
                pass
            outcome = moves.outcome
            whole.append((time.thread_time() - begin) / count)
            decided.append(spent[0] / count)
    finally:
        Guiding._look_and_go = original  # type: ignore[method-assign]
    least, middle = min(decided[1:]), statistics.median(decided[1:])
    print(
        f"Puma, {method:8s} {bodies + 1:5d} bodies: {least * 1e6:7.0f} µs a period at least, {middle * 1e6:7.0f} in the middle; "
        f"with plant and recording {min(whole[1:]) * 1e6:7.0f} µs; {count} periods, {outcome}"
    )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--bodies", type=int, nargs="*", default=[0, 19, 99, 499])
    asked = parser.parse_args()
    thesis(asked.rounds)
    for method in ("jacobian", "thesis"):
        for bodies in asked.bodies:
            arm(bodies, method, asked.rounds)


if __name__ == "__main__":
    main()
