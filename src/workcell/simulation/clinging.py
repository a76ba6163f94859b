"""Suction cups and magnets: which pad holds which part, and why the other pads hold nothing.

A cup seals if its whole rim lies on one flat face that is within the cup's stroke and not tilted by more than an
angle. A magnet holds with the share of its face that is over the part; a gap reduces the force.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import GraspFailed
from workcell.geometry.flats import CURVE, EDGE, HOLE, STEP, Flat, Surface
from workcell.robots.hand import Clinging
from workcell.robots.magnet import Pole
from workcell.robots.suction import YIELDS, Cup, Suction
from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

NEAR = 0.001
"""The default distance from which the lip of a cup is drawn to the face [m]."""
_COARSE, _FINE = 5e-4, 1e-5
_NEARBY = 0.02
"""How far beyond the allowed distance parts are searched for, so that a message can give the distance [m]."""
_LISTED = 4
_SLACK = 1e-9


@dataclass(frozen=True)
class PadFit:
    """What one cup or magnet is on.

    Attributes:
        number: the number of the pad, from 1.
        part: the body in front of it, or ''.
        problem: why it does not hold, as the end of a sentence; '' if it holds.
        test: which test failed: nothing, movable, material, angle, distance, pressed, edge, hole, curve, step.
        force: the greatest force that it holds [N].
        gap: the distance from the free pad to the face along its axis [m]; negative if the pad is pressed.
        tilt: the angle between the axes of pad and face [rad].
        excess: by how much the test failed [m or rad].
    """

    number: int
    part: str
    problem: str
    test: str = ""
    force: float = 0.0
    gap: float = 0.0
    tilt: float = 0.0
    excess: float = 0.0


@dataclass(frozen=True)
class Cling:
    """A part that pads hold: the pads, their force, and the force that it needs [N]; None without a known mass."""

    part: str
    pads: tuple[int, ...]
    force: float
    needed: float | None
    tilt: float
    gap: float

    @property
    def enough(self) -> bool:
        """Whether the pads hold the part, as far as known."""
        return self.needed is None or self.force >= self.needed * (1.0 - _SLACK)


def pads_of(hand: Clinging) -> tuple[Cup | Pole, ...]:
    """Return the cups or the magnets of a hand."""
    return hand.cups if isinstance(hand, Suction) else hand.magnets


def pad_word(hand: Clinging) -> str:
    """Return the word for the pads of a hand."""
    return "cup" if isinstance(hand, Suction) else "magnet"


def pad_fits(
    snapshot: Snapshot, state: CellState, robot: str, hand: Clinging, near: float | None, angle: float
) -> list[PadFit]:
    """Return what every pad of a hand is on.

    Args:
        snapshot: what exists.
        state: where everything is.
        robot: the robot; its own bodies and what it holds do not count.
        hand: the hand.
        near: the greatest distance of a pad from a face [m]; None for 1 mm, or for the gap of a magnet.
        angle: the greatest angle between its axis and that of the face [rad].
    """
    X_world_mount = Pose(snapshot.link_frames(state, robot)[-1]) @ hand.X_flange_mount
    poses = snapshot.body_poses(state)
    shapes = [
        (body, X_world_mount.inverse() @ Pose(poses[place]))
        for place, body in enumerate(snapshot.bodies)
        if body.link < 0 and body.touchable
    ]
    return [_fit(number, pad, shapes, near, angle) for number, pad in enumerate(pads_of(hand), start=1)]


def _fit(number: int, pad: Cup | Pole, shapes: Sequence[tuple[Body, Pose]], near: float | None, angle: float) -> PadFit:
    stroke = pad.stroke if isinstance(pad, Cup) else 0.0
    reach = (NEAR if isinstance(pad, Cup) else pad.gap) if near is None else near
    low, high = -stroke - _NEARBY, reach + _NEARBY
    radius = pad.diameter / 2.0
    best: tuple[float, Body, Flat] | None = None
    for body, X_mount_body in shapes:
        X_pad_body = Pose.from_xyz(*(-value for value in pad.xyz)) @ X_mount_body
        flat = _flat(body, X_pad_body, radius, low, high)
        if flat is not None and (best is None or flat.height(np.zeros(2)) < best[0]):
            best = flat.height(np.zeros(2)), body, flat
    if best is None:
        return PadFit(number, "", "touches nothing", "nothing")
    gap, body, flat = best
    found = PadFit(number, body.name, "", "", 0.0, gap, flat.tilt)
    if not body.movable:
        return _failed(found, "movable", f"is on {body.name}, which is not movable", 0.0)
    if isinstance(pad, Pole):
        return _magnet(found, pad, body, flat, reach, angle)
    return _cup(found, pad, flat, reach, angle)


def _flat(body: Body, X_pad_body: Pose, radius: float, low: float, high: float) -> Flat | None:
    """Return the flat face of a body that a pad reaches first."""
    mesh = body.mesh(_COARSE)
    if not len(mesh.vertices):
        return None
    low_corner, high_corner = mesh.bounds
    half = (high_corner - low_corner) / 2.0
    x, y, z = X_pad_body.apply((low_corner + high_corner) / 2.0).tolist()
    spread = np.abs(X_pad_body.rotation) @ half + mesh.deviation
    if abs(x) > spread[0] + radius or abs(y) > spread[1] + radius or z - spread[2] > high or z + spread[2] < low:
        return None
    if mesh.deviation > 0.0:
        mesh = body.mesh(_FINE)
    vertices = mesh.vertices @ X_pad_body.rotation.T + X_pad_body.xyz
    return Surface(vertices, mesh.triangles, mesh.deviation).first(radius, low, high)


def _failed(fit: PadFit, test: str, problem: str, excess: float) -> PadFit:
    return PadFit(fit.number, fit.part, problem, test, 0.0, fit.gap, fit.tilt, excess)


def _tilted(fit: PadFit, angle: float) -> PadFit | None:
    if fit.tilt <= angle + 1e-9:
        return None
    text = (
        f"is tilted {math.degrees(fit.tilt):.4g}° against {fit.part}, {math.degrees(fit.tilt - angle):.4g}° more than "
        f"the {math.degrees(angle):.4g}° allowed"
    )
    return _failed(fit, "angle", text, fit.tilt - angle)


def _cup(fit: PadFit, cup: Cup, flat: Flat, near: float, angle: float) -> PadFit:
    part, radius = fit.part, cup.diameter / 2.0
    room = flat.room()
    if not flat.contains_middle() or room < radius - 1e-9:
        how = flat.ends_with()
        over = flat.overhang(radius)
        if how == CURVE:
            return _failed(fit, CURVE, f"is on a curved face of {part}", over)
        what = f"covers an edge of {part}" if how == EDGE else f"is over a hole of {part}"
        return _failed(fit, EDGE if how == EDGE else HOLE, f"{what}, by {over * 1e3:.3g} mm", over)
    if flat.stands_on_it(radius, max(cup.stroke, 0.25 * cup.diameter)):
        return _failed(fit, STEP, f"is on a face of {part} that something stands on", 0.0)
    tilted = _tilted(fit, angle)
    if tilted is not None:
        return tilted
    lifted = radius * math.tan(fit.tilt)
    far, pressed = fit.gap + lifted, lifted - fit.gap
    side = f" on one side, tilted {math.degrees(fit.tilt):.3g}°" if lifted > 1e-6 else ""
    if far > near + 1e-9:
        text = (
            f"is {far * 1e3:.3g} mm from {part}{side}, {(far - near) * 1e3:.3g} mm more than the {near * 1e3:.3g} mm "
            "allowed"
        )
        return _failed(fit, "distance", text, far - near)
    if pressed > max(cup.stroke, YIELDS) + 1e-9:
        over = pressed - cup.stroke
        text = f"is pressed {pressed * 1e3:.3g} mm into {part}{side}, {over * 1e3:.3g} mm more than its stroke"
        return _failed(fit, "pressed", text, over)
    return fit


def _magnet(fit: PadFit, pole: Pole, body: Body, flat: Flat, near: float, angle: float) -> PadFit:
    if body.ferromagnetic is not True:
        known = "is not ferromagnetic"
        if body.ferromagnetic is None:
            known = f"is not marked as ferromagnetic; `modify {body.owner} ferromagnetic yes` marks it"
        return _failed(fit, "material", f"is on {fit.part}, which {known}", 0.0)
    tilted = _tilted(fit, angle)
    if tilted is not None:
        return tilted
    lifted = pole.diameter / 2.0 * math.tan(fit.tilt)
    far = fit.gap + lifted
    limit = min(near, pole.gap)
    if far > limit + 1e-9:
        text = f"is {far * 1e3:.3g} mm from {fit.part}, {(far - limit) * 1e3:.3g} mm more than its field reaches"
        return _failed(fit, "distance", text, far - limit)
    if lifted - fit.gap > YIELDS + 1e-9:
        text = f"is pressed {(lifted - fit.gap) * 1e3:.3g} mm into {fit.part}"
        return _failed(fit, "pressed", text, lifted - fit.gap)
    covered = flat.covered(pole.diameter / 2.0)
    if covered <= 1e-6:
        return _failed(fit, EDGE, f"is beside {fit.part}", flat.overhang(pole.diameter / 2.0))
    return PadFit(fit.number, fit.part, "", "", pole.at(far, covered), fit.gap, fit.tilt)


def clings(snapshot: Snapshot, state: CellState, robot: str, hand: Clinging, fits: Sequence[PadFit]) -> list[Cling]:
    """Return the parts that pads hold, each with the force that they have and the force that it needs."""
    X_world_mount = Pose(snapshot.link_frames(state, robot)[-1]) @ hand.X_flange_mount
    down = X_world_mount.rotation.T @ np.array([0.0, 0.0, -1.0])
    pads = pads_of(hand)
    found = []
    for part in dict.fromkeys(fit.part for fit in fits if not fit.problem):
        mine = [fit for fit in fits if fit.part == part and not fit.problem]
        force = 0.0
        for fit in mine:
            pad = pads[fit.number - 1]
            force += hand.force(pad) if isinstance(hand, Suction) and isinstance(pad, Cup) else fit.force
        matter = snapshot.body(part).matter
        mass = None if matter is None else matter.load.mass
        needed = None if mass is None else hand.needed_force(mass, down)
        farthest = max(mine, key=lambda fit: abs(fit.gap))
        numbers = tuple(fit.number for fit in mine)
        found.append(Cling(part, numbers, force, needed, max(fit.tilt for fit in mine), farthest.gap))
    return found


def nothing_held(robot: str, hand: Clinging, fits: Sequence[PadFit]) -> GraspFailed:
    """Return the error if no pad holds anything."""
    touching = [fit for fit in fits if fit.test != "nothing"]
    what = "suction tool" if isinstance(hand, Suction) else "magnet"
    if not touching:
        text = f"The {what} of {robot} takes nothing: no {pad_word(hand)} touches anything."
        return GraspFailed(text, test="nothing")
    first = min(touching, key=lambda fit: (fit.test == "movable", fit.excess, fit.number))
    return GraspFailed(
        f"The {what} of {robot} takes nothing: {problems(hand, touching)}.",
        test=first.test,
        part=first.part,
        excess=first.excess,
        angle=first.tilt,
        distance=first.gap,
        cups=tuple(fit.number for fit in fits if fit.problem),
    )


def too_weak(robot: str, hand: Clinging, weak: Cling, fits: Sequence[PadFit]) -> GraspFailed:
    """Return the error if the pads on a part cannot hold it."""
    assert weak.needed is not None, "a part of unknown mass is never too heavy"
    word = pad_word(hand)
    pads = f"{word} {weak.pads[0]} holds" if len(weak.pads) == 1 else f"{len(weak.pads)} {word}s hold"
    others = [fit for fit in fits if fit.problem and fit.part == weak.part]
    more = f" In addition, {problems(hand, others)}." if others else ""
    return GraspFailed(
        f"{robot} cannot hold {weak.part}: {pads} {weak.force:.4g} N, and it needs {weak.needed:.4g} N with a safety "
        f"factor of {hand.safety:g}.{more}",
        test="force",
        part=weak.part,
        excess=weak.needed - weak.force,
        force=weak.force,
        needed=weak.needed,
    )


def problems(hand: Clinging, fits: Sequence[PadFit]) -> str:
    """Return what is wrong with pads; pads with the same problem are listed together."""
    word = pad_word(hand)
    by_problem: dict[str, list[int]] = {}
    for fit in fits:
        if fit.problem:
            by_problem.setdefault(fit.problem, []).append(fit.number)
    lines = []
    for problem, numbers in list(by_problem.items())[:_LISTED]:
        if len(numbers) == 1:
            lines.append(f"{word} {numbers[0]} {problem}")
        else:
            listed = ", ".join(str(one) for one in numbers[:-1]) + f" and {numbers[-1]}"
            lines.append(f"each of {word}s {listed} {problem}")
    rest = sum(len(numbers) for numbers in list(by_problem.values())[_LISTED:])
    return "; ".join(lines) + (f"; and {rest} more" if rest else "")
