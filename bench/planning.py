"""Finding paths: pillars, a shelf with bins and a narrow gap, for three arms; seeded queries that no straight motion joins.

``python bench/planning.py`` prints, for each scene and arm, our time to a path that is proved, smoothed and timed, the times of OMPL
and klampt to a path that is none of these, how many of their paths touch something, and the lengths of the paths. Then come queries
in a scene that is known: the same ones again, and other ones; beside them what the first query in a new scene takes, with
everything that is made for it. ``--count N`` sets the number of queries, ``--seed S`` draws others, ``--only SCENE:ARM`` takes one
scene and arm, ``--no-peers`` leaves the others out, ``--growth`` adds obstacles, ``--reference S`` asks again for S seconds what
was lost.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import planning_scenes as scenes
import workcell as wc
from harness import missing
from planning_peers import PEERS, Scene
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.certify import certify
from workcell.collision.proof import ContactAt
from workcell.errors import NoPath
from workcell.planning.find_path import find_path
from workcell.planning.planners import Query
from workcell.planning.smoothing import RoundedPath
from workcell.planning.space import space_of

Pairs = list[tuple[np.ndarray, np.ndarray]]

FRESH = 8
"""How many new scenes the first query is measured in."""


@dataclass
class Row:
    """What a planner did: the processor time of each query [s], infinite where none was found, and the length of its paths."""

    times: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    bad: int = 0

    def add(self, seconds: float, waypoints: np.ndarray | None) -> None:
        self.times.append(seconds if waypoints is not None else np.inf)
        self.lengths.append(
            np.nan if waypoints is None else float(np.linalg.norm(np.diff(waypoints, axis=0), axis=1).sum())
        )

    @property
    def median(self) -> float:
        return float(np.median(self.times))

    def ratio(self, other: Row) -> float:
        """How long the paths are in comparison, over the queries that both solved."""
        return float(np.nanmedian(np.array(self.lengths) / np.array(other.lengths)))

    def told(self, name: str, ours: Row) -> str:
        """A line of the table; lengths are compared over the queries that both solved."""
        p95 = np.quantile(self.times, 0.95, method="higher")
        lost = int(np.isinf(self.times).sum())
        return (
            f"    {name:<18}{self.median * 1e3:>8.1f} ms{p95 * 1e3:>9.1f} ms{lost:>7}{self.median / ours.median:>9.2f}×"
            f"{self.ratio(ours):>9.2f}×{self.bad:>8}"
        )


def busy() -> float:
    """How many times the budget may pass by the clock where other programs run too; it is one of processor time."""
    return max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0)


def ask(cell: wc.Cell, start: np.ndarray, goal: np.ndarray, seed: int, budget: float, keep: bool) -> Row:
    """Our answer to one query, as a row of one."""
    snapshot, state, row = cell.snapshot(), cell.state, Row()
    begun = time.thread_time()
    try:
        plan = find_path(
            snapshot, state, "Arm", goal, start=start, seed=seed, budget=busy() * budget, keep=keep, explain=False
        )  # fmt: skip
        seconds = time.thread_time() - begun
        row.add(seconds, plan.waypoints if seconds <= budget else None)
    except NoPath:
        row.add(np.inf, None)
    return row


def timed(cell: wc.Cell, pairs: Pairs, budget: float, keep: bool) -> Row:
    """Our answers to queries."""
    row = Row()
    for number, (start, goal) in enumerate(pairs):
        one = ask(cell, start, goal, number, budget, keep)
        row.times += one.times
        row.lengths += one.lengths
    return row


def first_times(name: str, robot: str, pairs: Pairs, budget: float) -> float:
    """The median time of the first query in a new scene [s]: its collision model and planning space are made for it."""
    times = []
    for number, (start, goal) in enumerate(pairs[:FRESH]):
        with scenes.SCENES[name](robot) as cell:
            times += ask(cell, start, goal, number, budget, keep=True).times
    return float(np.median(times))


def solvable(cell: wc.Cell, pairs: Pairs) -> Pairs:
    """The queries whose ends can be proved free; no path can be certified between others."""
    space = space_of(cell.snapshot(), cell.state, "Arm")
    here = pairs[0][0]
    query = Query(space, space.scene(), here, here[None], 0, 0.04, np.inf)
    return [pair for pair in pairs if not query.touching(np.array(pair)).any()]


def peers_of(cell: wc.Cell, model: CollisionModel) -> list[Any]:
    """The planners of others that are installed."""
    found = []
    for kind in PEERS:
        try:
            found.append(kind(Scene(model, cell.state)))
        except ImportError as error:
            missing(kind.name, error)
    return found


def touches(model: CollisionModel, state: wc.CellState, waypoints: np.ndarray) -> bool:
    """Whether a path touches something, by our proof. What the proof leaves undecided is not held against it."""
    moves = np.abs(np.diff(waypoints, axis=0)).max(axis=1) > 1e-9
    points = waypoints[np.concatenate([[True], moves])]
    if len(points) < 2:
        return False
    curve = RoundedPath(points, np.zeros(len(points) - 2)).path.curve
    return isinstance(certify(model, {"Arm": curve}, state.with_joints("Arm", points[0])), ContactAt)


def one_scene(name: str, robot: str, given: argparse.Namespace) -> None:
    """The rows of one scene and arm; the planners take turns, query by query."""
    count, budget = given.count, given.budget
    with scenes.SCENES[name](robot) as cell:
        asked = solvable(cell, scenes.queries(cell, name, 2 * count + 4, given.seed))
        pairs, others = asked[:count], asked[count : 2 * count]
        model = collision_model(cell.snapshot(), warn=False)
        peers = peers_of(cell, model) if given.peers else []
        ours, theirs = Row(), {peer.name: Row() for peer in peers}
        for start, goal in pairs[:2]:
            ask(cell, start, goal, 0, 60.0, keep=False)
        with scenes.SCENES[name](robot) as warm:
            timed(warm, pairs[:3], budget, keep=True)
        for number, (start, goal) in enumerate(pairs):
            one = ask(cell, start, goal, number, budget, keep=False)
            ours.times += one.times
            ours.lengths += one.lengths
            for peer in peers:
                begun = time.thread_time()
                path = peer.path(start, goal, number, budget)
                theirs[peer.name].add(time.thread_time() - begun, path)
                theirs[peer.name].bad += path is not None and touches(model, cell.state, path)
        first = first_times(name, robot, others, budget)
        cold = timed(cell, others, budget, keep=False)
        timed(cell, pairs, budget, keep=True)
        same, new = timed(cell, pairs, budget, keep=True), timed(cell, others, budget, keep=True)
        again = reference(cell, pairs, ours, given.reference)
    print(f"  {name}, {robot}: {len(pairs)} queries")
    print(ours.told("ours, proved", ours))
    for title, row in theirs.items():
        print(row.told(title, ours))
    for title, row, before in (("the same again", same, ours), ("others afterwards", new, cold)):
        print(
            f"    {title:<18}{row.median * 1e3:>8.1f} ms, {before.median / row.median:.1f} times as fast as without kept "
            f"work, {first / row.median:.1f} times as fast as the first in a new scene ({first * 1e3:.1f} ms), "
            f"{row.ratio(before):.2f}× as long",
            flush=True,
        )
    if again:
        print(again, flush=True)


def reference(cell: wc.Cell, pairs: Pairs, ours: Row, seconds: float) -> str:
    """What a long search finds of the queries that were lost."""
    lost = [number for number, one in enumerate(ours.times) if np.isinf(one)]
    if not seconds:
        return ""
    solved = [k for k in lost if np.isfinite(ask(cell, *pairs[k], k, seconds, keep=False).median)]
    share = (len(pairs) - len(lost)) / max(len(pairs) - len(lost) + len(solved), 1)
    return f"    lost: {lost}; of these a search of {seconds:g} s finds {solved}. Of what it finds, {share:.1%} come within the budget"


def table(given: argparse.Namespace) -> None:
    """The rows of all scenes and arms."""
    load = os.getloadavg()[0]
    print(
        f"seed {given.seed}, budget {given.budget:g} s; processor time of one thread; load {load:.1f}. "
        "Peers: edges at 0.02 rad"
    )
    print(f"    {'':<18}{'median':>11}{'p95':>12}{'lost':>7}{'time':>10}{'length':>10}{'touch':>8}")
    for name in scenes.SCENES:
        for robot in scenes.REACH:
            if not given.only or f"{name}:{robot}" in given.only:
                one_scene(name, robot, given)


def growth(seed: int) -> None:
    """The median time as the number of obstacles grows."""
    print("growth with the number of obstacles, puma560 between pillars")
    rng = np.random.default_rng(seed)
    for number in (10, 50, 200, 1000, 2000):
        with scenes.pillars("puma560") as cell:
            pairs = solvable(cell, scenes.queries(cell, "pillars", 10, seed))
            for k in range(number):
                far, angle = rng.uniform(1.2, 3.0), rng.uniform(-np.pi, np.pi)
                place = wc.Pose.from_xyz(far * np.cos(angle), far * np.sin(angle), rng.uniform(-0.5, 1.0))
                cell.add_solid(wc.solids.box(0.05, 0.05, 0.05), name=f"thing{k}", at=place)
            begun = time.thread_time()
            timed(cell, pairs[:1], 10.0, keep=False)
            first = time.thread_time() - begun
            row = timed(cell, pairs, 10.0, keep=False)
        lost = int(np.isinf(row.times).sum())
        print(
            f"  {number:>6} obstacles{row.median * 1e3:>10.1f} ms, the first {first * 1e3:.0f} ms, {lost} not found",
            flush=True,
        )


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="how many queries in each scene")
    parser.add_argument("--seed", type=int, default=7, help="which queries are drawn")
    parser.add_argument(
        "--budget", type=float, default=2.0, help="how long each planner may search [s of processor time]"
    )
    parser.add_argument("--only", action="append", help="one scene and arm, such as shelf:kr5; may be repeated")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="leave OMPL and klampt out")
    parser.add_argument("--growth", action="store_true", help="measure the growth with the number of obstacles")
    parser.add_argument("--reference", type=float, default=0.0, help="how long to search again for what was lost [s]")
    given = parser.parse_args()
    if given.count > 0:
        table(given)
    if given.growth:
        growth(given.seed)


if __name__ == "__main__":
    main()
