"""Commands on collisions: what touches, how near, which pairs are tested, and motions proved free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.commands.moves import JointVector, simulated
from workcell.commands.references import Ref
from workcell.commands.registry import command
from workcell.commands.results import Done, Result, Table
from workcell.commands.tokens import Tokens, unquote
from workcell.commands.values import Number, Text, Value, YesNo
from workcell.errors import Refused, UnknownName
from workcell.world.entities import Entity, quoted
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.pairs import PairTable
    from workcell.commands.session import Session

SETTING = "pairs"
"""The setting of the cell that holds the pair table."""
_MOST_RANDOM = 1_000_000
CELL = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> add solid table box 560 800 30 at 780,-100,385",
    "> add solid box box 100 100 100 at 1000,150,460 --movable",
]


class BodyName(Value):
    """A body, an object, or a whole robot by its name: ``table``, ``Puma`` or ``"Puma/link 2"``."""

    label = "BODY"

    def __init__(self, zones: bool = False) -> None:
        self.zones = zones
        """Whether a zone will do as well."""

    def _known(self, session: Session) -> list[str]:
        zones = session.database.names("zone") if self.zones else []
        return [*known_bodies(session), *zones]

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Refused with the closest names when nothing is called so."""
        token = tokens.peek()
        if token is None:
            raise tokens.fail("Expected the name of a body.", [self.label])
        tokens.take()
        name = unquote(token.text)
        known = self._known(session)
        if name not in known:
            error = UnknownName.among("body or robot", name, known)
            raise tokens.fail(str(error), [self.label], token.start)
        return name

    def text(self, value: Any) -> str:
        """In quotes where needed."""
        return quoted(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Bodies and their owners."""
        return [(quoted(name), "body") for name in self._known(session) if name.startswith(prefix)]


def known_bodies(session: Session) -> list[str]:
    """The names of all bodies and of what owns them."""
    bodies = session.snapshot().bodies
    return list(dict.fromkeys([*(body.name for body in bodies), *(body.owner for body in bodies)]))


def kept_table(session: Session) -> PairTable:
    """The pair table that the cell keeps, with what it says of bodies that are not there now."""
    from workcell.collision.pairs import PairTable

    text = session.database.setting(SETTING)
    return PairTable.from_json(text) if text else PairTable()


def pair_table(session: Session) -> PairTable:
    """What the pair table says of the bodies that are there."""
    return kept_table(session).among(known_bodies(session))


def collision_model_of(session: Session) -> CollisionModel:
    """The cell's bodies and pairs, ready for questions."""
    from workcell.collision.bodies import collision_model
    from workcell.collision.zones import zones_of

    return collision_model(session.snapshot(), pair_table(session), zones=zones_of(session.database), warn=False)


def stretches(session: Session) -> list[tuple[NDArray[np.float64], dict[str, NDArray[np.float64]], CellState]]:
    """What was recorded between changes of who carries what: times, joint values, and the state of the rest."""
    recording = session.recording
    times = recording.times
    if not recording.robots:
        raise Refused("Nothing has moved since the recording began, so there is nothing to look along; move a robot.")
    counts = recording.changed_by(times)
    found = []
    for count in np.unique(counts):
        rows = times[counts == count]
        state = recording.held(int(count))
        found.append((rows, recording.joints_at(rows), state.with_(joints={**recording.start.joints, **state.joints})))
    return found


def _keep(session: Session, table: PairTable) -> None:
    session.database.set_setting(session.rows, SETTING, table.to_json())


class Touching(Result, frozen=True):
    """What touches now: pairs with a point [m] and how deep [m]."""

    contacts: list[dict[str, Any]]
    notes: list[str]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "contacts",
    help="what touches what in the present state, where and how deep",
    effect="reads",
    background=True,
    examples=[*CELL, "contacts"],
)
def contacts(session: Session) -> Touching:
    """From triangles within a stated tolerance of the exact solids; one thing inside another counts."""
    from workcell.collision.check import check

    found = check(collision_model_of(session), session.state)
    units = session.units
    rows = []
    lines = []
    for contact in found.contacts:
        point = [float(v) for v in contact.points[0]]
        rows.append({"pair": list(contact.pair), "kind": contact.kind, "point": point, "depth": float(contact.depth)})
        where = ", ".join(units.show(round(v, 6), "length") for v in point)
        lines.append(f"{contact} near ({where}), {units.show(round(contact.depth, 6), 'length')} deep")
    return Touching(rows, list(found.notes), "\n".join([*(lines or ["nothing touches"]), *found.notes]))


