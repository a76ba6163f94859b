"""A positioner for brain surgery: can an arm like a Puma reach all around a head without touching it, and how exactly?

This is the study of section 3.7 of the ROBOSIM report. The head is a cylinder along y with a radius of 20 cm. The hand
must point at its axis from a radius of 20.1 cm, at every centimetre from y = −20 to 20 cm and every 5° from 0° to 100°.
The arm stands at x = 25 cm. The study tries all branches at every pose. The worst-case error of the hand follows from
encoders of 12 bits and the Jacobian: err_i = Σ_j |J_ij| · 2π/2¹².

    python examples/surgical_positioner.py [FOLDER]

writes ``surgical_positioner.csv`` (one line per branch) and ``surgical_positioner.png`` into FOLDER (default: ``out``).
"""

from __future__ import annotations

import csv
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workcell.collision.batch import check_batch
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.commands.cell import Cell
from workcell.geometry import solids
from workcell.pictures.camera import Camera
from workcell.pictures.images import save_png
from workcell.pictures.render import render
from workcell.pictures.scene import Item, Scene
from workcell.robots.link import Link, Part
from workcell.robots.robot import Robot
from workcell.robots.shape_parts import ball, tube
from workcell.spatial.pose import Pose
from workcell.world.body import Body, Piece
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

TITLE = "An arm around a head"
cm = 0.01
HEAD, HAND = 20.0 * cm, 20.1 * cm
BASE_X = 25.0 * cm
BITS = 12
GREY, LIGHT = (0.45, 0.47, 0.5), (0.82, 0.83, 0.85)
GOOD, POOR = (0.18, 0.55, 0.34), (0.78, 0.25, 0.18)


def positioner() -> Robot:
    """An arm with the joints of a Puma 560, small and slender: 30 cm to the shoulder, two links of 30 cm."""
    h, a2, d3, d4, d6 = 30 * cm, 30 * cm, 5 * cm, 30 * cm, 6 * cm
    right = math.pi / 2
    rows = [
        dict(theta=0, d=h, a=0, alpha=-right),
        dict(theta=0, d=d3, a=a2, alpha=0),
        dict(theta=0, d=0, a=0, alpha=right),
        dict(theta=0, d=d4, a=0, alpha=-right),
        dict(theta=0, d=0, a=0, alpha=right),
        dict(theta=0, d=d6, a=0, alpha=0),
    ]
    shapes = [
        [tube((0, 0, 0), (0, 0, h - 4 * cm), 2.5 * cm)],
        [tube((0, 3.8 * cm, 0), (0, -2 * cm, 0), 2.2 * cm)],
        [tube((-a2, 0, -2.5 * cm), (-a2, 0, 1.5 * cm), 2.2 * cm), tube((-a2, 0, 0), (0, 0, 0), 1.5 * cm)],
        [ball((0, 0, 0), 1.9 * cm), tube((0, 0, 0), (0, 0, d4 - 5 * cm), 1.3 * cm)],
        [tube((0, 4 * cm, 0), (0, 1.4 * cm, 0), 1.2 * cm)],
        [ball((0, 0, 0), 1.2 * cm)],
        [tube((0, 0, -4.5 * cm), (0, 0, -0.3 * cm), 0.5 * cm, 0.15 * cm)],
    ]
    links = tuple(
        Link("base" if i == 0 else f"link {i}", tuple(Part(solid, LIGHT if i % 2 else GREY) for solid in parts))
        for i, parts in enumerate(shapes)
    )
    return Robot.from_dh(rows, "positioner", links=links)


def study_model() -> CollisionModel:
    """Return the collision model of the arm beside the head."""
    robot = positioner()
    bodies = [
        Body(f"Arm/{link.name}", "Arm", i, tuple(Piece(p.solid, p.colour) for p in link.parts))
        for i, link in enumerate(robot.links)
    ]
    bodies.append(Body("head", "head", -1, (Piece(solids.cylinder(HEAD, 60 * cm), (0.87, 0.72, 0.6)),)))
    lying = Pose.from_axis_angle((1, 0, 0), math.pi / 2)
    state = CellState(0.0, {"Arm": np.zeros(6)}, {"head": lying})
    arm = PlacedRobot("Arm", robot, "world", 0, Pose.from_xyz(BASE_X, 0, 0), tuple(range(7)), 1.0)
    # The gap of 1 mm between hand and head needs a finer mesh than a picture does.
    return collision_model(Snapshot((1, 1), "surgery", tuple(bodies), (arm,), state), tolerance=1e-4)


def sample() -> Cell:
    """Return a cell with the head and the arm, whose hand is at one of the poses; the caller closes it."""
    cell = Cell()
    joints = reaching(study_model()).joints["Arm"]
    cell.add_robot(positioner(), "Arm", Pose.from_xyz(BASE_X, 0, 0), joints)
    lying = Pose.from_axis_angle((1, 0, 0), math.pi / 2)
    cell.add_solid(solids.cylinder(HEAD, 60 * cm), "head", lying, colour="#deb899")
    return cell


