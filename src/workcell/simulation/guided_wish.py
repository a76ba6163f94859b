"""What a guided hand is to do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from workcell.errors import InvalidValue, UnknownName
from workcell.planning.guidance.arms import ArmConstants
from workcell.simulation.hand import Point
from workcell.spatial.pose import Pose

Method: TypeAlias = Literal["jacobian", "thesis"]


@dataclass(frozen=True)
class Wish:
    """What a guided hand is to do.

    Attributes:
        robot: whose hand.
        pose: where to, in the world or in the frame of ``on``.
        on: the object or body that carries the destination, or ''.
        point: of the hand: the tool, or the grip point.
        position: whether only the position counts.
        tolerance: how near it has to come [m].
        turn_tolerance: how near its attitude has to come [rad].
        time: give up after this time [s].
        period: between two set-points [s].
        patience: how long there may be no progress [s].
        ignoring: what it need not keep away from.
        plans: whether a dead end is answered by a plan.
        resolution: the step of the joints' encoders [rad or m]; 0 reads exactly.
        constants: of the guidance.
        method: ``jacobian`` for every arm, ``thesis`` where its chain is one of generalised links.
    """

    robot: str
    pose: Pose
    on: str = ""
    point: Point = "tool"
    position: bool = False
    tolerance: float = 1e-3
    turn_tolerance: float = 0.01
    time: float = 60.0
    period: float = 0.02
    patience: float = 3.0
    ignoring: tuple[str, ...] = ()
    plans: bool = False
    resolution: float = 0.0
    constants: ArmConstants = field(default_factory=ArmConstants)
    method: Method = "jacobian"

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise UnknownName.among("method of guidance", self.method, get_args(Method))
        for name in ("tolerance", "turn_tolerance", "time", "period", "patience"):
            value = getattr(self, name)
            if not math.isfinite(value) or value <= 0.0:
                words = name.replace("_", " of the ", 1) if name == "turn_tolerance" else name
                raise InvalidValue(f"The {words} of a guided motion must be above zero and finite; found {value!r}.")
        if not 1e-3 <= self.period <= 1.0:
            raise InvalidValue(f"The period of a guided motion is from 1 ms to 1 s; found {self.period * 1e3:g} ms.")
        if not math.isfinite(self.resolution) or self.resolution < 0.0:
            raise InvalidValue(f"The resolution of encoders is zero or more and finite; found {self.resolution!r}.")
