"""Two Pumas hand a sphere from one to the other, as in the third example of the thesis (Kahloun 1987, 5.1.3).

The first robot picks the sphere up from its table, and both meet where their reaches overlap. The second closes its
gripper, the first opens its own, and the second puts the sphere on its table. Then both go home together. Collisions
are watched all the time.
"""

from __future__ import annotations

import math

import workcell as wc

DOWN = wc.Pose.from_axis_angle((0, 1, 0), math.pi) @ wc.Pose.from_axis_angle((0, 0, 1), math.pi / 2)
"""The first hand approaches from above and closes along y, so that its fingers leave room for the second."""
ACROSS = wc.Pose.from_axis_angle((0, 1, 0), -math.pi / 2)
"""The second hand approaches along x, from the other side, and closes along z."""


def cell_with_two_pumas() -> wc.Cell:
    """Return a cell with two Pumas that face each other, a table for each, and a sphere of 60 mm."""
    cell = wc.Cell()
    for line in (
        "create robot Puma_1 puma560",
        "create robot Puma_2 puma560 at 1500,0,0 rotate 0,0,180",
        "add solid table_1 box 500 800 100 at 350,0,-50",
        "add solid table_2 box 500 800 100 at 1150,0,-50",
        "add solid ball sphere 30 at 500,-150,30 --movable",
    ):
        cell.do(line)
    return cell


def main() -> wc.Simulator:
    """Run the hand-over and return the simulator with its recording."""
    with cell_with_two_pumas() as cell:
        sim = wc.Simulator(cell)
        sim.watch = wc.Watch(sim.snapshot)
        sim.allowed_fall = 0.2  # the ball may drop onto the table
        one, two = sim.robot("Puma_1"), sim.robot("Puma_2")
        for robot in (one, two):
            robot.speed(0.5)
            robot.profile("trapezoid")
        meeting = wc.Pose.from_xyz(0.75, 0.0, 0.6)
        with sim.together():
            one.move_end_effector(wc.Pose.from_xyz(0.5, -0.15, 0.2) @ DOWN, point="grip")
            two.move_end_effector(wc.Pose.from_xyz(0.2, 0, 0) @ meeting @ ACROSS, branch="---", point="grip")
        one.move_straight_line(wc.Pose.from_xyz(0.5, -0.15, 0.03) @ DOWN, point="grip")
        print(one.close_gripper())
        one.move_hand(wc.Pose.from_xyz(0, 0, 0.3), frame="world")
        one.move_end_effector(meeting @ DOWN, point="grip")
        two.move_straight_line(meeting @ ACROSS, point="grip")
        print(two.close_gripper())
        one.open_gripper()
        with sim.together():
            one.move_hand(wc.Pose.from_xyz(0, 0, 0.2), frame="world")
            two.move_hand(wc.Pose.from_xyz(0.15, 0, 0), frame="world")
        two.move_end_effector(wc.Pose.from_xyz(1.0, 0.15, 0.2) @ DOWN, point="grip")
        two.open_gripper(settle=True)
        with sim.together():
            one.move_joints_absolute(one.robot.home)
            two.move_joints_absolute(two.robot.home)
        for event in sim.recording.events:
            print(f"{event.time:8.4f} s  {wc.text_of(event)}")
        return sim


if __name__ == "__main__":
    main()
