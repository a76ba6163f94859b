"""Watches for collisions while things move: at every recorded sample, or by a proof over the whole motion."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import CollisionStop, UnknownName
from workcell.motion.pose_motion import PoseMotion
from workcell.simulation.drives import Follow
from workcell.simulation.event_text import text_of
from workcell.simulation.events import StoppedBeforeContact, StoppedUndecided
from workcell.simulation.gliding import Glide
from workcell.simulation.instants import not_after
from workcell.simulation.quick_looks import is_calm
from workcell.simulation.timeline import Timeline
from workcell.simulation.under_way import Drives
from workcell.spatial.pose import Pose
from workcell.wording import quoted
from workcell.world.body import unknown_words
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.calm import Calms
    from workcell.collision.pairs import PairTable, Support
    from workcell.collision.zones import Zone
    from workcell.simulation.watched import Watched

Array = NDArray[np.float64]
Method: TypeAlias = Literal["sampled", "certified"]
METHODS: tuple[Method, ...] = ("sampled", "certified")
_HALVINGS = 12
_ROOM = 5e-5
"""How much farther apart than provable bodies are when a proof stops them, so that they can move back [m]."""


@dataclass(frozen=True)
class Stop:
    """Where moves must stop.

    Attributes:
        time: the time of the clock [s].
        shown: the progress of each motion [s].
        event: the event to record.
        error: the error to raise.
    """

    time: float
    shown: dict[str, float]
    event: StoppedBeforeContact | StoppedUndecided
    error: CollisionStop


@dataclass(frozen=True)
class _Found:
    """A contact on a timeline: the last good time, a bad one, the pair, and the reason."""

    good: float
    bad: float
    pair: tuple[str, str] | None
    undecided: str = ""
    before: str = ""
    """Why another pair is undecided from the last good time on, if that decides the time."""

    @property
    def names(self) -> str:
        return f"{self.pair[0]} and {self.pair[1]}" if self.pair else "bodies"


class Watch:
    """Stops robots and solids before they touch something.

    Args:
        snapshot: what exists.
        pairs: what is tested; by default, everything that the rules do not except.
        method: ``sampled`` tests every recorded sample and finds the last good instant by bisection; ``certified``
            proves that nothing touches at any instant, or stops at the last proved one.
        allow_undecided: with ``certified``, continue if neither a contact nor a free motion could be proved.
        zones: keep-out volumes; robots also stop before these.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        pairs: PairTable | None = None,
        method: Method = "sampled",
        allow_undecided: bool = False,
        zones: tuple[Zone, ...] = (),
    ) -> None:
        if method not in METHODS:
            raise UnknownName.among("way of watching", str(method), METHODS)
        self._snapshot = snapshot
        self.pairs = pairs
        self.method = method
        self.allow_undecided = allow_undecided
        self.zones = zones
        self._model: CollisionModel | None = None
        self._cancel: threading.Event | None = None

    def on(self, snapshot: Snapshot) -> Watch:
        """Return the same watch over another snapshot."""
        if snapshot is self._snapshot:
            return self
        return Watch(snapshot, self.pairs, self.method, self.allow_undecided, self.zones)

    @property
    def model(self) -> CollisionModel:
        """The bodies and pairs that are tested."""
        if self._model is None:
            from workcell.collision.bodies import collision_model

            self._model = collision_model(self._snapshot, self.pairs, zones=self.zones, warn=False)
        return self._model

    def settled(self, plant: Watched, moves: Drives, names: Iterable[str] | None, until: float) -> bool:
        """Return whether a quick test settles that nothing touches up to an instant, after devices changed course.

        The motions of others are as at the last look, so only pairs of these devices are tested; all pairs
        if they are None. A pair is clear if it is for all joint values on the way.
        """
        if self.zones or moves.thesis or moves.solids:
            return False
        calms = self._calms(plant)
        around = [None] if names is None else names
        return all(is_calm(plant, moves, until, calms.around(name)) for name in around)

    def _calms(self, plant: Watched) -> Calms:
        """Return what is prepared for the present scene."""
        known = plant.quick
        if known is not None and known[0] is self and known[1] == plant.scene:
            return known[2]
        from workcell.collision.calm import Calms

        state = plant.standing
        found = Calms.of(self.model.arrangement(state), exact=self.method == "certified")
        plant.quick = self, plant.scene, found
        return found

    def require_clear(self, state: CellState, robot: str) -> None:
        """Refuse to set the joints of a robot where it, or what it carries, touches something.

        Raises:
            CollisionStop: it does; the error has the fields of a stop on the way.
        """
        from workcell.collision.batch import check_batch
        from workcell.collision.supports import supported

        model = supported(self.model, state, [robot])
        found = check_batch(model, [state])
        if found.touching[0]:
            pair = found.pair(0)
            who = " and ".join(pair or ("bodies",))
            raise CollisionStop(
                f"{robot} cannot be set there: {who} would touch; choose other joint values, or switch the watch off.",
                time=state.shown_time, stopped=state.shown_time, pair=pair, robots=(robot,), undecided=False,
            )  # fmt: skip

    def look(self, plant: Watched, moves: Sequence[Follow], until: float) -> Stop | None:
        """Test moves from now to an instant; return where they must stop, or None.

        The error of a stop has the fields ``time``, ``stopped``, ``pair``, ``robots`` and ``undecided``.
        """
        state, begin, self._cancel = plant.state, plant.time, plant.cancel
        timeline = Timeline(moves, begin, until)
        model = self._supported(state, moves, until)
        find = self._proved if self.method == "certified" else self._sampled
        found = find(model, state, moves, timeline)
        if found is None:
            return None
        good, stopped = _whole(timeline, found.good)
        names = tuple(one.name for one in moves if one.end > stopped or found.bad <= 0.0)
        who = " and ".join(names)
        time = timeline.clock(found.bad)
        event: StoppedBeforeContact | StoppedUndecided
        if found.undecided:
            event = StoppedUndecided(stopped, names, found.pair, found.undecided)
            text = f"{who} stopped at {stopped:.4f} s: whether {found.names} touch is undecided ({found.undecided})."
        elif found.bad <= 0.0:
            margin = _margin(model, state, found.pair)
            event = StoppedBeforeContact(stopped, names, found.pair, stopped, margin)
            text = f"{who} cannot start: {text_of(event)} already{_way_out(model, found.pair)}."
        else:
            margin = _margin(model, _state_then(model, timeline, state, found.bad), found.pair)
            event = StoppedBeforeContact(stopped, names, found.pair, time, margin)
            text = f"{who} stopped at {stopped:.4f} s: {found.before}{text_of(event)} at {time:.4f} s."
        text += unknown_words(model.unknown)
        error = CollisionStop(
            text, time=time, stopped=stopped, pair=found.pair, robots=names, undecided=bool(found.undecided)
        )
        return Stop(stopped, {name: timeline.shown(name, good) for name in timeline.motions}, event, error)

    def _sampled(
        self, model: CollisionModel, state: CellState, moves: Sequence[Follow], timeline: Timeline
    ) -> _Found | None:
        from workcell.collision.batch import check_batch
        from workcell.collision.certify import first_touch
        from workcell.collision.leaving import model_among

        if timeline.duration > 0.0:
            touch = first_touch(model, timeline.motions, state, cancel=self._cancel)
            if touch is None:
                return None
            bad, pair = touch
            if bad <= 0.0:
                return _Found(0.0, 0.0, pair)
            before = bad - timeline.duration * 0.5 ** np.arange(4.0, 16.0)
            times = np.append(timeline.samples(moves), before[before > 0.0])
            times = np.append(np.unique(times[times < bad]), bad)
        else:
            times, pair = np.zeros(1), ("", "")
        states = _states(timeline, state, times)
        found = check_batch(model, states, state)
        row = int(found.touching.argmax())
        if not found.touching.any():
            if timeline.duration <= 0.0:
                return None
            row = len(times) - 1
        pair = found.pair(row) or pair
        if row == 0:
            return _Found(0.0, 0.0, pair)
        good, bad = float(times[row - 1]), float(times[row])
        model = model_among(model, states, state, row - 1, row)
        for _ in range(_HALVINGS):
            middle = 0.5 * (good + bad)
            inner = check_batch(model, _states(timeline, state, np.array([middle])), state)
            if inner.touching[0]:
                bad, pair = middle, inner.pair(0) or pair
            else:
                good = middle
        return _Found(good, bad, pair)

    def _proved(
        self, model: CollisionModel, state: CellState, _: Sequence[Follow], timeline: Timeline
    ) -> _Found | None:
        from workcell.collision.certify import certify
        from workcell.collision.proof import ContactAt, Undecided

        if timeline.duration <= 0.0:
            return None
        proof = certify(model, timeline.motions, state, tightness=0.0, cancel=self._cancel)
        if isinstance(proof, ContactAt):
            other = proof.undecided
            if other is None:
                good = _with_room(model, timeline, state, proof.pair, proof.last_free)
                return _Found(good, proof.time, proof.pair)
            good = _with_room(model, timeline, state, other.pair, proof.last_free)
            before = f"whether {' and '.join(other.pair)} touch is undecided from there ({other.reason}), and "
            return _Found(good, proof.time, proof.pair, before=before)
        if isinstance(proof, Undecided) and not self.allow_undecided:
            good = _with_room(model, timeline, state, proof.pair, proof.last_free)
            return _Found(good, proof.interval[1], proof.pair, proof.reason)
        return None

    def _supported(self, state: CellState, moves: Sequence[Follow], until: float) -> CollisionModel:
        """Return the model for these moves: a part may touch what it rests on, leaves or reaches."""
        from workcell.collision.supports import supported

        names = [one.planned.name for one in moves]
        if all(one.begin >= state.shown_time and one.end <= until for one in moves):
            return supported(self.model, state, names, _at_end(state, moves, until))
        # Programs in parallel: moves extend before and after this interval, and leave or arrive as a whole.
        whole = supported(self.model, state, names)
        kept = tuple(support for one in moves for support in self._held(state, one, until))
        return whole.asking(msgspec.structs.replace(whole.pairs, supports=kept), whole.going)

    def _held(self, state: CellState, one: Follow, until: float) -> list[Support]:
        """Return what a part may touch between now and an instant, of what it leaves and reaches in the whole move."""
        from workcell.collision.leaving import leavings
        from workcell.collision.supports import supported

        now = state.shown_time
        begins, ends = (now, until) if one.endless else (one.begin, one.end)
        first, last = _alone(state, one, begins), _alone(state, one, ends)
        model = supported(self.model, first, [one.planned.name], last)
        if not model.pairs.supports:
            return []
        looks = one.planned.looks_within(now - one.begin, until - one.begin) if one.endless else one.planned.looks
        times = np.unique(np.append(one.planned.clock(looks), [begins - one.begin, now - one.begin, until - one.begin]))
        times = times[(times >= 0.0) & (times <= one.planned.duration)]
        begin = int(np.searchsorted(times, now - one.begin))
        end = min(int(np.searchsorted(times, until - one.begin)), len(times) - 1)
        found = leavings(model, [_alone(state, one, one.begin + float(time)) for time in times], first)
        return [support for leaving in found for support in leaving.touching_allowed(begin, end)]


