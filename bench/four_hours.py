"""A conveyor and a robot for four simulated hours in parallel, recorded to disk: the resident memory as a picture.

Run: ``python bench/four_hours.py [HOURS] [SVG]``. The belt carries a part to the robot, which lifts it and puts it back.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import workcell as wc
from workcell.simulation.plots import Label, Plot, Stroke
from workcell.simulation.programs import Seen, run
from workcell.simulation.recording_file import RecordingFile, RecordingWriter
from workcell.simulation.simulator import Simulator

HOURS = 4.0
SECONDS = 60.0
"""The interval of memory readings, in simulated seconds."""


def resident() -> float:
    """Return the resident memory of this process [MiB]."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def measured(hours: float) -> tuple[list[float], list[float], float, int]:
    """Return times [h] and memory [MiB], the real time that it took [s] and the size of the recording [bytes]."""
    times: list[float] = []
    sizes: list[float] = []
    with wc.Cell() as cell, tempfile.TemporaryDirectory() as folder:
        for line in (
            "create robot Puma puma560 joints 0,0,-90,0,90,0",
            "add conveyor belt 2000 at 0,800,0",
            "create signal here",
            "create signal taken",
        ):
            cell.do(line)
        path = Path(folder) / "long.rec"
        begin = time.monotonic()
        with RecordingWriter(path, cell.snapshot().initial) as writer:
            sim = wc.Simulator(cell, recorder=writer)
            end = hours * 3600.0

            def belt(sim: Simulator) -> Iterator[float | Seen]:
                way = 0.2
                while sim.time < end:
                    yield sim.robot("belt").move_joints_relative([way])
                    way = -way
                    sim.set_signal("here", 1)
                    yield Seen("taken")
                    sim.set_signal("taken", 0)

            def arm(sim: Simulator) -> Iterator[float | Seen]:
                robot = sim.robot("Puma")
                home = robot.joints
                while sim.time < end:
                    yield Seen("here")
                    sim.set_signal("here", 0)
                    yield robot.move_joints_absolute(home + np.array([0.3, 0.2, -0.1, 0, 0, 0.2]), "345")
                    yield robot.move_joints_absolute(home, "trapezoid")
                    sim.set_signal("taken", 1)
                    yield 1.0
                sim.set_signal("here", 1)

            def look(sim: Simulator) -> Iterator[float | Seen]:
                while sim.time < end:
                    times.append(sim.time / 3600.0)
                    sizes.append(resident())
                    yield SECONDS
                sim.set_signal("here", 1)
                sim.set_signal("taken", 1)

            run(sim, {"belt": belt, "arm": arm, "look": look})
        took = time.monotonic() - begin
        with RecordingFile(path) as file:
            assert file.duration >= end
            for at in np.linspace(0.0, file.end, 25):
                file.state_at(float(at))
            size = path.stat().st_size
            print(f"{file.duration / 3600:.2f} simulated hours, {len(file)} segments, {size / 2**20:.1f} MiB on disk")
    return times, sizes, took, size


def picture(times: list[float], sizes: list[float], took: float) -> Plot:
    """Draw memory over simulated time."""
    width, height, left, right, top, bottom = 900, 300, 80, 20, 40, 50
    high = 50.0 * np.ceil(max(sizes) * 1.15 / 50.0)
    marks: list[Stroke | Label] = [
        Label((left, 22), f"resident memory [MiB]; {times[-1]:.1f} simulated hours recorded to disk in {took:.0f} s")
    ]
    for tick in np.linspace(0.0, high, 6):
        y = height - bottom - tick / high * (height - bottom - top)
        marks += [Stroke(((left, y), (width - right, y)), "#d8dce1"), Label((left - 8, y + 4), f"{tick:.0f}", "end")]
    for hour in np.linspace(0.0, times[-1], 5):
        x = left + hour / times[-1] * (width - left - right)
        marks += [Stroke(((x, top), (x, height - bottom)), "#d8dce1"), Label((x, height - 30), f"{hour:.2g}", "middle")]
    marks.append(Label(((left + width - right) / 2, height - 10), "simulated time [h]", "middle"))
    points = tuple(
        (left + t / times[-1] * (width - left - right), height - bottom - s / high * (height - bottom - top))
        for t, s in zip(times, sizes, strict=True)
    )
    marks.append(Stroke(points, "#1f6fb4", 2.0))
    return Plot(tuple(marks), (width, height))


def main() -> None:
    """Run it and draw it."""
    hours = float(sys.argv[1]) if len(sys.argv) > 1 else HOURS
    times, sizes, took, _ = measured(hours)
    settled = sizes[len(sizes) // 10 :]
    print(f"took {took:.1f} s, {hours * 3600 / took:,.0f} × real time")
    print(f"memory after the first tenth: {min(settled):.1f} to {max(settled):.1f} MiB")
    target = Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images/four_hours.svg")
    picture(times, sizes, took).save(target)
    print(f"drawn as {target}")


if __name__ == "__main__":
    main()
