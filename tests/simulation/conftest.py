"""Cells to simulate in."""

from __future__ import annotations

import pytest
from simulation_poses import down

import workcell as wc
from workcell.simulation.branch_policy import chosen


@pytest.fixture
def puma():
    """A simulator and its Puma, the hand down in front of it."""
    with wc.Cell() as cell:
        cell.add_robot("puma560", name="Puma")
        sim = wc.Simulator(cell)
        robot = sim.robot("Puma")
        robot.set_joints(chosen(robot.robot, down(0.5, -0.1, 0.6), "nearest", robot.joints))
        yield sim, robot


@pytest.fixture
def pick():
    """A Puma over a table with a cube of 40 mm on it, and a stage."""
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add solid table box 600 800 100 at 550,0,-50",
            "add solid stage box 100 100 60 at 450,250,30",
            "add solid cube box 40 40 40 at 500,-150,20 --movable",
        ):
            cell.do(line)
        yield cell
