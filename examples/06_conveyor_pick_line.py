"""A pick line: a belt brings parts, and two Pumas take them in turn and put them into their trays.

Three programs run in parallel on one clock and exchange signals. When a part is at a station, the belt stops and sets a
signal. It continues when the robot there has lifted the part and reset the signal. Parts ride on the belt until a
gripper takes them. Parts 1, 3 and 5 are for the first robot; the others pass it and go to the second. Collisions are
watched. The programs exist twice: as Python generators and as programs of the cell.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Generator
from pathlib import Path

import workcell as wc

TITLE = "A pick line with two robots"
PITCH = 0.25
"""The distance between parts on the belt [m]."""
PARTS = 6
STATIONS = {"One": 0.0, "Two": 3 * PITCH}
"""The places along the belt where the robots pick [m]."""
LEVEL = 0.7
"""The height of the top of the belt [m]."""
DOWN = wc.Pose.from_axis_angle((0, 1, 0), math.pi)

SCENE = """
add conveyor Belt 2900 at -1750,0,0
create robot One puma560 at 0,-600,700 rotate 0,0,90 joints 0,60,-190,0,40,0
create robot Two puma560 at 750,600,700 rotate 0,0,-90 joints 0,60,-190,0,40,0
create block tub box 340 160 60
create block room box 320 140 60
combine tray difference tub room translate 0,0,10 colour blue
create object TrayOne
attach tray to TrayOne
create object TrayTwo
attach tray to TrayTwo
add solid stand_one box 360 180 560 at -480,-420,280 colour dark-grey
add solid stand_two box 360 180 560 at 1230,420,280 colour dark-grey
place TrayOne at -480,-420,590
place TrayTwo at 1230,420,590
create signal at_One
create signal at_Two
"""


def modelled() -> wc.Cell:
    """Return the cell with its parts on the belt; the caller closes it."""
    cell = wc.Cell()
    for line in SCENE.strip().splitlines():
        cell.do(line)
    for number in range(1, PARTS + 1):
        x = -number * PITCH * 1e3
        cell.do(f"add solid part{number} box 40 40 40 at {x},0,{LEVEL * 1e3 + 20} colour orange --movable")
    return cell


def due(step: int) -> list[str]:
    """Return the robots that have a part at their station after this number of belt steps."""
    found = []
    for robot, along in STATIONS.items():
        part = step - round(along / PITCH)
        if 1 <= part <= PARTS and (part % 2 == 1) == (robot == "One"):
            found.append(robot)
    return found


def belt(sim: wc.Simulator) -> Generator[float | wc.Seen, None, None]:
    """Move the belt, and wait at each station until the robot has taken its part."""
    gone = 0
    for step in range(1, PARTS + round(STATIONS["Two"] / PITCH) + 1):
        robots = due(step)
        if robots:
            yield sim.robot("Belt").move_joints_relative([(step - gone) * PITCH])
            gone = step
            for robot in robots:
                sim.set_signal(f"at_{robot}", 1)
            for robot in robots:
                yield wc.Seen(f"at_{robot}", 0)


def slot(robot: str, number: int) -> wc.Pose:
    """Return the place of a part in the tray of a robot, in the world."""
    sign = 1.0 if robot == "Two" else -1.0
    x = STATIONS[robot] + sign * 0.48 + (number - 1) * 0.09
    return wc.Pose.from_xyz(x, sign * 0.42, 0.62)


def picking(name: str) -> wc.Program:
    """Return the program of a robot: wait for a part, take it, reset the signal, put the part into the tray."""

    def program(sim: wc.Simulator) -> Generator[float | wc.Seen, None, None]:
        robot = sim.robot(name)
        turned = wc.Pose.from_axis_angle((0, 0, 1), math.pi / 2 if name == "One" else -math.pi / 2) @ DOWN
        pick = wc.Pose.from_xyz(STATIONS[name], 0.0, LEVEL + 0.02) @ turned
        for number in range(PARTS // 2):
            yield _above(robot, pick)
            yield wc.Seen(f"at_{name}", 1)
            yield robot.move_straight_line(pick, point="grip", hand_speed=0.4)
            robot.close_gripper()
            yield robot.move_hand(wc.Pose.from_xyz(0, 0, 0.12), frame="world", hand_speed=0.4)
            sim.set_signal(f"at_{name}", 0)
            goal = slot(name, number) @ turned
            yield _above(robot, goal)
            yield robot.move_straight_line(goal, point="grip", hand_speed=0.4)
            robot.open_gripper(settle=True)
            yield robot.move_hand(wc.Pose.from_xyz(0, 0, 0.12), frame="world", hand_speed=0.4)
        yield robot.move_joints_absolute(sim.snapshot.initial.joints[name])

    return program


def _above(robot: wc.SimulatedRobot, pose: wc.Pose) -> float:
    return robot.move_end_effector(wc.Pose.from_xyz(0, 0, 0.12) @ pose, point="grip")


def texts() -> dict[str, str]:
    """Return the same three programs as commands, one per line."""
    lines: dict[str, list[str]] = {"belt": [], "one": [], "two": []}
    gone = 0
    for step in range(1, PARTS + round(STATIONS["Two"] / PITCH) + 1):
        robots = due(step)
        if robots:
            lines["belt"].append(f"move-joints-relative Belt {(step - gone) * PITCH * 1e3:g}")
            gone = step
            lines["belt"] += [f"set-signal at_{robot} 1" for robot in robots]
            lines["belt"] += [f"wait-for at_{robot} 0" for robot in robots]
    for name, along in STATIONS.items():
        turned = f"euler fanuc_wpr 0,180,{90 if name == 'One' else -90} of grip"
        x, y, z = along * 1e3, 0.0, LEVEL * 1e3 + 20
        up = f"move-hand {name} 0,0,120 along world speed 400mm/s"
        for number in range(PARTS // 2):
            u, v, w = slot(name, number).xyz * 1e3
            lines[name.lower()] += [
                f"move-end-effector {name} {x:g},{y:g},{z + 120:g} {turned}",
                f"wait-for at_{name} 1",
                f"move-straight-line {name} {x:g},{y:g},{z:g} {turned} speed 400mm/s",
                f"close-gripper {name}",
                up,
                f"set-signal at_{name} 0",
                f"move-end-effector {name} {u:g},{v:g},{w + 120:g} {turned}",
                f"move-straight-line {name} {u:g},{v:g},{w:g} {turned} speed 400mm/s",
                f"open-gripper {name} --settle",
                up,
            ]
        lines[name.lower()].append(f"move-joints-absolute {name} 0,60,-190,0,40,0")
    return {name: "\n".join(own) for name, own in lines.items()}


def by_commands() -> wc.Cell:
    """Run the three programs of the cell with `run-together`; return the cell, which the caller closes."""
    cell = modelled()
    for number in range(1, PARTS + 1):
        cell.do(f"ride part{number} on Belt")
    cell.do("keep state")
    for name in ("Belt", "One", "Two"):
        cell.do(f"profile {name} trapezoid")
    for name in STATIONS:
        cell.do(f"speed {name} 1.5rad/s")
    cell.do("watch yes")
    for name, text in texts().items():
        cell.do(f"create program {name}")
        cell.do(f'modify {name} text "{text.replace(chr(10), "%0A")}"')
    print(cell.do("run-together belt one two"))
    return cell


def sample() -> wc.Cell:
    """Return the cell after its run; the caller closes it."""
    return by_commands()


def main(chart: str | Path | None = None) -> wc.Simulator:
    """Run the line and return the simulator with its recording.

    Args:
        chart: the file of the Gantt chart; by default a temporary file.
    """
    with modelled() as cell:
        sim = wc.Simulator(cell)
        sim.watch = wc.Watch(sim.snapshot)
        for number in range(1, PARTS + 1):
            wc.ride(sim, f"part{number}", "Belt")
        for name in ("Belt", "One", "Two"):
            sim.robot(name).profile("trapezoid")
        for name in STATIONS:
            sim.robot(name).speed(1.5)
        ended = wc.run(sim, {"belt": belt, "one": picking("One"), "two": picking("Two")})
        for name, time in ended.items():
            print(f"{name:5} ended at {time:7.3f} s")
        print(f"cycle time {sim.time:.3f} s, {sim.time / PARTS:.3f} s a part")
        with tempfile.TemporaryDirectory() as folder:
            wc.gantt(sim.recording).save(chart or Path(folder) / "line.svg")
        return sim


if __name__ == "__main__":
    main("conveyor_pick_line.svg")
