"""Commands on what is not used: loose, loose-shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Text
from workcell.commands.results import Result
from workcell.wording import counted, quoted
from workcell.world.entities import Entity
from workcell.world.robot_shape import is_robot

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.loose_shapes import LooseShape

SHOWN = 100
"""The most things whose shapes one answer has."""
_SPARE = "> create block spare box 40 40 40"
_UNLESS = {"known": "the digest of an earlier answer; if nothing has changed since, the answer is empty"}
_UNCHANGED = "unchanged"


class LooseThing(Result, frozen=True):
    """Something that stands nowhere and is part of nothing."""

    id: str
    kind: str
    name: str


class LooseThings(Result, frozen=True):
    """What stands nowhere and is part of nothing, in order of creation; none if the digest was given."""

    things: list[LooseThing]
    digest: str
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "loose [unless {known}]",
    help="list surfaces, blocks, objects, tools and robots that stand nowhere and are part of nothing",
    effect="reads",
    background=True,
    known=Text(),
    param_help=_UNLESS,
    examples=[_SPARE, "loose"],
)
def loose(session: Session, known: str = "") -> LooseThings:
    """Drafts of robots are among them. `place` puts a block or an object into the scene."""
    found = session.database.loose()
    things = [LooseThing(_id(number), kind, name) for number, name, kind in found]
    digest = _digest(things)
    if digest == known:
        return LooseThings([], digest, _UNCHANGED)
    lines = [f"  {kind}:{quoted(name)}" for _, name, kind in found]
    return LooseThings(things, digest, "\n".join([counted(len(found), "loose thing"), *lines]))


class LoosePiece(Result, frozen=True):
    """A solid of one colour in the frame of its thing; its shape is at ``/glb/{glb}``."""

    glb: str
    colour: tuple[float, float, float]
    opacity: float


class LoosePatch(Result, frozen=True):
    """A flat surface: of each region its outline and then its holes, as points of its plane [m].

    ``matrix`` is the plane in the frame of the thing, as rows.
    """

    regions: list[list[list[tuple[float, float]]]]
    matrix: list[list[float]]
    colour: tuple[float, float, float]


class LooseShapeRow(Result, frozen=True):
    """The shape of a thing that stands nowhere, in its own frame.

    ``placeable`` is whether `place` puts it into the scene. ``note`` is why nothing of it can be drawn, or ''.
    """

    id: str
    pieces: list[LoosePiece]
    patches: list[LoosePatch]
    placeable: bool
    note: str


class LooseShapeRows(Result, frozen=True):
    """The shapes of things that stand nowhere, in order of creation; ``left_out`` is how many are not in the answer.

    There are none if the digest is the one that was given.
    """

    shapes: list[LooseShapeRow]
    left_out: int
    digest: str
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "loose-shapes [with {thing}] [unless {known}]",
    help="give the shapes of what stands nowhere and is part of nothing, for drawing",
    effect="reads",
    background=True,
    thing=Ref("surface", "block", "object", "robot", "mechanism", "tool", "gripper"),
    known=Text(),
    param_help={"thing": "a thing that is in the answer, however many there are", **_UNLESS},
    examples=[_SPARE, "loose-shapes"],
)
def loose_shapes(session: Session, thing: Entity | None = None, known: str = "") -> LooseShapeRows:
    """The answer has at most the 100 newest things, and the one that is asked for. Nothing changes."""
    from workcell.world.loose_shapes import LooseShapes

    found = [number for number, _, _ in session.database.loose()]
    asked = [] if thing is None or thing.id not in found[:-SHOWN] else [thing.id]
    numbers = asked + found[-SHOWN:]
    shapes = LooseShapes(session.database, numbers)
    entities = session.database.with_ids(numbers)
    rows = [_row(session, entities[number][0], shapes.of(number)) for number in numbers if number in entities]
    left_out, digest = len(found) - len(rows), _digest(rows)
    if digest == known:
        return LooseShapeRows([], left_out, digest, _UNCHANGED)
    drawn = sum(not row.note for row in rows)
    text = counted(drawn, "shape") + (f"; {counted(left_out, 'loose thing')} left out" if left_out else "")
    return LooseShapeRows(rows, left_out, digest, text)


def _row(session: Session, thing: Entity, shape: LooseShape) -> LooseShapeRow:
    pieces = [LoosePiece(session.announce(one.solid), one.colour, one.opacity) for one in shape.pieces]
    patches = [
        LoosePatch(
            [[[(x, y) for x, y in loop.tolist()] for loop in region] for region in patch.regions],
            patch.matrix.tolist(),
            patch.colour,
        )
        for patch in shape.patches
    ]
    note = "" if pieces or patches else shape.note or "it has no shape"
    return LooseShapeRow(_id(thing.id), pieces, patches, thing.kind in ("block", "object") or is_robot(thing), note)


def _digest(rows: Sequence[Result]) -> str:
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()[:16]


def _id(number: int) -> str:
    return f"loose{number}"