def hand_pose(y: float, angle: float) -> Pose:
    """``X_world_hand``: at the hand's radius, z pointing at the axis of the head."""
    out = np.array([math.cos(angle), 0.0, math.sin(angle)])
    along = np.array([0.0, 1.0, 0.0])
    return Pose.from_rotation(np.column_stack([np.cross(along, -out), along, -out]), HAND * out + y * along)


@dataclass(frozen=True)
class Row:
    """One branch at one pose: lengths in cm, angles in degrees, errors in mm and degrees."""

    y: int
    angle: int
    branch: str
    within_limits: bool
    contact: str
    error_mm: float
    error_deg: float

    @property
    def usable(self) -> bool:
        return self.within_limits and not self.contact


def study(model: CollisionModel | None = None) -> list[Row]:
    """Return one row for every branch at every pose."""
    model = study_model() if model is None else model
    placed = model.snapshot.robots[0]
    robot, X_base_world = placed.robot, placed.X_parent_base.inverse()
    found, joints = [], []
    for y in range(-20, 21):
        for angle in range(0, 101, 5):
            for solution in robot.ik(X_base_world @ hand_pose(y * cm, math.radians(angle))):
                found.append((y, angle, solution.words, solution.within_limits))
                joints.append(solution.q)
    touching = check_batch(model, {"Arm": np.array(joints)})
    step = 2.0 * math.pi / 2**BITS
    rows = []
    for k, (y, angle, words, inside) in enumerate(found):
        error = np.abs(robot.jacobian(joints[k])).sum(axis=1) * step
        pair = touching.pair(k)
        contact = " – ".join(name.removeprefix("Arm/") for name in pair) if pair else ""
        millimetres, degrees = 1e3 * float(np.linalg.norm(error[:3])), math.degrees(float(np.linalg.norm(error[3:])))
        rows.append(Row(y, angle, words, inside, contact, millimetres, degrees))
    return rows


def summary(rows: list[Row]) -> str:
    """Return the results of the study in a few lines."""
    poses = [(y, angle) for y in range(-20, 21) for angle in range(0, 101, 5)]
    reached = {(row.y, row.angle) for row in rows}
    usable = {(row.y, row.angle) for row in rows if row.usable}
    lines = [
        f"{len(poses)} poses, {len(rows)} branches; "
        f"{len(reached)} poses can be reached, {len(usable)} of them without contact."
    ]
    counts: dict[str, int] = {}
    for row in rows:
        if row.contact:
            counts[row.contact] = counts.get(row.contact, 0) + 1
    for pair, count in sorted(counts.items(), key=lambda item: -item[1])[:6]:
        lines.append(f"  {count:>5} branches touch: {pair}")
    if usable:
        best = {}
        for row in rows:
            if row.usable:
                key = (row.y, row.angle)
                best[key] = min(best.get(key, math.inf), row.error_mm)
        least, most = min(best.values()), max(best.values())
        lines.append(
            f"With {BITS}-bit encoders the hand is off by {least:.2f} to {most:.2f} mm at worst, by best branch."
        )
    return "\n".join(lines)


def reaching(model: CollisionModel) -> CellState:
    """Return a state in which the hand is at 60° over the middle of the head, free of contacts if that is possible."""
    placed, state = model.snapshot.robots[0], model.snapshot.initial
    for solution in placed.robot.ik(placed.X_parent_base.inverse() @ hand_pose(0.0, math.radians(60))):
        found = state.with_joints("Arm", solution.q)
        if not check_batch(model, [found]).touching[0]:
            return found
    return state


def picture(model: CollisionModel, rows: list[Row], path: Path) -> Path:
    """Draw the head, the arm, and a ball at every pose: green if some branch is free, red if none is."""
    free = {}
    for row in rows:
        free[row.y, row.angle] = free.get((row.y, row.angle), False) or row.usable
    shown = reaching(model)
    items = []
    for body, X in zip(model.snapshot.bodies, model.snapshot.body_poses(shown), strict=True):
        items += [Item(piece.solid.mesh(5e-4), X, piece.colour, name=body.name) for piece in body.pieces]
    dot = solids.sphere(0.35 * cm).mesh(3e-4)
    for y in range(-20, 21, 2):
        for angle in range(0, 101, 5):
            colour = GOOD if free.get((y, angle)) else POOR
            items.append(Item(dot, hand_pose(y * cm, math.radians(angle)).matrix, colour, edges=False))
    camera = Camera((1.25, -0.9, 0.95), (0.06, 0.0, 0.2))
    return save_png(render(Scene(tuple(items)), camera, (1280, 800)), path)


def main(folder: str = "out") -> None:
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    model = study_model()
    rows = study(model)
    with open(target / "surgical_positioner.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y_cm", "angle_deg", "branch", "within_limits", "contact", "error_mm", "error_deg"])
        for row in rows:
            writer.writerow(
                [
                    row.y,
                    row.angle,
                    row.branch,
                    row.within_limits,
                    row.contact,
                    f"{row.error_mm:.4f}",
                    f"{row.error_deg:.4f}",
                ]
            )
    print(summary(rows))
    print(picture(model, rows, target / "surgical_positioner.png"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
