"""A tool on a flange: its tool centre point and its mass."""

from __future__ import annotations

from dataclasses import dataclass, field

from workcell.errors import InvalidValue
from workcell.robots.hand import Hand
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

    def overload(self, rated: float | None) -> float:
        """The excess of the tool's mass over the rated payload [kg]; 0 if there is none, or if it is unknown."""
        if rated is None or self.payload is None:
            return 0.0
        return max(0.0, self.payload.mass - rated)
