"""Simulation: link poses of samples against a Pinocchio loop, and example 1 of the thesis against real time."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np

import workcell as wc
from harness import compare
from workcell.simulation.playback import body_poses
from workcell.simulation.recording_file import RecordingWriter
from workcell.simulation.watching import Watch

HOME = np.radians([0, 0, -90, 0, 90, 0])


def example(sim: wc.Simulator) -> wc.Simulator:
    """Make the three moves of the first example of the thesis."""
    puma = sim.robot("Puma")
    puma.speed(0.3)
    puma.move_joints_relative(np.radians([-70, -10, 10, 30, -20, -10]))
    puma.move_joints_absolute(np.radians([-60, 0, -70, 0, 90, 30]))
    puma.move_joints_absolute(HOME)
    return sim


def link_poses(cell: wc.Cell) -> None:
    """Compute link poses of all samples: ours in one batch, and a hand-written loop over Pinocchio."""
    try:
        import pinocchio as pin
    except ImportError:
        print("pinocchio is not installed; link poses are not compared.")
        return
    snapshot = cell.snapshot()
    sim = wc.Simulator(cell)
    sim.step = math.radians(0.02)
    recording = example(sim).recording
    times = recording.times
    Q = recording.joints["Puma"]
    robot = snapshot.robot("Puma").robot
    model = pin.Model()
    parent, before = 0, pin.SE3.Identity()
    links = []
    for row in robot.rows:
        # Standard DH: the joint turns about z of the frame before, then the constant rest of the row follows.
        parent = model.addJoint(parent, pin.JointModelRZ(), before, f"j{parent}")
        rest = pin.SE3(pin.utils.rotate("x", row.alpha), np.array([row.a, 0.0, row.d]))
        links.append(rest)
        before = rest
    data = model.createData()

    def loop() -> np.ndarray:
        out = np.empty((len(Q), len(links), 4, 4))
        for i, q in enumerate(Q):
            pin.forwardKinematics(model, data, q)
            for j, rest in enumerate(links):
                out[i, j] = (data.oMi[j + 1] * rest).homogeneous
        return out

    batch = robot.frames_batch(Q)[:, 1:]
    assert np.allclose(loop(), batch, atol=1e-9), "the two must agree"
    compare(
        {
            "link poses of all samples": lambda: robot.frames_batch(Q),
            "Pinocchio, a Python loop": loop,
        },
        rounds=9,
        title=f"link poses of {len(Q)} samples",
        work=len(Q),
        unit="samples",
    )
    compare(
        {"body poses along the recording": lambda: body_poses(snapshot, recording, times)},
        rounds=5,
        title="with columns read, placed and attached",
        work=len(Q),
        unit="samples",
    )


def against_real_time(cell: wc.Cell) -> None:
    """Run example 1 without a screen, warm: how many simulated seconds pass in a real one."""
    snapshot = cell.snapshot()
    seconds = example(wc.Simulator(snapshot)).time
    watch = Watch(snapshot)
    with tempfile.TemporaryDirectory() as folder:
        count = iter(range(1_000_000))

        def to_disk() -> None:
            with RecordingWriter(Path(folder) / f"{next(count)}.rec", snapshot.initial) as writer:
                example(wc.Simulator(snapshot, recorder=writer))

        def watched() -> None:
            sim = wc.Simulator(snapshot)
            sim.watch = watch
            example(sim)

        def in_memory() -> None:
            example(wc.Simulator(snapshot))

        medians = compare(
            {"recorded to disk": to_disk, "in memory": in_memory, "collision-watched": watched},
            rounds=9,
            title=f"thesis example 1, {seconds:.4f} simulated seconds",
            work=seconds,
            unit="simulated s",
        )
    for name, wanted in (("recorded to disk", 2000.0), ("collision-watched", 100.0)):
        factor = seconds / medians[name]
        print(f"{name}: {factor:,.0f} × real time (wanted: {wanted:,.0f})")


def main() -> None:
    """Run both."""
    with wc.Cell() as cell:
        cell.add_robot("puma560", name="Puma", joints=HOME)
        cell.do("add solid table box 600 800 100 at 700,0,-50")
        cell.do("add solid post box 60 60 900 at 600,700,450")
        link_poses(cell)
        against_real_time(cell)
    print("The time scaling is compared with toppra in bench/timing.py.")


if __name__ == "__main__":
    main()