class Along(Result, frozen=True):
    """The first contact of what was recorded: at which time [s], between what; and how many samples were looked at."""

    samples: int
    time: float | None
    pair: tuple[str, str] | None
    touching: int
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "check recording",
    help="look at every sample of what was recorded and say where something touches first",
    effect="reads",
    background=True,
    examples=[*CELL, "> move-joints-absolute Puma 30,0,-90,0,90,0", "check recording"],
)
def check_recording(session: Session) -> Along:
    """Samples only; `certify` proves a motion before it is made."""
    from workcell.collision.batch import check_batch

    model = collision_model_of(session)
    samples = touching = 0
    first: tuple[float, tuple[str, str]] | None = None
    for times, joints, state in stretches(session):
        found = check_batch(model, joints, state)
        samples += len(times)
        touching += int(found.touching.sum())
        if first is None and found.touching.any():
            row = int(found.touching.argmax())
            pair = found.pair(row)
            assert pair is not None
            first = float(times[row]), pair
    if first is None:
        return Along(samples, None, None, 0, f"nothing touches at any of {samples} samples")
    names = " and ".join(first[1])
    text = f"{names} touch at {first[0]:.4f} s; something touches at {touching} of {samples} samples"
    return Along(samples, first[0], first[1], touching, text)


class Share(Result, frozen=True):
    """How many random states of a robot are free, and which pairs touch most."""

    states: int
    free: int
    pairs: list[tuple[str, str, int]]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "free-share {robot} {count} [seed {seed}]",
    help="the share of a robot's joint space in which nothing touches, from random joint values within its limits",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    count=Number(positive=True, whole=True),
    seed=Number(whole=True),
    examples=[*CELL, "free-share Puma 2000", "free-share Puma 500 seed 7"],
)
def free_share(session: Session, robot: Entity, count: int, seed: int = 0) -> Share:
    """The same seed gives the same states; everything else stays as it is now."""
    from workcell.collision.batch import check_batch

    if count > _MOST_RANDOM:
        raise Refused(f"At most {_MOST_RANDOM:,} random states are looked at in one go; {count:,} were asked for.")
    limits = simulated(session, robot).robot.limits
    Q = np.random.default_rng(abs(seed)).uniform(limits[:, 0], limits[:, 1], (count, len(limits)))
    found = check_batch(collision_model_of(session), {robot.name: Q}, session.state, threads=None)
    free = int((~found.touching).sum())
    tally = Counter(found.pair(int(row)) for row in np.flatnonzero(found.touching))
    often = [(*pair, number) for pair, number in tally.most_common(5) if pair is not None]
    lines = [f"{free} of {count} states are free ({free / count:.1%})"]
    lines += [f"  {one} and {other}: {number}" for one, other, number in often]
    return Share(count, free, often, "\n".join(lines))


class Nearest(Result, frozen=True):
    """The least distance [m], between what, and the nearest points [m]."""

    distance: float
    pair: tuple[str, str]
    points: list[list[float]]
    text: str
    time: float | None = None

    def __str__(self) -> str:
        return self.text


@command(
    "clearance [of {robot}] [between {first} and {second}]",
    help="the least distance in the present state: of everything, of a robot, or between two bodies",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    first=BodyName(zones=True),
    second=BodyName(zones=True),
    examples=[*CELL, "clearance", "clearance of Puma", "clearance between Puma and box"],
)
def clearance(
    session: Session, robot: Entity | None = None, first: str | None = None, second: str | None = None
) -> Nearest:
    """Exact on the meshes; what is promised of the solids subtracts their deviation."""
    from workcell.collision import clearance as engine

    model = collision_model_of(session)
    found: engine.Clearance | None
    if first is not None and second is not None:
        found = engine.distance_between(model, session.state, first, second)
    elif robot is not None:
        found = engine.clearance_of(model, session.state, robot.name)
    else:
        found = engine.clearance(model, session.state)
    if found is None:
        raise Refused("No two bodies are tested against each other here, so there is no clearance.")
    units = session.units
    names = " and ".join(found.pair)
    text = f"{units.show(round(found.distance, 9), 'length')} between {names}"
    text += f" (solids: at least {units.show(round(found.bound, 9), 'length')})"
    return Nearest(float(found.distance), found.pair, found.points.tolist(), text)


@command(
    "least-clearance [of {robot}]",
    help="the least distance over every sample of what was recorded, and when it was",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    examples=[*CELL, "> move-joints-absolute Puma 30,0,-90,0,90,0", "least-clearance of Puma"],
)
def least_clearance(session: Session, robot: Entity | None = None) -> Nearest:
    """Exact at the samples; `certify` bounds the clearance of a motion between them as well."""
    from workcell.collision import batch

    model, best, when = collision_model_of(session), None, 0.0
    for times, joints, state in stretches(session):
        within = np.inf if best is None else best.distance
        if within <= 0.0:
            break
        found = batch.least_clearance(model, joints, state, robot=robot.name if robot else None, within=within)
        if found is not None:
            best, when = found[1], float(times[found[0]])
    if best is None:
        raise Refused("No two bodies are tested against each other here, so there is no clearance.")
    text = f"{session.units.show(round(best.distance, 9), 'length')} between {' and '.join(best.pair)} at {when:.4f} s"
    return Nearest(float(best.distance), best.pair, best.points.tolist(), text, when)


