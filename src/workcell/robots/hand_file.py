"""Hands in data files: fingers, suction cups, magnets [mm, degrees, kg, s, kPa, N]."""

from __future__ import annotations

import msgspec

from workcell.robots.clinging import each
from workcell.robots.frame_file import Frame, frame_of, pose_of
from workcell.robots.gripper import GRIPPER_TIMES, Gripper
from workcell.robots.hand import Hand
from workcell.robots.magnet import Magnet, Pole
from workcell.robots.suction import Cup, Suction
from workcell.spatial.units import deg, mm

Triple = tuple[float, float, float]


class GripperData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A two-finger gripper on the flange [mm, kg, s]; ``flip`` if the flange's z axis points into the arm."""

    opening: float
    reach: float
    finger: tuple[float, float] = (20.0, 12.0)
    turn: float = 0.0
    flip: bool = False
    mass: float | None = None
    close_time: float = 0.0
    open_time: float = 0.0
    build_up: float = 0.0
    name: str = "two-finger gripper"
    pad: float = 20.0
    least: float = 0.0


class SuctionData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Suction cups on the flange [mm, kPa, kg, s]; diameter, stroke and lip have one value for all, or one each.

    ``mount`` is the frame of the cups in the flange frame.
    """

    cups: tuple[Triple, ...]
    diameter: tuple[float, ...]
    stroke: tuple[float, ...] = (0.0,)
    lip: tuple[float, ...] = (0.0,)
    vacuum: float = 60.0
    name: str = "suction tool"
    mass: float | None = None
    safety: float = 2.0
    friction: float = 0.5
    acceleration: float = 0.0
    close_time: float = 0.0
    open_time: float = 0.0
    build_up: float = 0.0
    mount: Frame = Frame()


class MagnetData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Magnets on the flange [mm, N, kg, s]; diameter, force and gap have one value for all, or one each.

    ``mount`` is the frame of the magnets in the flange frame.
    """

    magnets: tuple[Triple, ...]
    diameter: tuple[float, ...]
    force: tuple[float, ...]
    gap: tuple[float, ...] = (2.0,)
    name: str = "magnet"
    mass: float | None = None
    safety: float = 3.0
    friction: float = 0.2
    acceleration: float = 0.0
    close_time: float = 0.0
    open_time: float = 0.0
    build_up: float = 0.0
    mount: Frame = Frame()


HandData = GripperData | SuctionData | MagnetData
_SHARED = ("name", "mass", "safety", "friction", "acceleration", *GRIPPER_TIMES)


def hand_from(data: HandData) -> Hand:
    """The hand that the data of a file describe."""
    if isinstance(data, GripperData):
        width, thickness = data.finger
        return Gripper(
            opening=data.opening * mm,
            reach=data.reach * mm,
            finger_width=width * mm,
            finger_thickness=thickness * mm,
            turn=data.turn * deg,
            flip=data.flip,
            mass=data.mass,
            close_time=data.close_time,
            open_time=data.open_time,
            build_up=data.build_up,
            name=data.name,
            pad=data.pad * mm,
            least=data.least * mm,
        )
    shared = {name: getattr(data, name) for name in _SHARED} | {"X_flange_mount": pose_of(data.mount)}
    if isinstance(data, SuctionData):
        count = len(data.cups)
        figures = (each(getattr(data, key), count, f"The {key} of cups") for key in ("diameter", "stroke", "lip"))
        rows = zip(data.cups, *figures, strict=True)
        cups = tuple(Cup(_metres(xyz), size * mm, stroke * mm, lip * mm) for xyz, size, stroke, lip in rows)
        return Suction(cups=cups, vacuum=data.vacuum * 1e3, **shared)
    count = len(data.magnets)
    figures = (each(getattr(data, key), count, f"The {key} of magnets") for key in ("diameter", "force", "gap"))
    rows = zip(data.magnets, *figures, strict=True)
    poles = tuple(Pole(_metres(xyz), size * mm, force, gap * mm) for xyz, size, force, gap in rows)
    return Magnet(magnets=poles, **shared)


def data_from(hand: Hand) -> HandData:
    """The data of a hand, for a file."""
    if isinstance(hand, Gripper):
        return GripperData(
            opening=neat(hand.opening / mm),
            reach=neat(hand.reach / mm),
            finger=(neat(hand.finger_width / mm), neat(hand.finger_thickness / mm)),
            turn=neat(hand.turn / deg),
            flip=hand.flip,
            mass=hand.mass,
            close_time=hand.close_time,
            open_time=hand.open_time,
            build_up=hand.build_up,
            name=hand.name,
            pad=neat(hand.pad / mm),
            least=neat(hand.least / mm),
        )
    shared = {name: getattr(hand, name) for name in _SHARED} | {"mount": frame_of(hand.X_flange_mount)}
    if isinstance(hand, Suction):
        return SuctionData(
            cups=tuple(_millimetres(cup.xyz) for cup in hand.cups),
            diameter=tuple(neat(cup.diameter / mm) for cup in hand.cups),
            stroke=tuple(neat(cup.stroke / mm) for cup in hand.cups),
            lip=tuple(neat(cup.lip / mm) for cup in hand.cups),
            vacuum=neat(hand.vacuum / 1e3),
            **shared,
        )
    return MagnetData(
        magnets=tuple(_millimetres(pole.xyz) for pole in hand.magnets),
        diameter=tuple(neat(pole.diameter / mm) for pole in hand.magnets),
        force=tuple(pole.force for pole in hand.magnets),
        gap=tuple(neat(pole.gap / mm) for pole in hand.magnets),
        **shared,
    )


def _metres(xyz: Triple) -> Triple:
    x, y, z = xyz
    return x * mm, y * mm, z * mm


def _millimetres(xyz: Triple) -> Triple:
    x, y, z = (neat(float(value) / mm) for value in xyz)
    return x, y, z


def neat(value: float) -> float:
    """A converted number without rounding noise: 12 significant digits, no minus zero."""
    return float(f"{value:.12g}") + 0.0
