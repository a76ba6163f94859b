"""A cell as one of Ding's work cell files: its robots, objects and target points, and what the format cannot hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.geometry import recipe as r
from workcell.robots.formats import wld, wld_edit, wld_objects
from workcell.robots.formats.wld import WldObject
from workcell.robots.formats.wld_edit import SixRows
from workcell.robots.link import Colour
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg
from workcell.wording import counted
from workcell.world.body import Body
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.expand import Expander, PlacedBlock, colour_of, transparency_of
from workcell.world.flatten import current_scene, snapshot_of
from workcell.world.placed import PlacedRobot

TEXT, CALLED, VERSION, REMARKS = "wld", "wld-name", "wld-version", "wld-remarks"
"""Properties: the object as in the original file, its name there if it is another, and for the scene the text
beside the objects in the file."""
LABEL = "label"
_LISTED = 6
_SILENT = ("block", "surface", "curve", "scene", "colour", "object", "robot", "target")
"""Kinds that are written, that others consist of, or that are handled one by one."""


class _Robot(NamedTuple):
    """A written robot: its rows, their first frame in the world, and its object."""

    placed: PlacedRobot
    rows: SixRows
    X_world_frame: Pose
    item: WldObject
    known: WldObject | None

    @property
    def joints_kept(self) -> bool:
        """Whether its rows are those of the original file."""
        names = [f"Joint{i}" for i in range(1, 7)]
        return self.known is not None and all(self.item.field(one) == self.known.field(one) for one in names)


class Writing:
    """A scene as a work cell file, with everything at its start.

    Attributes:
        file: the file.
        notes: what is left out or changed; a sentence each.
    """

    def __init__(self, database: Database, scene: str | None = None) -> None:
        self._database = database
        self._snapshot = snapshot_of(database, scene)
        self._state = self._snapshot.initial
        self._expander = Expander(database)
        self.notes: list[str] = []
        self._robots: dict[str, _Robot] = {}
        found = [*self._robot_objects(), *self._solid_objects(), *self._other_objects()]
        found += self._target_objects()
        self._left_out()
        where = database.find("scene", scene or current_scene(database))
        own = where.properties if where is not None else {}
        objects = tuple(_ordered(found))
        remarks = tuple((min(int(at), len(objects)), str(text)) for at, text in own.get(REMARKS, ()))
        self.file = wld.WldFile(objects, str(own.get(VERSION, wld.VERSION)), remarks)

    def _robot_objects(self) -> list[_Line]:
        lines = []
        for placed in self._snapshot.robots:
            entity = self._database.find("robot", placed.name)
            if entity is None:
                continue
            rows = wld_edit.six_rows(placed.robot)
            if rows is None:
                self.notes.append(
                    f"robot {placed.name!r} is left out: a work cell file can contain only arms with six turning joints"
                )
                continue
            if not rows.whole:
                self.notes.append(
                    f"the tool of {placed.name!r} is left out: it cannot be part of the last row; the targets are "
                    f"those of the tool"
                )
            X_world_frame = self._snapshot.base_pose(self._state, placed.name) @ rows.X_base_frame
            known = known_object(entity)
            colour = self._colour(known, entity.colour)
            if known is None and entity.colour is None:
                colour = next((part.colour for link in placed.robot.links for part in link.parts), colour)
            item = wld_edit.robot_object(
                known,
                rows,
                self._state.joints[placed.name].tolist(),
                _file_name(entity, known),
                X_world_frame,
                colour,
                _alpha(transparency_of(entity)),
            )
            self._robots[placed.name] = _Robot(placed, rows, X_world_frame, item, known)
            lines.append(_Line(entity.id, item, placed.name, True))
        return lines

    # ---- objects --------------------------------------------------------------------------------------

    def _solid_objects(self) -> list[_Line]:
        lines = []
        for body, matrix in zip(self._snapshot.bodies, self._snapshot.body_poses(self._state), strict=True):
            entity = self._database.find("object", body.owner) if body.link < 0 else None
            if entity is not None:
                lines += self._solids_of(entity, body, np.asarray(matrix))
        return lines

    def _solids_of(self, entity: Entity, body: Body, X_world: NDArray[np.float64]) -> list[_Line]:
        known, lines, lost = known_object(entity), [], []
        parts = list(self._expander.blocks(entity, X_world, None))
        for part in parts:
            name = ".".join(part.path) if len(parts) > 1 else entity.name
            if part.ghost:
                lost.append(f"{name!r} (a ghost)")
                continue
            found = self._primitive(part)
            if found is None:
                lost.append(repr(name))
                continue
            kind, sizes, place = found
            colour = self._colour(known if len(parts) == 1 else None, part.colour)
            called = _file_name(entity, known) if body.name == entity.name else body.name
            called = called if len(parts) == 1 else f"{called} {'.'.join(part.path)}"
            one = known if len(parts) == 1 else None
            lines.append(
                _Line(
                    entity.id, wld_edit.solid_object(one, kind, called, sizes, place, colour, _alpha(part.transparency))
                )
            )
        what = f"of object {entity.name!r} " if len(parts) > 1 else ""
        if lost:
            self.notes.append(
                f"{what}{', '.join(lost)} {'is' if len(lost) == 1 else 'are'} left out: a work cell file can contain "
                f"only boxes, cylinders and pointed cones"
            )
        if len(lines) > 1:
            self.notes.append(f"object {entity.name!r} is written as {counted(len(lines), 'separate object')}")
        return lines

    def _colour(self, known: WldObject | None, name: str | None) -> Colour | None:
        """The colour to write; None if neither the file nor the cell has one."""
        return None if not name and known is not None and not known.has("Color") else colour_of(self._database, name)

    def _primitive(self, part: PlacedBlock) -> tuple[str, dict[str, float], Pose] | None:
        """The class, the sizes [m] and the pose of a block that a work cell file can contain; otherwise None."""
        solid = self._expander.solid(part.block)
        node, matrix = (None if solid is None else solid.recipe), part.matrix
        while isinstance(node, r.Placed | r.Named):
            if isinstance(node, r.Placed):
                matrix = matrix @ np.vstack([np.reshape(node.matrix, (3, 4)), [0.0, 0.0, 0.0, 1.0]])
            node = node.part
        scales = np.linalg.norm(matrix[:3, :3], axis=0)
        turn = matrix[:3, :3] / scales
        if np.abs(turn.T @ turn - np.eye(3)).max() > 1e-9:
            return None
        if np.linalg.det(turn) < 0.0:
            # These shapes are their own mirror images across a plane through their axis.
            turn = turn * np.array([-1.0, 1.0, 1.0])
        place = Pose.from_rotation(turn, matrix[:3, 3])
        x, y, z = (float(v) for v in scales)
        round_ = abs(x - y) <= 1e-9 * max(x, y)
        if isinstance(node, r.Box):
            return "C3dObjectCube", {"Depth": node.y * y, "Height": node.z * z, "Width": node.x * x}, place
        if isinstance(node, r.Cylinder) and round_:
            return "C3dObjectCylinder", {"Radius": node.radius * x, "Height": node.height * z}, place
        if isinstance(node, r.Cone) and round_ and not (node.radius_bottom and node.radius_top):
            if node.radius_bottom == 0.0:  # apex down
                place = place @ Pose.from_axis_angle((1, 0, 0), np.pi)
            radius = (node.radius_bottom or node.radius_top) * x
            return "C3dObjectCone", {"Radius": radius, "Height": node.height * z}, place
        return None

    def _other_objects(self) -> list[_Line]:
        """The objects of unknown classes, which are frames in the cell."""
        lines = []
        for entity in self._database.entities("frame"):
            known = known_object(entity)
            if known is not None and self._stands(entity):
                pose = self._snapshot.place_pose(self._state, entity.name, "frame")
                lines.append(_Line(entity.id, wld_edit.other_object(known, _file_name(entity, known), pose)))
        return lines

    # ---- targets --------------------------------------------------------------------------------------

    def _target_objects(self) -> list[_Line]:
        lines = []
        for entity in self._database.entities("target"):
            if not self._stands(entity):
                self.notes.append(f"target {entity.name!r} is left out: it stands in no scene")
                continue
            known = known_object(entity)
            X_world_hand = self._snapshot.place_pose(self._state, entity.name, "target")
            name = _file_name(entity, known)
            robot = self._robot_of(entity)
            if robot is None:
                X_base_hand = wld_edit.turned(_base_of(known)).inverse() @ X_world_hand
                base = None if known is not None else (0.0, 0.0)  # Joint0 of the file, or nothing, stays
                item = wld_edit.target_object(known, name, X_base_hand, _own_thetas(known), base)
                lines.append(_Line(entity.id, item))
                continue
            X_base_hand = robot.X_world_frame.inverse() @ X_world_hand
            turn = wld_edit.base_turn(robot.item)
            same = robot.known is not None and wld_edit.base_turn(robot.known) == turn and known is not None
            thetas = self._thetas(entity, known, robot, X_base_hand)
            item = wld_edit.target_object(known, name, X_base_hand, thetas, None if same else turn)
            lines.append(_Line(entity.id, item, robot.placed.name))
        return lines

    def _robot_of(self, target: Entity) -> _Robot | None:
        """The robot of a target: the one that it was learned with, that carries or reaches it, or the first."""
        learned = str(target.properties.get("robot", ""))
        for named in (learned, self._snapshot.carrier_under(target.name, "target")):
            if named in self._robots:
                return self._robots[named]
        X_world = self._snapshot.place_pose(self._state, target.name, "target")
        for robot in self._robots.values():
            joints = target.properties.get("joints")
            if joints and len(joints) == 6 and self._reached(robot, joints, robot.X_world_frame.inverse() @ X_world):
                return robot
        return next(iter(self._robots.values()), None)

    def _reached(self, robot: _Robot, joints: list[float], X_base_hand: Pose) -> bool:
        X_frame = robot.rows.X_base_frame.inverse() @ robot.placed.robot.fk(np.array(joints))
        return X_frame.is_close(X_base_hand, 1e-6, 1e-6)

    def _thetas(self, entity: Entity, known: WldObject | None, robot: _Robot, X_base_hand: Pose) -> tuple[float, ...]:
        """The angles for a target: those that it was taught with, or the nearest that reach it now."""
        arm, kept = robot.placed.robot, entity.properties.get("joints")
        joints = kept if kept and len(kept) == 6 else None
        if joints is not None:
            untouched = (
                known is not None
                and robot.joints_kept
                and wld_objects.hand_of(known).is_close(X_base_hand, 1e-12, 1e-12)
            )
            if untouched or self._reached(robot, joints, X_base_hand):
                return robot.rows.thetas(joints)
        near = np.array(arm.home if joints is None else joints)
        found = arm.ik(robot.rows.X_base_frame @ X_base_hand)
        signs = str(entity.properties.get(LABEL, ""))
        chosen = (
            [s for s in found if s.label is not None and label_text(s.label) == signs]
            or [s for s in found if s.within_limits]
            or list(found)
        )
        if not chosen:
            self.notes.append(
                f"target {entity.name!r} is out of reach of {robot.placed.name!r}; its Thetas are those of home"
            )
            return robot.rows.thetas(near.tolist())
        best = min(chosen, key=lambda s: float(np.abs(s.q - near).sum()))
        return robot.rows.thetas([float(v) for v in best.q])

    # ---- the rest -------------------------------------------------------------------------------------

    def _stands(self, entity: Entity) -> bool:
        return bool(self._snapshot.places.spot(entity.name, entity.kind).ways)

    def _left_out(self) -> None:
        """Name everything in the cell that the format cannot contain."""
        names: dict[str, list[str]] = {}
        placed = {body.owner for body in self._snapshot.bodies} | {one.name for one in self._snapshot.robots}
        for entity in self._database.entities():
            if entity.kind in ("object", "robot"):
                if entity.name not in placed and not self._database.pointers(entity):
                    names.setdefault(f"{entity.kind} that stands in no scene", []).append(entity.name)
            elif entity.kind not in _SILENT and known_object(entity) is None:
                names.setdefault(entity.kind, []).append(entity.name)
        for kind, found in names.items():
            more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
            listed = ", ".join(repr(one) for one in found[:_LISTED]) + more
            self.notes.append(f"left out: {kind} {listed}")


class _Line(NamedTuple):
    """An object of the file: when its entity was made, the robot that it belongs to, and whether it is that robot."""

    order: int
    item: WldObject
    robot: str = ""
    head: bool = False


def _ordered(lines: list[_Line]) -> list[WldObject]:
    """The objects in the order of their creation; a target follows its robot, which is how a file shows its owner."""
    heads = sorted((line for line in lines if line.head), key=lambda line: line.order)
    sections: dict[str, list[_Line]] = {"": [], **{line.robot: [] for line in heads}}
    for line in lines:
        before = [head.robot for head in heads if head.order <= line.order]
        place = before[-1] if before else ""
        read_as = place or (heads[0].robot if heads else "")
        sections[line.robot if line.robot and read_as != line.robot else place].append(line)
    return [line.item for one in sections.values() for line in sorted(one, key=lambda two: (not two.head, two.order))]


def _alpha(transparency: float | None) -> float:
    return 1.0 - (transparency or 0.0)


def known_object(entity: Entity) -> WldObject | None:
    """The original object of an entity, as in the file."""
    if f'"{TEXT}"' not in entity.raw_properties:
        return None
    objects = wld.parse(str(entity.properties[TEXT]), f"the file of {entity.name}").objects
    return objects[0] if objects else None


def label_text(label: tuple[int, int, int]) -> str:
    """Ding's signs of A, E, W as text, such as ``-+-``."""
    return "".join("+" if sign > 0 else "-" for sign in label)


def _file_name(entity: Entity, known: WldObject | None) -> str:
    """The name of a thing in the file: its label, or its original name while its name here follows from that."""
    if entity.kind in ("object", "robot") and entity.properties.get(LABEL):
        return str(entity.properties[LABEL])
    if known is not None and entity.properties.get(CALLED, known.name) == entity.name:
        return known.name
    return entity.name


def _base_of(known: WldObject | None) -> tuple[float, float]:
    theta, alpha = known.field("Base").numbers(2) if known is not None and known.has("Base") else (0.0, 0.0)
    return theta * deg, alpha * deg


def _own_thetas(known: WldObject | None) -> tuple[float, ...]:
    return tuple(v * deg for v in known.field("Thetas").numbers(6)) if known is not None else (0.0,) * 6