def _way_out(model: CollisionModel, pair: tuple[str, str] | None) -> str:
    """Return the advice for two bodies that touch before anything moves."""
    bodies = [model.body(name) for name in pair or ()]
    if not bodies or any(body.zone is not None for body in bodies):
        return ""
    one, other = bodies
    allowed = f"`allow {quoted(one.name)} with {quoted(other.name)} because REASON` lets them touch"
    if one.is_link and one.owner == other.owner:
        return f"; {allowed}, `test-self {quoted(one.owner)} no` leaves {one.owner} untested against itself"
    return f"; {allowed}, or move one of them away"


def _whole(timeline: Timeline, good: float) -> tuple[float, float]:
    """Return the last good whole nanosecond: on the timeline, and by the clock."""
    stopped = timeline.clock(good)
    whole = max(not_after(stopped), timeline.begin)
    return max(good - (stopped - whole), 0.0), whole


def _state_then(model: CollisionModel, timeline: Timeline, state: CellState, time: float) -> CellState:
    from workcell.collision.moving import state_during

    return state_during(model, state, timeline.motions, time)


def _margin(model: CollisionModel, state: CellState, pair: tuple[str, str] | None) -> float:
    """Return the distance that a pair does not keep [m]; 0 if it touches."""
    from workcell.collision.clearance import distance_between

    return 0.0 if pair is None else distance_between(model, state, *pair).trespassed


