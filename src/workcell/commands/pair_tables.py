"""Commands on pairs: what is tested against what, why not, and the clearance required."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.collisions import CELL, SETTING, BodyName, collision_model_of, kept_table, known_bodies
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number, Text, YesNo
from workcell.commands.results import Done, Result, Table
from workcell.errors import Refused, WorkcellError
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.collision.pairs import PairTable
    from workcell.commands.session import Session


class TabledName(BodyName):
    """As a body's name; also one that only the pair table has, of something that is not there now."""

    def known(self, session: Session) -> list[str]:
        """Bodies, their owners, and the names in the table."""
        return list(dict.fromkeys([*super().known(session), *kept_table(session).names()]))


def _keep(session: Session, table: PairTable) -> None:
    session.database.set_setting(session.rows, SETTING, table.to_json())


def _require_two(session: Session, first: str, second: str) -> None:
    """Refuse one body with itself; a robot with itself means its links."""
    if first == second and first not in [placed.name for placed in session.snapshot().robots]:
        raise Refused(f"A body is never tested against itself; name two bodies, or a robot, not {first!r} twice.")


def _evidence(session: Session, first: str, second: str) -> str:
    """What is known of two names touching at home, when the table proposes to allow that."""
    from workcell.collision.proposals import proposals

    try:
        model = collision_model_of(session)
        proposed = proposals(model)
    except WorkcellError:  # what cannot be asked now gives no evidence
        return ""
    ones, others = set(model.bodies_called(first)), set(model.bodies_called(second))
    found = []
    for proposal in proposed:
        a, b = (model.index[name] for name in proposal.pair)
        if (a in ones and b in others) or (b in ones and a in others):
            found.append(proposal)
    exact = len(found) == 1 and {*found[0].pair} == {first, second}
    return "; ".join(one.evidence if exact else str(one) for one in found)


@command(
    "pairs",
    help="list what the pair table says: what is not used, allowed, and the margins; and what it proposes to allow",
    effect="reads",
    background=True,
    examples=[*CELL, "pairs"],
)
def pairs(session: Session) -> Table:
    """Pairs that touch in the initial state are proposed with evidence, never allowed silently.

    Links that Workcell drew from the dimensions of a robot and that touch by that in nearly every pose are not tested;
    they are listed with the reason.
    """
    from workcell.collision.drawn import untested_as_drawn
    from workcell.collision.proposals import proposals

    table, known = kept_table(session), set(known_bodies(session))
    units = session.units
    rows: list[tuple[str, str, str, str]] = [("not used", name, "", "") for name in table.unused]
    rows += [("not against itself", name, "", "") for name in table.self_off]
    for d in table.decisions:
        why = f"{d.reason} ({d.evidence})" if d.evidence else d.reason
        rows.append(("tested" if d.tested else "allowed", d.first, d.second, why))
    rows += [("margin", m.first, m.second, units.show(m.margin, "length")) for m in table.margins]
    rows = [(*row[:3], f"{row[3]} (not there now)".lstrip()) if {*row[1:3]} - known - {""} else row for row in rows]
    model = collision_model_of(session)
    left_out = untested_as_drawn(model, model.snapshot.initial)
    rows += [("not tested", one, other, f"{reason}; `test` tests them all the same") for one, other, reason in left_out]
    rows += [("proposed", *p.pair, f"{p.evidence}; `allow` confirms it") for p in proposals(model)]
    caption = f"margin for all other pairs: {units.show(table.margin, 'length')}"
    return Table(("", "one", "other", "why"), tuple(rows), caption)


class Why(Result, frozen=True):
    """Whether pairs of bodies are tested, and why or why not; the margin [m] where they are."""

    pairs: list[tuple[str, str, bool, str]]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "why {first} with {second}",
    help="whether two bodies are tested against each other now, and why or why not",
    effect="reads",
    background=True,
    first=BodyName(),
    second=BodyName(),
    examples=[*CELL, "why box with table", "why Puma with Puma"],
)
def why(session: Session, first: str, second: str) -> Why:
    """Of robots and objects every pair of their bodies."""
    from workcell.collision.clearance import margin_of
    from workcell.collision.supports import at_rest

    model = at_rest(collision_model_of(session), session.state)
    arrangement = model.arrangement(session.state)
    rows, lines = [], []
    ones, others = model.bodies_called(first), model.bodies_called(second)
    for a, b in dict.fromkeys((min(a, b), max(a, b)) for a in ones for b in others if a != b or ones == others == (a,)):
        one, other = model.bodies[a].name, model.bodies[b].name
        reason = arrangement.reason(one, other)
        tested = arrangement.tested(one, other)
        rows.append((one, other, tested, reason))
        margin = margin_of(arrangement, a, b) if tested else 0.0
        wanted = f", to stay {session.units.show(margin, 'length')} apart" if margin > 0.0 else ""
        lines.append(f"{one} and {other}: {reason}{wanted}" if tested else f"{one} and {other}: not tested: {reason}")
    return Why(rows, "\n".join(lines))


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
    """Kept with the cell, with the evidence where `pairs` proposed it; `forget` takes it back."""
    _require_two(session, first, second)
    _keep(session, kept_table(session).allow(first, second, reason, _evidence(session, first, second)))
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
    """Kept with the cell; `forget` takes it back. A robot with itself is tested as with `test-self`."""
    _require_two(session, first, second)
    _keep(session, kept_table(session).test(first, second))
    return Done(f"{first} and {second} are tested" if first != second else f"{first} is tested against itself")


@command(
    "forget {first} with {second}",
    help="forget what was decided about two bodies, and the margin between them; the rules hold again",
    effect="edits",
    first=TabledName(),
    second=TabledName(),
    examples=[*CELL, "> allow box with table because rests", "forget box with table"],
)
def forget(session: Session, first: str, second: str) -> Done:
    """Takes back `allow`, `test` and `margin … between`, also of what is not there now."""
    _keep(session, kept_table(session).forget(first, second))
    return Done(f"nothing is decided about {first} and {second} any more")


@command(
    "use body {name}",
    help="let a body or robot take part in collision tests again",
    effect="edits",
    name=TabledName(),
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
    """Neighbouring links are never tested. What was decided about the robot with itself is forgotten."""
    _keep(session, kept_table(session).test_self(robot.name, on))
    return Done(f"{robot.name} is {'tested' if on else 'not tested'} against itself")


@command(
    "margin {distance} [between {first} and {second}]",
    help="require a clearance: of everything but a robot's own links, or of one pair; nearer counts as contact",
    effect="edits",
    distance=Number("length"),
    first=BodyName(),
    second=BodyName(),
    examples=[*CELL, "margin 5mm", "margin 20mm between Puma and table"],
)
def margin(session: Session, distance: float, first: str = "", second: str = "") -> Done:
    """Links of one robot are near by build, so that only a margin between them counts; `forget` takes a pair's back."""
    if first:
        _require_two(session, first, second)
    _keep(session, kept_table(session).require(distance, first, second))
    which = f"between {first} and {second}" if first else "of everything"
    return Done(f"required clearance {which}: {session.units.show(distance, 'length')}")
