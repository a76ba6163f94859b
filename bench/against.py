"""Example 1 of the thesis now and at an older commit, in turns on the same machine: processor time, and their ratio.

Figures to reach: recorded to disk and watched by samples at least 0.95 × the speed of the commit before part 7.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BEFORE = "9cd27a4"
"""The commit before programs became data."""
ROOT = Path(__file__).resolve().parent.parent

WORK = """
import json, sys, tempfile, time
from pathlib import Path
import numpy as np
import workcell as wc
from workcell.simulation.recording_file import RecordingWriter
from workcell.simulation.watching import Watch

HOME = np.radians([0, 0, -90, 0, 90, 0])

def example(sim):
    puma = sim.robot("Puma")
    puma.speed(0.3)
    puma.profile("linear")
    puma.move_joints_relative(np.radians([-70, -10, 10, 30, -20, -10]))
    puma.move_joints_absolute(np.radians([-60, 0, -70, 0, 90, 30]))
    puma.move_joints_absolute(HOME)
    return sim

with wc.Cell() as cell:
    cell.add_robot("puma560", name="Puma", joints=HOME)
    cell.do("add solid table box 600 800 100 at 700,0,-50")
    cell.do("add solid post box 60 60 900 at 600,700,450")
    snapshot = cell.snapshot()
    sampled, proved = Watch(snapshot), Watch(snapshot, method="certified")
    with tempfile.TemporaryDirectory() as folder:
        count = iter(range(1_000_000))

        def to_disk():
            with RecordingWriter(Path(folder) / f"{next(count)}.rec", snapshot.initial) as writer:
                example(wc.Simulator(snapshot, recorder=writer))

        def watched(watch):
            sim = wc.Simulator(snapshot)
            sim.watch = watch
            example(sim)

        works = {
            "recorded to disk": (to_disk, 60),
            "in memory": (lambda: example(wc.Simulator(snapshot)), 60),
            "watched by samples": (lambda: watched(sampled), 20),
            "watched by proof": (lambda: watched(proved), 3),
        }
        found = {}
        for name, (work, times) in works.items():
            work()
            begin = time.process_time()
            for _ in range(times):
                work()
            found[name] = (time.process_time() - begin) / times
    print(json.dumps(found))
"""


def measured(tree: Path) -> dict[str, float]:
    """Seconds of processor time for each kind of work, by the code in a tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        [sys.executable, "-c", WORK], env=environment, cwd=tree, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def main() -> None:
    """Measure both in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", default=BEFORE)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "before"
        add = ["git", "worktree", "add", "--detach", str(old), chosen.commit]
        added = subprocess.run(add, check=False, cwd=ROOT, capture_output=True, text=True)
        if added.returncode:
            print(f"There is no commit {chosen.commit} here to compare with: {added.stderr.strip()}")
            return
        try:
            measured(old), measured(ROOT)  # compile
            rounds = [(measured(old), measured(ROOT)) for _ in range(chosen.rounds)]
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(old)], cwd=ROOT, check=True)
    print(f"Example 1, processor time of {chosen.commit} and now, medians of {chosen.rounds} rounds in turns:")
    for name in rounds[0][0]:
        before = statistics.median(one[name] for one, _ in rounds)
        now = statistics.median(one[name] for _, one in rounds)
        print(f"  {name:20s} {before * 1e3:9.3f} ms  {now * 1e3:9.3f} ms   {before / now:6.2f} × as fast")


if __name__ == "__main__":
    main()
