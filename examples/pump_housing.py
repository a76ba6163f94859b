"""A pump housing: many kinds of shapes in one solid.

A cast body (revolved), a flange with holes (extruded), a suction pipe along a PD curve (swept, hollow), a discharge
nozzle, ribs, a foot with slots, a bored chamber, and a free-form lid sewn from NURBS patches. The script prints the
mass of the housing and writes it as STEP and GLB.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from workcell.commands.cell import Cell
from workcell.geometry import solids
from workcell.geometry.contour import ArcTo, Circle, LineTo, polygon
from workcell.geometry.contour import Path as Outline
from workcell.geometry.nurbs.curve import NurbsCurve, join
from workcell.geometry.nurbs.surface import NurbsSurface
from workcell.geometry.solid import Solid
from workcell.geometry.surface import Surface, disc, surface
from workcell.geometry.sweep import pd_curve
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

TITLE = "A pump housing"


def ring_of_holes(count: int, circle: float, radius: float, phase: float = 0.0) -> tuple[Circle, ...]:
    """Circles evenly spaced on a circle."""
    angles = phase + 2.0 * math.pi * np.arange(count) / count
    return tuple(Circle((circle * math.cos(a), circle * math.sin(a)), radius) for a in angles)


def flange(radius: float, bore: float, thickness: float, bolts: int, circle: float) -> Solid:
    """A disc with a bore and bolt holes, its back in the plane z = 0."""
    holes = (Circle((0.0, 0.0), bore), *ring_of_holes(bolts, circle, 5.5 * mm))
    return solids.extrude(Surface((Circle((0.0, 0.0), radius),), holes), thickness)


def body() -> Solid:
    """The cast shell about z: a revolved profile with a rounded shoulder."""
    profile = Outline(
        (0.0, 0.0),
        (
            LineTo((95 * mm, 0.0)),
            LineTo((95 * mm, 60 * mm)),
            ArcTo((87.678 * mm, 77.678 * mm), (70 * mm, 85 * mm)),
            LineTo((45 * mm, 85 * mm)),
            LineTo((45 * mm, 100 * mm)),
            LineTo((0.0, 100 * mm)),
        ),
    )
    return solids.revolve(Surface((profile,))).named("body")


def chamber() -> Solid:
    """Return the space inside the body: the impeller chamber and the shaft bore."""
    wide = solids.cylinder(78 * mm, 60 * mm).moved(Pose.from_xyz(0, 0, 38 * mm))
    shaft = solids.cylinder(16 * mm, 140 * mm).moved(Pose.from_xyz(0, 0, 70 * mm))
    return (wide + shaft).named("chamber")


def suction_pipe() -> tuple[Solid, Solid]:
    """A bent pipe and its bore: discs carried along a line, an arc and a line."""
    path = join(
        [
            NurbsCurve.line((0, 80 * mm, 35 * mm), (0, 130 * mm, 35 * mm)),
            NurbsCurve.arc((0, 130 * mm, 95 * mm), 60 * mm, -90 * deg, 90 * deg, (0, 1, 0), (0, 0, 1)),
            NurbsCurve.line((0, 190 * mm, 95 * mm), (0, 190 * mm, 130 * mm)),
        ]
    )
    along = pd_curve(path, (1, 0, 0))
    return solids.sweep(disc(28 * mm), along).named("pipe"), solids.sweep(disc(21 * mm), along).named("bore")


def nozzle() -> tuple[Solid, Solid]:
    """The discharge: a tangential tube that widens as it leaves (a nine-component curve), and its bore."""
    path = NurbsCurve.line((55 * mm, 0, 35 * mm), (55 * mm, -150 * mm, 35 * mm))
    outside = pd_curve(path, (0, 0, 1), scale=(1.35, 1.35, 1.0))
    longer = NurbsCurve.line((55 * mm, 20 * mm, 35 * mm), (55 * mm, -151 * mm, 35 * mm))
    inside = pd_curve(longer, (0, 0, 1), scale=(1.4, 1.4, 1.0))
    return solids.sweep(disc(26 * mm), outside).named("nozzle"), solids.sweep(disc(19 * mm), inside).named("outlet")


def foot() -> Solid:
    """The base plate: an outline with two slots."""
    slots = [
        Outline(
            (x - 5 * mm, -6 * mm),
            (
                LineTo((x + 5 * mm, -6 * mm)),
                ArcTo((x + 11 * mm, 0.0), (x + 5 * mm, 6 * mm)),
                LineTo((x - 5 * mm, 6 * mm)),
                ArcTo((x - 11 * mm, 0.0), (x - 5 * mm, -6 * mm)),
            ),
        )
        for x in (-110 * mm, 110 * mm)
    ]
    half = [(-130, -45), (130, -45), (130, 45), (90, 70), (-90, 70), (-130, 45)]
    plate = Surface((polygon(np.array(half) * mm),), tuple(slots))
    return solids.extrude(plate, 14 * mm).named("foot").moved(Pose.from_xyz(0, 0, -12 * mm))


def ribs() -> list[Solid]:
    """Four webs between the neck and the shoulder."""
    web = solids.extrude(surface(np.array([(40, 80), (72, 80), (72, 86), (46, 99), (40, 99)]) * mm), 8 * mm).named(
        "rib"
    )
    upright = web.moved(Pose.from_axis_angle((1, 0, 0), 90 * deg)).moved(Pose.from_xyz(0, 4 * mm, 0))
    return [upright.moved(Pose.from_axis_angle((0, 0, 1), (45 + 90 * k) * deg)) for k in range(4)]


def lid() -> Solid:
    """A free-form cover: a bicubic dome over a square collar, sewn from NURBS and plane patches."""
    half, low, high = 30 * mm, 100 * mm, 106 * mm
    grid = np.zeros((5, 5, 3))
    line = np.linspace(-half, half, 5)
    grid[..., 0], grid[..., 1] = np.meshgrid(line, line, indexing="ij")
    grid[..., 2] = high
    grid[1:-1, 1:-1, 2] = high + 22 * mm
    grid[2, 2, 2] = high + 34 * mm
    dome = NurbsSurface.clamped(grid, (3, 3)).with_weight(2, 2, 1.6)
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    patches: list[tuple[str, object, np.ndarray]] = [("dome", dome.patch, np.eye(4))]
    for number, (p, q) in enumerate(zip(corners, corners[1:] + corners[:1], strict=True), start=1):
        wall = NurbsSurface.ruled(NurbsCurve.line((*p, low), (*q, low)), NurbsCurve.line((*p, high), (*q, high)))
        patches.append((f"wall{number}", wall.patch, np.eye(4)))
    patches.append(("seat", surface(corners), Pose.from_xyz(0, 0, low).matrix))
    return solids.sewn(patches).named("lid")


def pump_housing() -> Solid:
    """Return the whole housing as one solid; its faces keep the names of the parts that they come from."""
    pipe, bore = suction_pipe()
    tube, outlet = nozzle()
    suction = flange(52 * mm, 20.9 * mm, 12 * mm, 6, 40 * mm).named("suction")
    discharge = flange(60 * mm, 26.5 * mm, 14 * mm, 8, 48 * mm).named("discharge")
    turned = Pose.from_axis_angle((1, 0, 0), 90 * deg)
    outside = solids.union(
        body(),
        foot(),
        pipe,
        tube,
        *ribs(),
        suction.moved(Pose.from_xyz(0, 190 * mm, 125 * mm)),
        discharge.moved(turned).moved(Pose.from_xyz(55 * mm, -136 * mm, 35 * mm)),
        lid(),
    )
    return solids.difference(outside, chamber(), bore, outlet)


def sample() -> Cell:
    """Return a cell with the housing on the floor; the caller closes it."""
    cell = Cell()
    cell.add_solid(pump_housing(), "housing", Pose.from_xyz(0, 0, 12 * mm), colour="grey")
    return cell


if __name__ == "__main__":
    housing = pump_housing()
    iron = housing.properties.with_density(7200.0)
    print(f"volume {housing.volume * 1e6:.1f} cm³, mass {iron.mass:.3f} kg, {len(housing.faces)} faces")
    print(f"valid: {housing.is_valid}")
    out = Path("out")
    out.mkdir(exist_ok=True)
    for name in ("pump_housing.step", "pump_housing.glb"):
        print(housing.save(out / name, 0.2 * mm))