def _alone(state: CellState, one: Follow, time: float) -> CellState:
    """Return the state with one move at an instant and everything else as it is now."""
    return _at_end(state, [one], time).with_(time=state.time)


def _at_end(state: CellState, moves: Sequence[Follow], until: float) -> CellState:
    """Return the state at an instant at which moves that have begun have continued until then."""
    joints, poses = dict(state.joints), dict(state.poses)
    for one in moves:
        planned = one.planned
        if isinstance(planned, Glide):
            poses[planned.body] = planned.at(until - one.begin) if until < one.end else planned.end
        else:
            joints[planned.robot] = one.last(until - one.begin)
    return state.with_(joints=joints, poses=poses, time=until)


def _states(timeline: Timeline, state: CellState, times: Array) -> dict[str, Array] | list[CellState]:
    """Return joint values of moving robots at times of a timeline; whole states if solids move on their own."""
    rows = {name: motion.sample(times) for name, motion in timeline.motions.items()}
    solids = {name for name, motion in timeline.motions.items() if isinstance(motion, PoseMotion)}
    if not solids:
        return rows
    return [
        state.with_(
            joints={**state.joints, **{name: values[k] for name, values in rows.items() if name not in solids}},
            poses={**state.poses, **{name: Pose(rows[name][k]) for name in solids}},
        )
        for k in range(len(times))
    ]


def _with_room(
    model: CollisionModel, timeline: Timeline, state: CellState, pair: tuple[str, str], last: float
) -> float:
    """Return the last proved time at which a pair is far enough apart that moving back can be proved."""
    from workcell.collision.clearance import distance_between
    from workcell.collision.moving import state_during

    index, deviations = model.index, model.deviations
    wanted = float(deviations[index[pair[0]]] + deviations[index[pair[1]]]) + _ROOM

    def roomy(time: float) -> bool:
        return distance_between(model, state_during(model, state, timeline.motions, time), *pair).distance >= wanted

    if last <= 0.0 or roomy(last):
        return last
    step = timeline.duration / 4096.0
    good = max(last - step, 0.0)
    while good > 0.0 and not roomy(good):
        last, step = good, 2.0 * step
        good = max(good - step, 0.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (good + last)
        good, last = (middle, last) if roomy(middle) else (good, middle)
    return good
