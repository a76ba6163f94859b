"""Finding paths: pillars, a shelf with bins and a narrow gap, for three arms; seeded queries that no straight motion joins.

``python bench/planning.py`` prints, for each scene and arm, the time to a path that is proved, smoothed and timed, and the time of
a later query in the same scene. ``--count N`` sets the number of queries, ``--seed S`` draws others, ``--growth`` adds obstacles.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import planning_scenes as scenes
import workcell as wc
from workcell.errors import NoPath
from workcell.planning.find_path import find_path


def timed(
    cell: wc.Cell, pairs: list[tuple[np.ndarray, np.ndarray]], budget: float, keep: bool
) -> tuple[np.ndarray, int]:
    """The processor time of each query [s], infinite where none was found, and how many were not found."""
    snapshot, state, times, lost = cell.snapshot(), cell.state, [], 0
    for number, (start, goal) in enumerate(pairs):
        begun = time.thread_time()
        try:
            find_path(snapshot, state, "Arm", goal, start=start, seed=number, budget=budget, keep=keep)
            times.append(time.thread_time() - begun)
        except NoPath:
            times.append(np.inf)
            lost += 1
    return np.array(times), lost


def table(count: int, seed: int, budget: float) -> None:
    """One row for each scene and arm."""
    print(f"{count} queries each, seed {seed}, budget {budget:g} s; processor time of one thread")
    print(f"  {'scene':<10}{'arm':<10}{'median':>10}{'p95':>10}{'not found':>12}{'kept, again':>14}{'faster':>9}")
    for name, make in scenes.SCENES.items():
        for robot in scenes.REACH:
            with make(robot) as cell:
                pairs = scenes.queries(cell, name, count, seed)
                timed(cell, pairs[:2], budget, keep=False)
                times, lost = timed(cell, pairs, budget, keep=False)
                timed(cell, pairs, budget, keep=True)
                again, _ = timed(cell, pairs, budget, keep=True)
            median, later = np.median(times), np.median(again)
            p95 = np.quantile(times, 0.95, method="higher")
            print(
                f"  {name:<10}{robot:<10}{median * 1e3:>7.1f} ms{p95 * 1e3:>7.1f} ms{lost:>12}{later * 1e3:>11.1f} ms"
                f"{median / later:>8.1f}×",
                flush=True,
            )


def growth(seed: int) -> None:
    """The median time as the number of obstacles grows."""
    print("growth with the number of obstacles, puma560 between pillars")
    rng = np.random.default_rng(seed)
    for number in (10, 50, 200, 1000, 2000):
        with scenes.pillars("puma560") as cell:
            pairs = scenes.queries(cell, "pillars", 10, seed)
            for k in range(number):
                far, angle = rng.uniform(1.2, 3.0), rng.uniform(-np.pi, np.pi)
                place = wc.Pose.from_xyz(far * np.cos(angle), far * np.sin(angle), rng.uniform(-0.5, 1.0))
                cell.add_solid(wc.solids.box(0.05, 0.05, 0.05), name=f"thing{k}", at=place)
            timed(cell, pairs[:1], 10.0, keep=False)
            times, lost = timed(cell, pairs, 10.0, keep=False)
        print(f"  {number:>6} obstacles{np.median(times) * 1e3:>10.1f} ms, {lost} not found", flush=True)


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--budget", type=float, default=2.0)
    parser.add_argument("--growth", action="store_true")
    given = parser.parse_args()
    table(given.count, given.seed, given.budget)
    if given.growth:
        growth(given.seed)


if __name__ == "__main__":
    main()
