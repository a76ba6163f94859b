"""Commands on the sizes of things: sizes, resize."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import SHAPES, Shape
from workcell.commands.language.transforms import PoseValue
from workcell.commands.placing import place
from workcell.commands.results import Done, Result
from workcell.errors import Refused
from workcell.geometry.recipe import encode
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity, Relation
from workcell.world.together import moves_with

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid


class Sizes(Result, frozen=True):
    """The shape of a thing: its word, the names of its sizes and their values [m], and its pose in the world as rows.

    ``inside`` is its pose in the thing. ``refusal`` is the reason why the sizes cannot be changed, and there are none
    then; '' if they can.
    """

    thing: str
    shape: str
    names: list[str]
    sizes: list[float]
    pose: list[list[float]]
    inside: list[list[float]]
    refusal: str
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "sizes {thing}",
    help="give the sizes of an object or zone that is a box, cylinder or sphere, and where the shape is",
    effect="reads",
    background=True,
    thing=Ref("object", "zone"),
    examples=["> add zone gate box 300 300 200 at 0,-900,500", "sizes gate"],
)
def sizes(session: Session, thing: Entity) -> Sizes:
    """The answer is for changing the sizes by hand, with `resize`."""
    here = moves_with(session, thing).X_world_thing.matrix
    try:
        block, relation = _only_block(session, thing)
    except Refused as reason:
        nowhere = np.eye(4).tolist()
        return Sizes(thing.name, "", [], [], here.tolist(), nowhere, str(reason), str(reason))
    shape = msgspec.json.decode(block.shape or "{}")
    word = str(shape["kind"])
    values = [float(value) for name, value in shape.items() if name != "kind"]
    names = list(SHAPES[word][0])
    length = session.units.length
    said = " ".join(f"{name} {session.units.from_si(one, 'length'):g}" for name, one in zip(names, values, strict=True))
    inside = relation.matrix
    return Sizes(
        thing.name, word, names, values, (here @ inside).tolist(), inside.tolist(), "", f"{word}: {said} {length}"
    )


@command(
    "resize {thing} {shape} [at {pose}]",
    help="give an object or zone that is a box, cylinder or sphere other sizes, and another place",
    effect="edits",
    thing=Ref("object", "zone"),
    shape=Shape(),
    pose=PoseValue(),
    param_help={
        "shape": "the shape with its new sizes, such as box 800 600 40",
        "pose": "where its origin will be in the world; default: where it is",
    },
    examples=[
        "> add zone gate box 300 300 200 at 0,-900,500",
        "resize gate box 400 300 200 at 50,-900,500",
        "> add solid pin cylinder 10 60",
        "resize pin cylinder 12 60",
    ],
)
def resize(session: Session, thing: Entity, shape: Solid, pose: Transform | None = None) -> Done:
    """The origin of a box is in its middle: to keep a face where it is, move the origin by half of the change.

    If other things share the block, `modify BLOCK shape …` changes all of them.
    """
    block, _ = _only_block(session, thing)
    session.rows.update("entity", block.id, shape=encode(shape.recipe).decode())
    placed = f"; {place(session, thing, pose, hanging=True).text}" if pose is not None else ""
    return Done(f"sizes of {thing.name!r} changed{placed}")


def _only_block(session: Session, thing: Entity) -> tuple[Entity, Relation]:
    """Return the one block of a thing and its relation.

    Raises:
        Refused: there is not exactly one, it is not a simple shape, or something else uses it.
    """
    database = session.database
    parts = [(database.by_id(one.child), one) for one in database.relations(thing)]
    blocks = [(part, one) for part, one in parts if part.kind in ("block", "object")]
    if len(blocks) != 1 or blocks[0][0].kind != "block":
        raise Refused(f"{thing.name!r} consists of {len(blocks)} parts; change the sizes of each block.")
    block, relation = blocks[0]
    shape = msgspec.json.decode(block.shape) if block.shape else {}
    word = shape.get("kind")
    if word not in SHAPES or not SHAPES[word][0] or len(shape) != 1 + len(SHAPES[word][0]):
        raise Refused(
            f"{thing.name!r} is not a box, cylinder or sphere. "
            f"`modify {block.reference} shape …` gives it another shape."
        )
    others = [database.by_id(one.parent) for one in database.pointers(block) if one.id != relation.id]
    if others:
        raise Refused(
            f"{block.name!r}, the block of {thing.name!r}, is also used by {others[0].name!r}. "
            f"`modify {block.reference} shape …` changes both; a copy with --deep has a block of its own."
        )
    return block, relation
