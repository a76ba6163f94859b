"""The surgical program of the ROBOSIM report (section 3.7), line by line on the Simulation Library.

Can an arm reach all around a head (a cylinder along y, radius 20 cm) without touching it, and how exactly do 12-bit
encoders place its hand? ``examples/surgical_positioner.py`` answers the same question with Workcell's own calls, for
all branches at once. Its arm and head are written here as the link files that the program loads.

    python examples/programs/surgical.py [FOLDER] [STEP]

writes ``T.LOC`` … ``T.6``, ``HEAD.OBJ`` and ``testout`` into FOLDER (default: ``out``). STEP is the distance between
the rows of points [cm], 1 in the report.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

from workcell.geometry import solids
from workcell.languages.robosim.drawing import Drawing, Shape
from workcell.languages.robosim.links import drawings_of_robot, link_files, object_file
from workcell.languages.simulation_library import (
    S_BEGIN,
    S_C_SWITCH,
    S_CO,
    S_GET_OBJ,
    S_GET_ROBOT,
    S_JACOB,
    S_JOINT,
    S_KINV,
    S_MOVEJI,
    S_PRETRANSLATE,
    S_SET_INV,
    S_USE,
    puma_inv,
)
from workcell.robots.formats import link_file
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

TRUE = 1
CONV = math.pi / 180.0
cm = 0.01
NUM_BITS = [12.0] * 6
single_joint_error = [0.0] * 6
lo = [0.0] * 6


def sim(folder: Path, step: int = 1) -> dict[str, list[tuple[int, int]]]:
    """Run the program; return the points (y [cm], angle [deg]) that are free, collide, or have no solution."""
    found: dict[str, list[tuple[int, int]]] = {"free": [], "collision": [], "unreachable": []}
    array = S_JOINT()
    J = np.zeros((6, 6))
    m = np.zeros((4, 4))
    S_BEGIN("cm")
    r1 = S_GET_ROBOT(str(folder / "T"))
    S_PRETRANSLATE(r1, 25.0, 0.0, 0.0)
    S_USE(r1)
    o1 = S_GET_OBJ(str(folder / "HEAD.OBJ"))
    S_PRETRANSLATE(o1, 0.0, 0.0, 0.0)
    S_USE(o1)
    S_C_SWITCH(TRUE)
    S_SET_INV(r1, puma_inv)
    with open(folder / "testout", "w", encoding="utf-8") as fpout:
        set_joint_error()
        for i in range(-20, 21, step):
            for degrees in range(0, 105, 5):
                angle = degrees * CONV
                get_location(angle, m, i)
                fpout.write(" ".join(f"{value:5.2f}" for value in lo) + "\n")
                if S_KINV(r1, m, array, TRUE):
                    S_JACOB(array, J)
                    error(J, fpout)
                    if S_MOVEJI(r1, array, 1):
                        found["free"].append((i, degrees))
                    else:
                        print(f"collision, y = {i}, angle = {angle:f}\nlink {S_CO.L1}")
                        found["collision"].append((i, degrees))
                else:
                    fpout.write("point did not converge\n")
                    print("point did not converge")
                    found["unreachable"].append((i, degrees))
    return found


def get_location(j: float, m: np.ndarray, i: int) -> None:
    """Fill the matrix of the hand: z points at the axis of the head, from 20.1 cm away."""
    m[2][0] = -math.cos(j)
    m[2][2] = -math.sin(j)
    m[2][1] = 0.0
    m[0][0] = m[0][2] = 0.0
    m[0][1] = 1.0
    m[1][:3] = np.cross(m[2][:3], m[0][:3])
    m[3][0] = -20.1 * m[2][0]
    m[3][2] = -20.1 * m[2][2]
    m[3][1] = float(i)
    m[0][3] = m[1][3] = m[2][3] = 0.0
    m[3][3] = 1.0
    lo[:3] = m[3][:3]
    lo[3:] = Pose.from_rotation(m[:3, :3].T).angles("agent_rpy") / CONV


def set_joint_error() -> None:
    """Fill the error of each joint: one step of its encoder [rad]."""
    for i in range(6):
        single_joint_error[i] = 2.0 * math.pi / pow(2.0, NUM_BITS[i])


def error(m: np.ndarray, fpout) -> None:
    """Write the greatest error of the hand: every joint is off in the worst direction."""
    err = [0.0] * 6
    for i in range(6):
        for j in range(6):
            err[i] += abs(m[i][j] * single_joint_error[j])
    fpout.write(f"dX = {err[0]:f} dY = {err[1]:f} dZ = {err[2]:f}")
    fpout.write(f" rX = {err[3]:f} rY = {err[4]:f} rZ = {err[5]:f}\n")
    fpout.write(f"distance error {math.sqrt(err[0] * err[0] + err[1] * err[1] + err[2] * err[2]):f}\n")


def write_models(folder: Path, arm: Robot, head_radius: float) -> None:
    """Write the link files of the arm and the object file of the head, in centimetres."""
    for stored, file in zip(links := drawings_of_robot(arm, "T"), link_files(links, cm, 1e-4), strict=True):
        (folder / stored.name).write_text(link_file.write(file))
    lying = Pose.from_axis_angle((1, 0, 0), math.pi / 2)
    head = Drawing((Shape(solids.cylinder(head_radius, 60 * cm), lying),))
    (folder / "HEAD.OBJ").write_text(link_file.write(object_file(head, cm, 1e-4)))


def main(folder: str = "out", step: str = "1") -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from surgical_positioner import HEAD, positioner

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_models(target, positioner(), HEAD)
    found = sim(target, int(step))
    print(", ".join(f"{len(points)} points {name}" for name, points in found.items()))


if __name__ == "__main__":
    main(*sys.argv[1:3])
