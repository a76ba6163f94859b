"""Which robots reach which targets: asked for all of them, and looked at again when something moves."""

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
        caption += f"; no arm reaches {named_first(unreached)}"
    return str(Table(("target", "on", *arms), tuple(rows), caption))
