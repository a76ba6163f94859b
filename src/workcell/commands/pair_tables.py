"""Commands on pairs of bodies: which are tested, which may touch, and the required clearance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.body_names import BodyName, known_bodies
from workcell.commands.collisions import CELL, SETTING, collision_model_of, kept_table
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
    """The name of a body, or a name in the pair table whose body does not exist now."""

    def known(self, session: Session) -> list[str]:
        """Return the bodies, their owners, and the names in the table."""
        return list(dict.fromkeys([*super().known(session), *kept_table(session).names()]))


def _keep(session: Session, table: PairTable) -> None:
    session.database.set_setting(session.rows, SETTING, table.to_json())


def concerns(session: Session, robot: str) -> bool:
    """Return whether the pair table has entries about a robot or its bodies."""
    return any(name == robot or name.startswith(f"{robot}/") for name in kept_table(session).names())


def copy_pairs(session: Session, robot: str, copy: str) -> None:
    """Decide about the copy of a robot what was decided about the robot."""
    _keep(session, kept_table(session).copied(robot, copy))


def _require_two(session: Session, first: str, second: str) -> None:
    """Refuse a pair of one body with itself; a robot with itself means its links."""
    if first == second and first not in [placed.name for placed in session.snapshot().robots]:
        raise Refused(
            f"A body is never tested against itself; found {first!r} twice. Name two bodies, or a robot twice for "
            "its links."
        )


def _evidence(session: Session, first: str, second: str) -> str:
    """Return the evidence if two names touch in the initial state and the table proposes to allow it."""
    from workcell.collision.proposals import proposals

    try:
        model = collision_model_of(session)
        proposed = proposals(model)
    except WorkcellError:  # no evidence if the cell cannot be checked now
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
    help="list the pair table: bodies that are not used, pairs that may touch, margins, and proposals",
    effect="reads",
    background=True,
    examples=[*CELL, "pairs"],
)
def pairs(session: Session) -> Table:
    """Pairs that touch in the initial state are proposed, with evidence; they are never allowed silently.

    If Workcell drew the links of a robot from its dimensions, some of them touch in nearly every pose. These pairs are
    not tested; they are listed with the reason.
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
    rows = [
        (*row[:3], f"{row[3]} (does not exist now)".lstrip()) if {*row[1:3]} - known - {""} else row for row in rows
    ]
    model = collision_model_of(session)
    left_out = untested_as_drawn(model, model.snapshot.initial)
    rows += [("not tested", one, other, f"{reason}; `test` tests them anyway") for one, other, reason in left_out]
    rows += [("proposed", *p.pair, f"{p.evidence}; `allow` confirms it") for p in proposals(model)]
    caption = f"margin for all other pairs: {units.show(table.margin, 'length')}"
    return Table(("", "one", "other", "why"), tuple(rows), caption)


class Why(Result, frozen=True):
    """Whether pairs of bodies are tested, and why."""

    pairs: list[tuple[str, str, bool, str]]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "why {first} with {second}",
    help="explain whether two bodies are tested against each other now",
    effect="reads",
    background=True,
    first=BodyName(),
    second=BodyName(),
    examples=[*CELL, "why box with table", "why Puma with Puma"],
)
def why(session: Session, first: str, second: str) -> Why:
    """For a robot or an object with several bodies, every pair is listed."""
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
    help="let two bodies touch, and record why",
    effect="edits",
    first=BodyName(),
    second=BodyName(),
    reason=Text(),
    param_help={"reason": "why they may touch; in quotes if it has blanks"},
    examples=[*CELL, 'allow box with table because "it lies there"'],
)
def allow(session: Session, first: str, second: str, reason: str) -> Done:
    """The decision is saved in the cell; `forget` reverts it. If `pairs` proposed it, the evidence is saved too."""
    _require_two(session, first, second)
    _keep(session, kept_table(session).allow(first, second, reason, _evidence(session, first, second)))
    return Done(f"{first} and {second} may touch: {reason}")


@command(
    "test {first} with {second}",
    help="test two bodies against each other, even if the rules or an earlier decision exclude them",
    effect="edits",
    first=BodyName(),
    second=BodyName(),
    examples=[*CELL, "> allow box with table because rests", "test box with table"],
)
def test(session: Session, first: str, second: str) -> Done:
    """The decision is saved in the cell; `forget` reverts it.

    Name a robot twice to test its links, as with `test-self`.
    """
    _require_two(session, first, second)
    _keep(session, kept_table(session).test(first, second))
    return Done(f"{first} and {second} are tested" if first != second else f"{first} is tested against itself")


@command(
    "forget {first} with {second}",
    help="remove the decision about two bodies and the margin between them, so that the rules apply again",
    effect="edits",
    first=TabledName(),
    second=TabledName(),
    examples=[*CELL, "> allow box with table because rests", "forget box with table"],
)
def forget(session: Session, first: str, second: str) -> Done:
    """This reverts `allow`, `test` and `margin … between`, even for bodies that do not exist now."""
    _keep(session, kept_table(session).forget(first, second))
    return Done(f"the rules apply to {first} and {second} again")


@command(
    "use body {name}",
    help="include a body or robot in collision tests again, after `ignore body`",
    effect="edits",
    name=TabledName(),
    examples=[*CELL, "> ignore body table", "use body table"],
)
def use_body(session: Session, name: str) -> Done:
    """All bodies are included, unless you ignore them."""
    _keep(session, kept_table(session).use(name))
    return Done(f"{name} is included in collision tests")


@command(
    "ignore body {name}",
    help="exclude a body or robot from collision tests",
    effect="edits",
    name=BodyName(),
    examples=[*CELL, "ignore body table"],
)
def ignore_body(session: Session, name: str) -> Done:
    """The decision is saved in the cell; `use body` reverts it."""
    _keep(session, kept_table(session).do_not_use(name))
    return Done(f"{name} is excluded from collision tests")


@command(
    "test-self {robot} {on}",
    help="choose whether the links of a robot are tested against each other",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    on=YesNo(),
    param_help={"on": "yes or no"},
    examples=[*CELL, "test-self Puma no"],
)
def test_self(session: Session, robot: Entity, on: bool) -> Done:
    """Neighbouring links are never tested. Earlier decisions about the robot with itself are removed."""
    _keep(session, kept_table(session).test_self(robot.name, on))
    return Done(f"{robot.name} is {'tested' if on else 'not tested'} against itself")


@command(
    "margin {distance} [between {first} and {second}]",
    help="require a clearance between all bodies, or between two; less counts as a contact",
    effect="edits",
    distance=Number("length"),
    first=BodyName(),
    second=BodyName(),
    param_help={
        "distance": "the required clearance; 0 for none",
        "first": "default: all bodies, except links of the same robot",
    },
    examples=[*CELL, "margin 5mm", "margin 20mm between Puma and table"],
)
def margin(session: Session, distance: float, first: str = "", second: str = "") -> Done:
    """A general margin does not apply to links of the same robot. `forget` removes the margin of a pair."""
    if first:
        _require_two(session, first, second)
    _keep(session, kept_table(session).require(distance, first, second))
    which = f"between {first} and {second}" if first else "of everything"
    return Done(f"required clearance {which}: {session.units.show(distance, 'length')}")
