"""Compares the work of every room now and at an older commit, in turns on the same machine: processor time and ratio.

Figures to reach: nothing takes more than 1.05 × the time of the commit before the upper rooms were tidied. Example 1 of
the thesis, recorded to a file and watched by samples, also runs at no less than 0.95 × the speed of 9cd27a4, the commit
before programs became data: ``python bench/against.py 9cd27a4``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BEFORE = "82316c9"
"""The commit before the upper rooms were tidied."""
ROOT = Path(__file__).resolve().parent.parent


def measured(tree: Path) -> dict[str, float]:
    """Return seconds of processor time for each work, with the code of a tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "against_work.py")],
        env=environment, cwd=tree, check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout)
    return found


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
            print(f"There is no commit {chosen.commit} to compare with: {added.stderr.strip()}")
            return
        try:
            measured(old), measured(ROOT)  # compile
            rounds = [(measured(old), measured(ROOT)) for _ in range(chosen.rounds)]
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(old)], cwd=ROOT, check=True)
    print(f"Processor time at {chosen.commit} and now, least of {chosen.rounds} rounds in turns:")
    for name in rounds[0][0]:
        before = min(one[name] for one, _ in rounds)
        now = min(one[name] for _, one in rounds)
        print(f"  {name:44s} {before * 1e3:10.3f} ms {now * 1e3:10.3f} ms   time × {now / before:5.2f}")


if __name__ == "__main__":
    main()
