"""A draft of a robot as a cell stores it, in the ``shape`` of its entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from workcell.errors import Refused
from workcell.world.entities import Entity
from workcell.world.robot_shape import is_robot

if TYPE_CHECKING:
    from workcell.robots.draft import RobotDraft


class _Joint(msgspec.Struct, frozen=True):
    theta: float | None
    alpha: float | None
    d: float | None
    a: float | None
    prismatic: bool
    limits: tuple[float, float] | None


class _Draft(msgspec.Struct, frozen=True, tag="draft", tag_field="kind"):
    """A draft as the cell stores it."""

    joints: tuple[_Joint, ...]
    base: tuple[float, float]


_READER = msgspec.json.Decoder(_Draft)


def draft_of(entity: Entity) -> RobotDraft:
    """Return the draft of a robot entity; refused if it is finished."""
    from workcell.robots.draft import DraftJoint, RobotDraft

    if entity.shape is None or is_robot(entity):
        raise Refused(f"Robot {entity.name!r} is not a draft; `draft robot NAME JOINTS` begins one.")
    kept = _READER.decode(entity.shape)
    joints = tuple(DraftJoint(**msgspec.structs.asdict(joint)) for joint in kept.joints)
    return RobotDraft(joints, kept.base, ((),) * (len(joints) + 1))


def draft_shape(draft: RobotDraft) -> str:
    """Return the text that an entity keeps of a draft."""
    joints = tuple(_Joint(j.theta, j.alpha, j.d, j.a, j.prismatic, j.limits) for j in draft.joints)
    return msgspec.json.encode(_Draft(joints, draft.base)).decode()
