"""Everything that refers to a robot: read before the robot is replaced, and checked with the new arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from workcell.commands.collisions import kept_table
from workcell.commands.language.registry import Command
from workcell.commands.plan_marks import orders_of
from workcell.commands.program_store import stored
from workcell.commands.results import Result
from workcell.commands.script import logical_lines
from workcell.errors import Cancelled, WorkcellError
from workcell.programs import steps as s
from workcell.robots.gripper import Gripper
from workcell.robots.hand import holds_by
from workcell.robots.reaching import Fit, fit, hand_in_tool, taught_way
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.gripper_names import finger_names, opening_signal
from workcell.world.snapshot import Snapshot
from workcell.world.state import Attachment, CellState

if TYPE_CHECKING:
    from workcell.commands.session import Session

_EXPLAINED = 25
"""For how many poses out of reach the nearest pose in reach is computed, which takes long."""
_POSES = ("pose", "via", "poses")
_MOVES = (
    s.MoveJointsAbsolute, s.MoveJointsRelative, s.SetJoints, s.FollowTable, s.FollowFunction, s.MoveEndEffector,
    s.MoveStraightLine, s.MoveCircular, s.MovePath, s.MoveHand, s.Approach, s.Retract, s.MoveAlong, s.Weld,
    s.FindPath, s.Guide,
)  # fmt: skip
"""The steps whose poses or joint values the new arm may not reach."""


OUT_OF_REACH = "out of reach"
"""The text for such a pose in a table."""

RECORDING = "recording"
"""The kind of an entry for the recording, which is removed with the old arm; it is not counted."""


class Checked(Result, frozen=True):
    """Something that refers to the robot, and whether it still fits.

    Attributes:
        kind: target, program, joints, link, mount, pair, part, hand, load, recording or speed.
        name: what it is: a target, a line of a program, two names of the pair table.
        fits: whether it works as before.
        before: as it was with the old arm.
        now: as it is with the new arm.
        problem: why it does not fit; '' if it does.
    """

    kind: str
    name: str
    fits: bool
    before: str = ""
    now: str = ""
    problem: str = ""


class Uses:
    """Everything that refers to a robot, read before it is replaced and checked afterwards."""

    def __init__(self, session: Session, robot: Entity) -> None:
        self._session, self._robot = session, robot
        self._before = session.snapshot()
        self._state = session.state
        self._stands = robot.name in {placed.name for placed in self._before.robots}
        self._branch = _fixed(str(robot.properties.get("branch", "")))
        reported = self._stands and not session.replaying
        self._targets = list(self._read_targets()) if reported else []
        self._lines = list(self._read_programs()) if reported else []
        self._recorded = reported and robot.name in session.recording.robots
        self._moves = list(self._moving_steps()) if reported else []
        self._explained = 0
        self.run_dependent: tuple[str, ...] = ()
        """The programs with moves that can only be judged in a run; known after :meth:`after`."""

    def _read_targets(self) -> Iterator[tuple[str, Pose, str]]:
        """Yield the targets, where they are in the world, and the branch that they were taught with."""
        for target in self._session.database.entities("target"):
            try:
                pose = self._session.snapshot().place_pose(self._session.state, target.name, target.kind)
            except WorkcellError:  # it stands nowhere
                continue
            taught = str(target.properties.get("label", "")).strip()
            joints = target.properties.get("joints")
            if not taught and joints is not None:
                taught = taught_way(self._before.robot(self._robot.name).robot, joints)
            yield target.name, pose, taught

    def _read_programs(self) -> Iterator[tuple[str, str, Command, dict[str, Any]]]:
        """Yield the lines of programs that move this robot, as read with the old arm."""
        tree = self._session.registry.tree
        for program in self._session.database.entities("program"):
            for number, line in logical_lines(str(program.properties.get("text", "")).splitlines()):
                try:
                    one, values = tree.parse(line, self._session)
                except WorkcellError:  # it was wrong before, too
                    continue
                for move, given in values["moves"] if one.name == "together" else [(one, values)]:
                    named = given.get("robot")
                    if isinstance(named, Entity) and named.id == self._robot.id:
                        yield program.name, f"line {number} of {program.name}: {move.name}", move, given

    def _moving_steps(self) -> Iterator[str]:
        """Yield the program of every move of this robot."""
        for program in self._session.database.entities("program"):
            for step in stored(program).program.steps:
                if isinstance(step, _MOVES) and step.robot == self._robot.name:
                    yield program.name

    def _left_to_the_run(self, judged: Counter[str]) -> Iterator[str]:
        """Yield the programs with moves that were not judged, or that set a frame or a tool."""
        for name, moves in Counter(self._moves).items():
            steps = stored(self._session.database.entity("program", name)).program.steps
            if moves > judged[name] or any(isinstance(step, s.Frame | s.Tool) for step in steps):
                yield name

    def after(self, snapshot: Snapshot) -> Iterator[Checked]:
        """Check everything with the cell as it is now."""
        name = self._robot.name
        if not self._stands:
            return
        state, changes = self._carried_over(snapshot)
        yield from changes
        if self._session.replaying:  # nobody reads the answer
            return
        old, new = self._before.robot(name).robot, snapshot.robot(name).robot
        back = snapshot.base_pose(state, name).inverse(), self._before.base_pose(self._state, name).inverse()
        count = len(self._targets)
        for number, (target, pose, taught) in enumerate(self._targets):
            self._go_on(number / count, f"target {number + 1} of {count}")
            was = fit(old, back[1] @ pose, taught or self._branch, explained=False)
            now = self._fit(new, back[0] @ pose, (taught or self._branch) if was.kept or not was.reached else "")
            if was.reached or now.reached:  # otherwise it is a target of another robot
                yield Checked("target", target, now.fits, _shown(was), _shown(now), now.problem)
        judged: Counter[str] = Counter()
        for program, line, move, given in self._lines:
            found = list(self._judged(line, move, given, old, new, back))
            judged[program] += bool(found)
            yield from found
        for program, missed in orders_of(self._session, self._robot, snapshot):
            yield Checked("program", f"the order of {program}", not missed, "", "", missed and f"misses {missed}")
        self.run_dependent = tuple(self._left_to_the_run(judged))
        if self._recorded and old.rows != new.rows:
            yield Checked(RECORDING, "what was recorded", False, "", "removed", "the old arm made its moves")
        yield from self._hand(old, new)
        yield from self._load(snapshot, state)
        yield from self._pairs(snapshot)

    def _go_on(self, fraction: float, label: str) -> None:
        if self._session.cancel is not None and self._session.cancel.is_set():
            raise Cancelled("The replacement was cancelled; the robot is as it was.")
        self._session.progress(fraction, label)

    def _fit(self, robot: Robot, pose: Pose, branch: str) -> Fit:
        found = fit(robot, pose, branch, explained=self._explained < _EXPLAINED)
        self._explained += not found.reached
        return found

    def _judged(
        self, line: str, move: Command, given: dict[str, Any], old: Robot, new: Robot, back: tuple[Pose, Pose]
    ) -> Iterator[Checked]:
        """Check a move of a program: its joint values, its joint, and the poses that are fully in the line."""
        joints = given.get("joints")
        if joints is not None and len(joints) != new.n:
            yield Checked(
                "program",
                line,
                False,
                counted(len(joints), "joint"),
                counted(new.n, "joint"),
                "another number of joints",
            )
        elif joints is not None and "relative" not in move.name:
            problem = joints_problem(joints, slides_of(old), new)
            yield Checked("program", line, not problem, "", "", problem)
        joint = given.get("joint")
        if isinstance(joint, int) and not 1 <= joint <= new.n:
            yield Checked("program", line, False, f"joint {joint}", "", f"there is no joint {joint}")
        if given.get("orientation") == "keep":  # the orientation of the hand is not in the line
            return
        branch = _fixed(str(given.get("branch") or "")) or (self._branch if "branch" in given else "")
        poses = [given[key] for key in _POSES if given.get(key) is not None and _decides(key, given)]
        for number, pose in enumerate(_flat(poses), start=1):
            hands = [hand_in_tool(robot, given.get("point", "tool")) for robot in (old, new)]
            if hands[0] is None:
                continue
            was = fit(old, back[1] @ pose @ hands[0].inverse(), branch, explained=False)
            if hands[1] is None:
                yield Checked("program", line, False, _shown(was), "", "the new arm has no gripper")
                continue
            now = self._fit(new, back[0] @ pose @ hands[1].inverse(), branch if was.kept or not was.reached else "")
            which = f"{line}, pose {number}" if len(list(_flat(poses))) > 1 else line
            yield Checked("program", which, now.fits, _shown(was), _shown(now), now.problem)

    def _hand(self, old: Robot, new: Robot) -> Iterator[Checked]:
        one, other = old.gripper, new.gripper
        if one == other:
            return
        hands = ["no gripper" if hand is None else hand.summary for hand in (one, other)]
        why = "" if one is None else "it has no hand" if other is None else ""
        if one is not None and other is not None:
            if holds_by(one) != holds_by(other):
                why = f"it holds by {holds_by(other)}"
            elif isinstance(one, Gripper) and isinstance(other, Gripper) and other.opening < one.opening - 1e-9:
                why = "its hand opens less"
        yield Checked("hand", "the hand of the arm", not why, hands[0], hands[1], why)

    def _load(self, snapshot: Snapshot, state: CellState) -> Iterator[Checked]:
        from workcell.world.loads import load_of

        now, was = load_of(snapshot, state, self._robot.name), load_of(self._before, self._state, self._robot.name)
        if not now.loads:
            return
        rated = ["not known" if one.payload is None else f"{one.payload:.4g} kg" for one in (was, now)]
        problem = str(now).partition(". Carried")[0] if now.overloaded else ""
        shown = [f"may carry {one}" for one in rated]
        yield Checked("load", "what it carries", not problem, shown[0], shown[1], problem)

    def _pairs(self, snapshot: Snapshot) -> Iterator[Checked]:
        """Yield the entries of the pair table for links that no longer exist."""
        known = {body.name for body in snapshot.bodies}
        gone = {body.name for body in self._before.bodies if body.owner == self._robot.name} - known
        table = kept_table(self._session)
        named = [(one.first, one.second) for one in table.decisions] + [
            (one.first, one.second) for one in table.margins
        ]
        for first, second in named:
            if lost := sorted({first, second} & gone):
                problem = f"there is no {lost[0]}; the entry has no effect until there is"
                yield Checked("pair", f"{first} with {second}", False, "", "", problem)
        for name in (*table.unused, *table.self_off):
            if name in gone:
                yield Checked(
                    "pair", name, False, "", "", f"there is no {name}; the entry has no effect until there is"
                )

    # ---- the state ---------------------------------------------------------------------------------------

    def _carried_over(self, snapshot: Snapshot) -> tuple[CellState, list[Checked]]:
        """Return the current state with the new arm: its joints if they fit, and what it holds in the new hand."""
        session, name = self._session, self._robot.name
        if not session.database.state_json():
            return snapshot.initial, []
        state, changes = self._state, []
        old, new = self._before.robot(name).robot, snapshot.robot(name).robot
        joints = dict(state.joints)
        values = joints.get(name)
        if values is not None and (problem := joints_problem(values.tolist(), slides_of(old), new)):
            joints[name] = snapshot.initial.joints[name]
            changes.append(Checked("joints", "current joint values", False, "", "as in the initial state", problem))
        poses, attached = dict(state.poses), dict(state.attached)
        frames = dict(zip((b.name for b in self._before.bodies), self._before.body_poses(state), strict=True))
        owned = {body.name for body in self._before.bodies if body.owner == name}
        for part, held in state.attached.items():
            if held.frame not in owned or part in finger_names(name):
                continue
            grip, problem = self._held(snapshot, part, held, state)
            if grip is None:
                del attached[part]
                poses[part] = Pose(frames[part])
            else:
                attached[part] = grip
            now = "left where it is" if grip is None else f"still held by {name}"
            changes.append(Checked("part", part, grip is not None, f"held by {name}", now, problem))
        signals = dict(state.signals)
        held_still = any(
            held.frame in {b.name for b in snapshot.bodies if b.owner == name} for held in attached.values()
        )
        if not held_still:
            for signal in (opening_signal(name), f"{name}/gripper"):
                signals.pop(signal, None)
        state = snapshot.fitted(state.with_(joints=joints, poses=poses, attached=attached, signals=signals))
        session.database.set_state(session.rows, state.to_json())
        return state, changes

    def _held(self, snapshot: Snapshot, part: str, held: Attachment, state: CellState) -> tuple[Attachment | None, str]:
        """Return how the new hand holds the part, relative to the grip point as before; or why it cannot."""
        name = self._robot.name
        before, now = self._before.robot(name), snapshot.robot(name)
        flange = self._before.bodies[before.bodies[-1]].name if before.bodies[-1] >= 0 else ""
        old, new = before.robot.gripper, now.robot.gripper
        if held.frame != flange or old is None:
            return None, "it was attached to a link of the old arm"
        if new is None or now.bodies[-1] < 0:
            return None, "the new arm has no hand"
        width = state.signals.get(opening_signal(name), 0.0)
        if isinstance(new, Gripper) and width > new.opening + 1e-9:
            return None, f"it is {width * 1e3:.4g} mm wide, and the new hand opens {new.opening * 1e3:.4g} mm"
        X_grip_part = old.X_flange_grip.inverse() @ held.X_frame_body
        return Attachment(snapshot.bodies[now.bodies[-1]].name, new.X_flange_grip @ X_grip_part), ""


def _fixed(branch: str) -> str:
    """Return a branch that is given by its signs or index; '' for a rule that chooses one."""
    from workcell.simulation.branch_policy import FROZEN, is_rule

    return "" if is_rule(branch) or branch == FROZEN else branch


def _shown(found: Fit) -> str:
    if not found.reached:
        return OUT_OF_REACH
    return f"{found.branch} ({found.ways} way{'s' if found.ways != 1 else ''})"


def _flat(poses: Iterable[Any]) -> Iterator[Pose]:
    for one in poses:
        yield from (each.pose() for each in (one if isinstance(one, list | tuple) else [one]))


def _decides(key: str, given: dict[str, Any]) -> bool:
    """Whether the hand takes a pose of a line; a point on a circle has no orientation."""
    return key != "via" or given.get("orientation") == "via"


def slides_of(robot: Robot) -> tuple[bool, ...]:
    """Return for each joint whether it slides."""
    return tuple(row.prismatic for row in robot.rows)


def joints_problem(joints: Iterable[float], sliding: tuple[bool, ...], new: Robot) -> str:
    """Return why joint values of the old arm do not fit the new one; '' if they do."""
    values = list(joints)
    if len(values) != new.n:
        return f"{counted(len(values), 'joint value')}, and the arm has {counted(new.n, 'joint')}"
    for joint, (one, other) in enumerate(zip(sliding, slides_of(new), strict=True), start=1):
        if one != other:
            return f"joint {joint} {'slid and now turns' if one else 'turned and now slides'}"
    try:
        new.require_limits(values)
    except WorkcellError as error:
        return str(error).rstrip(".")
    return ""
