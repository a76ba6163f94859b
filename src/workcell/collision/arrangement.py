"""Everything about a state except the joint values, prepared for the kernels: who stands where, who carries what."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision import rules
from workcell.collision.frame_tree import Frame, common, depth_of, frozen
from workcell.collision.holding import carried_pairs
from workcell.collision.selfcells import no_cells
from workcell.errors import InvalidValue, UnknownName
from workcell.spatial.pose import Pose
from workcell.world.placed import PlacedRobot
from workcell.world.places import WORLD
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.calm import Calms
    from workcell.collision.pairs import Support

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

FIXED, REVOLUTE, PRISMATIC, DRIVEN = range(4)
"""What moves a frame in its parent: nothing, a joint that turns, one that slides, a motion given from outside."""
NOTHING = np.concatenate([np.eye(3).reshape(9), np.zeros(3)])[None]
"""The poses of driven frames when there are none (1, 12)."""


class Arrangement:
    """A state without its joint values: the kinematic tree, the tested pairs, the still bodies sorted in space.

    Args:
        model: the bodies and the pair table.
        state: poses and attachments; its joint values are not used.
        driven: bodies whose pose will be given from outside, as a motion.
    """

    def __init__(self, model: CollisionModel, state: CellState, driven: Iterable[str] = ()) -> None:
        self.model = model
        self.poses_of = state.poses
        self.attached_of, self.openings = state.attached, model.snapshot.openings(state)
        self.attached = model.snapshot.carried(state)
        self.driven = tuple(driven)
        self.columns: dict[str, slice] = {}
        self.robots: tuple[PlacedRobot, ...] = model.snapshot.robots
        self.home = np.concatenate([np.empty(0), *(placed.robot.home for placed in self.robots)])[None]
        start = 0
        for placed in self.robots:
            self.columns[placed.name] = slice(start, start + placed.robot.n)
            start += placed.robot.n
        self.dof = start
        self._frames: list[Frame] = []
        self._frame_of: dict[int, int] = {}
        self._links: dict[str, list[int]] = {}
        self.mounted: list[tuple[int, int]] = []
        self._build(state)
        self.held, self.reaching_in = carried_pairs(self)
        self._arrays()
        self._pairs()
        self._local = threading.local()
        self._cells_proved = False
        self.proof_tables: dict[tuple[bytes, bool], tuple[Any, ...]] = {}
        """The pairs that proofs are about, by which joints move and whether only a contact is looked for."""
        self.calms: dict[bool, Calms] = {}
        """What settles quickly that nothing touches, with what meshes may lie off their solids and without."""

    def suits(self, state: CellState, driven: tuple[str, ...] = ()) -> bool:
        """Whether a state differs from this one in joint values, time, and signals other than openings only."""
        openings = self.model.snapshot.openings(state)
        same = state.poses == self.poses_of and state.attached == self.attached_of and openings == self.openings
        return bool(same and driven == self.driven)

    # ---- the kinematic tree ---------------------------------------------------------------------------

    def _build(self, state: CellState) -> None:
        model = self.model
        for number, name in enumerate(self.driven):
            place = self.place(name)
            if model.bodies[place].is_link or name in self.attached:
                raise InvalidValue(f"{name!r} does not stand free, so it cannot be moved by itself.", body=name)
            self._frame_of[place] = self._add(-1, DRIVEN, number, np.eye(4))
        for place, body in enumerate(model.bodies):
            if body.zone is not None:
                self._frame_of[place] = self._add(-1, FIXED, -1, body.zone.X_world_zone.matrix)
            elif not body.is_link and body.name not in self.attached and place not in self._frame_of:
                pose = state.poses.get(body.name, Pose.identity())
                self._frame_of[place] = self._add(-1, FIXED, -1, pose.matrix)
        for name in (*self.attached, *state.poses):
            self.place(name)
        waiting: list[PlacedRobot | str] = [*self.robots, *self.attached]
        while waiting:
            later = [item for item in waiting if not self._place_one(item, state)]
            if len(later) == len(waiting):
                item = later[0]
                name = item if isinstance(item, str) else item.name
                raise InvalidValue(f"{name!r} stands on something that is carried by itself.", body=name)
            waiting = later

    def _place_one(self, item: PlacedRobot | str, state: CellState) -> bool:
        if isinstance(item, str):
            attachment = self.attached[item]
            parent = -1
            if attachment.frame != WORLD:
                carrier = self.place(attachment.frame)
                if carrier not in self._frame_of:
                    return False
                parent = self._frame_of[carrier]
            self._frame_of[self.model.index[item]] = self._add(parent, FIXED, -1, attachment.X_frame_body.matrix)
            return True
        parent = -1
        if item.parent != WORLD:
            if item.parent not in self._links:
                return False
            parent = self._links[item.parent][item.parent_link]
        chain = item.robot.chain
        here = self._add(parent, FIXED, -1, item.X_parent_base.matrix @ chain.X_base_0.matrix)
        links = [here]
        first = self.columns[item.name].start
        for number, row in enumerate(chain.rows):
            tail = Pose.from_xyz(row.a, 0.0, 0.0) @ Pose.from_axis_angle((1.0, 0.0, 0.0), row.alpha)
            kind = PRISMATIC if row.prismatic else REVOLUTE
            here = self._add(here, kind, first + number, tail.matrix, row.theta, row.d)
            links.append(here)
        self._links[item.name] = links
        for link, place in enumerate(item.bodies):
            if place >= 0:
                self._frame_of[place] = links[link]
        if item.parent != WORLD:
            carrier_robot = self.model.snapshot.robot(item.parent)
            under = [place for place in carrier_robot.bodies[: item.parent_link + 1] if place >= 0]
            base = [place for place in item.bodies if place >= 0]
            if under and base:
                whole = self.model.bodies_called(self.model.bodies[under[-1]].name)
                self.mounted += [(base[0], place) for place in whole]
        return True

    def _add(self, parent: int, kind: int, column: int, after: Array, theta: float = 0.0, d: float = 0.0) -> int:
        if not np.isfinite(after).all():
            raise InvalidValue("A pose in the state is not finite.")
        flat = np.concatenate([after[:3, :3].reshape(9), after[:3, 3]])
        self._frames.append(Frame(parent, kind, column, theta, d, flat))
        return len(self._frames) - 1

    def place(self, name: str) -> int:
        """The place of a body among all bodies."""
        if name not in self.model.index:
            raise UnknownName.among("body", name, self.model.index)
        return self.model.index[name]

    def _arrays(self) -> None:
        frames = self._frames
        parent = np.array([f.parent for f in frames], dtype=np.int32)
        kind = np.array([f.kind for f in frames], dtype=np.int32)
        column = np.array([f.column for f in frames], dtype=np.int32)
        joint = np.array([(f.theta, f.d) for f in frames]).reshape(-1, 2)
        after = np.array([f.after for f in frames]).reshape(-1, 12)
        # The nearest frame above that moves by itself: bodies that share it are rigid to each other.
        mover = np.full(len(frames), -1, dtype=np.int32)
        for f in range(len(frames)):
            mover[f] = f if kind[f] != FIXED else (mover[parent[f]] if parent[f] >= 0 else -1)
        self.frames = frozen(parent, kind, column, joint, after)
        self.parent = parent
        self.frame = np.array([self._frame_of[place] for place in range(len(self.model.bodies))], dtype=np.int32)
        self.carrier = mover[self.frame]
        self.which = np.flatnonzero(mover >= 0).astype(np.int32)
        mesh, roots = self.model.packed
        self.mesh = mesh
        self.bodies = (*frozen(roots, self.frame, *self.model.seeds), self.model.pieces)
        frozen(self.which)
        from workcell.collision import _kernels_poses

        still = np.empty((len(frames), 12))
        free = np.zeros((1, max(1, len(self.driven)), 12))
        free[:, :, [0, 4, 8]] = 1.0
        everything = np.arange(len(frames), dtype=np.int32)
        _kernels_poses.place(self.frames, frozen(everything)[0], self.home, free, still[None])
        self.still = still

    # ---- the pairs ------------------------------------------------------------------------------------

    def _pairs(self) -> None:
        from workcell.collision import _kernels_build

        model = self.model
        moves = self.carrier >= 0
        movable = np.array([body.movable for body in model.bodies], dtype=bool)
        moving = np.flatnonzero(moves).astype(np.int32)
        # The tool outward: what is farthest along its arm is the likeliest to touch.
        depth = np.array([depth_of(self.parent, int(self.frame[place])) for place in moving])
        moving = moving[np.argsort(-depth, kind="stable")]
        rows = np.concatenate([moving, np.flatnonzero(movable & ~moves)]).astype(np.int32)
        self.rows = rows
        self.codes = rules.codes(model, self, rows)
        margins = rules.margins(model, self, rows, self.codes)
        count = len(moving)
        # Still bodies that some moving one is tested against, in a tree over their boxes.
        candidates = np.flatnonzero(~moves & (margins[:count] >= 0.0).any(axis=0)).astype(np.int32)
        low, high = self.boxes(candidates, self.still)
        size = max(2 * len(candidates) - 1, 0)
        box, link = np.empty((size, 6)), np.empty((size, 2), dtype=np.int32)
        order = np.empty(len(candidates), dtype=np.int32)
        if len(candidates):
            _kernels_build.build_tree(low, high, box, link, order)
        names = candidates[order]
        first, second, between = [], [], []
        for k, a in enumerate(moving):
            for b in moving[k + 1 :]:
                if margins[k, b] >= 0.0:
                    first.append(a)
                    second.append(b)
                    between.append(margins[k, b])
        self.moving = frozen(
            moving,
            np.ascontiguousarray(margins[:count][:, names]),
            np.array(first, dtype=np.int32),
            np.array(second, dtype=np.int32),
            np.array(between, dtype=np.float64),
            *no_cells(len(first)),
        )
        self.still_tree = frozen(box, link, names)
        tested = margins[margins >= 0.0]
        self.reach = float(tested.max()) + 1e-8 if tested.size else 0.0
        # Every tested pair: moving against still, moving against moving, still against still.
        at, to = np.nonzero(margins[:count][:, names] >= 0.0)
        rest_first, rest_second, rest_margin = self._still_pairs(rows[count:], margins[count:])
        self.rest = frozen(rest_first, rest_second, rest_margin)
        self.first, self.second, self.margins = frozen(
            np.concatenate([moving[at], np.array(first, dtype=np.int32), rest_first]).astype(np.int32),
            np.concatenate([names[to], np.array(second, dtype=np.int32), rest_second]).astype(np.int32),
            np.concatenate([margins[at, names[to]], np.array(between, dtype=np.float64), rest_margin]),
        )
        self._rest_contacts: list[tuple[int, int, int]] | None = None

    def _still_pairs(self, rows: Ints, margins: Array) -> tuple[Ints, Ints, Array]:
        """Pairs of still bodies of which one is movable, each once."""
        k, b = np.nonzero(margins >= 0.0)
        a = rows[k]
        keep = self.carrier[b] < 0
        among = np.zeros(len(self.carrier), dtype=bool)
        among[rows] = True
        keep &= ~(among[b] & (b < a))
        return a[keep].astype(np.int32), b[keep].astype(np.int32), margins[k[keep], b[keep]]

    def boxes(self, places: Ints, poses: Array) -> tuple[Array, Array]:
        """Return the least and greatest corners, in the world, of the boxes of bodies at the poses of all frames."""
        roots = self.bodies[0]
        X = poses[self.frame[places]]
        box = self.mesh[0][roots[places]]
        rotation = X[:, :9].reshape(-1, 3, 3)
        centre = np.einsum("nij,nj->ni", rotation, box[:, :3]) + X[:, 9:]
        half = np.einsum("nij,nj->ni", np.abs(rotation), box[:, 3:])
        return centre - half, centre + half

    def links_of(self, robot: str) -> list[int]:
        """The frames of a robot's links, the base first."""
        return self._links[robot]

    def prove_cells(self) -> None:
        """Prove once which joint values keep links of one robot apart, so that batches need not look each time."""
        if not self._cells_proved:
            from workcell.collision.selfcells import arranged_cells

            self._cells_proved = True
            self.moving = (*self.moving[:5], *frozen(*arranged_cells(self, self.still_tree[2], self.moving)))

    # ---- asking ---------------------------------------------------------------------------------------

    def q(self, state: CellState) -> Array:
        """The joint values of all robots in one row (1, all joints); home where the state has none."""
        out = self.home.copy()
        used = 0
        for name, columns in self.columns.items():
            values = state.joints.get(name)
            if values is not None:
                used += 1
                try:
                    out[0, columns] = values
                except ValueError as error:
                    raise InvalidValue(
                        f"{name} has {columns.stop - columns.start} joints; the state has {len(values)} values for it.",
                        robot=name,
                    ) from error
        if used != len(state.joints):
            unknown = next(name for name in state.joints if name not in self.columns)
            raise UnknownName.among("robot", unknown, self.columns, "The state has joint values for it.")
        return out

    def scratch(self) -> Array:
        """(F, 12) poses of all frames, the still ones in place; one for each thread."""
        try:
            return self._local.poses  # type: ignore[no-any-return]
        except AttributeError:
            self._local.poses = self.still.copy()
            return self._local.poses  # type: ignore[no-any-return]

    def placed(self, state: CellState) -> Array:
        """(F, 12) poses of all frames at a state."""
        from workcell.collision import _kernels_poses

        poses = self.still.copy()
        _kernels_poses.place(self.frames, self.which, self.q(state), NOTHING[None], poses[None])
        return poses

    @cached_property
    def stops(self) -> Ints:
        """For each tested pair the nearest frame that both bodies hang on, −1 for the world."""
        out = np.full(len(self.first), -1, dtype=np.int32)
        for k in np.flatnonzero((self.carrier[self.first] >= 0) & (self.carrier[self.second] >= 0)):
            out[k] = self.meeting(int(self.first[k]), int(self.second[k]))
        out.flags.writeable = False
        return out

    @cached_property
    def by_robot(self) -> NDArray[np.bool_]:
        """Which bodies a robot moves: its links and what these carry (B,)."""
        return np.asarray((self.carrier >= 0) & (self.frames[1][self.carrier] != DRIVEN))

    @cached_property
    def supports(self) -> tuple[Support, ...]:
        """What may rest on what: the supports of the table whose pairs are tested otherwise."""
        index = self.model.index
        return tuple(
            support
            for support in self.model.pairs.supports
            if self.codes_of(index[support.part])[index[support.base]] == rules.RESTING
        )

    def codes_of(self, place: int) -> rules.Codes:
        """Why a body is tested against each body or not, as numbers (B,); a fixture's own row is not looked at."""
        row = np.flatnonzero(self.rows == place)
        return np.asarray(self.codes[row[0]] if len(row) else np.full(len(self.carrier), rules.FIXTURES, np.uint8))

    def meeting(self, first: int, second: int) -> int:
        """The nearest frame that both bodies hang on, −1 for the world."""
        return common(self.parent, int(self.frame[first]), int(self.frame[second]))

    def link_frame(self, robot: str, link: int) -> int:
        """The frame of a robot's link, 0 for its base."""
        return self._links[robot][link]

    def tested(self, first: str, second: str) -> bool:
        """Whether two bodies are tested against each other."""
        return self._code(self.place(first), self.place(second)) == rules.TESTED

    def as_drawn(self, first: str, second: str) -> bool:
        """Whether two links are not tested since they touch by how Workcell drew them."""
        return self._code(self.place(first), self.place(second)) == rules.DRAWN

    def reason(self, first: str, second: str) -> str:
        """Why two bodies are tested or not, in words."""
        a, b = self.place(first), self.place(second)
        code = self._code(a, b)
        reason = rules.REASONS[code]
        if code == rules.DRAWN:
            reason = self.model.touching_as_drawn[min(a, b), max(a, b)]
        for decision in self.model.pairs.decisions if code in (rules.TESTED, len(rules.REASONS) - 1) else ():
            named = (self.model.bodies_called(decision.first), self.model.bodies_called(decision.second))
            if (a in named[0] and b in named[1]) or (b in named[0] and a in named[1]):
                reason = f"{'tested' if decision.tested else 'allowed'}: {decision.reason}"
        return reason

    def _code(self, a: int, b: int) -> int:
        """The number of the reason why two bodies are tested or not."""
        for one, other in ((a, b), (b, a)):
            row = np.flatnonzero(self.rows == one)
            if len(row):
                return int(self.codes[row[0], other])
        return 2 if a != b else 1
