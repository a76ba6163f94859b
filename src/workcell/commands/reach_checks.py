"""The command check targets: which robots reach which targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.hand_moves import POINT
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.results import Result, Table
from workcell.errors import Refused, WorkcellError
from workcell.robots.reaching import Fit, fit, hand_in_tool
from workcell.simulation.branch_policy import has_hand, require_hand
from workcell.simulation.external_axes import ExternalAxes
from workcell.simulation.reach_changes import named_first, places_axes
from workcell.simulation.simulator import Simulator
from workcell.spatial.pose import Pose
from workcell.wording import counted
from workcell.world.devices import placed_robot
from workcell.world.entities import Entity
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.target_poses import target_poses

if TYPE_CHECKING:
    from workcell.commands.session import Session

_EXPLAINED = 25
"""For how many poses out of reach the nearest pose in reach is computed, which takes long."""


class TargetReach(Result, frozen=True):
    """Whether one robot reaches one target.

    Attributes:
        target: its name.
        carrier: the object, robot or mechanism that carries it; '' in the world.
        robot: the arm.
        reached: whether the arm reaches the pose within its joint limits and on the branch of the target.
        ways: how many solutions are within the limits.
        branch: the branch of the solution.
        problem: why it is not reached; '' if it is.
    """

    target: str
    carrier: str
    robot: str
    reached: bool
    ways: int
    branch: str
    problem: str


class ReachChecked(Result, frozen=True):
    """Every pair of target and robot, and the targets that no robot reaches."""

    checked: tuple[TargetReach, ...]
    unreached: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "check targets [along {path}] [by {robot}] [of {point}]",
    help="list which robots reach which targets now and, if not, why",
    effect="reads",
    background=True,
    path=Ref("path"),
    robot=Ref("robot"),
    point=POINT,
    param_help={
        "path": "check only the targets of this path",
        "robot": "check only this arm; default: all arms",
        "point": "the point that must reach the target: tool, the default, or the grip point",
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
    """Each pose is checked by itself, within the joint limits.

    Collisions are not checked. A learned target needs its branch.
    """
    snapshot, state = session.snapshot(), session.state
    arms = _arms(session, robot)
    poses = target_poses(snapshot, state)
    if path is not None:
        names = list(dict.fromkeys(snapshot.places.path(path.name).targets))
        snapshot.path_poses(state, path.name)  # refused if the path is in no scene
        poses = {name: poses[name] for name in names if name in poses}
    if not poses:
        raise Refused(
            "There are no targets to check; make some with `add target …`, `learn target …` or `targets grid …`."
        )
    found: list[TargetReach] = []
    explained, scene = 0, Simulator(snapshot, None, state)
    for number, (name, pose) in enumerate(poses.items()):
        session.progress(number / len(poses), f"target {number + 1} of {len(poses)}")
        for arm in arms:
            one = fit_of(scene, arm, name, pose, point, explained=explained < _EXPLAINED)
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
        raise Refused("There is no arm in the scene; `create robot …` first.")
    return arms


def fit_of(
    scene: Simulator, arm: PlacedRobot, name: str, pose: Pose, point: str, branch: str = "", explained: bool = False
) -> Fit:
    """Return whether an arm reaches a target: on a branch, or on the one that it learned, with its axes as it asks."""
    snapshot, state = scene.snapshot, scene.state
    X_tool_hand = hand_in_tool(arm.robot, point)
    if X_tool_hand is None:
        return Fit(False, False, "", 0, None, "it has no gripper")
    learned = snapshot.places.spot(name, "target").learned_by(arm.name)
    branch = branch or (learned.branch if learned is not None else "")
    inside = snapshot.base_pose(state, arm.name).inverse() @ pose @ X_tool_hand.inverse()
    if places_axes(snapshot, arm.name, name):
        axes = ExternalAxes(scene, arm, _work(snapshot, name))
        wished = snapshot.places.spot(name, "target").axes
        try:
            end = axes.placed(wished, pose.matrix[None], X_tool_hand.inverse(), branch or "nearest")
        except WorkcellError as error:
            return Fit(False, False, "", 0, None, str(error).rstrip("."))
        inside = Pose(axes.in_base(end[None], pose.matrix[None])[0]) @ X_tool_hand.inverse()
    return fit(arm.robot, inside, branch, explained)


def _work(snapshot: Snapshot, target: str) -> str:
    """Return the body that carries a target while axes move; '' if it does not move."""
    carrier = snapshot.object_under(target, "target")
    return snapshot.object_body(carrier) if carrier else ""


def _text(found: list[TargetReach], arms: list[str], count: int, unreached: tuple[str, ...]) -> str:
    rows = []
    for start in range(0, len(found), len(arms)):
        of_one = found[start : start + len(arms)]
        cells = [f"{one.branch} ({counted(one.ways, 'way')})" if one.reached else one.problem for one in of_one]
        rows.append((of_one[0].target, of_one[0].carrier, *cells))
    sums = ", ".join(f"{arm} reaches {sum(one.reached for one in found if one.robot == arm)}" for arm in arms)
    caption = f"{counted(count, 'target')}: {sums}"
    if unreached and len(arms) > 1:
        caption += f"; no arm reaches {named_first(unreached)}"
    return str(Table(("target", "on", *arms), tuple(rows), caption))
