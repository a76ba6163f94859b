"""Which robots reach which targets: asked for all of them, and looked at again when something moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.hand_moves import POINT
from workcell.commands.hanging import seen
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.results import Result, Table
from workcell.commands.robot_uses import hand_in_tool
from workcell.errors import Refused, WorkcellError
from workcell.programs.reach import reachable
from workcell.robots.reaching import Fit, fit
from workcell.simulation.branch_policy import has_hand, require_hand
from workcell.simulation.external_axes import ExternalAxes
from workcell.simulation.simulator import Simulator
from workcell.spatial.pose import Pose
from workcell.wording import counted
from workcell.world.axes_text import is_held
from workcell.world.entities import Entity
from workcell.world.devices import placed_robot
from workcell.world.snapshot import PlacedRobot, Snapshot
from workcell.world.target_poses import target_poses

if TYPE_CHECKING:
    from workcell.commands.session import Session

_MOST = 400
"""For so many targets times arms reach is looked at again after an edit; for more, when it is asked for."""
_NAMED = 4
_EXPLAINED = 25
"""For so many poses out of reach the nearest one is looked for, which takes longer than finding that they are."""


class TargetReach(Result, frozen=True):
    """Whether one robot reaches one target.

    Attributes:
        target: its name.
        carrier: the object, robot or mechanism that it goes with; '' in the world.
        robot: the arm.
        reached: whether the arm takes the pose within its joint limits, and on the branch that the target keeps.
        ways: how many solutions are within the limits.
        branch: the solution that is taken.
        problem: why it is not reached; '' where it is.
    """

    target: str
    carrier: str
    robot: str
    reached: bool
    ways: int
    branch: str
    problem: str


class ReachChecked(Result, frozen=True):
    """Every target with every robot, and the targets that no robot reaches."""

    checked: tuple[TargetReach, ...]
    unreached: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "check targets [along {path}] [by {robot}] [of {point}]",
    help="which robots reach which targets where everything is now, and why not",
    effect="reads",
    background=True,
    path=Ref("path"),
    robot=Ref("robot"),
    point=POINT,
    param_help={
        "path": "only the targets of a path",
        "robot": "only this arm; all of them unless given",
        "point": "what is brought there; the tool unless given",
    },
    examples=[
        "> create robot Arm irb1600",
        "> add solid pallet box 1200 800 144 at 1300,0,72",
        "> targets grid 2x2 to spots pitch 500,500 on pallet at -250,-250,72 rotate 180,0,0",
        "check targets",
        "check targets along spots by Arm",
    ],
)
def check_targets(
    session: Session, path: Entity | None = None, robot: Entity | None = None, point: str = "tool"
) -> ReachChecked:
    """Each pose by itself, within the joint limits; collisions are not looked at. A learned target keeps its branch."""
    snapshot, state = session.snapshot(), session.state
    arms = _arms(session, robot)
    poses = target_poses(snapshot, state)
    if path is not None:
        names = list(dict.fromkeys(snapshot.places.path(path.name).targets))
        snapshot.path_poses(state, path.name)  # refused where the path stands nowhere
        poses = {name: poses[name] for name in names if name in poses}
    if not poses:
        raise Refused("There are no targets to check; `add target …`, `learn target …` or `targets grid …` makes some.")
    found: list[TargetReach] = []
    explained, scene = 0, Simulator(snapshot, None, state)
    for number, (name, pose) in enumerate(poses.items()):
        session.progress(number / len(poses), f"target {number + 1} of {len(poses)}")
        for arm in arms:
            one = _fit(scene, arm, name, pose, point, explained < _EXPLAINED)
            explained += not one.reached
            carrier = snapshot.carrier_under(name, "target")
            found.append(TargetReach(name, carrier, arm.name, one.fits, one.ways, one.branch, one.problem))
    unreached = tuple(name for name in poses if not any(one.reached for one in found if one.target == name))
    return ReachChecked(tuple(found), unreached, _text(found, [arm.name for arm in arms], len(poses), unreached))


def _arms(session: Session, robot: Entity | None) -> list[PlacedRobot]:
    if robot is not None:
        placed = placed_robot(session.snapshot(), robot)
        require_hand(placed.robot, robot.name)
        return [placed]
    arms = [placed for placed in session.snapshot().robots if has_hand(placed.robot)]
    if not arms:
        raise Refused("There is no arm in the scene that could reach a target; `create robot …` first.")
    return arms


def _fit(scene: Simulator, arm: PlacedRobot, name: str, pose: Pose, point: str, explained: bool) -> Fit:
    """Whether an arm takes a target in the way in which it learned it, if it did, with its axes as the target says."""
    snapshot, state = scene.snapshot, scene.state
    X_tool_hand = hand_in_tool(arm.robot, point)
    if X_tool_hand is None:
        return Fit(False, False, "", 0, None, "it has no gripper")
    learned = snapshot.places.spot(name, "target").learned_by(arm.name)
    branch = learned.branch if learned is not None else ""
    inside = snapshot.base_pose(state, arm.name).inverse() @ pose @ X_tool_hand.inverse()
    if _places_axes(snapshot, arm.name, name):
        axes = ExternalAxes(scene, arm, _work(snapshot, name))
        wished = snapshot.places.spot(name, "target").axes
        try:
            end = axes.placed(wished, pose.matrix[None], X_tool_hand.inverse(), branch or "nearest")
        except WorkcellError as error:
            return Fit(False, False, "", 0, None, str(error).rstrip("."))
        inside = Pose(axes.in_base(end[None], pose.matrix[None])[0]) @ X_tool_hand.inverse()
    return fit(arm.robot, inside, branch, explained)


def _places_axes(snapshot: Snapshot, arm: str, target: str) -> bool:
    """Whether a move of an arm to a target places the axes of its machine."""
    axes = snapshot.places.spot(target, "target").axes
    return bool(axes) and not is_held(axes) and snapshot.machine_of(arm) is not None


def _work(snapshot: Snapshot, target: str) -> str:
    """The body that a target goes with while axes move; '' where it stands still."""
    carrier = snapshot.object_under(target, "target")
    return snapshot.object_body(carrier) if carrier else ""


def _text(found: list[TargetReach], arms: list[str], count: int, unreached: tuple[str, ...]) -> str:
    rows = []
    for start in range(0, len(found), len(arms)):
        of_one = found[start : start + len(arms)]
        told = [f"{one.branch} ({counted(one.ways, 'way')})" if one.reached else one.problem for one in of_one]
        rows.append((of_one[0].target, of_one[0].carrier, *told))
    sums = ", ".join(f"{arm} reaches {sum(one.reached for one in found if one.robot == arm)}" for arm in arms)
    caption = f"{counted(count, 'target')}: {sums}"
    if unreached and len(arms) > 1:
        caption += f"; no arm reaches {_listed(unreached)}"
    return str(Table(("target", "on", *arms), tuple(rows), caption))


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


class ReachBefore:
    """Which targets each arm reached before an edit; made at its beginning and asked at its end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._found = None if session.replaying else self._reached()

    def _reached(self) -> dict[str, dict[str, tuple[bool, ...]]] | None:
        """By arm and target whether the tool gets there, and the grip point; None where that would take long."""
        entities = self._session.database.entities
        if not entities("target") or not entities("robot"):  # a cell without them is not flattened
            return None
        snapshot, state = seen(self._session)
        targets = sum(kind == "target" for kind, _ in snapshot.places.spots)
        arms = [placed for placed in snapshot.robots if has_hand(placed.robot)]
        if not targets or targets * len(arms) > _MOST:
            return None
        poses = target_poses(snapshot, state)
        if not poses:
            return None
        matrices = np.array([pose.matrix for pose in poses.values()])
        found = {}
        for arm in arms:
            inside = np.linalg.inv(snapshot.base_pose(state, arm.name).matrix) @ matrices
            hands = [hand_in_tool(arm.robot, point) for point in ("tool", "grip")]
            try:
                reached = [reachable(arm.robot, inside @ np.linalg.inv(one.matrix)) for one in hands if one is not None]
            except WorkcellError:  # an arm that has no inverse for such poses
                continue
            rows = zip(poses, zip(*(one.tolist() for one in reached), strict=True), strict=True)
            found[arm.name] = {name: row for name, row in rows if not _places_axes(snapshot, arm.name, name)}
        return found

    def told(self) -> str:
        """The end of an answer: the targets that are out of reach now; '' where there are none."""
        now = self._reached() if self._found else None
        texts = []
        for arm, before in (self._found or {}).items():
            after = (now or {}).get(arm, {})
            lost = tuple(name for name, reached in before.items() if _lost(reached, after.get(name, reached)))
            if lost:
                texts.append(f"{arm} reaches {_listed(lost)} no longer")
        return f"; {'; '.join(texts)} (`check targets` gives the reasons)" if texts else ""


def _lost(before: tuple[bool, ...], now: tuple[bool, ...]) -> bool:
    """Whether the tool, or the grip point where the tool never did, gets to a target no longer."""
    return any(before) and not now[before.index(True)]
