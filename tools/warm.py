"""Compile the batch kernels and start the engines once, so that the first use is not slow."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from rich.progress import Progress


def main() -> int:
    from workcell.motion.profiles import linear
    from workcell.robots.catalogue import robot

    puma = robot("puma560")
    steps = {
        "kinematics": lambda: (puma.fk_batch(np.zeros((2, 6))), puma.frames_batch(np.zeros((2, 6)))),
        "motion": lambda: linear(np.zeros(6), np.ones(6), 1.0).sample(np.linspace(0.0, 1.0, 5)),
        "solids and pictures": draw,
    }
    with Progress(transient=True) as progress:
        task = progress.add_task("Warming the caches", total=len(steps))
        for name, step in steps.items():
            progress.update(task, description=f"Warming {name}")
            step()
            progress.advance(task)
    return 0


def draw() -> None:
    from workcell.commands.pictures import picture
    from workcell.workbench.samples import sample

    with tempfile.TemporaryDirectory() as folder, sample() as cell:
        picture(cell.session, Path(folder) / "warm.png", ("iso",), (1280, 720))


if __name__ == "__main__":
    raise SystemExit(main())
