"""A robot as a cell stores it: the text of its robot file, in the ``shape`` of its entity."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from workcell.errors import Refused
from workcell.robots.build import robot_from_file
from workcell.robots.robot import Robot
from workcell.robots.robot_file import parse
from workcell.world.entities import Entity

_ROBOT = '{"kind":"robot"'


class RobotShape(msgspec.Struct, frozen=True, tag="robot", tag_field="kind"):
    """A robot as the database stores it: its whole file, so that the cell needs no library."""

    file: str


_READER = msgspec.json.Decoder(RobotShape)


def robot_shape(text: str) -> str:
    """The ``shape`` of a robot entity, from the text of its robot file."""
    robot_of_text(text)
    return msgspec.json.encode(RobotShape(text)).decode()


def is_robot(entity: Entity) -> bool:
    """Whether it is a finished robot or mechanism, and not a draft or only a name."""
    return entity.kind in ("robot", "mechanism") and entity.shape is not None and entity.shape.startswith(_ROBOT)


def robot_of(entity: Entity) -> Robot:
    """The robot that an entity describes."""
    if entity.shape is None or not is_robot(entity):
        raise Refused(f"Robot {entity.name!r} is not finished; `check robot {entity.name}` lists what is missing.")
    return _built(entity.shape)


@lru_cache(maxsize=64)
def _built(shape: str) -> Robot:
    return robot_of_text(_READER.decode(shape).file)


@lru_cache(maxsize=64)
def robot_of_text(text: str) -> Robot:
    """The robot that the text of a robot file describes."""
    return robot_from_file(parse(text))
