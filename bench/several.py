"""Two to four arms around one place: the time to a joint motion that is proved free, and how long the motion takes.

``python bench/several.py`` prints, for each number of arms, the processor time of :func:`workcell.find_paths`, the
duration of the motion as a part of that of the arms one after the other, and as a multiple of the slowest arm alone.
Then it schedules random programs of two arms and prints the same for them. ``--seeds`` chooses how many cells, ``--arms`` which numbers of arms.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import workcell as wc
from workcell.errors import NoPath


def around(count: int) -> wc.Cell:
    """Arms in a ring, all of which reach the middle."""
    cell = wc.Cell()
    for number in range(count):
        angle = 2.0 * np.pi * number / count  # the more arms, the wider, so that goals leave room for each other
        base = wc.Pose.from_axis_angle((0, 0, 1), angle) @ wc.Pose.from_xyz(-0.55 - 0.1 * count, 0.0, 0.0)
        cell.add_robot("puma560", name=f"R{number + 1}", at=base, joints=np.radians([-60, 20, -120, 0, 60, 0]))
    return cell


def joint_motions(count: int, seeds: int) -> None:
    """Random swings of all arms at once."""
    times, turns, over, orders, failed = [], [], [], [], 0
    for seed in range(seeds):
        rng, cell = np.random.default_rng(seed), around(count)
        home = np.radians([-60, 20, -120, 0, 60, 0])
        goals = {
            f"R{k + 1}": home + np.radians([rng.uniform(90, 130), *rng.uniform(-10, 10, 2), *rng.uniform(-30, 30, 3)])
            for k in range(count)
        }
        begin = time.process_time()
        try:
            plan = wc.find_paths(cell, goals, seed=seed, budget=0.5)
        except NoPath:  # goals in each other's way, or no order that was tried leads there
            failed += 1
            continue
        times.append(time.process_time() - begin)
        turns.append(plan.duration / plan.in_turn)
        over.append(plan.duration / plan.alone)
        orders.append(plan.orders)
        cell.close()
    if times:
        print(
            f"{count} arms: {len(times)} of {seeds} planned, {statistics.median(times):.2f} s (most {max(times):.2f}), "
            f"{statistics.median(turns):.2f} of one after the other, {statistics.median(over):.2f} of the slowest alone, "
            f"{statistics.median(orders):g} orders"
        )
    else:
        print(f"{count} arms: none of {seeds} planned")


def programs(seeds: int) -> None:
    """Random programs of two arms at one fixture."""
    times, turns, over = [], [], []
    for seed in range(seeds):
        rng, cell = np.random.default_rng(seed), wc.Cell()
        cell.do("create robot A puma560 joints 90,20,-120,0,60,0")
        cell.do("create robot B puma560 at 1300,0,0 rotate 0,0,180 joints 90,20,-120,0,60,0")
        for name, robot in (("left", "A"), ("right", "B")):
            lines, inside = [], False
            for _ in range(8):
                inside = not inside and rng.random() < 0.6
                turn = rng.uniform(5, 25) if inside else rng.uniform(80, 110)
                lines += [
                    f"move-joints-absolute {robot} {turn:.1f},20,-120,0,60,0",
                    f"wait {rng.uniform(0.2, 1.5):.2f}",
                ]
            cell.do(f'write program {name} "{"%0A".join([*lines, f"home {robot}"])}"')
        begin = time.process_time()
        answer = cell.do("schedule left right")
        times.append(time.process_time() - begin)
        turns.append(answer.duration / answer.in_turn)
        over.append(answer.duration / answer.alone)
        cell.close()
    print(
        f"schedules: {seeds} pairs of programs, {statistics.median(times):.2f} s (most {max(times):.2f}), "
        f"{statistics.median(turns):.2f} of one after the other, {statistics.median(over):.2f} of the slowest alone "
        f"(most {max(over):.2f})"
    )


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--arms", type=int, nargs="*", default=[2, 3, 4])
    given = parser.parse_args()
    wc.find_paths(around(2), {"R1": np.radians([-40, 20, -120, 0, 60, 0])})  # compiles
    for count in given.arms:
        joint_motions(count, given.seeds)
    programs(given.seeds)


if __name__ == "__main__":
    main()
