"""Commands on collisions: contacts, clearance, certify, check recording, free-share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from workcell.commands.body_names import BodyName
from workcell.commands.collision_answers import Along, ContactRow, Nearest, Proved, Share, Touching, contact_row, noted
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number, Seed
from workcell.errors import InvalidValue, Refused
from workcell.simulation.in_scene import simulated
from workcell.simulation.stretches import stretches
from workcell.wording import counted
from workcell.world.body import unknown_words
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.clearance import Clearance
    from workcell.collision.pairs import PairTable
    from workcell.commands.session import Session
    from workcell.world.state import CellState

SETTING = "pairs"
"""The setting of the cell that holds the pair table."""
_MOST_RANDOM = 1_000_000
CELL = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> add solid table box 560 800 30 at 780,-100,385",
    "> add solid box box 100 100 100 at 1000,150,450 --movable",
]


def kept_table(session: Session) -> PairTable:
    """Return the pair table of the cell, with its entries for bodies that do not exist now."""
    from workcell.collision.pairs import PairTable

    text = session.database.setting(SETTING)
    return PairTable.from_json(text) if text else PairTable()


def pair_table(session: Session) -> PairTable:
    """Return the entries of the pair table for bodies that exist now."""
    from workcell.collision.zones import pair_table_of

    return pair_table_of(session.snapshot())


def collision_model_of(session: Session) -> CollisionModel:
    """Return the collision model of the cell."""
    from workcell.collision.bodies import collision_model
    from workcell.collision.zones import zones_of

    return collision_model(session.snapshot(), pair_table(session), zones=zones_of(session.snapshot()), warn=False)


def state_then(session: Session, time: float | None) -> CellState:
    """Return where everything is now, or where it was at a time of the recording [s]; new things are at their start."""
    if time is None:
        return session.state
    recording = session.recording.on(session.snapshot())
    start, end = recording.start.time, recording.end
    if not start - 1e-9 <= time <= end + 1e-9:
        if start == end:
            raise InvalidValue(
                f"There is no recording, so where everything was at {time:g} s is not known. Leave out `at` for now, "
                "or move something or `run` a program first."
            )
        raise InvalidValue(f"The recording is from {start:.4f} to {end:.4f} s; found {time:g} s.")
    return recording.state_at(min(max(time, start), end))


@command(
    "contacts [at {time}]",
    help="list what touches now, or at a time of the recording, where and how deep",
    effect="reads",
    background=True,
    time=Number("time"),
    param_help={"time": "a time of the recording; default: now"},
    examples=[*CELL, "contacts", "> move-joints-absolute Puma 30,0,-90,0,90,0", "contacts at 0.2s"],
)
def contacts(session: Session, time: float | None = None) -> Touching:
    """A body inside another is a contact too. A movable part that rests on something is listed apart."""
    from workcell.collision.check import check
    from workcell.collision.supports import at_rest, lies_on

    state = state_then(session, time)
    model = at_rest(collision_model_of(session), state)
    found = check(model, state)
    units = session.units
    rows: list[ContactRow] = []
    lines = []
    for contact in found.contacts:
        rows.append(contact_row(contact))
        point = rows[-1]["point"]
        where = ", ".join(units.show(round(v, 6), "length") for v in point)
        if contact.kind == "margin":
            apart, wanted = (units.show(round(v, 6), "length") for v in (-contact.depth, contact.margin))
            lines.append(f"{contact}: {apart} apart, {wanted} wanted, near ({where})")
        else:
            lines.append(f"{contact} near ({where}), {units.show(round(max(contact.depth, 0.0), 6), 'length')} deep")
    supports = {(one.part, one.base): lies_on(model, state, one) for one in model.pairs.supports}
    rests = tuple(pair for pair, lies in supports.items() if lies)
    against = tuple(pair for pair, lies in supports.items() if not lies)
    resting = [f"{part} {'rests on' if lies else 'stands against'} {base}" for (part, base), lies in supports.items()]
    text = "\n".join([*(lines or ["nothing touches"]), *resting, *found.notes])
    return Touching(rows, list(found.notes), text, rests, against)


@command(
    "check recording [--here]",
    help="prove that nothing touched in the recording, or show where something touches first",
    effect="reads",
    background=True,
    param_help={"here": "check the motions of a recording from another cell among the bodies of this cell"},
    examples=[*CELL, "> move-joints-absolute Puma 30,0,-90,0,90,0", "check recording", "check recording --here"],
)
def check_recording(session: Session, here: bool = False) -> Along:
    """Every instant is checked; in older recordings, only samples. A part may touch what it rests on.

    A loaded recording from another cell is refused, because nothing would be proved about the cell where it was made.
    """
    from workcell.world.cell_print import listed

    differs = require_own_cell(session, here)
    found = _checked(session)
    if differs is None:
        note = "The recording does not state in which cell it was made."
        return msgspec.structs.replace(found, text=f"{found.text}\n{note}", notes=(*found.notes, note))
    if differs:
        text = f"in this cell, not in the one of the recording ({listed(differs)}): {found.text}"
        return msgspec.structs.replace(found, text=text, differs=differs)
    return found


def require_own_cell(session: Session, here: bool) -> tuple[str, ...] | None:
    """Refuse a recording from another cell, unless asked to check it here; return how the cells differ, if known."""
    from workcell.world.cell_print import listed

    differs = session.recording.differs_from(session.snapshot())
    if differs and not here:
        raise Refused(
            f"The recording was made in another cell: {listed(differs)}. Open that cell, or use `check recording "
            "--here` to check its motions in this cell.",
            differs=differs,
        )
    return differs


def _checked(session: Session) -> Along:
    from workcell.collision.batch import check_batch
    from workcell.collision.clearance import distance_between
    from workcell.simulation.proving import passing, prove

    model, recording = collision_model_of(session), session.recording
    touching: dict[float, bool] = {}
    first: tuple[float, tuple[str, str]] | None = None
    how = ""
    for stretch in stretches(recording):
        asked = stretch.model(model)
        found = check_batch(asked, stretch.states, stretch.state)
        for time, now in zip(stretch.times.tolist(), found.touching.tolist(), strict=True):
            touching[time] = touching.get(time, False) or now
        if first is None and found.touching.any():
            row = int(found.touching.argmax())
            pair = found.pair(row)
            assert pair is not None
            first = float(stretch.times[row]), pair
            how = distance_between(asked, stretch.at(row), *pair).trespass
    samples, bad = len(touching), sum(touching.values())
    instants = passing(recording, model)
    if instants.contact is not None and (first is None or instants.contact[0] < first[0]):
        time, pair = instants.contact
        text = f"{' and '.join(pair)} touch at {time:.4f} s, where something is put and taken away at the same instant"
        return noted(Along(samples, time, pair, bad, text), model)
    if first is not None:
        names = " and ".join(first[1])
        text = f"{names} {how} at {first[0]:.4f} s; something does so at {bad} of {samples} samples"
        return noted(Along(samples, first[0], first[1], bad, text), model)
    if not recording.exact:
        text = f"nothing touches at any of {samples} samples; the recording has no exact motions, so nothing is proved"
        return noted(Along(samples, None, None, 0, text), model)
    proof = prove(recording, model, session.progress, session.cancel)
    if proof.contact is not None:
        time, pair = proof.contact
        text = f"{' and '.join(pair)} touch or come too near at {time:.4f} s, between two samples"
        return noted(Along(samples, time, pair, 0, text), model)
    undecided = tuple(sorted((*instants.undecided, *proof.undecided)))
    if undecided:
        begin, end, pair, reason = undecided[0]
        more = f", and so are {len(undecided) - 1} more" if len(undecided) > 1 else ""
        text = (
            f"nothing touches at any of {samples} samples; whether {' and '.join(pair)} touch from {begin:.4f} to "
            f"{end:.4f} s is undecided ({reason}){more}"
        )
        return noted(Along(samples, None, None, 0, text, undecided=undecided), model)
    text = f"proved: nothing touches at any instant of {recording.duration:.4f} s"
    return noted(Along(samples, None, None, 0, text, proved=True), model)


@command(
    "free-share {robot} {count} [seed {seed}]",
    help="estimate the share of a robot's joint space that is free of contacts, from random joint values",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    count=Number(positive=True, whole=True),
    seed=Seed(),
    param_help={"count": "the number of random states", "seed": "of the random numbers; default 0"},
    examples=[*CELL, "free-share Puma 2000", "free-share Puma 500 seed 7"],
)
def free_share(session: Session, robot: Entity, count: int, seed: int = 0) -> Share:
    """The same seed gives the same states. Everything else stays where it is now. A part may touch what it rests on."""
    from workcell.collision.batch import check_batch
    from workcell.collision.supports import going

    if count > _MOST_RANDOM:
        raise Refused(f"At most {_MOST_RANDOM:,} random states are checked at once; found {count:,}.")
    limits = simulated(session.simulator, robot).robot.limits
    Q = np.random.default_rng(abs(seed)).uniform(limits[:, 0], limits[:, 1], (count, len(limits)))
    model = collision_model_of(session)
    model = model.asking(model.pairs, going(model, session.state, [robot.name]))
    found = check_batch(model, {robot.name: Q}, session.state, threads=None)
    free = int((~found.touching).sum())
    tally = Counter(found.pair(int(row)) for row in np.flatnonzero(found.touching))
    often = [(*pair, number) for pair, number in tally.most_common(5) if pair is not None]
    lines = [f"{free} of {counted(count, 'state')} are free ({free / count:.1%})"]
    lines += [f"  {one} and {other}: {number}" for one, other, number in often]
    return noted(Share(count, free, often, "\n".join(lines)), model)


_Found: TypeAlias = "tuple[Clearance, float | None] | None"


def _nearest(session: Session, others: _Found, own: _Found = None) -> Nearest:
    """Return the answer with the smallest distance to everything else, and the smallest between links of one robot."""
    units = session.units

    def words(found: Clearance, when: float | None) -> str:
        at = "" if when is None else f" at {when:.4f} s"
        promised = units.show(round(found.bound, 9), "length")
        distance = units.show(round(found.distance, 9), "length")
        return f"{distance} between {' and '.join(found.pair)}{at} (solids: at least {promised})"

    main = others or own
    if main is None:
        untested = unknown_words(session.snapshot().unknown)
        raise Refused(f"No bodies are tested against each other here, so there is no clearance.{untested}")
    best, when = main
    text = words(best, when)
    if others is None:
        text = f"among its own links {text}"
    answer = Nearest(float(best.distance), best.pair, best.points.tolist(), text, when)
    if own is None:
        return answer
    near, then = own
    if others is not None:
        text += f"\namong links of one robot {words(near, then)}"
    return msgspec.structs.replace(
        answer, text=text, own=float(near.distance), own_pair=near.pair, own_time=then
    )  # fmt: skip


@command(
    "clearance [of {robot}] [between {first} and {second}] [at {time}]",
    help="show the smallest distance now, or at a time of the recording: of everything, of a robot, or of two bodies",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    first=BodyName(),
    second=BodyName(),
    time=Number("time"),
    param_help={"robot": "measure only from this robot", "time": "a time of the recording; default: now"},
    examples=[
        *CELL,
        "clearance",
        "clearance of Puma",
        "clearance between Puma and box",
        "> move-joints-absolute Puma 30,0,-90,0,90,0",
        "clearance at 0.2s",
    ],
)
def clearance(
    session: Session,
    robot: Entity | None = None,
    first: str | None = None,
    second: str | None = None,
    time: float | None = None,
) -> Nearest:
    """Distances are exact on the meshes. Links of the same robot are listed apart.

    The distance between a part and what it rests on does not count, unless you name both.
    """
    from workcell.collision import clearance as engine
    from workcell.collision.supports import at_rest

    model, state = collision_model_of(session), state_then(session, time)
    if first is not None and second is not None:
        return noted(_nearest(session, (engine.distance_between(model, state, first, second), time)), model)
    model = at_rest(model, state)
    answers: list[_Found] = []
    for own in (False, True):
        if robot is not None:
            found = engine.clearance_of(model, state, robot.name, own=own)
        else:
            found = engine.clearance(model, state, own=own)
        answers.append(None if found is None else (found, time))
    return noted(_nearest(session, *answers), model)


@command(
    "least-clearance [of {robot}] [between {first} and {second}]",
    help="show the smallest distance in the recording, and when it occurred",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    first=BodyName(),
    second=BodyName(),
    param_help={"robot": "measure only from this robot"},
    examples=[
        *CELL,
        "> move-joints-absolute Puma 30,0,-90,0,90,0",
        "least-clearance of Puma",
        "least-clearance between Puma and table",
    ],
)
def least_clearance(
    session: Session, robot: Entity | None = None, first: str | None = None, second: str | None = None
) -> Nearest:
    """Every recorded sample is checked. Links of the same robot are listed apart.

    The distance between two bodies that did not move, or that rested on each other, does not count.
    """
    from workcell.collision.batch_clearance import least_clearance as least

    model = collision_model_of(session)
    between = (first, second) if first is not None and second is not None else None
    name = robot.name if robot else None
    pieces = [(stretch, model if between else stretch.model(model)) for stretch in stretches(session.recording)]

    def over(own: bool | None) -> _Found:
        best: _Found = None
        for stretch, asked in pieces:
            within = np.inf if best is None else best[0].distance
            if within <= 0.0:
                break
            found = least(asked, stretch.states, stretch.state, robot=name, own=own, between=between, within=within)
            if found is not None:
                best = found[1], float(stretch.times[found[0]])
        return best

    return noted(_nearest(session, over(None)) if between else _nearest(session, over(False), over(True)), model)


@command(
    "certify {robot} {joints}",
    help="prove that a move of a robot's joints to given values touches nothing, or show when it does",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    examples=[*CELL, "certify Puma 40,0,-90,0,90,0"],
)
def certify(session: Session, robot: Entity, joints: tuple[float, ...]) -> Proved:
    """The proof covers every instant, without samples. A part may touch what it rests on."""
    from workcell.collision.certify import certify as prove
    from workcell.collision.proof import ContactAt, Free
    from workcell.collision.supports import supported
    from workcell.motion.named_profiles import joint_line

    one = simulated(session.simulator, robot)
    target = one.robot.checked(joints)
    one.robot.require_limits(target)
    placed = session.snapshot().robot(robot.name)
    motion = joint_line(one.robot, one.joints, target, placed.profile, placed.speed)
    end = session.state.with_joints(robot.name, target)
    model = supported(collision_model_of(session), session.state, [robot.name], end)
    proof = prove(model, {robot.name: motion}, session.state, progress=session.progress, cancel=session.cancel)
    text, pair = str(proof), proof.pair
    if isinstance(proof, Free):
        answer = Proved("free", float(proof.bound), None, motion.duration, pair, text)
    elif isinstance(proof, ContactAt):
        answer = Proved("contact", None, float(proof.time), float(proof.last_free), pair, text)
    else:
        answer = Proved("undecided", None, float(proof.interval[0]), float(proof.last_free), pair, text)
    return noted(answer, model)
