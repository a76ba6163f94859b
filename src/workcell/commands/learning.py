"""Commands that store where a robot is as a target: learn target, touch-up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.commands.hand_moves import POINT
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import NewName, Number
from workcell.commands.results import Result
from workcell.errors import KinematicsError, Refused
from workcell.robots.reaching import hand_in_tool
from workcell.simulation.branch_policy import FROZEN, chosen, has_hand, require_hand, resolved
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import counted, quoted
from workcell.world.devices import placed_robot
from workcell.world.entities import Entity, Relation
from workcell.world.hanging import carrier_pose, checked_link, hang
from workcell.world.placed import PlacedRobot
from workcell.world.places import CARRIERS, LINK
from workcell.world.placing import put_in_scene
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.commands.session import Session

_ARM = "> create robot Arm irb1600 joints 0,0,0,0,60,0"
_PALLET = "> add solid pallet box 600 400 100 at 900,0,50"
_HELP = {
    "robot": "the robot whose hand is meant; default: the only arm of the cell",
    "point": "tool, the default, or the grip point",
    "joints": "joint values to use instead of the current ones",
    "pose": "its pose on what it hangs on, with joint values near the current ones; default: where the hand is",
}


class Learned(Result, frozen=True):
    """A target that was learned from a robot.

    Attributes:
        target: its name.
        robot: the robot whose hand was there.
        joints: its joint values [rad or m].
        branch: its branch of inverse kinematics; '' if the branches of the arm have no names.
        carrier: what it hangs on; '' in the world.
        moved: how far it was moved [m]; None for a new one.
        turned: how far it was turned [rad]; None for a new one.
    """

    target: str
    robot: str
    joints: tuple[float, ...]
    branch: str
    carrier: str
    moved: float | None
    turned: float | None
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "learn target {name} [from {robot}] [of {point}] [to {path}] [on {thing}] [link {link}] [joints {joints}] "
    "[at {pose}]",
    help="make a target where the hand of a robot is, with its joint values and its branch",
    effect="edits",
    name=NewName(),
    robot=Ref("robot"),
    point=POINT,
    path=Ref("path"),
    thing=Ref(*CARRIERS),
    link=Number(whole=True),
    joints=JointVector(),
    pose=PoseValue(),
    param_help={
        **_HELP,
        "path": "the target becomes the last of this path",
        "thing": "what it hangs on and moves with; default: the world",
        "link": "the link of a robot or mechanism, 0 for the base; default: the last",
    },
    examples=[
        _ARM,
        "learn target here",
        _PALLET,
        "> move-joints-relative Arm 10,0,0,0,0,90",
        "learn target corner from Arm on pallet",
        "move-end-effector Arm here",
    ],
)
def learn_target(
    session: Session,
    name: str,
    robot: Entity | None = None,
    point: str = "tool",
    path: Entity | None = None,
    thing: Entity | None = None,
    link: int | None = None,
    joints: tuple[float, ...] | None = None,
    pose: Transform | None = None,
) -> Learned:
    """The robot moves to the target with the same branch and turns of the joints, unless the move names a branch.

    While a run is paused, the positions of the run are used.
    """
    if path is not None and thing is not None:
        raise Refused(
            f"A target of a path hangs where the path hangs. To hang the path on {thing.name}, use `attach "
            f"path:{quoted(path.name)} to {quoted(thing.name)}`."
        )
    if link is not None and thing is None:
        raise Refused("Only robots and mechanisms have links; name one with `on`, or leave out the link.")
    stood = _Stood(session, robot, joints)
    database = session.database
    if path is not None:
        frame = stood.path_frame(path)
    else:
        link = None if thing is None else checked_link(thing, link)
        frame = Pose.identity() if thing is None else carrier_pose(session, thing, link, stood.seen)
    X_frame_target = pose or Transform.from_pose(frame.inverse() @ stood.hand(point))
    if pose is not None and not session.replaying:
        stood.go(frame @ pose.pose(), point)
    database.add_entity(session.rows, "target", name, properties=stood.properties)
    target = database.entity("target", name)
    session.resolve(robot=stood.robot, joints=stood.joints, pose=X_frame_target)
    if path is not None:
        database.attach(session.rows, path, target, database.free_relation_name(path, name), X_frame_target)
    elif thing is not None:
        hang(session, target, thing, pose=X_frame_target, link=link)
    else:
        put_in_scene(session, target, X_frame_target)
    carrier = path or thing
    on = "" if carrier is None else f" on {carrier.name}"
    text = f"target {name!r} created{on} {stood.place(point)}{stood.stored}"
    return Learned(
        name, stood.robot.name, stood.joints, stood.branch, carrier.name if carrier else "", None, None, text
    )


@command(
    "touch-up {target} [from {robot}] [of {point}] [joints {joints}] [at {pose}]",
    help="move a target to where the hand of a robot is, and store the joint values and the branch",
    effect="edits",
    target=Ref("target"),
    robot=Ref("robot"),
    point=POINT,
    joints=JointVector(),
    pose=PoseValue(),
    param_help=_HELP,
    examples=[
        _ARM,
        _PALLET,
        "> targets grid 2x2 to spots pitch 200,200 on pallet at -100,-100,50 rotate 180,0,0",
        "> move-end-effector Arm spots-1 translate 0,0,-2",
        "touch-up spots-1",
    ],
)
def touch_up(
    session: Session,
    target: Entity,
    robot: Entity | None = None,
    point: str = "tool",
    joints: tuple[float, ...] | None = None,
    pose: Transform | None = None,
) -> Learned:
    """The target stays on its object, frame or path, wherever that is now. Other targets of the path do not move.

    While a run is paused, the positions of the run are used.
    """
    stood = _Stood(session, robot, joints)
    database = session.database
    placing = _placing(session, target)
    if not placing:
        raise Refused(f"Target {target.name!r} is in no scene; `place {quoted(target.name)} at …` first.")
    frames = [stood.frame(session, one) for one in placing]
    before = frames[0] @ Pose(placing[0].matrix)
    after = stood.hand(point) if pose is None else frames[0] @ pose.pose()
    X_frame_target = pose or Transform.from_pose(frames[0].inverse() @ after)
    if pose is not None and not session.replaying:
        stood.go(after, point)
    session.resolve(robot=stood.robot, joints=stood.joints, pose=X_frame_target)
    database.set_transform(session.rows, placing[0], X_frame_target)
    for relation, frame in zip(placing[1:], frames[1:], strict=True):
        database.set_transform(session.rows, relation, Transform.from_pose(frame.inverse() @ after))
    kept = ("axes",) if target.properties.get("axes") else ()
    found = {key: value for key, value in stood.properties.items() if key not in kept}
    database.set_properties(session.rows, target, found)
    moved, turned = after.distance(before)
    parent = database.by_id(placing[0].parent)
    carrier = "" if parent.kind == "scene" else parent.name
    units = session.units
    by = f"{units.show(round(moved, 9), 'length')} and {round(math.degrees(turned), 6) + 0.0:g}°"
    on = f" on {carrier}" if carrier else ""
    text = f"target {target.name!r} moved by {by}{on} {'' if stood.gone else 'to '}{stood.place(point)}{stood.stored}"
    return Learned(target.name, stood.robot.name, stood.joints, stood.branch, carrier, moved, turned, text)


_POINTS = {"tool": "tool", "grip": "grip point"}


class _Stood:
    """Where a robot is now, or in the paused run."""

    def __init__(self, session: Session, robot: Entity | None, joints: tuple[float, ...] | None) -> None:
        self.robot = robot or _only_arm(session)
        self.placed: PlacedRobot = placed_robot(session.snapshot(), self.robot)
        require_hand(self.placed.robot, self.robot.name)
        self.seen = _seen(session)
        snapshot, state = self.seen
        if joints is not None:
            state = state.with_joints(self.robot.name, self.placed.robot.checked(joints))
            self.placed.robot.require_limits(joints)
            self.seen = snapshot, state
        self.gone = False
        self._take(state.joints[self.robot.name])

    def _take(self, q: NDArray[np.float64]) -> None:
        self.joints = tuple(float(one) for one in q)
        try:
            self.branch = resolved(self.placed.robot, self.robot.name, FROZEN, q)
        except Refused:
            self.branch = ""

    @property
    def properties(self) -> dict[str, Any]:
        """The properties of the target."""
        label = self.branch or None
        return {"joints": list(self.joints), "label": label, "robot": self.robot.name, **self._axes()}

    @property
    def stored(self) -> str:
        """The end of the answer: what the target stores."""
        if self.gone:
            on = f", on the branch {self.branch}" if self.branch else ""
            return f", with joint values of {self.robot.name} for it{on}"
        return f", with its joint values and its branch {self.branch}" if self.branch else ", with its joint values"

    def place(self, point: str) -> str:
        """Return where the target is, for the answer."""
        return "at the pose given" if self.gone else f"where the {_POINTS[point]} of {self.robot.name} is"

    def go(self, X_world_hand: Pose, point: str) -> None:
        """Use the joint values that bring the hand to a pose: near the current ones and, if possible, on their branch.

        Raises:
            Unreachable: the arm cannot reach the pose from where its base is.
        """
        if self.hand(point).is_close(X_world_hand, 1e-6, 1e-6):
            return
        snapshot, state = self.seen
        X_tool_hand = hand_in_tool(self.placed.robot, point)
        assert X_tool_hand is not None  # otherwise refused above
        inside = snapshot.base_pose(state, self.robot.name).inverse() @ X_world_hand @ X_tool_hand.inverse()
        near = np.array(self.joints)
        try:
            q = chosen(self.placed.robot, inside, self.branch or "nearest", near)
        except KinematicsError:
            q = chosen(self.placed.robot, inside, "nearest", near)
        self.gone = True
        self._take(q)

    def hand(self, point: str) -> Pose:
        """Return where the tool or the grip point is in the world."""
        snapshot, state = self.seen
        X_tool_hand = hand_in_tool(self.placed.robot, point)
        if X_tool_hand is None:
            raise Refused(f"{self.robot.name} has no gripper; leave out `of grip`, or fit one with `fit tool`.")
        return snapshot.tool_pose(state, self.robot.name) @ X_tool_hand

    def path_frame(self, path: Entity) -> Pose:
        """Return where a path is."""
        snapshot, state = self.seen
        return snapshot.path_frame(state, path.name)

    def frame(self, session: Session, relation: Relation) -> Pose:
        """Return where the scene, the path or the thing is that a relation to a target belongs to."""
        parent = session.database.by_id(relation.parent)
        if parent.kind == "scene":
            return Pose.identity()
        if parent.kind == "path":
            return self.path_frame(parent)
        link = relation.properties.get(LINK)
        return carrier_pose(session, parent, None if link is None else int(link), self.seen)

    def _axes(self) -> dict[str, Any]:
        """Return the values of the external axes, for an arm of a machine."""
        snapshot, state = self.seen
        machine = snapshot.machine_of(self.robot.name)
        if machine is None:
            return {}
        texts = [
            f"{float(value) * 1e3!r}mm" if row.prismatic else f"{math.degrees(float(value))!r}deg"
            for name, member in machine.robot.members
            if name != self.robot.name
            for value, row in zip(state.joints[name], member.rows, strict=True)
        ]
        return {"axes": ",".join(texts)} if texts else {}


def _seen(session: Session) -> tuple[Snapshot, CellState]:
    """Return the cell and its state: now, or in the paused run."""
    if session.paused is None:
        return session.seen()
    snapshot = session.snapshot()
    return snapshot, session.paused.state_on(snapshot)


def _only_arm(session: Session) -> Entity:
    arms = [placed.name for placed in session.snapshot().robots if has_hand(placed.robot)]
    if len(arms) == 1:
        return session.database.entity("robot", arms[0])
    if not arms:
        raise Refused("There is no arm in the scene to learn a target from; `create robot …` first.")
    raise Refused(
        f"The scene has {counted(len(arms), 'arm')}; name one of them: "
        f"{', '.join(f'from {quoted(one)}' for one in arms[:4])}."
    )


def _placing(session: Session, target: Entity) -> list[Relation]:
    """Return the relations that place a target; that of a path or thing comes first."""
    database = session.database
    found = [
        one for one in database.pointers(target) if database.by_id(one.parent).kind in ("scene", "path", *CARRIERS)
    ]
    return sorted(found, key=lambda one: (database.by_id(one.parent).kind == "scene", one.id))
