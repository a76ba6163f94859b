"""A tool on a flange: its tool centre point and its mass."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from workcell.errors import InvalidValue
from workcell.robots.gripper import Gripper
from workcell.robots.hand import Hand, seat
from workcell.robots.link import MassProperties, Part
from workcell.spatial.pose import Pose


@dataclass(frozen=True)
class Tool:
    """A tool that is bolted to the flange.

    Attributes:
        name: its name.
        X_flange_tcp: the tool centre point in the flange frame, z the direction of work.
        payload: mass, centre and inertia in the flange frame, or None if unknown.
        parts: its solids, in the flange frame; those of a hand are drawn from its figures.
        hand: its hand: fingers, suction cups or magnets; None if it cannot grip.
    """

    name: str
    X_flange_tcp: Pose = field(default_factory=Pose.identity)
    payload: MassProperties | None = None
    parts: tuple[Part, ...] = ()
    hand: Hand | None = None

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidValue("A tool needs a name.")

    def unmounted(self) -> tuple[Pose, Tool]:
        """``X_flange_mount`` of the hand, and the tool in that frame; a tool without a hand is in the flange frame."""
        if self.hand is None:
            return Pose.identity(), self
        if isinstance(self.hand, Gripper):
            X_flange_mount = seat(self.hand)
            turn = -self.hand.turn if self.hand.flip else self.hand.turn
            hand: Hand = replace(self.hand, flip=False, turn=turn)
        else:
            X_flange_mount, hand = self.hand.X_flange_mount, replace(self.hand, X_flange_mount=Pose.identity())
        if X_flange_mount == Pose.identity():
            return X_flange_mount, self
        back = X_flange_mount.inverse()
        parts = tuple(replace(part, solid=part.solid.moved(back)) for part in self.parts)
        mass = None
        if (known := self.payload) is not None:
            R = back.rotation
            mass = MassProperties(known.mass, R @ known.centre + back.xyz, R @ known.inertia @ R.T)
        return X_flange_mount, Tool(self.name, back @ self.X_flange_tcp, mass, parts, hand)

    def overload(self, rated: float | None) -> float:
        """The excess of the tool's mass over the rated payload [kg]; 0 if there is none, or if it is unknown."""
        if rated is None or self.payload is None:
            return 0.0
        return max(0.0, self.payload.mass - rated)