class Proved(Result, frozen=True):
    """Whether a motion is free: ``free`` with a bound [m], ``contact`` with a time [s], or ``undecided``."""

    verdict: str
    bound: float | None
    time: float | None
    last_free: float | None
    pair: tuple[str, str] | None
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "certify {robot} {joints}",
    help="prove that moving a robot's joints from here to there touches nothing, or say when it does",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    examples=[*CELL, "certify Puma 40,0,-90,0,90,0"],
)
def certify(session: Session, robot: Entity, joints: tuple[float, ...]) -> Proved:
    """No sampling: intervals of time are halved until a bound on how far anything can move proves them."""
    from workcell.collision import certify as engine
    from workcell.motion.profiles import linear

    one = simulated(session, robot)
    target = one.robot.checked(joints)
    one.robot.require_limits(target)
    speed = session.snapshot().robot(robot.name).speed
    motion = linear(one.joints, target, speed)
    proof = engine.certify(collision_model_of(session), {robot.name: motion}, session.state)
    if isinstance(proof, engine.Free):
        return Proved("free", float(proof.bound), None, motion.duration, proof.pair, str(proof))
    if isinstance(proof, engine.ContactAt):
        return Proved("contact", None, float(proof.time), float(proof.last_free), proof.pair, str(proof))
    return Proved("undecided", None, float(proof.interval[0]), float(proof.last_free), proof.pair, str(proof))


@command(
    "pairs",
    help="list what the pair table says: what is not used, allowed, and the margins; and what it proposes to allow",
    effect="reads",
    background=True,
    examples=[*CELL, "pairs"],
)
def pairs(session: Session) -> Table:
    """Pairs that touch in the initial state are proposed with evidence, never allowed silently."""
    from workcell.collision.proposals import proposals

    table, known = kept_table(session), set(known_bodies(session))
    units = session.units
    rows: list[tuple[str, str, str, str]] = [("not used", name, "", "") for name in table.unused]
    rows += [("not against itself", name, "", "") for name in table.self_off]
    rows += [("tested" if d.tested else "allowed", d.first, d.second, d.reason) for d in table.decisions]
    rows += [("margin", m.first, m.second, units.show(m.margin, "length")) for m in table.margins]
    rows += [
        ("proposed", *p.pair, f"{p.evidence}; `allow` confirms it") for p in proposals(collision_model_of(session))
    ]
    rows = [(*row[:3], f"{row[3]} (not there now)".lstrip()) if {*row[1:3]} - known - {""} else row for row in rows]
    caption = f"margin for all other pairs: {units.show(table.margin, 'length')}"
    return Table(("", "one", "other", "why"), tuple(rows), caption)


@command(
    "allow {first} with {second} because {reason}",
    help="let two bodies touch from now on, with the reason",
    effect="edits",
    first=BodyName(),
    second=BodyName(),
    reason=Text(),
    examples=[*CELL, 'allow box with table because "it lies there"'],
)
def allow(session: Session, first: str, second: str, reason: str) -> Done:
    """Kept with the cell; `test` takes it back."""
    _keep(session, kept_table(session).allow(first, second, reason))
    return Done(f"{first} and {second} may touch: {reason}")


@command(
    "test {first} with {second}",
    help="test two bodies against each other, whatever the rules or an earlier decision say",
    effect="edits",
    first=BodyName(),
    second=BodyName(),
    examples=[*CELL, "> allow box with table because rests", "test box with table"],
)
def test(session: Session, first: str, second: str) -> Done:
    """Kept with the cell."""
    _keep(session, kept_table(session).test(first, second))
    return Done(f"{first} and {second} are tested")


@command(
    "use body {name}",
    help="let a body or robot take part in collision tests again",
    effect="edits",
    name=BodyName(),
    examples=[*CELL, "> ignore body table", "use body table"],
)
def use_body(session: Session, name: str) -> Done:
    """Everything takes part unless ignored."""
    _keep(session, kept_table(session).use(name))
    return Done(f"{name} takes part in collision tests")


@command(
    "ignore body {name}",
    help="leave a body or robot out of collision tests",
    effect="edits",
    name=BodyName(),
    examples=[*CELL, "ignore body table"],
)
def ignore_body(session: Session, name: str) -> Done:
    """Kept with the cell; `use body` brings it back."""
    _keep(session, kept_table(session).do_not_use(name))
    return Done(f"{name} takes no part in collision tests")


@command(
    "test-self {robot} {on}",
    help="test a robot's links against each other, or not",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    on=YesNo(),
    examples=[*CELL, "test-self Puma no"],
)
def test_self(session: Session, robot: Entity, on: bool) -> Done:
    """Neighbouring links are never tested."""
    _keep(session, kept_table(session).test_self(robot.name, on))
    return Done(f"{robot.name} is {'tested' if on else 'not tested'} against itself")


@command(
    "margin {distance} [between {first} and {second}]",
    help="require a clearance: of everything, or of one pair; nearer counts as contact",
    effect="edits",
    distance=Number("length"),
    first=BodyName(),
    second=BodyName(),
    examples=[*CELL, "margin 5mm", "margin 20mm between Puma and table"],
)
def margin(session: Session, distance: float, first: str = "", second: str = "") -> Done:
    """Kept with the cell."""
    _keep(session, kept_table(session).require(distance, first, second))
    which = f"between {first} and {second}" if first else "of everything"
    return Done(f"required clearance {which}: {session.units.show(distance, 'length')}")
