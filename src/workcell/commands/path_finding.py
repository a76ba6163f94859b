"""Commands that look for a path: go along it, or only tell it; and the same from Python."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from workcell.commands.hand_moves import POINT, Via
from workcell.commands.language.branches import Branch
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.values import Angle, Choice, Length, Number, Seed, Text
from workcell.commands.moved import Moved
from workcell.commands.results import Result
from workcell.commands.typed_steps import carried_out, step_values
from workcell.planning.asked_goals import FREE
from workcell.planning.planners import DEFAULT
from workcell.programs import steps as s
from workcell.world.body import unknown_after

if TYPE_CHECKING:
    from workcell.commands.cell import Cell
    from workcell.commands.session import Session
    from workcell.motion.chained import JointMotion
    from workcell.planning.path_plan import PathPlan
    from workcell.planning.space import Allowed
    from workcell.world.entities import Entity

_PARAMS: dict[str, Any] = {
    "robot": Ref("robot", "mechanism", "machine"),
    "joints": JointVector(),
    "poses": Target(),
    "free": Choice(FREE, "FREE"),
    "tolerance": Length(positive=True),
    "low": Via(),
    "high": Via(),
    "seed": Seed(),
    "budget": Number("time", positive=True),
    "planner": Text(),
    "touching": Ref("object"),
    "upright": Angle(),
    "plane": Via(),
    "line": Via(),
    "surface": Ref("object"),
    "point": POINT,
    "branch": Branch(),
    "priority": Number(whole=True),
}
_HELP = {
    "poses": "the goal of the hand: a pose or a target; if there are several, any of them",
    "free": "in what the hand may be free at these poses, in their own frames",
    "tolerance": "how far off the position of the hand may be",
    "low": "the goal as a box for the hand: one corner",
    "high": "the corner across",
    "seed": "the same seed gives the same path; default 0",
    "budget": "how much to search, in seconds of a fast machine; default 5 s",
    "planner": f"the search method; default {DEFAULT}",
    "touching": "what the robot may touch during this move",
    "upright": "the hand leans by at most this angle from how it stands at the start; 0 keeps it level",
    "plane": "the hand stays in the plane through its start that is square to this direction",
    "line": "the hand stays on the line through its start along this direction",
    "surface": "the hand stays as far from the surface of this solid as at the start",
    "point": "what is brought to the poses: tool, the default, or the grip point",
    "branch": "the branch of inverse kinematics at the pose; default: any",
    "one_part": "both arms of a machine hold one part between their hands",
    "beside": "count the motions of other robots that are under way, over time: wait for them or go around",
    "priority": "who goes first among paths that start `together`: the least; all orders are tried by default",
    "display_tries": "record what was tried",
}
_GOAL = (
    "{robot} [joints {joints}] [to {poses}]* [free {free}] [within {tolerance}] [between {low} and {high}] "
    "[seed {seed}] [budget {budget}] [planner {planner}] [touching {touching}] "
    "[upright {upright}] [plane {plane}] [line {line}] [surface {surface}] [of {point}] [branch {branch}] [--one-part] "
    "[--beside]"
)
_CELL = (
    "> create robot Puma puma560 joints -70,0,-90,0,90,0",
    "> add solid post box 100 100 2000 at 600,0,0",
)


class FoundPath(Result, frozen=True):
    """A path that touches nothing.

    Attributes:
        robot: who moves.
        method: ``direct``, or the name of the planner.
        waypoints: joint values [rad or m], the start first.
        duration: how long the motion takes [s].
        length: of the path in joint space [rad].
        clearance: the exact solids stay at least so far apart [m]; None where nothing moves against anything.
        nearest: the pair that comes nearest.
        goal: which of several poses is reached, counted from 0.
        states: how many configurations were tested.
        unknown: the bodies whose shape is not known.
        touching: what the robot may touch on the way; '' for nothing.
    """

    robot: str
    method: str
    waypoints: tuple[tuple[float, ...], ...]
    duration: float
    length: float
    clearance: float | None
    nearest: tuple[str, str] | None
    goal: int
    states: int
    unknown: tuple[str, ...] = ()
    touching: str = ""

    def __str__(self) -> str:
        return path_text(self, "gets there") + unknown_after(self.unknown)


class MovedOnPath(Moved, frozen=True):
    """A robot moved along a path that was found; ``path`` says which."""

    path: FoundPath | None = None

    def __str__(self) -> str:
        way = "" if self.path is None else f"; {path_text(self.path, 'went')}"
        return super().__str__() + way


def path_text(path: FoundPath, verb: str) -> str:
    """What people read about a path."""
    corners = len(path.waypoints) - 2
    way = "straight" if corners < 1 else f"through {corners} waypoint{'s' * (corners > 1)}"
    text = f"{path.robot} {verb} {way} in {path.duration:.4f} s"
    text += ", touching nothing" + (f" but {path.touching}" if path.touching else "")
    if path.clearance is None or path.nearest is None:
        return text
    near = " and ".join(path.nearest)
    return f"{text}: at least {path.clearance * 1e3:.3g} mm are proved between {near}"


def found(plan: PathPlan, touching: Entity | None = None) -> FoundPath:
    """A plan as an answer, with what the robot may touch."""
    pair = plan.proof.pair
    return FoundPath(
        plan.robot, plan.method, tuple(tuple(float(v) for v in row) for row in plan.waypoints), plan.duration,
        plan.length, None if pair is None else plan.proof.bound, pair, plan.goal, plan.states, plan.proof.unknown,
        "" if touching is None else touching.name,
    )  # fmt: skip


@command(
    f"find-path {_GOAL} [priority {{priority}}] [--display-tries]",
    help="bring a robot to a goal by a path that touches nothing",
    effect="simulates",
    **_PARAMS,
    param_help=_HELP,
    examples=[
        *_CELL,
        "find-path Puma joints 70,0,-90,0,90,0 upright 10",
        "find-path Puma joints -70,0,-90,0,90,0 seed 3 --display-tries",
        "find-path Puma to 300,500,400 euler fanuc_wpr 180,0,0 free rz",
        "find-path Puma to 400,-300,500 euler fanuc_wpr 180,0,0 to 300,-500,400 euler fanuc_wpr 180,0,0 within 5",
        "find-path Puma between 200,400,300 and 400,600,500 budget 10s",
        "find-path Puma to 300,500,400 euler fanuc_wpr 180,0,0 of grip branch nearest",
    ],
)
def find_path_command(session: Session, **given: Any) -> MovedOnPath:
    """The straight motion is tried first. Every path is proved free before the robot moves, and timed by its limits.

    Everything else is taken to stand still; with `--beside`, robots that are under way move on. Where nothing is found,
    the answer names what is in the way. `together find-path … & find-path …` plans several robots at once.
    """
    done = carried_out(session, s.FindPath, given)
    path = found(done.found, given.get("touching"))
    return MovedOnPath(given["robot"].name, done.duration, session.simulator_time, unknown=path.unknown, path=path)


@command(
    f"plan-path {_GOAL}",
    help="show a path to a goal that touches nothing, without moving",
    effect="reads",
    background=True,
    **{name: value for name, value in _PARAMS.items() if name != "priority"},
    param_help={name: text for name, text in _HELP.items() if name not in ("display_tries", "priority")},
    examples=[*_CELL, "plan-path Puma joints 70,0,-90,0,90,0"],
)
def plan_path(session: Session, **given: Any) -> FoundPath:
    """The same path that `find-path` would take from here."""
    from workcell.simulation.actions import with_defaults
    from workcell.simulation.found_paths import found_path
    from workcell.simulation.paths_together import path_beside

    values = with_defaults(s.FindPath, step_values(session, given))
    find = path_beside if values["beside"] else found_path
    plan = find(session.simulator, values, progress=session.progress, cancel=session.cancel)
    return found(plan, given.get("touching"))


def find_path(
    cell: Cell,
    robot: str,
    goal: object,
    *,
    start: ArrayLike | None = None,
    seed: int = 0,
    budget: float = 2.0,
    planner: str = DEFAULT,
    constraint: object = None,
    allow: Allowed = (),
    keep: bool = True,
    beside: Mapping[str, JointMotion] | None = None,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> PathPlan:
    """Find a path of a robot or machine of a cell to a goal, proved free of contacts and timed within its limits.

    See :func:`workcell.planning.find_path.find_path`. Paths of earlier queries in the same scene are used, so that
    later ones are faster; with ``keep=False`` the same seed gives the same path, whatever was asked before. ``beside``
    has the motions of other robots that start at the same instant
    (:func:`workcell.planning.path_beside.find_path_beside`).
    """
    from workcell.planning.find_path import find_path as search

    if beside:
        from workcell.planning.path_beside import find_path_beside

        return find_path_beside(
            cell.snapshot(), cell.state, robot, goal, beside, start=start, seed=seed, budget=budget, planner=planner,
            constraint=constraint, allow=allow, progress=progress, cancel=cancel,
        )  # fmt: skip
    return search(
        cell.snapshot(), cell.state, robot, goal, start=start, seed=seed, budget=budget, planner=planner,
        constraint=constraint, allow=allow, keep=keep, progress=progress, cancel=cancel,
    )  # fmt: skip
