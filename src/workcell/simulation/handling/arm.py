"""An arm that is to handle something: where its hand can be, and straight motions of it that are proved free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.check import check
from workcell.collision.proof import Free
from workcell.collision.supports import supported
from workcell.collision.zones import pair_table_of, zones_of
from workcell.cost import current_cancel
from workcell.errors import Unreachable, WorkcellError
from workcell.motion.curve import HandCurve
from workcell.motion.limits import Limits
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory
from workcell.planning.find_path import EFFORT, find_path
from workcell.planning.goals import JointGoal
from workcell.planning.hand_following import HandFollowing
from workcell.planning.hand_solutions import solutions
from workcell.planning.path_plan import PathPlan
from workcell.planning.space import allowed_pairs, space_of
from workcell.planning.transit import proved
from workcell.simulation.guarding import hand_bodies
from workcell.spatial.pose import Pose
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]
Pairs = tuple[tuple[str, str], ...]

SEARCH = 5.0
"""How much a transit is searched for [s of a fast machine]."""
_PATIENCE = 1e6
"""Work is counted, not timed, so that a run is the same on every machine; the clock never ends a search [s]."""


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm at a state of the cell.

    Attributes:
        snapshot: what exists.
        state: where everything is.
        placed: the arm.
        limits: the speeds and accelerations of its joints.
    """

    snapshot: Snapshot
    state: CellState
    placed: PlacedRobot
    limits: Limits

    @property
    def name(self) -> str:
        """Its name."""
        return self.placed.name

    def at(self, state: CellState) -> Arm:
        """Return the arm at another state."""
        return Arm(self.snapshot, state, self.placed, self.limits)

    @property
    def joints(self) -> Array:
        """Its joint values (n,)."""
        return self.state.joints[self.name]

    @cached_property
    def X_tool_grip(self) -> Pose:
        """The grip point in the frame of the tool."""
        gripper = self.placed.robot.gripper
        assert gripper is not None
        return self.placed.robot.X_flange_tool.inverse() @ gripper.X_flange_grip

    def contact(self, part: str) -> Pairs:
        """Return the pairs that touch when its hand holds a part: the fingers, or the bodies of a hand without."""
        return tuple((body, part) for body in hand_bodies(self.snapshot, self.placed))

    def model(self, allow: Pairs = ()) -> CollisionModel:
        """Return what may touch, with pairs that may."""
        pairs = allowed_pairs(pair_table_of(self.snapshot), allow)
        return collision_model(self.snapshot, pairs, zones=zones_of(self.snapshot), warn=False)

    def reaching(self, poses: Sequence[Pose], what: str) -> Array:
        """Return joint values with the tool at one of some poses (k, n): every branch at every pose.

        The nearest turn of each branch comes first, and of these the nearest to the present values; whole turns of
        joints come behind. So those who look only at the first rows see every branch.

        Raises:
            Unreachable: there are none; the error has the reason.
        """
        space = space_of(self.snapshot, self.state, self.name)
        rows, refused = list[Array](), list[Unreachable]()
        for pose in poses:
            try:
                rows.append(solutions(space, pose.matrix[None], self.joints, what))
            except Unreachable as error:
                refused.append(error)
        if not rows:
            raise refused[0]
        Q = np.concatenate(rows)
        Q = Q[np.argsort(((Q - self.joints) ** 2 * space.weights**2).sum(axis=1), kind="stable")]
        return np.asarray(Q[np.argsort(_round_of(Q, space.turns), kind="stable")])

    def touching(self, q: Array, allow: Pairs = ()) -> str:
        """Return what touches at joint values, for people; '' if nothing does."""
        state = self.state.with_joints(self.name, q)
        model = supported(self.model(allow), state, [self.name], state)
        contacts = check(model, state).contacts
        if not contacts:
            return ""
        one = contacts[0]
        more = f", and {len(contacts) - 1} more" if len(contacts) > 1 else ""
        return f"{one}{f' by {one.depth * 1e3:.3g} mm' if one.depth > 0.0 else ''}{more}"

    def line(self, q: Array, shift: Array, allow: Pairs = (), inwards: bool = False) -> Trajectory | str:
        """Return a proved straight motion of the hand from joint values by a shift in the world (3,) [m]; or why not.

        Args:
            q: the joint values (n,).
            shift: how far the hand moves.
            allow: pairs that may touch.
            inwards: whether the hand comes from there to the joint values, and not the other way.
        """
        following = HandFollowing(self.placed.robot, self.snapshot.base_pose(self.state, self.name).inverse())
        here = Pose(following.forward(q[None])[0])
        there = Pose.from_rotation(here.rotation, here.xyz + shift)
        try:
            path = following.along(HandCurve.line(here, there), q).path
            motion = time_optimal(path, self.limits)
        except WorkcellError as error:
            return f"no straight motion of {np.linalg.norm(shift) * 1e3:.4g} mm leads there: {_rest(error)}"
        if np.abs(motion.start - q).max() > 1e-6:
            return "no straight motion leads there on this branch"
        motion = motion.reversed() if inwards else motion
        proof = proved(self.model(allow), self.state, self.name, motion, current_cancel())
        if not isinstance(proof, Free):
            way = "in" if inwards else "out"
            return f"on the straight way {way}, {proof.pair[0]} and {proof.pair[1]} touch or are too close"
        return motion

    def path(self, goals: Sequence[Array], explain: bool = True) -> PathPlan:
        """Return a proved path from here to one of some joint values.

        Raises:
            WorkcellError: there is none; the error has what is in the way.
        """
        return find_path(
            self.snapshot,
            self.state,
            self.name,
            [JointGoal(q) for q in goals],
            budget=_PATIENCE,
            effort=int(SEARCH * EFFORT),
            limits=self.limits,
            explain=explain,
            cancel=current_cancel(),
        )


def _round_of(Q: Array, turns: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return how many rows before each are the same but for whole turns of joints that can turn (k,)."""
    seen: dict[bytes, int] = {}
    found = np.zeros(len(Q), dtype=np.intp)
    circle = np.concatenate([np.where(turns, np.cos(Q), Q), np.where(turns, np.sin(Q), 0.0)], axis=1)
    for number, key in enumerate(np.round(circle, 6) + 0.0):  # -0 becomes 0
        found[number] = seen.get(key.tobytes(), 0)
        seen[key.tobytes()] = int(found[number]) + 1
    return found


def _rest(error: WorkcellError) -> str:
    """Return the message of an error inside a sentence."""
    return error.message.rstrip(".")


def why(error: WorkcellError) -> str:
    """Return the reason of a refusal inside a list of reasons: its sentence without the full stop."""
    message = error.message
    if isinstance(error, Unreachable):  # the first sentence repeats what the list is about
        message = message.partition(". ")[2] or message
    return message.rstrip(".")
